"""The order of the rows in the file: sorted by the target, or a stream."""

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from heldout.checks.uninformative import is_fraction
from heldout.findings.words import percent

_FEWEST_ROWS = 50
_ALIKE, _STREAM = 0.1, 0.3  # limits of the likeness of neighbours beyond chance, as a share of the possible
_STRETCHES, _LEAST_STRETCH, _ALIKE_INSIDE = 40, 5, 0.8  # share of the autocorrelation that a stream keeps inside
_IN_ORDER, _SORTED = 0.95, 0.99  # Spearman's correlations, of a time with the position, and with the target
_NAMED_LIKE_TIME = re.compile(r"date|time|timestamp|year|month|day|hour|minute|second|epoch", re.IGNORECASE)


@dataclass(frozen=True)
class Order:
    """What the order shows, the time column if the rows are a stream, and whether neighbours are much alike without."""

    remark: str | None = None
    time: str | None = None
    hints: bool = False


def of_rows(features: pd.DataFrame, target: pd.Series, *, classes: bool) -> Order:
    """How alike neighbouring labels are, compared with shuffled rows, and which column has the time.

    `features` are the features of the rows with a label, in file order. The time column holds dates, or numbers
    under the name of a time, and rises down the file (Spearman's correlation of 0.95 or more).
    """
    if len(target) < _FEWEST_ROWS:
        return Order()
    alike, possible = _likeness(target, classes=classes)
    if _is_sorted(target, classes=classes) and alike > _STREAM:
        by = f"class ({_runs(target)} runs)" if classes else "the target"
        return Order(f"the file is sorted by {by}: parts are drawn at random, so this is harmless")
    if alike < max(_ALIKE, 4 / np.sqrt(len(target))):  # four standard errors of the likeness of shuffled rows
        return Order()
    time = _time(features)
    remark = f"labels of neighbouring rows are alike: {possible} (0 is no order, 1 is complete)"
    return Order(remark, time, hints=time is None and alike >= _STREAM)


def rises(column: pd.Series) -> bool:
    """Whether a column holds whole numbers that only rise or only fall down the file, or a time that mostly rises."""
    if is_fraction(column) and not is_named_like_time(column):
        return False
    if not pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column) or column.isna().any():
        return False
    if is_named_like_time(column):
        return _in_order(column)
    whole = bool((column % 1 == 0).all())
    return whole and (column.is_monotonic_increasing or column.is_monotonic_decreasing)


def is_named_like_time(column: pd.Series) -> bool:
    """Whether the name of a column is that of a time."""
    return _NAMED_LIKE_TIME.search(str(column.name)) is not None


def is_sorted_by(column: pd.Series, target: pd.Series, *, classes: bool) -> bool:
    """Whether rows in the order of `column` are sorted by the target, so that later rows are other rows.

    For a column without the name or the dtype of a time also if they are sorted in part: labels of neighbours are
    alike, and less so inside short stretches of rows.
    """
    in_order = target.iloc[np.argsort(column.to_numpy(), kind="stable")]
    if _is_sorted(in_order, classes=classes):
        return True
    if is_named_like_time(column) or pd.api.types.is_datetime64_any_dtype(column):
        return False
    labels = (pd.get_dummies(in_order) if classes else in_order.rank().to_frame()).astype(np.float64)
    labels = labels.reset_index(drop=True)
    stretch = np.arange(len(labels)) // max(_LEAST_STRETCH, len(labels) // _STRETCHES)
    whole = _autocorrelation((labels - labels.mean()).to_numpy())
    inside = _autocorrelation((labels - labels.groupby(stretch).transform("mean")).to_numpy())
    return whole >= _STREAM and inside < _ALIKE_INSIDE * whole


def _is_sorted(target: pd.Series, *, classes: bool) -> bool:
    if classes:
        return _runs(target) <= 2 * target.nunique()
    return abs(float(target.rank().reset_index(drop=True).corr(pd.Series(np.arange(len(target)))))) >= _SORTED


def _autocorrelation(labels: NDArray[np.float64]) -> float:
    """Of neighbouring rows of `labels`, shape (n, C), whose mean is 0."""
    squares = float((labels**2).sum())
    return float((labels[1:] * labels[:-1]).sum()) / squares if squares else 0.0


def _runs(target: pd.Series) -> int:
    values = pd.factorize(target)[0]
    return 1 + int(np.count_nonzero(values[1:] != values[:-1]))


def _likeness(target: pd.Series, *, classes: bool) -> tuple[float, str]:
    if not classes:
        values = target.to_numpy(dtype=np.float64)
        with np.errstate(invalid="ignore"):
            correlation = float(np.nan_to_num(np.corrcoef(values[1:], values[:-1])[0, 1]))
        return correlation, f"autocorrelation {correlation:.2f}"
    values = pd.factorize(target)[0]
    same = float((values[1:] == values[:-1]).mean())
    chance = float(((np.bincount(values) / len(values)) ** 2).sum())
    excess = (same - chance) / (1 - chance)
    return excess, f"{percent(same)} share the class, {percent(chance)} if shuffled, an excess of {excess:.2f}"


def _time(features: pd.DataFrame) -> str | None:
    if features.shape[1] < 2:  # the time is no feature, and a feature must be left
        return None
    for name in sorted(features.columns, key=lambda name: not pd.api.types.is_datetime64_any_dtype(features[name])):
        column = features[name]
        dates = pd.api.types.is_datetime64_any_dtype(column)
        if not dates and not (pd.api.types.is_numeric_dtype(column) and is_named_like_time(column)):
            continue
        if column.notna().all() and column.nunique() >= _FEWEST_ROWS and _in_order(column):
            return str(name)
    return None


def _in_order(column: pd.Series) -> bool:
    position = pd.Series(np.arange(len(column), dtype=np.float64), index=column.index)
    return bool(column.rank().corr(position) >= _IN_ORDER)
