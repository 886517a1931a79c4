"""How often do the intervals of a metric cover that has no fits but those of the folds, or no fit at all?

Answers of one model to n rows, given to `heldout.from_predictions(metric=...)` as it ships: scores of two normal
classes whose ranking has an AUC of .5, .8 or .99, with half, a tenth or 1.5 % of the rows in the rare class; for F1 and
balanced accuracy the class on the likelier side. The truth is the metric's mean over many parts of n rows, the target.

Functions of scikit-learn on the fold hypotheses, given to `Validation.metric` as it ships: Cohen's kappa, Matthews'
correlation and R^2, of naive Bayes or a logistic regression on two normal classes, and of a ridge regression on numbers
with normal or skewed noise. The truth is the mean of the metric over the ten hypotheses, on parts as large as a fold.
Names of other losses than that of the call, given to the same: the log loss and the Brier score of these classes, the
mean absolute error of these numbers. The truth is their mean over many other rows.
Intervals that are marked as not credible, since few rows or none carry them, are counted and left out.
"""

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import sklearn
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy import stats
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import (
    average_precision_score,
    balanced_accuracy_score,
    cohen_kappa_score,
    f1_score,
    get_scorer,
    matthews_corrcoef,
    r2_score,
    roc_auc_score,
)
from sklearn.naive_bayes import GaussianNB
from threadpoolctl import threadpool_limits

import heldout
from studies.study import Finding, Record, share_interval

SEED, NEEDS_DATA = 0, False
LEVEL, LEAST = 0.95, 0.92  # of the interval; of a cell
AREAS = (0.5, 0.8, 0.99)
SHARES: Mapping[int, Sequence[float]] = {100: (0.5, 0.1), 1000: (0.5, 0.1, 0.015)}  # of the rare class, by the rows
OF_SCORES: Mapping[str, Callable[..., float]] = {
    "auc": roc_auc_score,
    "average_precision": average_precision_score,
    "f1": f1_score,
    "balanced_accuracy": balanced_accuracy_score,
}
RANKS = ("auc", "average_precision")
ANSWERS, PARTS = 1000, 2000  # tables of a cell, and parts for the truth
# and scikit-learn's scorers
BY_LOSS = {"log loss": "neg_log_loss", "Brier score": "neg_brier_score", "MAE": "neg_mean_absolute_error"}
OF_CLASSES: Mapping[str, Callable[..., float]] = {"kappa": cohen_kappa_score, "Matthews": matthews_corrcoef}
LEARNERS: Mapping[str, Any] = {"naive Bayes": GaussianNB(), "logistic": LogisticRegression()}
NOISES = ("normal", "skewed")
TABLES, BATCH, ROWS = 100, 25, 300
COLUMNS, POOL, FOLD_PARTS = 5, 5000, 20
QUICK = 20


@dataclass(frozen=True)
class Unit:
    """Some tables of a cell, counted from `first`; `learner` is empty for answers of one model."""

    learner: str
    metric: str
    area: float
    share: float
    rows: int
    first: int
    tables: int

    @property
    def cell(self) -> str:
        """In words."""
        of = f"{self.learner}, " if self.learner else ""
        kind = self.metric if self.metric in NOISES else f"AUC {self.area:g}, {self.share:g}"
        return f"{of}{kind} of {self.rows} rows"


def units(quick: bool) -> Sequence[Unit]:
    """The tables of all cells; in the quick form few of two."""
    if quick:
        return [Unit("", "auc", 0.8, 0.5, 100, 0, QUICK), Unit("naive Bayes", "", 0.8, 0.5, ROWS, 0, 2)]
    answers = [
        Unit("", metric, area, share, rows, 0, ANSWERS)
        for metric in OF_SCORES
        for rows, shares in SHARES.items()
        for share in shares
        for area in AREAS
    ]
    fitted = [
        Unit(learner, "", area, share, ROWS, first, BATCH)
        for first in range(0, TABLES, BATCH)
        for learner in LEARNERS
        for area in AREAS
        for share in SHARES[100]
    ]
    numbers = [
        Unit("ridge", noise, 0, 0, rows, first, BATCH)
        for first in range(0, TABLES, BATCH)
        for noise in NOISES
        for rows in (100, ROWS)
    ]
    return [*answers, *fitted, *numbers]


