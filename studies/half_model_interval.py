"""Can half models that are fitted anyway replace the 25 subsamples of the interval of E_cv?

The variance of E_cv is that of N independent losses, and a covariance: rows train the hypotheses that test the others.
The half models of co-validation show such a covariance, C (`training_covariance`), for hypotheses with half of the
rows. So V = s^2 / N + min(c max(C, 0), s^2 / N) would need no further fit. With q = E_cv and V in the same roots, or on
the same scale of logarithms, as the shipped interval, four forms are tried: c = 1 with the quantile of the normal
distribution, and with that of t with R - 1 degrees of freedom for R halvings; c = 1/2, since a fold hypothesis has
nearly twice the rows; and an upper limit of C: C and 1.28 times its jackknife error over the halvings. Tables of 100 to
1000 rows are drawn from the populations of the coverage study, and the truth is the mean error of the ten hypotheses
over the whole population.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import sklearn
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy import stats
from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_limits

from heldout.estimates.methods import default_method
from heldout.intervals import log_t
from heldout.intervals.wilson import roots_at
from heldout.learners import seeded
from heldout.learners.fitting import predict
from heldout.losses import Losses
from heldout.losses.tested_losses import CrossValidated, training_covariance
from heldout.schemes import covalidation, cross_validation, fit_state, resampling
from heldout.schemes.halvings import most
from heldout.splits import class_shares
from heldout.splits.partition import draw_folds, make_halves
from heldout.splits.split import Split
from studies.learners import LeastSquares, LeastSquaresClassifier, Logistic, TreeClassifier, TreeRegressor
from studies.populations import Population, population
from studies.study import Finding, Record, share_interval

SEED, NEEDS_DATA = 0, False
LEVEL, LEAST = 0.95, 0.92  # of the interval; of a cell, where a form may become the default
ROWS = (100, 300, 1000)
CLASSES, NUMBERS = ("interaction", "linear with noise", "null labels"), ("waves", "heavy tails")
LEARNERS: Mapping[str, tuple[Sequence[str], Any]] = {
    "least squares": (CLASSES, LeastSquaresClassifier()),
    "logistic": (CLASSES[1:], Logistic()),
    "tree": (CLASSES, TreeClassifier(random_state=None)),
    "1-NN": (CLASSES[1:], KNeighborsClassifier(1)),
    "ridge": (NUMBERS, LeastSquares()),
    "tree of numbers": (NUMBERS, TreeRegressor(random_state=None)),
}
TABLES, BATCH, QUICK = 240, 60, 4  # of a cell, of a unit, and of a unit of the quick form
FORMS = ("shipped", "normal", "t", "t, half of C", "t, upper limit of C")
ONE_SIDED = float(stats.norm.ppf(0.9))


@dataclass(frozen=True)
class Unit:
    """Some tables of a learner, a population and a size, counted from `first`."""

    learner: str
    case: str
    rows: int
    first: int
    tables: int


def units(quick: bool) -> Sequence[Unit]:
    """The tables of all cells; in the quick form few of two."""
    if quick:
        return [Unit(name, LEARNERS[name][0][0], 100, 0, QUICK) for name in ("least squares", "ridge")]
    return [
        Unit(name, case, rows, first, BATCH)
        for rows in ROWS
        for first in range(0, TABLES, BATCH)
        for name, (cases, _) in LEARNERS.items()
        for case in cases
    ]


def measure(unit: Unit, data: Path | None) -> list[Record]:
    """A record for each table: which forms cover, and their widths."""
    whole = population(unit.case, data)
    with sklearn.config_context(assume_finite=True, skip_parameter_validation=True), threadpool_limits(1):
        return [_of_table(unit, whole, unit.first + place) for place in range(unit.tables)]


def _of_table(unit: Unit, whole: Population, number: int) -> Record:
    rng = np.random.default_rng([SEED, unit.rows, number, *map(ord, unit.case)])
    drawn = rng.integers(0, len(whole.y), unit.rows)
    table = _Table(LEARNERS[unit.learner][1], whole, whole.X[drawn], whole.y[drawn], number)
    strata = class_shares.strata(table.y, whole.loss.of_classes)
    fold = draw_folds(strata, 10, False, number)
    halves = make_halves(strata, repeats=most(unit.rows), stratify=False, seed=number)
    losses = np.empty(unit.rows)
    truth: list[float] = []
    for split in cross_validation.splits(fold):
        fitted = table.fitted(split, "cross_validation", len(truth))
        losses[split.validation] = table.tested(fitted, split)
        truth.append(float(whole.loss.pointwise(whole.y, predict(fitted, whole.X)).mean()))
    subsamples = resampling.subsamples(strata, fold, False, number).splits
    errors = [
        float(table.tested(table.fitted(split, "subsamples", place), split).mean())
        for place, split in enumerate(subsamples)
    ]
    observed = CrossValidated(
        losses,
        whole.loss,
        fold=fold,
        subsample_errors=np.array(errors),
        tested_per_trained=len(subsamples[0].validation) / len(subsamples[0].train),
    )
    shipped = default_method("E_cv", whole.loss).interval("E_cv", observed, LEVEL)
    found = {"shipped": (shipped.low, shipped.high)} | _forms(observed, table.half_losses(halves), halves)
    record: Record = {"learner": unit.learner, "case": unit.case, "rows": unit.rows}
    for form, (low, high) in found.items():
        record |= {f"{form} covers": low - 1e-12 <= np.mean(truth) <= high + 1e-12, f"{form} width": high - low}
    return record


@dataclass(frozen=True)
class _Table:
    """Labelled rows of a population, and a learner whose states come from the number of the table."""

    learner: Any
    whole: Population
    X: Any
    y: NDArray[Any]
    seed: int

    def fitted(self, split: Split, scheme: Any, place: int) -> Any:
        return seeded(self.learner, fit_state(self.seed, scheme, place)).fit(self.X[split.train], self.y[split.train])

    def tested(self, fitted: Any, split: Split) -> Losses:
        rows = split.validation
        return self.whole.loss.pointwise(self.y[rows], predict(fitted, self.X[rows]))

    def half_losses(self, halves: NDArray[np.int8]) -> Losses:
        """The loss of each row by the half model that did not see it, shape (R, N)."""
        losses = np.empty(halves.shape)
        for repeat, half in enumerate(halves):
            for side, split in enumerate(covalidation.splits(half)):
                fitted = self.fitted(split, "covalidation", 2 * repeat + side)
                losses[repeat, split.validation] = self.tested(fitted, split)
        return losses


def _forms(observed: CrossValidated, table: Losses, halves: NDArray[np.int8]) -> dict[str, tuple[float, float]]:
    """The bounds of each form that is tried."""
    alone, repeats = float(np.var(observed.losses, ddof=1)) / observed.n, len(table)
    covariance = training_covariance(table, halves)
    left = ((np.delete(table, one, 0), np.delete(halves, one, 0)) for one in range(repeats))
    above = ONE_SIDED * math.sqrt((repeats - 1) * float(np.var([training_covariance(*each) for each in left])))
    normal, of_t = (float(dist.ppf((1 + LEVEL) / 2)) for dist in (stats.norm, stats.t(repeats - 1)))
    tried = ((normal, covariance), (of_t, covariance), (of_t, covariance / 2), (of_t, covariance + above))
    return {
        form: _bounds(observed, alone + min(max(added, 0.0), alone), quantile)
        for form, (quantile, added) in zip(FORMS[1:], tried, strict=True)
    }


def _bounds(observed: CrossValidated, variance: float, quantile: float) -> tuple[float, float]:
    """The bounds of the shipped kind from another variance and quantile."""
    q = observed.error
    if not observed.loss.of_classes:
        return log_t.about(q, quantile * math.sqrt(variance))
    return roots_at(q, max(q * (1 - q) / variance, 1.0) if variance > 0 else float(observed.n), quantile)


def findings(results: pd.DataFrame) -> list[Finding]:
    """The coverage of each form over all cells, and its width next to the shipped one; agrees unless a cell is shown to
    be below `LEAST`."""
    found = []
    for task, cases in (("classes", CLASSES), ("numbers", NUMBERS)):
        own = results[results["case"].isin(cases)]
        where = own["learner"] + ", " + own["case"] + ", " + own["rows"].astype(str) + " rows"
        for form in FORMS:
            covers = own[f"{form} covers"].astype(int)
            by_cell = covers.groupby(where).agg(["sum", "size"])
            counts = [(int(covered), int(of)) for covered, of in zip(by_cell["sum"], by_cell["size"], strict=True)]
            short = sum(share_interval(*count)[2] < LEAST for count in counts)
            least = (by_cell["sum"] / by_cell["size"]).sort_values()
            wider = float((own[f"{form} width"] / own["shipped width"].clip(lower=1e-12)).mean())
            why = (
                f"coverage of E_cv; least of {len(counts)} cells {least.iloc[0]:.3f} ({least.index[0]}), {short} shown "
                f"below {LEAST}; {wider:.2f} times as wide as shipped"
            )
            share, low, high = share_interval(int(covers.sum()), len(covers))
            name = f"half-models-{task}-{form.replace(',', '').replace(' ', '-')}"
            found.append(Finding(name, share, not short, why, LEVEL, low, high))
    return found


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:  # noqa: ARG001
    """None: the numbers are few."""
    return {}
