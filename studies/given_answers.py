"""Do the intervals hold that only a comparison of given answers has?

Answers of one model to 200 rows of two normal classes, given to `heldout.from_predictions(metric=...)`: Matthews'
correlation, kappa, recall, precision and specificity; and R^2 of numbers with normal or skewed noise, on 100 rows. The
truth is the metric's mean over many such parts. Precision is left out where no row is answered with the class.
Intervals that are marked as not credible are counted and left out.

Strata: three tasks of 30, 60 and 120 rows with errors of .1, .3 and .5, whose mean is .3.

Differences of forecasts up to 1, 3 or 6 steps ahead from each of 60 or 160 cutoffs: the last value against the mean of
the last four, of random walks and of y_t = .8 y_(t-1) + e_t, and against the constant 0 of the latter. The truth is the
mean over long series.
"""

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy import stats
from scipy.signal import lfilter
from sklearn.metrics import cohen_kappa_score, matthews_corrcoef, precision_score, r2_score, recall_score

import heldout
from heldout.errors import BadArgument
from studies.study import Finding, Record, share_interval

SEED, NEEDS_DATA = 0, False
LEVEL, LEAST = 0.95, 0.92
OF_CLASSES = ("mcc", "kappa", "recall", "precision", "specificity")
AREAS, SHARES, ROWS = (0.8, 0.99), (0.5, 0.1), 200
NOISES, NUMBERS = ("normal", "skewed"), 100
TASKS, ERRORS = (30, 60, 120), (0.1, 0.3, 0.5)
PAIRS = {"walk": (1.0, "mean"), "returning": (0.8, "mean"), "against 0": (0.8, "zero")}
HORIZONS, CUTOFFS = (1, 3, 6), (60, 160)
TABLES, FORECASTS, PARTS = 150, 100, 200
QUICK = 5


@dataclass(frozen=True)
class Unit:
    """Some tables of a cell: of a `kind`, with its numbers."""

    kind: str
    of: str = ""
    area: float = 0.0
    share: float = 0.0
    horizon: int = 0
    cutoffs: int = 0
    tables: int = TABLES

    @property
    def cell(self) -> str:
        """In words."""
        if self.kind == "classes":
            return f"AUC {self.area:g}, {self.share:g}"
        return f"{self.of}, {self.horizon} ahead, {self.cutoffs} cutoffs" if self.horizon else self.of or "three tasks"


def units(quick: bool) -> Sequence[Unit]:
    """The tables of all cells; in the quick form few of four."""
    if quick:
        return [
            Unit("classes", "", 0.8, 0.5, tables=QUICK),
            Unit("numbers", "normal", tables=QUICK),
            Unit("strata", tables=QUICK),
            Unit("forecasts", "walk", horizon=3, cutoffs=60, tables=QUICK),
        ]
    return [
        *(Unit("classes", "", area, share) for area in AREAS for share in SHARES),
        *(Unit("numbers", noise) for noise in NOISES),
        Unit("strata"),
        *(
            Unit("forecasts", pair, horizon=horizon, cutoffs=cutoffs, tables=FORECASTS)
            for pair in PAIRS
            for horizon in HORIZONS
            for cutoffs in CUTOFFS
        ),
    ]


def measure(unit: Unit, data: Path | None) -> list[Record]:  # noqa: ARG001
    """A record for each table and interval: whether it covers, and its width."""
    of = {"classes": _classes, "numbers": _numbers, "strata": _strata, "forecasts": _forecasts}[unit.kind]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return of(unit, np.random.default_rng([SEED, *unit.cell.encode()]))


def _specificity(y: NDArray[Any], said: NDArray[Any]) -> float:
    return float(recall_score(y, said, pos_label=0))


def _classes(unit: Unit, rng: np.random.Generator) -> list[Record]:
    distance, records = math.sqrt(2) * float(stats.norm.ppf(unit.area)), []
    functions = (matthews_corrcoef, cohen_kappa_score, recall_score, precision_score, _specificity)

    def drawn() -> tuple[NDArray[Any], NDArray[Any]]:
        inside = rng.permutation(ROWS) < round(unit.share * ROWS)
        scores = rng.normal(size=ROWS) + distance * inside
        likelier = distance * scores - distance**2 / 2 + math.log(unit.share / (1 - unit.share)) > 0
        return inside.astype(int), likelier.astype(int)

    truths = [1 - np.mean([of(*drawn()) for _ in range(PARTS)]) for of in functions]
    for _ in range(unit.tables):
        y, said = drawn()
        table = {"row": np.arange(ROWS), "candidate": ["a"] * ROWS, "label": y, "answer": said}
        for name, truth in zip(OF_CLASSES, truths, strict=True):
            try:
                [found] = heldout.from_predictions(table, metric=name).estimates
            except BadArgument:  # no row is answered with the class
                continue
            records.append(_of_metric(unit, name, found, truth))
    return records