def measure(unit: Unit, data: Path | None) -> list[Record]:  # noqa: ARG001
    """A record for each table and metric: whether the interval covers, and its width."""
    with sklearn.config_context(assume_finite=True, skip_parameter_validation=True), threadpool_limits(1):
        if not unit.learner:
            return _of_answers(unit)
        of = _of_numbers if unit.learner == "ridge" else _of_classes
        return [record for place in range(unit.tables) for record in of(unit, unit.first + place)]


def _rng(unit: Unit, number: int) -> np.random.Generator:
    kind = [*OF_SCORES, *LEARNERS, *NOISES].index(unit.metric or unit.learner)
    return np.random.default_rng([SEED, kind, unit.rows, number, round(1000 * unit.area), round(1000 * unit.share)])


def _of_answers(unit: Unit) -> list[Record]:
    def drawn(number: int) -> tuple[NDArray[np.bool_], NDArray[Any]]:
        rng = _rng(unit, number)
        inside = rng.permutation(unit.rows) < round(unit.share * unit.rows)
        scores = rng.normal(size=unit.rows) + distance * inside
        likelier = distance * scores - distance**2 / 2 + math.log(unit.share / (1 - unit.share)) > 0
        if unit.area == AREAS[0]:  # where no row is likelier to be of the class, answers are at random
            likelier = rng.random(unit.rows) < unit.share
        return inside, scores if unit.metric in RANKS else likelier

    distance, metric = math.sqrt(2) * float(stats.norm.ppf(unit.area)), OF_SCORES[unit.metric]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        truth = 1 - float(np.mean([metric(*drawn(unit.tables + number)) for number in range(PARTS)]))
        records = []
        for number in range(unit.tables):
            inside, said = drawn(number)
            table = {"row": np.arange(unit.rows), "candidate": ["a"] * unit.rows, "label": inside, "answer": said}
            [found] = heldout.from_predictions(table, metric=unit.metric).estimates
            records.append(_record(unit, unit.metric, "one model", found, truth))
    return records


def _of_classes(unit: Unit, number: int) -> list[Record]:
    rng = _rng(unit, number)
    shift = math.sqrt(2) * float(stats.norm.ppf(unit.area)) / math.sqrt(COLUMNS)
    inside = rng.permutation(unit.rows) < round(unit.share * unit.rows)
    X = rng.normal(size=(unit.rows, COLUMNS)) + shift * inside[:, None]
    made = _validated(unit, LEARNERS[unit.learner], X, inside.astype(int), number)
    of_class = np.repeat([0, 1], POOL)
    others = rng.normal(size=(2 * POOL, COLUMNS)) + shift * of_class[:, None]
    size = unit.rows // 10
    count = max(1, round(unit.share * size))

    def part() -> NDArray[np.intp]:
        return np.concatenate([rng.integers(0, POOL, size - count), POOL + rng.integers(0, POOL, count)])

    return [
        _record(unit, name, "folds", found, _truth(made, metric, others, of_class, part))
        for name, metric in OF_CLASSES.items()
        for found in made.metric(metric).estimates
    ] + [_by_loss(unit, made, loss, others, of_class, unit.share) for loss in ("log loss", "Brier score")]


