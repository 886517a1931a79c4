"""How many halvings does the rule of `heldout.schemes.halvings` make, and do the intervals keep their coverage?

Tables of 100 to 3000 rows are drawn from the populations of the coverage study. Each learner is trained on the halves,
as often as the rule asks and as often as it may at most. The truth of E_2cv is the mean error of the half models over
the whole population, and that of the disagreement, on as many unlabelled rows as labelled ones, is theirs on it. Five
trees that differ in their seeds alone have the same halvings, as all candidates of a call have. Of E_cv, 5 to 25
further subsamples are compared at 100 and 300 rows: drawing makes (1/J) / (1/J + 1/9) of the variance of its interval.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import sklearn
from matplotlib.figure import Figure
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_limits

from heldout.estimates.methods import default_method
from heldout.learners import seeded
from heldout.learners.fitting import predict
from heldout.losses import Losses
from heldout.losses.tested_losses import CrossValidated, RepeatedByRow, repeated_by_row
from heldout.schemes import cross_validation, fit_state, resampling
from heldout.schemes.halvings import after_look, looks, most
from heldout.splits import class_shares
from heldout.splits.partition import draw_folds, make_halves
from heldout.unlabelled.disagreement import pointwise_disagreement
from studies.learners import LeastSquares, LeastSquaresClassifier, Logistic, TreeClassifier, TreeRegressor
from studies.populations import Population, population
from studies.study import Finding, Record, mean_interval, share_interval

SEED, NEEDS_DATA = 0, False
LEVEL, LEAST = 0.95, 0.92  # of the intervals; of a cell where fewer halvings may become the default
ROWS = (100, 300, 1000, 3000)
CLASSES, NUMBERS = ("interaction", "linear with noise", "null labels"), ("waves", "heavy tails")
LEARNERS: Mapping[str, tuple[Sequence[str], Any, Mapping[int, int]]] = {  # populations, learner, tables of each size
    "least squares": (CLASSES, LeastSquaresClassifier(), {100: 60, 300: 60, 1000: 40, 3000: 20}),
    "ridge": (NUMBERS, LeastSquares(), {100: 60, 300: 60, 1000: 40, 3000: 20}),
    "logistic": (CLASSES[1:], Logistic(), {100: 40, 300: 40, 1000: 20, 3000: 10}),
    "tree": (CLASSES, TreeClassifier(random_state=None), {100: 40, 300: 40, 1000: 20, 3000: 10}),
    "tree of numbers": (NUMBERS, TreeRegressor(random_state=None), {100: 40, 300: 40, 1000: 20, 3000: 10}),
    "five equal trees": (CLASSES[2:], TreeClassifier(random_state=None), {100: 8, 300: 8}),
    "1-NN": (CLASSES[1:], KNeighborsClassifier(1), {100: 8, 300: 8, 1000: 20, 3000: 4}),
    "forest": (CLASSES[1:], RandomForestClassifier(10), {100: 4, 300: 4, 1000: 4, 3000: 2}),
    "boosting": (CLASSES[1:], HistGradientBoostingClassifier(max_iter=15), {100: 4, 300: 4, 1000: 4, 3000: 2}),
}
BATCH, QUICK = 20, 4  # tables of a unit
SUBSAMPLED, COUNTS = ("least squares", "tree"), (5, 10, 15, 25)


@dataclass(frozen=True)
class Unit:
    """Some tables of a learner, a population and a size, counted from `first`."""

    learner: str
    case: str
    rows: int
    first: int
    tables: int


def units(quick: bool) -> Sequence[Unit]:
    """All cells; in the quick form few tables of a stable and of an unstable learner."""
    if quick:
        return [Unit(name, CLASSES[2], 100, 0, QUICK) for name in ("least squares", "five equal trees")]
    return [
        Unit(name, case, rows, first, min(BATCH, tables - first))
        for name, (cases, _, by_rows) in LEARNERS.items()
        for rows, tables in by_rows.items()
        for case in cases
        for first in range(0, tables, BATCH)
    ]


def measure(unit: Unit, data: Path | None) -> list[Record]:
    """A record for each table: how many halvings, and which intervals cover, with their widths."""
    whole = population(unit.case, data)
    with sklearn.config_context(assume_finite=True, skip_parameter_validation=True), threadpool_limits(1):
        found = [of_table(unit, whole, unit.first + place) for place in range(unit.tables)]
    return [record for records in found for record in records]


def of_table(unit: Unit, whole: Population, number: int) -> list[Record]:
    """The record of a table's halvings, and of its subsamples where they are compared."""
    rng = np.random.default_rng([SEED, unit.rows, number, *map(ord, unit.case)])
    drawn = rng.integers(0, len(whole.y), unit.rows)
    unlabeled = rng.integers(0, len(whole.y), unit.rows)
    X, y, strata = whole.X[drawn], whole.y[drawn], class_shares.strata(whole.y[drawn], whole.loss.of_classes)
    halves = make_halves(strata, repeats=most(unit.rows), stratify=False, seed=number)
    count = 5 if unit.learner == "five equal trees" else 1
    made = [_half_losses(unit, whole, X, y, halves, number + 1000 * place) for place in range(count)]
    look: int | None = looks(unit.rows)[0]
    while look is not None:
        here = look
        observed = {str(n): repeated_by_row(of[0][:here], whole.loss, half=halves[:here]) for n, of in enumerate(made)}
        found, look = after_look(observed, here, unit.rows)
    record: Record = {"learner": unit.learner, "case": unit.case, "rows": unit.rows, "made": found.made}
    losses, truth, disagreed = made[0]
    for name, repeats in (("auto", found.made), ("fixed", most(unit.rows))):
        errors = repeated_by_row(losses[:repeats], whole.loss, half=halves[:repeats])
        compared = disagreed[:repeats][:, unlabeled]
        apart = repeated_by_row(compared, whole.loss.disagreement_loss or whole.loss)
        for estimate, of, true in (
            ("E_2cv", errors, truth[:repeats].mean()),
            ("disagreement", apart, disagreed[:repeats].mean()),
        ):
            covers, width = _judged(estimate, whole, of, float(true))
            record |= {f"{estimate} covers, {name}": covers, f"{estimate} width, {name}": width}
    return [record, *_subsampled(unit, whole, X, y, strata, number)]


