"""How often is "Ship X, plan with at most u" said, and how often is what it says false?

Each cell is a way to draw rows and a set of candidates, given to `heldout.validate` as it ships; the verdict is that of
`Validation.decide`. Of its winner X the truth is the mean loss of the very hypotheses that the estimate to plan with is
about (`Validation.target`) on other rows of the same population, and of the other candidates that of theirs. *Shipped*
is the share of the tables in which the verdict has no caveat, *with care* of those in which it has one. What a verdict
without a caveat says is false if X's error is above u, the upper end of the interval to plan with; if it is not below
that of the best constant answer; or if it is above the least of all candidates' by more points than the upper ends of
its differences from the others allow. Wanted: each in at most .05 of the shipped tables, but for chance. Where labels
depend on nothing every verdict that ships is false, so that .05 of all tables is wanted.

The truth is that of 5,000 other rows, the same for the candidates and the constant.
"""

import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import sklearn
from matplotlib.figure import Figure
from sklearn.base import BaseEstimator, clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from threadpoolctl import threadpool_limits

import heldout
from heldout.fits.baseline import NAME
from heldout.notebook.decision import planned
from studies import hard_cells
from studies.hard_cells import Cell, Draw, Numbers, Rows, Unit, slug
from studies.made_tables import markdown, write_between
from studies.race_bbc import Centroids
from studies.study import LEVEL, Finding, Record, at_most, share_interval

SEED, NEEDS_DATA = 0, False
TABLES, OF_THIRTY, OF_POWER, BATCH, QUICK = 120, 60, 240, 10, 2  # of a cell, of thirty candidates, where power is asked
OTHERS = 5_000
WRONG = ("above u", "not below the constant", "above the best")  # by more than the stated points
TABLE, PAGE = Path("docs/studies/verdicts.csv"), Path("docs/verdicts.md")
_ROUNDING = 1e-9
_COUNTS = re.compile(r"shipped (\d+), with care (\d+), of (\d+) tables")
_WAYS = re.compile(rf"(\d+) ({'|'.join(WRONG)})")