def _numbers(unit: Unit, rng: np.random.Generator) -> list[Record]:
    def drawn() -> tuple[NDArray[Any], NDArray[Any]]:
        said = rng.normal(size=NUMBERS)
        noise = rng.normal(size=NUMBERS) if unit.of == "normal" else rng.lognormal(size=NUMBERS) - math.exp(0.5)
        return said + noise / 2, said

    truth = 1 - np.mean([r2_score(*drawn()) for _ in range(PARTS)])
    records = []
    for _ in range(unit.tables):
        y, said = drawn()
        table = {"row": np.arange(NUMBERS), "candidate": ["a"] * NUMBERS, "label": y, "answer": said}
        [found] = heldout.from_predictions(table, metric="r2").estimates
        records.append(_of_metric(unit, "r2", found, truth))
    return records


def _strata(unit: Unit, rng: np.random.Generator) -> list[Record]:
    records, task = [], np.repeat([*"abc"], TASKS)
    for _ in range(unit.tables):
        losses = np.concatenate([rng.random(n) < p for n, p in zip(TASKS, ERRORS, strict=True)]).astype(float)
        table = {"row": np.arange(len(task)), "candidate": ["a"] * len(task), "loss": losses, "task": task}
        [found] = heldout.from_predictions(table, stratum="task").estimates
        records.append(_record(unit, "strata", found.low, found.high, float(np.mean(ERRORS))))
    return records


def _forecasts(unit: Unit, rng: np.random.Generator) -> list[Record]:
    again, other = PAIRS[unit.of]
    ahead = np.arange(1, unit.horizon + 1)

    def drawn(cutoffs: int) -> dict[str, NDArray[Any]]:
        shocks = rng.normal(size=cutoffs + unit.horizon + 104)
        y = lfilter([1.0], [1.0, -again], shocks)[100:]
        since = np.repeat(np.arange(3, cutoffs + 3), unit.horizon)
        at = since + np.tile(ahead, cutoffs)
        means = (y[since] + y[since - 1] + y[since - 2] + y[since - 3]) / 4
        forecast = means if other == "mean" else np.zeros(len(since))
        return {"since": since, "at": at, "label": y[at], "last": y[since], "other": forecast}

    def difference(of: Mapping[str, NDArray[Any]]) -> float:
        return float(np.mean((of["last"] - of["label"]) ** 2 - (of["other"] - of["label"]) ** 2))

    truth = float(np.mean([difference(drawn(20000)) for _ in range(40)]))
    records = []
    for _ in range(unit.tables):
        made = heldout.from_predictions(drawn(unit.cutoffs), answer=["last", "other"], time="at", cutoff="since")
        [found] = made.differences("last")
        records.append(_record(unit, "difference of forecasts", found.low, found.high, truth))
    return records


def _of_metric(unit: Unit, metric: str, found: Any, truth: float) -> Record:
    """An interval that is marked as not credible is none."""
    low, high = (None, None) if found.not_credible else (found.low, found.high)
    return _record(unit, metric, low, high, truth)


def _record(unit: Unit, interval: str, low: float | None, high: float | None, truth: float) -> Record:
    record: Record = {"interval": interval, "cell": unit.cell, "made": low is not None}
    if low is None or high is None:
        return record | {"covers": False, "width": np.nan}
    return record | {"covers": bool(low - 1e-9 <= truth <= high + 1e-9), "width": high - low}


def findings(results: pd.DataFrame) -> list[Finding]:
    """The coverage over the cells of an interval; agrees unless a cell is shown to be below `LEAST`."""
    found = []
    for interval, every in results.groupby("interval", sort=False):
        own = every[every["made"].astype(bool)]
        by_cell = own["covers"].astype(int).groupby(own["cell"]).agg(["sum", "size"])
        counts = [(int(covered), int(of)) for covered, of in zip(by_cell["sum"], by_cell["size"], strict=True)]
        short = sum(share_interval(*count)[2] < LEAST for count in counts)
        least = (by_cell["sum"] / by_cell["size"]).sort_values()
        why = (
            f"coverage over {len(counts)} cells; least {least.iloc[0]:.3f} ({least.index[0]}), {short} shown below "
            f"{LEAST}; {1 - len(own) / len(every):.3f} of the tables have none, or one that is marked"
        )
        share, low, high = share_interval(int(own["covers"].sum()), len(own))
        found.append(Finding(str(interval).replace(" ", "-"), share, not short, why, LEVEL, low, high))
    return found


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:  # noqa: ARG001
    """None: the numbers are few."""
    return {}
