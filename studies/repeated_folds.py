"""Does the interval of E_cv hold where E_cv is the mean over several partitions into folds?

`cv=RepeatedKFold(...)` makes the loss of a row the mean over R partitions. Here R is 5, with 5 folds each. The target
is the mean true error of the 25 hypotheses, on 3000 further rows. Four intervals of the same samples: the default of
one partition about the E_cv of the first; the same method about the mean over all, whose variance is not larger; the
same method with the 25 fold errors in place of its further fits, as `heldout.from_predictions(repeat=...)` has it; and
the corrected repeated t of the 25 fold errors. Classes have 0 to 2.5 standard deviations between their means; numbers
have normal or lognormal noise, of which a mean of squared losses in few rows knows too little in any case.
"""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from heldout.intervals import corrected_log_t, corrected_repeated_t, corrected_wilson
from heldout.losses import SQUARED, ZERO_ONE
from heldout.losses.tested_losses import CrossValidated
from studies.study import Finding, Record, share_interval

SEED, NEEDS_DATA = 0, False
LEVEL, ALLOWED = 0.95, 0.03
REPEATS, FOLDS, SUBSAMPLES = 5, 5, 25
FEATURES, NEW_ROWS = 3, 3000
BATCH, BATCHES, QUICK_BATCHES = 100, 6, 1  # samples in a unit, and units of a cell
ROWS = (30, 50, 100)
APART: Mapping[str, float] = {"null": 0.0, "some": 1.0, "easy": 2.5}
NOISES = ("normal", "lognormal")
METHODS = ("one partition", "mean over 5", "no further fits over 5", "repeated t over 5")

Rows = NDArray[np.float64]
Hypothesis = Callable[[Rows], NDArray[Any]]


@dataclass(frozen=True)
class Unit:
    """Some samples of a population, with a learner, counted from `batch` times their number."""

    population: str
    learner: str
    rows: int
    batch: int


def units(quick: bool) -> Sequence[Unit]:
    """Both learners on classes, least squares on numbers, at all sizes; quick: at the least."""
    cells = [*itertools.product(APART, ("centroid", "neighbour")), *((noise, "least squares") for noise in NOISES)]
    rows, batches = (ROWS[:1], range(QUICK_BATCHES)) if quick else (ROWS, range(BATCHES))
    return [Unit(population, learner, n, batch) for population, learner in cells for n in rows for batch in batches]


def measure(unit: Unit, data: Path | None) -> list[Record]:  # noqa: ARG001
    """Whether each interval holds the error of its target, and its width."""
    populations, learners = [*APART, *NOISES], [*LEARNERS]
    place = (populations.index(unit.population), learners.index(unit.learner))
    records: list[Record] = []
    for number in range(BATCH):
        rng = np.random.default_rng([SEED, *place, unit.rows, unit.batch, number])
        for method, (holds, width) in zip(METHODS, _sample(rng, unit), strict=True):
            cell = {"population": unit.population, "learner": unit.learner, "rows": unit.rows}
            records.append({**cell, "method": method, "holds": holds, "width": width})
    return records