class Line(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A least squares line on one column."""

    _estimator_type = "regressor"

    def __init__(self, column: int) -> None:
        self.column = column

    def fit(self, X: Any, y: Any) -> "Line":
        """Take the slope and the middle."""
        x = X[:, self.column] - X[:, self.column].mean()
        self.slope_ = float(x @ y) / float(x @ x)
        self.middle_ = float(y.mean()) - self.slope_ * float(X[:, self.column].mean())
        return self

    def predict(self, X: Any) -> Any:
        """The number of each row."""
        return X[:, self.column] * self.slope_ + self.middle_


def _classes(by: Sequence[float], *, columns: int = 5, share: float = 0.5) -> Draw:
    """Two classes that lie so far apart in the first columns, of normal columns."""

    def draw(rng: np.random.Generator, n: int) -> Rows:
        y = (rng.random(n) < share).astype(int)
        while np.bincount(y, minlength=2).min() < 2:
            y = (rng.random(n) < share).astype(int)
        X = rng.normal(size=(n, columns))
        X[:, : len(by)] += np.asarray(by) * y[:, None]
        return {"X": X, "y": y}

    return draw


def _numbers(slopes: Sequence[float], *, columns: int = 5, noise: Callable[..., Numbers] | None = None) -> Draw:
    """A line in the first columns, and noise of spread 1."""

    def draw(rng: np.random.Generator, n: int) -> Rows:
        X = rng.normal(size=(n, columns))
        of_noise = rng.normal(size=n) if noise is None else noise(rng, n)
        return {"X": X, "y": X[:, : len(slopes)] @ np.asarray(slopes) + of_noise}

    return draw


def _three_classes(rng: np.random.Generator, n: int) -> Rows:
    y = rng.integers(3, size=n)
    X = rng.normal(size=(n, 4))
    X[:, :2] += 1.3 * np.array([[0, 0], [1, 0], [0, 1]])[y]
    return {"X": X, "y": y}


def _in_groups(groups: int, by: float, *, label_of_group: float = 0.0) -> Draw:
    """Groups of 10 rows with columns of their own, and labels that a line tells; or a group's label is its own."""

    def draw(rng: np.random.Generator, n: int) -> Rows:
        group = np.arange(n) // max(n // groups, 1) if n < OTHERS else np.arange(n) // 10
        count = group[-1] + 1
        own = rng.random(count) < 0.5
        y = np.where(rng.random(n) < label_of_group, own[group], rng.random(n) < 0.5).astype(int)
        X = rng.normal(size=(n, 4)) + 0.7 * rng.normal(size=(count, 4))[group]
        X[:, 0] += by * y
        return {"X": X, "y": y, "groups": group}

    return draw


def _in_time(by: float, stays: float) -> Draw:
    """Labels that stay as they are from row to row with a chance, and columns that follow them in time."""

    def draw(rng: np.random.Generator, n: int) -> Rows:
        from scipy.signal import lfilter

        y = (np.cumsum(rng.random(n) > stays) + rng.integers(2)) % 2
        X = lfilter([1], [1, -stays], rng.normal(size=(n + 200, 3)), axis=0)[200:] * np.sqrt(1 - stays**2)
        X[:, 0] += by * y
        return {"X": X, "y": y, "time": np.arange(n)}

    return draw


def _copied(rng: np.random.Generator, n: int) -> Rows:
    """Rows of 40 kinds, whose labels are tosses of a coin of their kind, for the same population."""
    of_kind = np.random.default_rng(1)
    kinds, chance = of_kind.normal(size=(40, 3)), of_kind.choice([0.25, 0.75], size=40)
    kind = rng.integers(40, size=n)
    return {"X": kinds[kind], "y": (rng.random(n) < chance[kind]).astype(int)}


def _centroids(count: int, of_each: int = 1) -> Mapping[str, BaseEstimator]:
    return {f"c{place}": Centroids(tuple(range(place, place + of_each))) for place in range(count)}


def _lines(count: int) -> Mapping[str, BaseEstimator]:
    return {f"line{place}": Line(place) for place in range(count)}


THREE: Mapping[str, BaseEstimator] = {
    "lda": LinearDiscriminantAnalysis(),
    "bayes": GaussianNB(),
    "tree": DecisionTreeClassifier(max_depth=3, random_state=0),
}
FIVE: Mapping[str, BaseEstimator] = {
    "stump": DecisionTreeClassifier(max_depth=1, random_state=0),
    "lda": LinearDiscriminantAnalysis(),
    "bayes": GaussianNB(),
    "neighbors": KNeighborsClassifier(5),
    "tree": DecisionTreeClassifier(random_state=0),
}
OF_NUMBERS: Mapping[str, BaseEstimator] = {
    "line": LinearRegression(),
    "ridge": Ridge(10.0),
    "neighbors": KNeighborsRegressor(5),
    "tree": DecisionTreeRegressor(max_depth=3, random_state=0),
}

CELLS: Mapping[str, Cell] = {
    "null labels, equal classes, 100 rows": Cell(_classes([]), 100, THREE, null=True),
    "null labels, 3 in 10, 100 rows": Cell(_classes([], share=0.3), 100, THREE, null=True),
    "null labels, few rows, ten candidates, 40 rows": Cell(_classes([], columns=10), 40, _centroids(10), null=True),
    "null labels, thirty candidates, 100 rows": Cell(_classes([], columns=30), 100, _centroids(30), null=True),
    "null numbers, 100 rows": Cell(_numbers([]), 100, OF_NUMBERS, null=True),
    "null numbers, thirty candidates, 60 rows": Cell(_numbers([], columns=30), 60, _lines(30), null=True),
    "null labels in 30 groups, 300 rows": Cell(_in_groups(30, 0.0, label_of_group=0.8), 300, THREE, null=True),
    "null labels in time, 200 rows": Cell(_in_time(0.0, 0.9), 200, THREE, null=True),
    "two equal candidates, 100 rows": Cell(_classes([1.0] * 2), 100, _centroids(2)),
    "ten equal candidates, 120 rows": Cell(_classes([1.0] * 10, columns=10), 120, _centroids(10)),
    "five equal candidates of numbers, 150 rows": Cell(_numbers([0.6] * 5), 150, _lines(5)),
    "one better by a little, 200 rows": Cell(_classes([1.2, *[1.0] * 4]), 200, _centroids(5)),
    "one better by much, 120 rows": Cell(_classes([2.0, *[0.8] * 4]), 120, _centroids(5)),
    "one of numbers better by a little, 100 rows": Cell(_numbers([0.8, 0.7, *[0.2] * 3]), 100, _lines(5)),
    "one of numbers better by much, 100 rows": Cell(_numbers([1.0, *[0.2] * 4]), 100, _lines(5)),
    "five learners, .29 against .5, 120 rows": Cell(_classes([1.25]), 120, FIVE),
    "five learners, one has learned, 120 rows": Cell(_classes([1.15]), 120, _centroids(5)),
    "three learners, .35 against .5, 100 rows": Cell(_classes([0.85]), 100, THREE),
    "thirty candidates, graded, 200 rows": Cell(
        _classes(np.linspace(1.4, 0.2, 30).tolist(), columns=30), 200, _centroids(30)
    ),
    "thirty candidates, one better, 200 rows": Cell(_classes([1.6, *[0.6] * 29], columns=30), 200, _centroids(30)),
    "thirty candidates of numbers, graded, 120 rows": Cell(
        _numbers([1.2, 1.1, 1.0, 0.8, 0.6, *[0.1] * 25], columns=30), 120, _lines(30)
    ),
    "a rare class, 5 %, 300 rows": Cell(_classes([3.5], share=0.05), 300, THREE),
    "a rare class, 5 %, balanced, 300 rows": Cell(_classes([1.8], share=0.05), 300, hard_cells.BALANCED, "balanced"),
    "a rare class, 10 %, cost 20:1, 300 rows": Cell(
        _classes([2.0], share=0.1), 300, hard_cells.BALANCED, hard_cells.COST
    ),
    "three classes, 120 rows": Cell(_three_classes, 120, THREE),
    "30 groups, 300 rows": Cell(_in_groups(30, 1.5), 300, THREE),
    "12 groups, 120 rows": Cell(_in_groups(12, 2.0), 120, THREE),
    "labels of 200 rows in time": Cell(_in_time(1.5, 0.7), 200, THREE),
    "numbers in time, AR(.5) noise, 200 rows": Cell(hard_cells.autoregressive(0.5), 200, OF_NUMBERS),
    "weights, errors on heavy rows, 200 rows": Cell(hard_cells.weighted(False), 200, hard_cells.WEIGHED),
    "numbers, normal noise, 60 rows": Cell(_numbers([0.8, 0.4]), 60, OF_NUMBERS),
    "numbers, 1 % of outliers, 100 rows": Cell(_numbers([2.0], noise=hard_cells.outliers), 100, OF_NUMBERS),
    "numbers, noise of t3, 100 rows": Cell(
        _numbers([2.0], noise=lambda rng, n: rng.standard_t(3, size=n)), 100, OF_NUMBERS
    ),
    "few rows, 30": Cell(_classes([2.0]), 30, THREE),
    "few rows of numbers, 25": Cell(_numbers([1.5]), 25, OF_NUMBERS),
    "40 kinds of rows, 200 rows": Cell(
        _copied, 200, {"lda": LinearDiscriminantAnalysis(), "tree": DecisionTreeClassifier(random_state=0)}
    ),
}
POWER = ("five learners, .29 against .5, 120 rows", "five learners, one has learned, 120 rows")
QUICK_CELLS = ("few rows, 30", "numbers, normal noise, 60 rows")


def units(quick: bool) -> Sequence[Unit]:
    """The tables of all cells; in the quick form few of two."""
    if quick:
        return [Unit(name, 0, QUICK) for name in QUICK_CELLS]
    return [Unit(name, first, BATCH) for name in CELLS for first in range(0, _tables(name), BATCH)]


def _tables(name: str) -> int:
    return OF_POWER if name in POWER else OF_THIRTY if len(CELLS[name].candidates) == 30 else TABLES


def measure(unit: Unit, data: Path | None) -> list[Record]:  # noqa: ARG001
    """A record for each table."""
    with (
        sklearn.config_context(assume_finite=True, skip_parameter_validation=True),
        threadpool_limits(1),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        return [_of_table(unit.cell, unit.first + place) for place in range(unit.tables)]


def _of_table(name: str, number: int) -> Record:
    cell = CELLS[name]
    rng = np.random.default_rng([SEED, *map(ord, name), number])
    rows, others = cell.draw(rng, cell.n), cell.draw(rng, OTHERS)
    options: dict[str, Any] = {**rows}
    made = heldout.validate(
        dict(cell.candidates),
        **options,
        loss=cell.loss,
        seed=number,
        estimates=_estimates(rows, len(cell.candidates) > 10),
        progress=False,
    )
    decision, chosen = made.decide(), made.select()
    winner, plan = chosen.selected, planned(made, chosen.selected)
    errors = {one: _true_error(made, cell, rows, others, one) for one in cell.candidates}
    by_best = [one.high for one in made.differences(winner) if one.against != NAME]
    apart = [np.inf if high is None else high for high in by_best]
    return {
        "cell": name,
        "verdict": decision.verdict,
        "u": np.nan if plan is None else plan.record.high,
        "value": np.nan if plan is None else plan.record.value,
        "truth": errors[winner],
        "constant": _constant_error(others, cell),
        "best": min(errors.values()),
        "points": max(0.0, *apart) if apart else 0.0,
        "why": "; ".join(decision.caveats),
    }


def _estimates(rows: Rows, many: bool) -> list[str]:
    """All that a verdict looks at, and the steps of a race."""
    return ["E_val", "E_cv", *([] if "time" in rows else ["E_bbc"]), *(["E_prog"] if many else [])]


def _true_error(made: heldout.Validation, cell: Cell, rows: Rows, others: Rows, name: str) -> float:
    """Of the hypotheses that E_cv is about; of a candidate that a race dropped these are fitted now."""
    if name in made.candidates:
        hypotheses = made.target(name, "E_cv")
    else:
        splits = made.design.splits("cross_validation")
        hypotheses = [clone(cell.candidates[name]).fit(rows["X"][one.train], rows["y"][one.train]) for one in splits]
    return float(np.mean([hard_cells.error(one.predict(others["X"]), others, cell.loss) for one in hypotheses]))


def _constant_error(others: Rows, cell: Cell) -> float:
    """Of the best constant answer of the population."""
    y = others["y"]
    answers = [y.mean()] if y.dtype.kind == "f" else np.unique(y)
    return min(hard_cells.error(np.full(len(y), answer), others, cell.loss) for answer in answers)


def findings(results: pd.DataFrame) -> list[Finding]:
    """For each cell the largest of the three shares of false verdicts; and each of them over all cells."""
    results = results.assign(**_said(results))
    found = [_finding(slug(str(name)), own, [*WRONG]) for name, own in results.groupby("cell", sort=False)]
    learned = results[~results["null"]]
    return [*found, *(_finding(f"all-{slug(what)}", learned, [what]) for what in WRONG)]


def _said(results: pd.DataFrame) -> Mapping[str, Any]:
    """Whether the verdict ships, and in which way it would be false, for each table."""
    null = results["cell"].map(lambda name: CELLS[name].null)
    return {
        "null": null,
        "shipped": results["verdict"].isin(["ship", "any_of"]),
        "care": results["verdict"] == "ship_with_care",
        "above u": results["truth"] > results["u"] + _ROUNDING,
        "not below the constant": null | (results["truth"] >= results["constant"]),
        "above the best": results["truth"] - results["best"] > results["points"] + _ROUNDING,
    }


def _finding(name: str, own: pd.DataFrame, ways: Sequence[str]) -> Finding:
    shipped, tables = own[own["shipped"]], len(own)
    of = tables if bool(own["null"].all()) else len(shipped)
    counts = {what: int(shipped[what].sum()) for what in ways}
    said = f"shipped {len(shipped)}, with care {int(own['care'].sum())}, of {tables} tables; of the shipped "
    said += ", ".join(f"{count} {what}" for what, count in counts.items())
    if of == 0:
        return Finding(f"verdict-{name}", "never shipped", True, said)
    share, low, high = share_interval(max(counts.values()), of)
    return Finding(f"verdict-{name}", share, low <= 1 - LEVEL, said, at_most(1 - LEVEL), low, high)


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:  # noqa: ARG001
    """None."""
    return {}


def table(findings_csv: Path = TABLE) -> str:
    """The table of the page, from the findings: all designs together, and those with a share above .05."""
    head = ["tables", "shipped", "with care", *WRONG, "largest share (95 % interval)"]
    lines: Any = pd.read_csv(findings_csv, dtype=str, keep_default_na=False).to_dict("records")
    together = {f"verdict-all-{slug(what)}": "**all**" for what in WRONG}
    above = {f"verdict-{slug(name)}": name for name in CELLS}
    shown = [(together[line["finding"]], line) for line in lines if line["finding"] in together]
    shown += [(above[name], line) for line in lines if (name := line["finding"]) in above and _above(line["ours"])]
    return markdown([head, *(_row(name, line) for name, line in shown)])


def _above(share: str) -> bool:
    return share.replace(".", "").isdigit() and float(share) > 1 - LEVEL


def _row(name: str, line: Mapping[str, str]) -> list[str]:
    shipped, care, tables = map(int, _COUNTS.findall(line["verdict"])[0])
    counts = {what: count for count, what in _WAYS.findall(line["verdict"])}
    share, low, high = (f"{float(line[end]):.3f}" for end in ("ours", "low", "high"))
    ends = f"{share} ({low} to {high})"
    shares = [f"{count / tables:.2f}" for count in (shipped, care)]
    return [f"{name} ({tables} tables)", *shares, *(counts.get(what, "") for what in WRONG), ends]


if __name__ == "__main__":
    write_between(PAGE, "<!-- made by `python -m studies.verdicts` -->\n", "<!-- end -->", table())