def _half_losses(
    unit: Unit, whole: Population, X: Any, y: Any, halves: NDArray[np.int8], seed: int
) -> tuple[Losses, Losses, Losses]:
    """Losses on the other half, shape (R, N), true errors, shape (R,), and disagreements on the population, (R, n)."""
    losses, truth, disagreed = np.empty(halves.shape), np.empty(len(halves)), np.empty((len(halves), len(whole.y)))
    for repeat, half in enumerate(halves):
        answers = []
        for side in (0, 1):
            fitted = _fitted(unit, X, y, half == side, fit_state(seed, "covalidation", 2 * repeat + side))
            losses[repeat, half != side] = whole.loss.pointwise(y[half != side], predict(fitted, X[half != side]))
            answers.append(predict(fitted, whole.X))
        truth[repeat] = np.mean([whole.loss.pointwise(whole.y, of).mean() for of in answers])
        disagreed[repeat] = pointwise_disagreement(answers[0], answers[1], whole.loss)
    return losses, truth, disagreed


def _fitted(unit: Unit, X: Any, y: Any, rows: Any, state: int) -> Any:
    return seeded(LEARNERS[unit.learner][1], state).fit(X[rows], y[rows])


def _judged(
    estimate: str, whole: Population, observed: RepeatedByRow | CrossValidated, true: float
) -> tuple[bool, float]:
    """Whether the shipped interval covers the truth, and its width."""
    interval = default_method(estimate, whole.loss).interval(estimate, observed, LEVEL)
    return bool(interval.low - 1e-12 <= true <= interval.high + 1e-12), interval.high - interval.low


