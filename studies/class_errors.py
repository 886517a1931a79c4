"""Do the cross-validated errors of each class cover?

Tables of four normal features, given to `heldout.validate` with ten folds: two classes of equal size; two of which one
has a fifth, or a tenth, of the rows; three of unequal size. A class moves one feature. Naive Bayes, a full tree, a tree
of one split, one neighbour, fifteen neighbours and logistic regression. The truth is, of each class, the mean over the
ten fold hypotheses of their error on its rows among 10,000 others, each weighted by the rows of the class in its fold.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import sklearn
from matplotlib.figure import Figure
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

import heldout
from studies.study import Finding, Record, share_interval

SEED, NEEDS_DATA = 0, False
LEVEL, LEAST = 0.95, 0.92  # of the interval; of a cell
# the shares of the classes, and how far a class moves its feature, in standard deviations
KINDS: Mapping[str, tuple[Sequence[float], float]] = {
    "two classes": ((0.5, 0.5), 1.0),
    "a fifth": ((0.8, 0.2), 1.0),
    "a tenth": ((0.9, 0.1), 1.5),
    "three classes": ((0.5, 0.3, 0.2), 2.0),
}
LEARNERS: Mapping[str, Any] = {
    "bayes": GaussianNB(),
    "tree": DecisionTreeClassifier(),
    "one split": DecisionTreeClassifier(max_depth=1),
    "1 neighbour": KNeighborsClassifier(1),
    "15 neighbours": KNeighborsClassifier(15),
    "logistic": LogisticRegression(),
}
ROWS = (150, 600)
TABLES, BATCH, QUICK = 120, 30, 2
COLUMNS, OTHERS = 4, 10_000


@dataclass(frozen=True)
class Unit:
    """Some tables of a kind, counted from `first`."""

    kind: str
    rows: int
    first: int
    tables: int


def units(quick: bool) -> Sequence[Unit]:
    """The tables of all cells; in the quick form few of one."""
    if quick:
        return [Unit("three classes", ROWS[0], 0, QUICK)]
    return [Unit(kind, rows, first, BATCH) for first in range(0, TABLES, BATCH) for kind in KINDS for rows in ROWS]


def measure(unit: Unit, data: Path | None) -> list[Record]:  # noqa: ARG001
    """A record for each table, learner and class: whether the interval covers, and how wide it is."""
    with sklearn.config_context(assume_finite=True, skip_parameter_validation=True), threadpool_limits(1):
        return [record for place in range(unit.tables) for record in _of_table(unit, unit.first + place)]


def _of_table(unit: Unit, number: int) -> list[Record]:
    rng = np.random.default_rng([SEED, [*KINDS].index(unit.kind), unit.rows, number])
    X, y = _drawn(rng, unit.kind, unit.rows)
    others, labels = _drawn(rng, unit.kind, OTHERS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = heldout.validate(
            LEARNERS, X, y, seed=number, estimates=["E_cv"], intervals={"E_cv": "pooled Wilson"}, progress=False
        )
    records: list[Record] = []
    splits = made.design.splits("cross_validation")
    for name in made.candidates:
        wrong = [hypothesis.predict(others) != labels for hypothesis in made.target(name, "E_cv")]
        for of_class, one in enumerate(made.class_errors(name)):
            counts = [int((y[split.validation] == of_class).sum()) for split in splits]
            truth = np.average([errors[labels == of_class].mean() for errors in wrong], weights=counts)
            record: Record = {"kind": unit.kind, "learner": name, "rows": unit.rows, "class": of_class}
            low, high = one.low, one.high
            if low is None or high is None:
                continue  # of fewer rows than the method takes
            records.append({**record, "covers": low - 1e-9 <= truth <= high + 1e-9, "width": high - low})
    return records


def _drawn(rng: np.random.Generator, kind: str, n: int) -> tuple[Any, Any]:
    shares, moved = KINDS[kind]
    y = rng.choice(len(shares), n, p=shares)
    X = rng.normal(size=(n, COLUMNS))
    for of_class in range(1, len(shares)):
        X[:, of_class] += moved * (y == of_class)
    return X, y


def findings(results: pd.DataFrame) -> list[Finding]:
    """The coverage over the cells of a kind; a cell is a learner, a number of rows and a class."""
    found = []
    for kind, own in results.groupby("kind", sort=False):
        where = own["learner"] + ", class " + own["class"].astype(str) + ", " + own["rows"].astype(str) + " rows"
        by_cell = own["covers"].astype(int).groupby(where).agg(["sum", "size"])
        counts = [(int(covered), int(of)) for covered, of in zip(by_cell["sum"], by_cell["size"], strict=True)]
        below = [cell for cell, count in zip(by_cell.index, counts, strict=True) if share_interval(*count)[2] < LEAST]
        least = (by_cell["sum"] / by_cell["size"]).sort_values()
        why = f"least of {len(counts)} cells {least.iloc[0]:.3f} ({least.index[0]}); shown below {LEAST}: "
        why += "; ".join(below) or "none"
        share, low, high = share_interval(int(own["covers"].sum()), len(own))
        found.append(Finding(str(kind).replace(" ", "-"), share, not below, why, LEVEL, low, high))
    return found


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:  # noqa: ARG001
    """None: the numbers are few."""
    return {}
