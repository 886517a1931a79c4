"""Do the intervals of `Validation.columns` hold, for columns that matter and for one that says nothing?

Tables of 100 and 300 rows with a number, a rare truth value, what is like the number, and a column of noise; with rows
in groups of three that are alike; and of numbers with skewed noise. The truth is the mean, over the ten fold
hypotheses, of the increase of their error on 4000 new rows whose column is permuted. A table is covered if the
intervals of all its columns hold, at .95 together. Next to the shipped interval are two others: from each row's own
increase alone, without its part in the rows that got its values; and without the correction for shared training rows.
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
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from threadpoolctl import threadpool_limits

import heldout
from heldout.diagnosis.column_reliance import folds_of, increases, rows_of
from heldout.losses import Losses
from heldout.losses.tested_losses import Tested
from heldout.rows.exchanged_rows import value_numbers
from heldout.selection.paired_differences import differences_of_rows
from studies.study import Finding, Record, share_interval

SEED, NEEDS_DATA = 0, False
LEVEL, LEAST = 0.95, 0.92  # of the intervals; of a cell
DRAWS, COLUMNS, NULL = 10, 4, 3  # the last column is noise
NEW_ROWS, A_GROUP = 4000, 3
TABLES, BATCH, QUICK = 200, 50, 4  # of a cell, of a unit, and of a unit of the quick form
ROWS = (100, 300)
OTHERS = ("own increases alone", "no correction")
LEARNERS: Mapping[str, Any] = {
    "logistic": LogisticRegression(),
    "tree": DecisionTreeClassifier(max_depth=3),
    "ridge": Ridge(),
    "tree of numbers": DecisionTreeRegressor(max_depth=3),
}
CASES: Mapping[str, Sequence[str]] = {
    "classes": ("logistic", "tree"),
    "classes in groups": ("logistic", "tree"),
    "numbers": ("ridge", "tree of numbers"),
    "skewed numbers": ("ridge", "tree of numbers"),
}


@dataclass(frozen=True)
class Unit:
    """Some tables of a learner, a case and a size, counted from `first`."""

    case: str
    learner: str
    rows: int
    first: int
    tables: int


def units(quick: bool) -> Sequence[Unit]:
    """The tables of all cells; in the quick form few of two."""
    if quick:
        return [Unit(case, CASES[case][0], 100, 0, QUICK) for case in ("classes in groups", "skewed numbers")]
    return [
        Unit(case, learner, rows, first, BATCH)
        for rows in ROWS
        for first in range(0, TABLES, BATCH)
        for case, learners in CASES.items()
        for learner in learners
    ]


def measure(unit: Unit, data: Path | None) -> list[Record]:  # noqa: ARG001
    """A record for each table."""
    with sklearn.config_context(assume_finite=True, skip_parameter_validation=True), threadpool_limits(1):
        return [_of_table(unit, unit.first + place) for place in range(unit.tables)]


def _of_table(unit: Unit, number: int) -> Record:
    rng = np.random.default_rng([SEED, unit.rows, number, *map(ord, unit.case)])
    grouped = unit.case == "classes in groups"
    X, y = _drawn(rng, unit.case, unit.rows, A_GROUP if grouped else 1)
    new = _drawn(rng, unit.case, NEW_ROWS, 1)
    quick = {"E_cv": "corrected fold Wilson"} if _of_classes(unit.case) else {}
    v = heldout.validate(
        {"one": LEARNERS[unit.learner]},
        X,
        y,
        estimates=["E_cv"],
        groups=np.arange(unit.rows) // A_GROUP if grouped else None,
        seed=number,
        level=LEVEL,
        intervals=quick or {"E_cv": "corrected fold t"},
        shortcuts="off",
        progress=False,
    )
    lines = sorted(v.columns(draws=DRAWS), key=lambda line: line.columns)
    hypotheses = v.target("one", "E_cv")
    truth = _truth(hypotheses, *new, v.design.loss.pointwise, rng)
    shipped = [(float(line.low or 0), float(line.high or 0)) for line in lines]
    record: Record = {
        "case": unit.case,
        "learner": unit.learner,
        "rows": unit.rows,
        "covers": _hold(shipped, truth),
        "noise shown": not shipped[NULL][0] <= 0 <= shipped[NULL][1],
        "width": _width(shipped),
    }
    for form, bounds in _other_forms(hypotheses, X, v.design).items():
        record |= {f"{form} covers": _hold(bounds, truth), f"{form} width": _width(bounds)}
    return record


def _of_classes(case: str) -> bool:
    return case.startswith("classes")


def _drawn(rng: np.random.Generator, case: str, rows: int, alike: int) -> tuple[Losses, NDArray[Any]]:
    """Rows whose columns and noise have two thirds of their variance from the group, of `alike` rows."""
    of = np.arange(rows) // alike

    def normal() -> Losses:
        found: Losses = np.sqrt(2 / 3) * rng.normal(size=rows)[of] + np.sqrt(1 / 3) * rng.normal(size=rows)
        return found

    X = np.column_stack([normal() for _ in range(COLUMNS)])
    X[:, 1] = (rng.random(rows) < 0.1)[of]
    X[:, 2] += X[:, 0]
    noise = rng.lognormal(0, 1, rows) if case.startswith("skewed") else normal()
    y = X[:, 0] + 2 * X[:, 1] + 0.3 * X[:, 2] + noise
    return X, (y > 0).astype(int) if _of_classes(case) else y


def _truth(hypotheses: Sequence[Any], X: Losses, y: NDArray[Any], loss: Any, rng: np.random.Generator) -> Losses:
    """The increase of each column, the mean over the hypotheses; of the column of noise it is 0."""
    places = rng.permutation(len(y))
    found = np.zeros(COLUMNS)
    for hypothesis in hypotheses:
        error = loss(y, hypothesis.predict(X)).mean()
        for column in range(NULL):
            other = X.copy()
            other[:, column] = X[places, column]
            found[column] += (loss(y, hypothesis.predict(other)).mean() - error) / len(hypotheses)
    return found


def _other_forms(hypotheses: Sequence[Any], X: Losses, design: Any) -> dict[str, Sequence[tuple[float, float]]]:
    """The intervals of each column by the other forms."""
    folds = [*folds_of(hypotheses, X, design, DRAWS)]
    bounds: dict[str, list[tuple[float, float]]] = {form: [] for form in OTHERS}
    for column in range(COLUMNS):
        numbers, own = value_numbers(X, [column]), np.zeros(len(design.y))
        for fold in folds:
            own[fold.rows] = increases(fold, X, design, (column,), numbers[fold.rows]).mean(axis=0)
        psi = rows_of(folds, X, design, (column,), numbers)
        for form, (terms, shared) in zip(OTHERS, ((own, len(folds)), (psi, None)), strict=True):
            seen = Tested(terms, design.loss, 0, design.dependence.group)
            made = differences_of_rows(terms[None], seen, shared)
            reach, at = float(made.reach(1 - (1 - LEVEL) / COLUMNS)[0]), float(terms.mean())
            bounds[form].append((at - reach, at + reach))
    return {**bounds}


def _hold(bounds: Sequence[tuple[float, float]], truth: Losses) -> bool:
    return all(low - 1e-12 <= at <= high + 1e-12 for (low, high), at in zip(bounds, truth, strict=True))


def _width(bounds: Sequence[tuple[float, float]]) -> float:
    return float(np.mean([high - low for low, high in bounds]))


def findings(results: pd.DataFrame) -> list[Finding]:
    """The coverage of all columns in each cell, and how often the column of noise is outside of its interval."""
    found = []
    for (case, learner, rows), own in results.groupby(["case", "learner", "rows"], sort=False):
        share, low, high = share_interval(int(own["covers"].sum()), len(own))
        others = "; ".join(
            f"{form} {own[f'{form} covers'].mean():.3f}, {(own[f'{form} width'] / own['width']).mean():.2f} as wide"
            for form in OTHERS
        )
        outside = 100 * float(own["noise shown"].mean())
        why = f"all columns hold; that of noise is outside in {outside:.1f} % of {len(own)} tables; {others}"
        name = f"columns-{case}-{learner}-{rows}".replace(" ", "-")
        found.append(Finding(name, share, high >= LEAST, why, LEVEL, low, high))
    return found


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:  # noqa: ARG001
    """None: the numbers are few."""
    return {}
