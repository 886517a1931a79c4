"""What a target asks about the loss: values that rule the squared error, classes that may be numbers, a rare class."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from heldout.findings import checks
from heldout.findings.finding import Finding
from heldout.findings.words import percent

_FEWEST_ROWS = 20
# one to three values that carry so much of the squared deviations, and lie so many interquartile ranges away
_MOST_OUTLIERS, _SHARE, _RANGES = 3, 0.5, 100
# whole numbers of so many kinds, one of them so rare; those of an order are about as frequent as their neighbours
_FEWEST_KINDS, _RARE, _LEAST_ALIKE = 7, 10, 0.25
_IMBALANCED = 0.2  # share of the rarer of two classes
_REGRESSORS = "linear_model.Ridge, ensemble.HistGradientBoostingRegressor"


@dataclass(frozen=True)
class Remark:
    """What was found in the target, and the loss that may fit, as a comment next to `loss`."""

    finding: Finding
    proposed: str


def look(target: pd.Series, *, classes: bool) -> Remark | None:
    """The remark about a target without gaps, if there is one.

    - Numbers: at most three values carry more than half of the sum of squared deviations, and each lies more than a
      hundred interquartile ranges from the median. A lognormal target, or one of prices, has none.
    - Whole numbers taken as classes: seven kinds or more, of which the rarest has fewer than ten rows, and neighbouring
      kinds are about equally frequent, as those of grades are and those of codes are not.
    - Two classes, the rarer in less than a fifth of the rows.
    """
    if not classes:
        return _of_outliers(target)
    counts = target.value_counts()
    counts = counts[counts > 0]  # categories that no row has
    if len(counts) == 2:
        return _of_imbalance(target, counts)
    return _of_whole_numbers(target)


def _of_outliers(target: pd.Series) -> Remark | None:
    values = np.sort(target.to_numpy(dtype=np.float64))  # sums do not depend on the order of the rows
    median = float(np.median(values))
    spread = _spread(values, median)
    if len(values) < _FEWEST_ROWS or spread == 0:
        return None
    distances = np.abs(values - median)
    furthest = np.argsort(-distances, kind="stable")
    scaled = (values - median) / distances.max()  # squares of large numbers are infinite
    for count in range(_MOST_OUTLIERS, 0, -1):
        ranges = float(distances[furthest[count - 1]]) / spread
        share = 1 - float(_squares(scaled[furthest[count:]]) / _squares(scaled))
        if ranges > _RANGES and share > _SHARE:
            return _about_outliers(str(target.name), values[furthest[:count]], median, share, ranges)
    return None


def _spread(values: NDArray[np.float64], median: float) -> float:
    """The interquartile range; where most values are one, that of the others, if they are enough."""
    others = values[values != median]
    for among in (values, others):
        if len(among) >= _FEWEST_ROWS:
            low, high = np.percentile(among, [25, 75])
            if high > low:
                return float(high - low)
    return 0.0


def _squares(values: NDArray[np.float64]) -> float:
    return float(((values - values.mean()) ** 2).sum())


def _about_outliers(name: str, outliers: NDArray[np.float64], median: float, share: float, ranges: float) -> Remark:
    middle = f"{float(f'{median:.6g}'):.12g}"
    ratios = outliers / median if median > 0 else np.zeros(1)
    if ratios.min() > 1:
        how_far = f"{_words(float(ratios.min()))} times the median, {middle}"
    else:
        how_far = f"{_words(ranges)} interquartile ranges from the median, {middle}"
    numbers = [f"{value:.12g}" for value in outliers]
    listed = " and ".join([", ".join(numbers[:-1]), numbers[-1]] if numbers[1:] else numbers)
    if len(outliers) == 1:
        what, it, right = f"one value, {listed}, is {how_far}", "it carries", "it is"
        mistake = "a mistake? Correct the value or remove the row"
    else:
        what, it, right = f"{len(outliers)} values, {listed}, are at least {how_far}", "they carry", "they are"
        mistake = "mistakes? Correct the values or remove the rows"
    return Remark(
        Finding(
            "found",
            f"{name}: {what}; {it} {percent(share)} of the squared deviations from the mean",
            severity="care",
            evidence={"share of the squared deviations": share, "interquartile ranges from the median": ranges},
            decide=f"{mistake}, and start again; if {right} right, set loss: absolute, which few rows do not rule",
            keys=("loss",),
            in_python=f"{mistake}; if {right} right, give loss='absolute', which few rows do not rule",
            code=checks.OUTLIERS.code,
        ),
        f"proposed: absolute, if {listed} {'is' if len(outliers) == 1 else 'are'} right",
    )


def _words(times: float) -> str:
    """A large number as people read it."""
    if times < 1e12:
        for size, word in ((1e9, "billion"), (1e6, "million")):
            if times >= size:
                return f"{times / size:.3g} {word}"
    return f"{times:.0f}" if 100 <= times < 1e6 else f"{times:.3g}"


def _of_whole_numbers(target: pd.Series) -> Remark | None:
    if not pd.api.types.is_numeric_dtype(target) or pd.api.types.is_bool_dtype(target):
        return None
    counts = target.value_counts().sort_index()
    rarest = int(counts.min())
    if len(counts) < _FEWEST_KINDS or rarest >= _RARE:
        return None
    if _alike(np.log1p(counts.to_numpy(dtype=np.float64))) < _LEAST_ALIKE:
        return None
    low, high = (f"{value:.12g}" for value in (counts.index[0], counts.index[-1]))
    rows = "1 row" if rarest == 1 else f"{rarest} rows"
    return Remark(
        Finding(
            "found",
            f"{target.name}: whole numbers {low} to {high}, taken as {len(counts)} classes, the rarest has {rows}",
            severity="care",
            evidence={"classes": len(counts), "rows of the rarest": rarest},
            decide=f"if they are numbers, set loss: squared and name regressors in candidates ({_REGRESSORS}); if they "
            "are classes, set loss: zero_one",
            keys=("loss",),
            code=checks.WHOLE_NUMBERS.code,
        ),
        f"proposed: squared, with regressors as candidates, if {target.name} holds numbers",
    )


def _alike(logarithms: NDArray[np.float64]) -> float:
    """The autocorrelation of the logarithms of counts along the kinds in their order."""
    logarithms = logarithms - logarithms.mean()
    squares = float((logarithms**2).sum())
    return float((logarithms[1:] * logarithms[:-1]).sum()) / squares if squares else 0.0


def _of_imbalance(target: pd.Series, counts: pd.Series) -> Remark | None:
    rarer, rows = counts.index[-1], int(counts.iloc[-1])
    share = rows / len(target)
    if share >= _IMBALANCED:
        return None
    errs = f"by zero_one a constant answer errs {percent(share)}"
    other = f"log, or balanced if a miss of {rarer} matters more"
    return Remark(
        Finding(
            "found",
            f"{target.name}: {percent(share)} are {rarer}: {errs}, and a model that ranks well may not beat it",
            evidence={"share of the rarer class": share},
            decide=f"loss: {other}, shows more",
            code=checks.RARE_CLASS.code,
        ),
        f"proposed: {other}: {errs}",
    )