def _of_numbers(unit: Unit, number: int) -> list[Record]:
    rng = _rng(unit, number)
    n = unit.rows + 2 * POOL
    X = rng.normal(size=(n, COLUMNS))
    noise = rng.normal(size=n) if unit.metric == "normal" else rng.lognormal(size=n) / 2
    y, size = X[:, 0] + noise, unit.rows // 10
    made = _validated(unit, Ridge(), X[: unit.rows], y[: unit.rows], number)

    def part() -> NDArray[np.intp]:
        return rng.integers(0, 2 * POOL, size)

    [found] = made.metric(r2_score).estimates
    truth = _truth(made, r2_score, X[unit.rows :], y[unit.rows :], part)
    return [
        _record(unit, "R2", "folds", found, truth),
        _by_loss(unit, made, "MAE", X[unit.rows :], y[unit.rows :]),
    ]


def _validated(unit: Unit, learner: Any, X: NDArray[Any], y: NDArray[Any], number: int) -> heldout.Validation:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return heldout.validate({unit.learner: learner}, X, y, seed=number, estimates=["E_cv"], progress=False)


def _by_loss(
    unit: Unit, made: heldout.Validation, loss: str, X: NDArray[Any], y: NDArray[Any], share: float | None = None
) -> Record:
    """The record of a loss that the call was not judged by; `share` is that of class 1, None for numbers."""
    [name], [found] = made.candidates, made.metric(loss).estimates
    weights = None if share is None else np.where(y == 1, share, 1 - share)
    score = get_scorer(BY_LOSS[loss])
    truth = np.mean([-score(one, X, y, sample_weight=weights) for one in made.target(name, "E_cv")])
    return _record(unit, loss, "folds", found, float(truth))


def _truth(
    made: heldout.Validation,
    metric: Callable[..., float],
    X: NDArray[Any],
    y: NDArray[Any],
    part: Callable[[], NDArray[np.intp]],
) -> float:
    """The mean of 1 - the metric over the fold hypotheses and over parts of other rows."""
    [name] = made.candidates
    found = []
    for hypothesis in made.target(name, "E_cv"):
        said = hypothesis.predict(X)
        found += [1 - metric(y[rows], said[rows]) for rows in (part() for _ in range(FOLD_PARTS))]
    return float(np.mean(found))


def _record(unit: Unit, metric: str, form: str, found: Any, truth: float) -> Record:
    record: Record = {"metric": metric, "form": form, "cell": unit.cell, "marked": found.not_credible is not None}
    if found.low is None:
        return record | {"covers": False, "width": np.nan, "error": found.value - truth}
    covers = bool(found.low - 1e-9 <= truth <= found.high + 1e-9)
    return record | {"covers": covers, "width": found.high - found.low, "error": found.value - truth}


def findings(results: pd.DataFrame) -> list[Finding]:
    """The coverage over the cells of a metric; agrees unless a cell is shown to be below `LEAST`."""
    found = []
    for (metric, form), every in results.groupby(["metric", "form"], sort=False):
        own = every[~every["marked"].astype(bool)]
        by_cell = own["covers"].astype(int).groupby(own["cell"]).agg(["sum", "size"])
        counts = [(int(covered), int(of)) for covered, of in zip(by_cell["sum"], by_cell["size"], strict=True)]
        of = "" if metric in BY_LOSS else "1 - "
        short = sum(share_interval(*count)[2] < LEAST for count in counts)
        least = (by_cell["sum"] / by_cell["size"]).sort_values()
        why = (
            f"coverage of {of}{metric}, {form}; least of {len(counts)} cells {least.iloc[0]:.3f} ({least.index[0]}), "
            f"{short} shown below {LEAST}; mean width {own['width'].mean():.3f}, mean error of the estimate "
            f"{own['error'].mean():+.4f}; {every['marked'].mean():.3f} of the intervals are marked, and left out"
        )
        share, low, high = share_interval(int(own["covers"].sum()), len(own))
        called = f"{str(metric).replace('_', '-').lower()}-{str(form).replace(' ', '-')}"
        found.append(Finding(called, share, not short, why, LEVEL, low, high))
    return found


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:  # noqa: ARG001
    """None: the numbers are few."""
    return {}
