"""Do the default intervals hold where a class is rare, rows have weights, groups are unequal, or rows follow in time?

Each cell is a way to draw rows, given to `heldout.validate` as it ships, with two candidates. The truth is the mean
loss of the very hypotheses that an estimate is about (`Validation.target`) on other rows of the same population: of
balanced losses the mean over the classes of each one's error, of weighted rows the weighted mean, in time the mean
along another stream. Wanted: of the intervals that are shown without a mark, "?", at least .92 hold, the level less
.03. Where the two candidates are equal by symmetry, "shown to err less" is false of either; and beating the best
constant is false where the labels depend on nothing.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import sklearn
from matplotlib.figure import Figure
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from threadpoolctl import threadpool_limits

import heldout
from studies.study import LEVEL, Finding, Record, at_most, share_interval

SEED, NEEDS_DATA = 0, False
LEAST = 0.92  # of the intervals without a mark: the level less .03
TABLES, BATCH, QUICK = 120, 30, 2
OTHERS = 20_000  # rows of the population that give the truth
COLUMNS = 4
Numbers = NDArray[np.float64]
Rows = dict[str, NDArray[Any]]  # X, y, and sample_weight, groups or time
Draw = Callable[[np.random.Generator, int], Rows]


def _shifted(rng: np.random.Generator, n: int, share: float, by: float = 1.2) -> Rows:
    """Two classes, the second of a small share, apart in the first two columns."""
    y = _labels(rng, n, share)
    X = rng.normal(size=(n, COLUMNS))
    X[:, :2] += by * y[:, None]
    return {"X": X, "y": y}


def _labels(rng: np.random.Generator, n: int, share: float) -> NDArray[Any]:
    """Two classes, the second of a share in expectation, and of two rows at least."""
    y = (rng.random(n) < share).astype(int)
    return y if y.sum() > 1 else _labels(rng, n, share)


def _rare(share: float) -> Draw:
    return lambda rng, n: _shifted(rng, n, share)


def _flipped(rng: np.random.Generator, n: int, noise: Callable[[Numbers], Numbers]) -> tuple[Numbers, NDArray[Any]]:
    """The sign of the first column, flipped with a chance that the second column decides."""
    X = rng.normal(size=(n, COLUMNS))
    return X, ((X[:, 0] > 0) ^ (rng.random(n) < noise(X[:, 1]))).astype(int)


def weighted(on_light: bool) -> Draw:
    """Lognormal weights; errors lie on the light rows, or on the heavy ones."""

    def draw(rng: np.random.Generator, n: int) -> Rows:
        X, y = _flipped(rng, n, lambda column: np.where((column < 0) == on_light, 0.4, 0.02))
        return {"X": X, "y": y, "sample_weight": np.exp(X[:, 1])}

    return draw


def _rising(times: float) -> Draw:
    """Weights that rise along the time, or fall; a quarter of the labels is noise."""

    def draw(rng: np.random.Generator, n: int) -> Rows:
        X, y = _flipped(rng, n, lambda column: np.full(len(column), 0.25))
        return {"X": X, "y": y, "time": np.arange(n), "sample_weight": times ** (np.arange(n) / n)}

    return draw


def _groups(sizes: Callable[[np.random.Generator], Numbers]) -> Draw:
    """Groups with an error of their own; the rows are those of so many groups, in proportion to `sizes`."""

    def draw(rng: np.random.Generator, n: int) -> Rows:
        share = sizes(rng)
        share = np.resize(share, len(share) * max(n // 300, 1))  # of a larger population more groups
        count = np.maximum(np.round(n * share / share.sum()), 1).astype(int)
        group = np.repeat(np.arange(len(count)), count)
        chance = rng.beta(1.5, 6, size=len(count))[group]
        X = rng.normal(size=(len(group), COLUMNS))
        return {"X": X, "y": ((X[:, 0] > 0) ^ (rng.random(len(group)) < chance)).astype(int), "groups": group}

    return draw


def _one_of(groups: int, share: float) -> Callable[[np.random.Generator], Numbers]:
    return lambda rng: np.r_[share, np.full(groups - 1, (1 - share) / (groups - 1))]  # noqa: ARG005


def autoregressive(rho: float) -> Draw:
    """A line, with noise that depends on the noise before."""

    def draw(rng: np.random.Generator, n: int) -> Rows:
        from scipy.signal import lfilter

        X, made = rng.normal(size=(n, COLUMNS)), rng.normal(size=n + 500) * np.sqrt(1 - rho**2)
        return {"X": X, "y": X[:, 0] + lfilter([1], [1, -rho], made)[500:], "time": np.arange(n)}

    return draw


def _numbers(noise: Callable[[np.random.Generator, int], Numbers]) -> Draw:
    def draw(rng: np.random.Generator, n: int) -> Rows:
        X = rng.normal(size=(n, COLUMNS))
        return {"X": X, "y": X[:, 0] + noise(rng, n)}

    return draw


def outliers(rng: np.random.Generator, n: int) -> Numbers:
    return rng.normal(size=n) * np.where(rng.random(n) < 0.01, 20, 1)


def _zero_inflated(rng: np.random.Generator, n: int) -> Rows:
    X = rng.normal(size=(n, COLUMNS))
    return {"X": X, "y": np.where(rng.random(n) < 0.1, rng.lognormal(size=n), 0.0)}


def _null(share: float) -> Draw:
    """Labels that depend on nothing."""
    return lambda rng, n: {"X": rng.normal(size=(n, COLUMNS)), "y": (rng.random(n) < share).astype(int)}


def _twin_columns(share: float) -> Draw:
    """Two columns that say equally much of a rare class, each with noise of its own."""

    def draw(rng: np.random.Generator, n: int) -> Rows:
        y = _labels(rng, n, share)
        return {"X": rng.normal(size=(n, 2)) + 1.5 * y[:, None], "y": y}

    return draw


def _of_column(column: int, learner: BaseEstimator) -> BaseEstimator:
    return make_pipeline(FunctionTransformer(np.take, kw_args={"indices": [column], "axis": 1}), learner)


def _weak(rng: np.random.Generator, n: int) -> Rows:
    """Two classes of equal size that a line tells apart with an error of about .345."""
    y = rng.permutation(np.arange(n) % 2)
    X = rng.normal(size=(n, COLUMNS))
    X[:, 0] += 0.9 * y
    return {"X": X, "y": y}


_CLASSES = {"lda": LinearDiscriminantAnalysis(), "tree": DecisionTreeClassifier(max_depth=3, random_state=0)}
WEIGHED = {
    "logistic": LogisticRegression(),
    "tree": DecisionTreeClassifier(max_depth=3, random_state=0),
}
BALANCED = {"logistic": LogisticRegression(class_weight="balanced"), "bayes": GaussianNB()}
_NUMBERS = {"line": LinearRegression(), "tree": DecisionTreeRegressor(max_depth=3, random_state=0)}
_TWINS = {str(column): _of_column(column, LogisticRegression(class_weight="balanced")) for column in (0, 1)}
COST = {"cost": {0: {1: 1}, 1: {0: 20}}}


@dataclass(frozen=True)
class Cell:
    """How rows are drawn, how many, and what is asked of `heldout.validate`."""

    draw: Draw
    n: int
    candidates: Mapping[str, BaseEstimator] = field(default_factory=lambda: _CLASSES)
    loss: Any = None
    estimates: Sequence[str] = ("E_val", "E_cv", "E_prog")
    equal: bool = False  # the candidates, by symmetry
    null: bool = False  # the labels depend on nothing


CELLS: Mapping[str, Cell] = {
    "balanced, 3 %, 300 rows": Cell(_rare(0.03), 300, BALANCED, "balanced"),
    "balanced, 2 %, 1000 rows": Cell(_rare(0.02), 1000, BALANCED, "balanced"),
    "balanced, 10 %, 300 rows": Cell(_rare(0.1), 300, BALANCED, "balanced"),
    "cost 20:1, 4 %, 300 rows": Cell(_rare(0.04), 300, BALANCED, COST),
    "cost 20:1, 10 %, 100 rows": Cell(_rare(0.1), 100, BALANCED, COST),
    "balanced, equal candidates, 60 rows": Cell(_twin_columns(0.2), 60, _TWINS, "balanced", ("E_cv",), equal=True),
    "cost 20:1, equal candidates, 5 %, 100 rows": Cell(_twin_columns(0.05), 100, _TWINS, COST, ("E_cv",), equal=True),
    "weights, errors on light rows, 300 rows": Cell(weighted(True), 300, WEIGHED),
    "weights, errors on heavy rows, 300 rows": Cell(weighted(False), 300, WEIGHED),
    "weights that rise in time, 300 rows": Cell(_rising(50.0), 300, WEIGHED, None, ("E_val",)),
    "weights that fall in time, 300 rows": Cell(_rising(0.02), 300, WEIGHED, None, ("E_val",)),
    "30 equal groups, 300 rows": Cell(_groups(_one_of(30, 1 / 30)), 300),
    "30 lognormal groups, 300 rows": Cell(_groups(lambda rng: rng.lognormal(size=30)), 300),
    "one of 30 groups has 60 %, 300 rows": Cell(_groups(_one_of(30, 0.6)), 300),
    "one of 40 groups has 80 %, 400 rows": Cell(_groups(_one_of(40, 0.8)), 400),
    "AR(.5) noise, 200 rows": Cell(autoregressive(0.5), 200, _NUMBERS, None, ("E_val", "E_cv")),
    "AR(.9) noise, 200 rows": Cell(autoregressive(0.9), 200, _NUMBERS, None, ("E_val", "E_cv")),
    "AR(.9) noise, 1500 rows": Cell(autoregressive(0.9), 1500, _NUMBERS, None, ("E_val", "E_cv")),
    "AR(.97) noise, 200 rows": Cell(autoregressive(0.97), 200, _NUMBERS, None, ("E_val", "E_cv")),
    "normal noise, 100 rows": Cell(_numbers(lambda rng, n: rng.normal(size=n)), 100, _NUMBERS),
    "1 % of outliers, 100 rows": Cell(_numbers(outliers), 100, _NUMBERS),
    "a target that is 0 in 90 %, 200 rows": Cell(_zero_inflated, 200, _NUMBERS),
    "error .345 against .5, 100 rows": Cell(_weak, 100, _CLASSES, None, ("E_cv",)),
    "null labels, equal classes, 100 rows": Cell(_null(0.5), 100, _CLASSES, None, ("E_cv",), null=True),
    "null labels, 3 in 10, 100 rows": Cell(_null(0.3), 100, _CLASSES, None, ("E_cv",), null=True),
}
QUICK_CELLS = ("cost 20:1, 10 %, 100 rows", "weights, errors on light rows, 300 rows")


@dataclass(frozen=True)
class Unit:
    """Some tables of a cell, counted from `first`."""

    cell: str
    first: int
    tables: int


def units(quick: bool) -> Sequence[Unit]:
    """The tables of all cells; in the quick form few of two."""
    if quick:
        return [Unit(name, 0, QUICK) for name in QUICK_CELLS]
    return [Unit(name, first, BATCH) for first in range(0, TABLES, BATCH) for name in CELLS]


def measure(unit: Unit, data: Path | None) -> list[Record]:  # noqa: ARG001
    """A record for each table, candidate and estimate, and one of what is claimed of the candidates of a table."""
    with (
        sklearn.config_context(assume_finite=True, skip_parameter_validation=True),
        threadpool_limits(1),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        return [record for place in range(unit.tables) for record in _of_table(unit.cell, unit.first + place)]


def _of_table(name: str, number: int) -> list[Record]:
    cell = CELLS[name]
    rng = np.random.default_rng([SEED, *map(ord, name), number])
    rows, others = cell.draw(rng, cell.n), cell.draw(rng, OTHERS)
    options: dict[str, Any] = {**rows, "loss": cell.loss, "seed": number, "estimates": [*cell.estimates]}
    if "groups" not in rows:
        options["folds"] = 10
    made = heldout.validate(dict(cell.candidates), progress=False, **options)
    records: list[Record] = []
    for candidate in made.candidates:
        for estimate in cell.estimates:
            found: Any = made[candidate][estimate]
            errors = [error(of.predict(others["X"]), others, cell.loss) for of in made.target(candidate, estimate)]
            truth, shown = float(np.mean(errors)), found.low is not None
            records.append(
                {
                    "cell": name,
                    "candidate": candidate,
                    "estimate": estimate,
                    "value": found.value,
                    "truth": truth,
                    "covers": shown and found.low - 1e-9 <= truth <= found.high + 1e-9,
                    "width": found.high - found.low if shown else np.nan,
                    "marked": shown and found.not_credible is not None,
                    "shown": shown,
                }
            )
        if "E_cv" in cell.estimates:
            claims = [one for one in made.differences(candidate) if one.against != "baseline"]
            records.append(
                {
                    "cell": name,
                    "candidate": candidate,
                    "estimate": "claims",
                    "lower": any(one.shown_less or one.shown_more for one in claims),
                    "beats": bool(made.beats_baseline(candidate)),
                }
            )
    return records


def error(said: NDArray[Any], rows: Rows, loss: Any) -> float:
    """The mean loss of answers to the rows of the population."""
    y = rows["y"]
    if loss == "balanced":
        return float(np.mean([np.mean(said[y == label] != label) for label in np.unique(y)]))
    if loss == COST:
        return float(np.mean(np.where(said == y, 0.0, np.where(y == 1, 20.0, 1.0))))
    losses = (said - y) ** 2 if y.dtype.kind == "f" else (said != y).astype(float)
    return float(np.average(losses, weights=rows.get("sample_weight")))


def findings(results: pd.DataFrame) -> list[Finding]:
    """For each cell the coverage of the intervals without a mark, by estimate; and the false claims."""
    found = []
    for (name, estimate), own in results[results["estimate"] != "claims"].groupby(["cell", "estimate"], sort=False):
        plain = own[own["shown"].astype(bool) & ~own["marked"].astype(bool)]
        called = f"hard-{estimate}-{slug(str(name))}"
        said = f"{len(plain)} of {len(own)} intervals are shown without a mark; width "
        said += f"{own['width'].mean():.3g}, {own['width'].mean() / _spread(own):.2f} standard deviations"
        if plain.empty:
            found.append(Finding(called, "no interval without a mark", True, said, LEAST))
            continue
        share, low, high = share_interval(int(plain["covers"].sum()), len(plain))
        found.append(Finding(called, share, high >= LEAST, said, LEVEL, low, high))
    claims = results[results["estimate"] == "claims"]
    for name, own in claims.groupby("cell", sort=False):
        cell = CELLS[str(name)]
        for wanted, column, what in ((cell.equal, "lower", "shown-to-differ"), (cell.null, "beats", "beats-constant")):
            if wanted:
                tables = own[own["candidate"] == own["candidate"].iloc[0]] if column == "lower" else own
                share, low, high = share_interval(int(tables[column].sum()), len(tables))
                called = f"hard-false-{what}-{slug(str(name))}"
                said = "" if low <= 1 - LEVEL else "claimed too often"
                found.append(Finding(called, share, not said, said, at_most(1 - LEVEL), low, high))
    return found


def _spread(own: pd.DataFrame) -> float:
    """The standard deviation of an estimate about its target."""
    return float((own["value"] - own["truth"]).std())


def slug(name: str) -> str:
    kept = "".join(letter if letter.isalnum() else "-" for letter in name.lower())
    return "-".join(filter(None, kept.split("-")))


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:  # noqa: ARG001
    """None."""
    return {}