def _subsampled(unit: Unit, whole: Population, X: Any, y: Any, strata: Any, number: int) -> list[Record]:
    """The interval of E_cv from the first subsamples of 25."""
    if unit.learner not in SUBSAMPLED or unit.rows > 300:
        return []
    fold = draw_folds(strata, 10, False, number)
    losses, true = np.empty(len(y)), []
    for place, split in enumerate(cross_validation.splits(fold)):
        fitted = _fitted(unit, X, y, split.train, place)
        losses[split.validation] = whole.loss.pointwise(y[split.validation], predict(fitted, X[split.validation]))
        true.append(whole.loss.pointwise(whole.y, predict(fitted, whole.X)).mean())
    errors = []
    for place, split in enumerate(resampling.subsamples(strata, fold, False, number).splits):
        answers = predict(_fitted(unit, X, y, split.train, 100 + place), X[split.validation])
        errors.append(whole.loss.pointwise(y[split.validation], answers).mean())
    tested = len(split.validation) / len(split.train)
    record: Record = {"learner": f"{unit.learner}, E_cv", "case": unit.case, "rows": unit.rows}
    for count in COUNTS:
        observed = CrossValidated(
            losses, whole.loss, fold=fold, subsample_errors=np.array(errors[:count]), tested_per_trained=tested
        )
        covers, width = _judged("E_cv", whole, observed, float(np.mean(true)))
        record |= {f"covers, {count}": covers, f"width, {count}": width}
    return [record]


def findings(results: pd.DataFrame) -> list[Finding]:
    """The mean number of halvings, coverage at it against the most, and width; and of fewer subsamples."""
    found = []
    for learner in LEARNERS:
        for rows in ROWS:
            own = results[(results["learner"] == learner) & (results["rows"] == rows)]
            if own.empty:
                continue
            made, low, high = _mean(own["made"])
            why = f"of at most {most(rows)} halvings; mean over {own['case'].nunique()} populations"
            found.append(Finding(f"halvings-{_short(learner)}-{rows}", made, True, why, "", low, high))
    for estimate in ("E_2cv", "disagreement"):
        for learner in LEARNERS:
            own = results[(results["learner"] == learner) & results["made"].notna()]
            if not own.empty:
                found.append(_coverage(own, estimate, learner))
    for learner in SUBSAMPLED:
        own = results[results["learner"] == f"{learner}, E_cv"]
        for count in COUNTS if len(own) else ():
            share, low, high = share_interval(int(own[f"covers, {count}"].sum()), len(own))
            wider = (own[f"width, {count}"] / own[f"width, {COUNTS[-1]}"]).mean()
            part = (1 / count) / (1 / count + 1 / 9)
            why = f"coverage of E_cv; {wider:.2f} times as wide as with {COUNTS[-1]}, drawing {100 * part:.0f} % of V"
            found.append(Finding(f"subsamples-{_short(learner)}-{count}", share, True, why, "", low, high))
    return found


def _coverage(own: pd.DataFrame, estimate: str, learner: str) -> Finding:
    """Coverage at the rule's number; agrees unless a cell is shown to be below both .92 and the fixed number's."""
    auto, fixed = own[f"{estimate} covers, auto"].astype(bool), own[f"{estimate} covers, fixed"].astype(bool)
    share, low, high = share_interval(int(auto.sum()), len(own))
    cells = own.assign(auto=auto, fixed=fixed, tables=1).groupby(["case", "rows"])[["auto", "fixed", "tables"]].sum()
    counts = [(int(a), int(f), int(n)) for a, f, n in zip(*(cells[name] for name in cells), strict=True)]
    short = [n for covered, of_fixed, n in counts if share_interval(covered, n)[2] < LEAST and covered < of_fixed]
    least, there, of = min(counts, key=lambda cell: cell[0] / cell[2])
    wider = (own[f"{estimate} width, auto"] / own[f"{estimate} width, fixed"].clip(lower=1e-12)).mean()
    why = (
        f"coverage of {estimate}, with the most halvings {fixed.mean():.3f}; least of {len(counts)} cells "
        f"{least / of:.2f}, there {there / of:.2f}; {wider:.2f} times as wide"
    )
    return Finding(f"halved-{estimate}-{_short(learner)}", share, not short, why, LEVEL, low, high)


def _mean(values: pd.Series) -> tuple[float, float, float]:
    numbers = values.astype(float)
    return mean_interval(numbers) if numbers.std() > 0 else (float(numbers.mean()),) * 3


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:  # noqa: ARG001
    """None: the numbers are few."""
    return {}


def _short(name: str) -> str:
    return name.replace(" ", "-")
