"""How often do the intervals of 1 - a metric by cross-validation cover: those of E_auc, E_ap, E_f1 and E_balanced?

Tables are drawn from two normal classes in five dimensions, so far apart that the best ranking has an AUC of .5 (labels
that do not depend on the features), .8 or .99, with half, a tenth or 1.5 % of the rows in the rare class; each is given
to `heldout.validate` as it ships, with three learners: Gaussian naive Bayes, a logistic regression, and a full tree,
whose answers tie. The truth is the target: the mean of the metric over the ten hypotheses, each on parts that are as
large as a fold and drawn from 10,000 other rows. Next to the shipped interval stands that of the folds alone, which is
used for groups and rows in time.
"""

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import sklearn
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy import stats
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

import heldout
from heldout.estimates import ESTIMATES, set_metrics
from heldout.fits.metric_terms import ranks
from heldout.schemes.set_metrics import cross_validated_by
from studies.study import Finding, Record, share_interval

PART_LOSSES = set_metrics(ESTIMATES)
SEED, NEEDS_DATA = 0, False
LEVEL, LEAST = 0.95, 0.92  # of the interval; of a cell
COLUMNS, PARTS, POOL = 5, 40, 5_000  # of the features; parts for the truth; other rows of each class
LEARNERS: Mapping[str, Any] = {
    "naive Bayes": GaussianNB(),
    "logistic": LogisticRegression(),
    "tree": DecisionTreeClassifier(),
}
AREAS = (0.5, 0.8, 0.99)
SHARES: Mapping[int, Sequence[float]] = {300: (0.5, 0.1), 1000: (0.5, 0.1, 0.015)}  # of the rare class, by the rows
TABLES, BATCH, QUICK = 120, 40, 3  # of a cell, of a unit, and of a unit of the quick form
FORMS = ("shipped", "folds alone")


@dataclass(frozen=True)
class Unit:
    """Some tables of a learner, a distance and a share, counted from `first`."""

    learner: str
    area: float
    share: float
    rows: int
    first: int
    tables: int


def units(quick: bool) -> Sequence[Unit]:
    """The tables of all cells; in the quick form few of one."""
    if quick:
        return [Unit("naive Bayes", 0.8, 0.1, 300, 0, QUICK)]
    return [
        Unit(learner, area, share, rows, first, BATCH)
        for rows, shares in SHARES.items()
        for first in range(0, TABLES, BATCH)
        for share in shares
        for area in AREAS
        for learner in LEARNERS
    ]


def measure(unit: Unit, data: Path | None) -> list[Record]:  # noqa: ARG001
    """A record for each table and estimate: which forms cover, and their widths."""
    with sklearn.config_context(assume_finite=True, skip_parameter_validation=True), threadpool_limits(1):
        return [record for place in range(unit.tables) for record in _of_table(unit, unit.first + place)]


def _of_table(unit: Unit, number: int) -> list[Record]:
    rng = np.random.default_rng([SEED, unit.rows, number, round(1000 * unit.area), round(1000 * unit.share)])
    inside = rng.permutation(unit.rows) < round(unit.share * unit.rows)
    X = _features(rng, inside, unit.area)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = heldout.validate(
            {unit.learner: LEARNERS[unit.learner]},
            X,
            inside.astype(int),
            seed=number,
            estimates=["E_cv"],
            further_estimates=[*PART_LOSSES],
            progress=False,
        )
    truth = _truth(unit, made, rng)
    records: list[Record] = []
    for name in PART_LOSSES:
        observed = cross_validated_by(made.design, made.evidence[unit.learner], name)
        alone = replace(observed, subsample_errors=None, tested_per_trained=None)
        record: Record = {"estimate": name, "learner": unit.learner, "area": unit.area, "share": unit.share}
        record |= {"rows": unit.rows, "error": observed.error - truth[name]}
        for form, seen in zip(FORMS, (observed, alone), strict=True):
            found = made.design.methods[name].interval(name, seen, LEVEL)
            record |= {f"{form} covers": found.low - 1e-9 <= truth[name] <= found.high + 1e-9}
            record |= {f"{form} width": found.high - found.low}
        records.append(record)
    return records


def _features(rng: np.random.Generator, inside: NDArray[np.bool_], area: float) -> NDArray[np.float64]:
    """Normal features; those of the class are shifted, so that the best ranking has this AUC."""
    distance = math.sqrt(2) * float(stats.norm.ppf(area))
    return rng.normal(size=(len(inside), COLUMNS)) + distance / math.sqrt(COLUMNS) * inside[:, None]


def _truth(unit: Unit, made: heldout.Validation, rng: np.random.Generator) -> dict[str, float]:
    """The mean of each estimate's loss over the hypotheses, on parts with as many rows of each class as a fold has."""
    of_class = np.repeat([False, True], POOL)
    X, classes = _features(rng, of_class, unit.area), np.array([0, 1])
    share, size = unit.share, unit.rows // 10
    count = max(1, round(share * size))
    found: dict[str, list[float]] = {name: [] for name in PART_LOSSES}
    for hypothesis in made.target(unit.learner, "E_auc"):
        given = {"class": hypothesis.predict(X), "ranks": ranks(hypothesis, X, classes)}
        for _ in range(PARTS):
            rows = np.concatenate([rng.integers(0, POOL, size - count), POOL + rng.integers(0, POOL, count)])
            y = of_class[rows].astype(np.intp)
            for name, loss in PART_LOSSES.items():
                terms = loss.terms(y, given[loss.needs][rows], np.ones(size), 2)
                found[name].append(float(terms.mean()))
    return {name: float(np.mean(values)) for name, values in found.items()}


def findings(results: pd.DataFrame) -> list[Finding]:
    """The coverage of each form over the cells of an estimate; agrees unless a cell is shown to be below `LEAST`."""
    found = []
    for name, own in results.groupby("estimate", sort=False):
        where = own["learner"] + ", AUC " + own["area"].astype(str) + ", " + own["share"].astype(str)
        where = where + " of " + own["rows"].astype(str) + " rows"
        for form in FORMS:
            covers = own[f"{form} covers"].astype(int)
            by_cell = covers.groupby(where).agg(["sum", "size"])
            counts = [(int(covered), int(of)) for covered, of in zip(by_cell["sum"], by_cell["size"], strict=True)]
            short = sum(share_interval(*count)[2] < LEAST for count in counts)
            least = (by_cell["sum"] / by_cell["size"]).sort_values()
            why = (
                f"coverage of {name}; least of {len(counts)} cells {least.iloc[0]:.3f} ({least.index[0]}), "
                f"{short} shown below {LEAST}; mean width {own[f'{form} width'].mean():.3f}, mean error of the "
                f"estimate {own['error'].mean():+.4f}"
            )
            share, low, high = share_interval(int(covers.sum()), len(covers))
            called = f"{str(name).replace('_', '-').lower()}-{form.replace(' ', '-')}"
            found.append(Finding(called, share, not short, why, LEVEL, low, high))
    return found


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:  # noqa: ARG001
    """None: the numbers are few."""
    return {}
