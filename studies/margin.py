"""Is a word by a margin (better, worse, alike) false as rarely as the level says?

Losses of 2 or 5 candidates on 50, 200 and 1000 rows, whose true errors differ by nothing, by half of the margin, by the
margin itself, or by twice as much; of 0 and 1, in groups of copies, and of numbers; with differences on both sides, on
one side alone, and on few rows. At the margin every word but undecided counts as false: its share is that of the
worst case of each word. Then learners by E_cv, whose margin is in each table the true difference of the two: the mean
over the fold hypotheses of their errors on 10 000 new rows. `interval alone` is the word without the further rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import sklearn
from matplotlib.figure import Figure
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

import heldout
from heldout.losses import ABSOLUTE, ZERO_ONE, Loss, Losses
from heldout.losses.tested_losses import Tested
from heldout.records import Difference
from heldout.selection.comparison import Comparison
from heldout.selection.margin import word
from studies.study import Finding, Record, at_most, share_interval

SEED, NEEDS_DATA = 0, False
LEVEL = 0.95
RUNS, QUICK = 2000, 50  # of a cell
ROWS = (50, 200, 1000)
MARGINS = (0.02, 0.05)
PLACES: Mapping[str, float] = {"equal": 0.0, "half of the margin": 0.5, "at the margin": 1.0, "twice the margin": 2.0}
COPIES = 5  # rows of a group
RARE = 0.02  # of the rows, on which two candidates differ
CASES: Mapping[str, tuple[int, ...]] = {  # with the numbers of candidates
    "independent errors": (2, 5),
    "errors on one side": (2, 5),
    "errors in groups": (2,),
    "numbers": (2, 5),
    "skewed numbers": (2,),
}
EXCEPTION = "numbers that differ on few rows"
LEARNERS: Mapping[str, Any] = {
    "logistic": LogisticRegression(),
    "bayes": GaussianNB(),
    "tree": DecisionTreeClassifier(max_depth=3, random_state=0),
}
FITTED, TABLES, TABLES_OF_UNIT, NEW_ROWS = "learners by E_cv", 200, 50, 10_000


@dataclass(frozen=True)
class Unit:
    """The runs of a cell: `batch` is the first table of learners, else 0."""

    case: str
    candidates: int
    rows: int
    margin: float
    place: str
    runs: int
    batch: int = 0


def units(quick: bool) -> Sequence[Unit]:
    """All cells; in the quick form few runs of few."""
    if quick:
        return [Unit(case, 2, 200, 0.05, "at the margin", QUICK) for case in CASES] + [_of_learners(100, 0, 2)]
    cases = [(case, m) for case, counts in {**CASES, EXCEPTION: (2,)}.items() for m in counts]
    of_losses = [
        Unit(case, m, rows, margin, place, RUNS)
        for case, m in cases
        for rows in ROWS
        for margin in MARGINS
        for place in PLACES
    ]
    fitted = [
        _of_learners(rows, batch, TABLES_OF_UNIT) for rows in (100, 400) for batch in range(0, TABLES, TABLES_OF_UNIT)
    ]
    return [*of_losses, *fitted]


def _of_learners(rows: int, batch: int, tables: int) -> Unit:
    return Unit(FITTED, len(LEARNERS), rows, 0.0, "at the margin", tables, batch)


def measure(unit: Unit, data: Path | None) -> list[Record]:  # noqa: ARG001
    """How often a word was false of any pair, and how often the first pair had each word."""
    counts = dict.fromkeys(("false", "false by the interval alone", "alike", "apart"), 0)
    with sklearn.config_context(assume_finite=True, skip_parameter_validation=True), threadpool_limits(1):
        for run in range(unit.runs):
            of_run = _of_fits(unit, unit.batch + run) if unit.case == FITTED else _of_losses(unit, run)
            for name, value in of_run.items():
                counts[name] += value
    return [
        {**{name: getattr(unit, name) for name in ("case", "candidates", "rows", "margin", "place", "runs")}, **counts}
    ]


def _of_losses(unit: Unit, run: int) -> Record:
    rng = np.random.default_rng([SEED, unit.candidates, unit.rows, run, *map(ord, unit.case)])
    more = np.zeros(unit.candidates)
    more[-1] = PLACES[unit.place] * unit.margin  # the last one errs more than each of the others, which are equal
    losses, loss, cluster = _drawn(unit.case, more, unit.rows, rng)
    seen = {str(place): Tested(of, loss, 0, cluster) for place, of in enumerate(losses)}
    compared = Comparison(seen, None, LEVEL, margin=unit.margin)
    pairs = [
        (line, more[int(name)] - more[int(line.against)])
        for name in seen
        for line in compared.differences(name)
        if int(name) < int(line.against)
    ]
    return _counted(pairs, unit.margin)


def _drawn(case: str, more: Losses, n: int, rng: np.random.Generator) -> tuple[Losses, Loss, NDArray[np.int64] | None]:
    """Losses of candidates that err `more` than a common error, shape (M, n), and the groups of rows."""
    m = len(more)
    if case == "independent errors":
        return (rng.random((m, n)) < (0.15 + more)[:, None]).astype(float), ZERO_ONE, None
    if case == "errors on one side":
        return (rng.random(n) < (0.05 + more)[:, None]).astype(float), ZERO_ONE, None
    if case == "errors in groups":
        groups = n // COPIES
        of_groups = (rng.random((m, groups)) < (0.15 + more)[:, None]).astype(float)
        return np.repeat(of_groups, COPIES, axis=1), ZERO_ONE, np.repeat(np.arange(groups), COPIES)
    if case == "numbers":
        shared, own = rng.normal(size=n), rng.normal(size=(m, n))
        return np.abs(shared + 0.3 * own) + more[:, None], ABSOLUTE, None
    if case == "skewed numbers":
        shared, own = rng.lognormal(size=n), rng.lognormal(size=(m, n))
        return 0.1 * shared + 0.1 * own + more[:, None], ABSOLUTE, None
    apart = (rng.random(n) < RARE) / RARE
    return rng.exponential(size=n) + more[:, None] * apart, ABSOLUTE, None


def _of_fits(unit: Unit, table: int) -> Record:
    rng = np.random.default_rng([SEED, unit.rows, table])
    X, y = _rows(unit.rows, rng)
    v = heldout.validate(LEARNERS, X, y, estimates=["E_cv"], seed=table, level=LEVEL, shortcuts="off", progress=False)
    X_new, y_new = _rows(NEW_ROWS, rng)
    errors = {
        name: float(np.mean([(h.predict(X_new) != y_new).mean() for h in v.target(name, "E_cv")])) for name in LEARNERS
    }
    found: Record = {}
    for one, other in combinations(LEARNERS, 2):
        apart = errors[one] - errors[other]
        lines = [line for line in v.differences(one, margin=100 * max(abs(apart), 1e-6)) if line.against == other]
        of_pair = _counted([(line, apart) for line in lines], max(abs(apart), 1e-6))
        found = {name: max(value, found.get(name, 0)) for name, value in of_pair.items()}
    return found


def _rows(n: int, rng: np.random.Generator) -> tuple[Losses, NDArray[np.int64]]:
    X = rng.normal(size=(n, 4))
    return X, (X @ [1, 0.7, 0.4, 0] + 0.5 * X[:, 0] * X[:, 1] + rng.normal(size=n) > 0).astype(int)


def _counted(pairs: Sequence[tuple[Difference, float]], margin: float) -> Record:
    """Whether a word is false of any pair, with and without the further rows; and the word of the last pair."""
    plain = [(replace(line, by_margin=word(line.low, line.high, margin)), apart) for line, apart in pairs]
    last = pairs[-1][0].by_margin
    return {
        "false": any(_false(line.by_margin, apart, margin) for line, apart in pairs),
        "false by the interval alone": any(_false(line.by_margin, apart, margin) for line, apart in plain),
        "alike": last == "alike",
        "apart": last in ("better", "worse"),
    }


def _false(said: str | None, apart: float, margin: float) -> bool:
    """At the margin every word but undecided is false."""
    rounding = 1e-12
    if said == "better":
        return apart >= -margin - rounding
    if said == "worse":
        return apart <= margin + rounding
    return said == "alike" and abs(apart) >= margin - rounding


def findings(results: pd.DataFrame) -> list[Finding]:
    """The largest share of false words by case and place, at most 1 - level; and how often a pair has its word."""
    found = []
    for (case, candidates, place), own in results.groupby(["case", "candidates", "place"], sort=False):
        cells = own.groupby(["rows", "margin"], as_index=False).sum(numeric_only=True)
        runs = cells["runs"]
        worst = int((cells["false"] / runs).to_numpy().argmax())
        share, low, high = share_interval(int(cells["false"].iloc[worst]), int(runs.iloc[worst]))
        alone = (cells["false by the interval alone"] / runs).max()
        words = "; ".join(f"{name} {_by_rows(cells, name)}" for name in ("alike", "apart"))
        why = f"the worst of {len(cells)} cells; by the interval alone {alone:.3f}; {words}"
        agrees = low <= 1 - LEVEL
        name = f"margin-{case}-{candidates}-{place}".replace(" ", "-")
        if case == EXCEPTION and not agrees:
            why = f"rows on which they differ did not come up: an exception that docs/method.md names; {why}"
        found.append(Finding(name, share, agrees, why, at_most(1 - LEVEL), low, high))
    return found


def _by_rows(cells: pd.DataFrame, name: str) -> str:
    shares = (cells[name] / cells["runs"]).groupby(cells["rows"]).max()
    return ", ".join(f"{share:.2f} of {rows} rows" for rows, share in shares.items())


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:  # noqa: ARG001
    """None: the numbers are few."""
    return {}
