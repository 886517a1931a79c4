"""Does the race keep the best candidate, and how many fits does it spare?

Losses of 0 and 1 on the stream of E_prog, in its own blocks, of candidates whose true errors are known: 20 or 50 that
are equal, with losses that are independent or alike; one that overtakes the others after half of the stream; and the
best next to weak ones, close ones, and a graded field. A candidate has 105 fits; one that is dropped has those of its
blocks.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from heldout.losses import Losses
from heldout.schemes.progressive import first_steps
from heldout.selection.race import Race
from studies.study import Finding, Record, at_most, mean_interval, share_interval

SEED, NEEDS_DATA = 0, False
LEVEL = 0.95
BATCH, BATCHES, QUICK_BATCHES = 250, 40, 1  # streams of a null in a unit, and units: 10 000 streams
POWER_BATCHES, POWER_BATCH = 4, 25
FITS = 105  # of a candidate at the defaults
ROWS = (300, 1000, 3000)
NULLS: Mapping[str, tuple[int, float]] = {  # candidates, and how often two losses come from one draw
    "20 equal, independent": (20, 0.0),
    "20 equal, alike": (20, 0.8),
    "50 equal, independent": (50, 0.0),
    "50 equal, alike": (50, 0.8),
}
FIELDS: Mapping[str, Sequence[float]] = {
    "the best and 19 that err 10 points more": [0.1] + [0.2] * 19,
    "10 equal and 20 that err 10 points more": [0.15] * 10 + [0.25] * 20,
    "30 from 10 % to 30 %": [*np.linspace(0.1, 0.3, 30).round(4).tolist()],
    "11 equal": [0.2] * 11,
}
CROSSING = "crosses"


@dataclass(frozen=True)
class Unit:
    """Some streams of a case, counted from `batch` times their number."""

    case: str
    rows: int
    batch: int


def units(quick: bool) -> Sequence[Unit]:
    """The nulls at 1000 rows, the crossing curves, and each field at all sizes."""
    nulls, powers = (QUICK_BATCHES, 1) if quick else (BATCHES, POWER_BATCHES)
    of_null = [Unit(case, 1000, batch) for case in NULLS for batch in range(nulls)]
    crossing = [Unit(CROSSING, 1000, batch) for batch in range(powers)]
    return [*of_null, *crossing, *(Unit(case, n, batch) for case in FIELDS for n in ROWS for batch in range(powers))]


def measure(unit: Unit, data: Path | None) -> list[Record]:  # noqa: ARG001
    """What became of the first candidate in each stream, whether any was dropped, and the share of the fits."""
    rng = np.random.default_rng([SEED, [*NULLS, CROSSING, *FIELDS].index(unit.case), unit.rows, unit.batch])
    null = unit.case in NULLS
    count, alike = NULLS.get(unit.case, (0, 0.5))
    errors = np.array([0.2] * count if null else FIELDS.get(unit.case, [0.1] + [0.15] * 10))
    records = []
    for _ in range(BATCH if null else POWER_BATCH):
        left, fits = stream(rng, errors, unit.rows, alike, crosses=unit.case == CROSSING)
        records.append(
            {
                "case": unit.case,
                "rows": unit.rows,
                "first_lost": not left[0],
                "any_lost": not left.all(),
                "fits": float(fits.sum()) / (FITS * len(errors)),
            }
        )
    return records


def stream(
    rng: np.random.Generator, errors: Losses, rows: int, alike: float, *, crosses: bool = False
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Who is left after a stream, and the fits of each; `crosses`: the first errs more than all in the first half."""
    tested = rows // 2
    names = [str(number) for number in range(len(errors))]
    race, blocks = Race.of(names, tested, 1.0, LEVEL), np.zeros(len(errors), dtype=np.int64)
    for first, end in itertools.pairwise([*first_steps(rows - tested, tested, "auto"), tested]):
        risk = errors.copy()
        if crosses and end <= tested / 2:
            risk[0] = 0.3
        shared, own = rng.random(end - first), rng.random((len(errors), end - first))
        together = rng.random((len(errors), end - first)) < alike
        losses = (np.where(together, shared, own) < risk[:, None]).astype(float)
        racing = [int(name) for name in race.racing]
        blocks[racing] += 1
        race = race.after({str(place): losses[place] for place in racing})
    left = np.isin(np.arange(len(errors)), [int(name) for name in race.racing])
    return left, np.where(left, FITS, blocks)


def findings(results: pd.DataFrame) -> list[Finding]:
    """How often a given best is lost, at most 1 - level; any of many equals; and the share of fits that is made."""
    found = []
    for case in NULLS:
        own = results[results["case"] == case]
        lost, low, high = share_interval(int(own["first_lost"].sum()), len(own))
        found.append(
            Finding(
                f"race-null-{_short(case)}",
                lost,
                low <= 1 - LEVEL,
                "a given one is lost",
                at_most(1 - LEVEL),
                low,
                high,
            )
        )
        of_any, low, high = share_interval(int(own["any_lost"].sum()), len(own))
        found.append(Finding(f"race-any-{_short(case)}", of_any, True, "any of the equals is lost", "", low, high))
    own = results[results["case"] == CROSSING]
    lost, low, high = share_interval(int(own["first_lost"].sum()), len(own))
    why = "the best in the end errs most in the first half: its null is false there"
    found.append(Finding("race-crossing", lost, True, why, "", low, high))
    for case in FIELDS:
        for rows in ROWS:
            own = results[(results["case"] == case) & (results["rows"] == rows)]
            share, low, high = mean_interval(own["fits"]) if own["fits"].std() > 0 else (float(own["fits"].mean()),) * 3
            lost_share = own["first_lost"].mean()
            why = f"share of the fits of {case}; the first is lost in {100 * lost_share:.0f} % of {len(own)} streams"
            found.append(Finding(f"race-fits-{_short(case)}-{rows}", share, True, why, "", low, high))
    return found


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:  # noqa: ARG001
    """None: the numbers are few."""
    return {}


def _short(case: str) -> str:
    return case.replace(",", "").replace(" %", "").replace(" ", "-")
