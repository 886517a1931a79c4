"""Do intervals of several labels a row cover, and is the baseline beaten only where something was learned?

Tables of 100 and 300 rows with five normal features, given to `heldout.validate` as it ships. Three labels of two
classes: each depends on a feature of its own; all three are the same label; each is 1 in 2 % of the rows; or none
depends on the features. Two numbers: with normal noise; with skewed noise, the second a hundred times as large; or
noise alone. A tree, five neighbours, and for numbers a ridge regression. The truth is the mean error of the very
hypotheses that an estimate is about, on 5,000 other rows: for E_cv of the k fold hypotheses, for E_val of that trained
without the held-out rows.
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
from numpy.typing import NDArray
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from threadpoolctl import threadpool_limits

import heldout
from studies.study import Finding, Record, at_most, share_interval

SEED, NEEDS_DATA = 0, False
LEVEL, LEAST = 0.95, 0.92  # of the interval; of a cell
NULL = "noise"
KINDS: Mapping[str, Sequence[str]] = {
    "classes": ("own features", "one label", "2 % are 1", NULL),
    "numbers": ("normal", "skewed", NULL),
}
LEARNERS: Mapping[str, Mapping[str, Any]] = {
    "classes": {"tree": DecisionTreeClassifier(max_depth=4), "neighbors": KNeighborsClassifier()},
    "numbers": {
        "tree": DecisionTreeRegressor(max_depth=4),
        "neighbors": KNeighborsRegressor(),
        "ridge": Ridge(),
    },
}
ROWS = (100, 300)
ESTIMATES = ("E_val", "E_cv")
TABLES, BATCH, QUICK = 120, 30, 3
COLUMNS, OTHERS = 5, 5_000


@dataclass(frozen=True)
class Unit:
    """Some tables of a kind, counted from `first`."""

    target: str
    kind: str
    rows: int
    first: int
    tables: int


def units(quick: bool) -> Sequence[Unit]:
    """The tables of all cells; in the quick form few of two."""
    if quick:
        return [Unit(target, NULL, ROWS[0], 0, QUICK) for target in KINDS]
    return [
        Unit(target, kind, rows, first, BATCH)
        for first in range(0, TABLES, BATCH)
        for target, kinds in KINDS.items()
        for kind in kinds
        for rows in ROWS
    ]


def measure(unit: Unit, data: Path | None) -> list[Record]:  # noqa: ARG001
    """A record for each table, learner and estimate: whether it covers, and whether the baseline is shown beaten."""
    with sklearn.config_context(assume_finite=True, skip_parameter_validation=True), threadpool_limits(1):
        return [record for place in range(unit.tables) for record in _of_table(unit, unit.first + place)]


def _of_table(unit: Unit, number: int) -> list[Record]:
    kind = KINDS[unit.target].index(unit.kind) + 10 * [*KINDS].index(unit.target)
    rng = np.random.default_rng([SEED, kind, unit.rows, number])
    X, y = _drawn(rng, unit, unit.rows)
    others, labels = _drawn(rng, unit, OTHERS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = heldout.validate(
            LEARNERS[unit.target], X, y, seed=number, estimates=[*ESTIMATES], repeats=1, progress=False
        )
    records = []
    for name in made.candidates:
        for estimate in ESTIMATES:
            found: Any = made[name][estimate]
            errors = [_error(hypothesis.predict(others), labels, unit) for hypothesis in made.target(name, estimate)]
            truth = float(np.mean(errors))
            record: Record = {"target": unit.target, "kind": unit.kind, "learner": name, "rows": unit.rows}
            record |= {"estimate": estimate, "covers": found.low - 1e-9 <= truth <= found.high + 1e-9}
            record |= {"beats": bool(made.beats_baseline(name))}
            records.append(record)
    return records


def _drawn(rng: np.random.Generator, unit: Unit, n: int) -> tuple[NDArray[np.float64], NDArray[Any]]:
    X = rng.normal(size=(n, COLUMNS))
    if unit.target == "numbers":
        skewed = unit.kind == "skewed"
        noise = rng.lognormal(sigma=1, size=(n, 2)) if skewed else rng.normal(size=(n, 2))
        signal = 0 if unit.kind == NULL else X[:, :2]
        return X, (signal + noise) * ([1, 100] if skewed else [1, 1])
    noise = rng.normal(size=(n, 3))
    if unit.kind == "one label":
        return X, np.repeat((X[:, :1] + noise[:, :1] > 0).astype(int), 3, axis=1)
    if unit.kind == "2 % are 1":
        return X, (X[:, :3] + noise > 2.9).astype(int)
    signal = 0 if unit.kind == NULL else X[:, :3]
    return X, (signal + noise > 0.3).astype(int)


def _error(said: NDArray[Any], labels: NDArray[Any], unit: Unit) -> float:
    return float(np.mean(said != labels) if unit.target == "classes" else np.mean((said - labels) ** 2))


def findings(results: pd.DataFrame) -> list[Finding]:
    """The coverage of each estimate over the cells of a target, and how often noise is shown to beat the baseline."""
    found = []
    for (target, estimate), own in results.groupby(["target", "estimate"], sort=False):
        where = own["learner"] + ", " + own["kind"] + ", " + own["rows"].astype(str) + " rows"
        by_cell = own["covers"].astype(int).groupby(where).agg(["sum", "size"])
        counts = [(int(covered), int(of)) for covered, of in zip(by_cell["sum"], by_cell["size"], strict=True)]
        below = [cell for cell, count in zip(by_cell.index, counts, strict=True) if share_interval(*count)[2] < LEAST]
        least = (by_cell["sum"] / by_cell["size"]).sort_values()
        why = f"least of {len(counts)} cells {least.iloc[0]:.3f} ({least.index[0]}); shown below {LEAST}: "
        why += "; ".join(below) or "none"
        share, low, high = share_interval(int(own["covers"].sum()), len(own))
        found.append(Finding(f"{target!s}-{str(estimate).lower()}", share, not below, why, LEVEL, low, high))
    for target, own in results.groupby("target", sort=False):
        null = own[(own["kind"] == NULL) & (own["estimate"] == "E_cv")]
        shown, low, high = share_interval(int(null["beats"].sum()), len(null))
        why = f"of {len(null)} candidates that could learn nothing, so many are shown to beat the best constant"
        found.append(
            Finding(f"{target!s}-noise-beats-baseline", shown, low <= 1 - LEVEL, why, at_most(1 - LEVEL), low, high)
        )
    return found


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:  # noqa: ARG001
    """None: the numbers are few."""
    return {}