def _sample(rng: np.random.Generator, unit: Unit) -> list[tuple[bool, float]]:
    fit, n = LEARNERS[unit.learner], unit.rows
    loss = ZERO_ONE if unit.population in APART else SQUARED
    X, y = _draw(rng, unit.population, n)
    new_X, new_y = _draw(rng, unit.population, NEW_ROWS)
    by_row, errors, true = np.empty((REPEATS, n)), np.empty((REPEATS, FOLDS)), np.empty((REPEATS, FOLDS))
    folds = [rng.permutation(np.arange(n) % FOLDS) for _ in range(REPEATS)]
    for repeat, fold in enumerate(folds):
        for part in range(FOLDS):
            tested = fold == part
            hypothesis = fit(X[~tested], y[~tested])
            by_row[repeat, tested] = loss.pointwise(y[tested], hypothesis(X[tested]))
            errors[repeat, part] = by_row[repeat, tested].mean()
            true[repeat, part] = loss.pointwise(new_y, hypothesis(new_X)).mean()
    size = round(n / FOLDS)
    of_subsamples = np.empty(SUBSAMPLES)
    for number in range(SUBSAMPLES):
        order = rng.permutation(n)
        tested, train = order[:size], order[size:]
        of_subsamples[number] = loss.pointwise(y[tested], fit(X[train], y[train])(X[tested])).mean()
    further: dict[str, Any] = {"subsample_errors": of_subsamples, "tested_per_trained": size / (n - size)}
    one = CrossValidated(by_row[0], loss, fold=folds[0], **further)
    every = CrossValidated(
        by_row.mean(axis=0), loss, fold=folds[0], first_errors=errors[0], repeated_errors=errors[1:], **further
    )
    of_folds = replace(every, subsample_errors=errors.ravel(), tested_per_trained=1 / (FOLDS - 1))
    default = corrected_wilson.METHOD if loss.binary else corrected_log_t.METHOD
    found = []
    for method, seen, target in (
        (default, one, true[0].mean()),
        (default, every, true.mean()),
        (default, of_folds, true.mean()),
        (corrected_repeated_t.METHOD, every, true.mean()),
    ):
        interval = method.interval("E_cv", seen, LEVEL)
        found.append((interval.low <= target <= interval.high, interval.high - interval.low))
    return found


def _draw(rng: np.random.Generator, population: str, n: int) -> tuple[Rows, NDArray[Any]]:
    X = rng.normal(size=(n, FEATURES))
    if population in APART:
        y = rng.integers(0, 2, n)
        return X + APART[population] * (y[:, None] - 0.5), y
    noise = rng.normal(size=n)
    return X, X[:, 0] + (np.exp(noise) if population == "lognormal" else noise)


def _centroid(X: Rows, y: NDArray[Any]) -> Hypothesis:
    means = [X[y == of].mean(axis=0) if (y == of).any() else X.mean(axis=0) for of in (0, 1)]
    return lambda new: (_apart(new, means[1]) < _apart(new, means[0])).astype(np.int64)


def _apart(X: Rows, mean: Rows) -> Rows:
    squares: Rows = ((X - mean) ** 2).sum(axis=1)
    return squares


def _neighbour(X: Rows, y: NDArray[Any]) -> Hypothesis:
    squares = (X**2).sum(axis=1)
    return lambda new: y[(squares - 2 * new @ X.T).argmin(axis=1)]


def _least_squares(X: Rows, y: NDArray[Any]) -> Hypothesis:
    weights = np.linalg.lstsq(_with_one(X), y, rcond=None)[0]
    return lambda new: _with_one(new) @ weights


def _with_one(X: Rows) -> Rows:
    return np.column_stack([np.ones(len(X)), X])


LEARNERS: Mapping[str, Callable[[Rows, NDArray[Any]], Hypothesis]] = {
    "centroid": _centroid,
    "neighbour": _neighbour,
    "least squares": _least_squares,
}


def findings(results: pd.DataFrame) -> list[Finding]:
    """The coverage of each method in each cell: at least the level less .03, or as high as about one partition."""
    found = []
    for method in (*METHODS[1:], METHODS[0]):
        for (population, learner, rows), own in results.groupby(["population", "learner", "rows"], sort=False):
            of_method = own[own["method"] == method]
            covers, low, high = share_interval(int(of_method["holds"].sum()), len(of_method))
            of_one = own.loc[own["method"] == METHODS[0], "holds"].mean()
            agrees = method == METHODS[0] or high >= min(LEVEL - ALLOWED, of_one)
            name = f"{method}-{population}-{learner}-{rows}".replace(" ", "-")
            relative = of_method["width"].mean() / own.loc[own["method"] == METHODS[0], "width"].mean()
            why = f"{relative:.2f} times as wide as about one partition"
            why = why if agrees else f"{why}: not the default"
            found.append(Finding(name, covers, agrees, why, LEVEL, low, high))
    return found


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:  # noqa: ARG001
    """None: the table says it."""
    return {}
