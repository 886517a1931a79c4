"""After a drift that stays, does `watch` fall silent once its reference is moved, and does it see the next drift?

Shards of 200 rows, and 500 labelled rows, of the table of `studies/quarter.py`, watched by the alarm on columns at
level 5 %. 60 shards come before a column moves; with the first shard after it the alarm comes, and a person moves the
reference. 14 more shards of the moved column come, and then 15 in which the classes have other shares. The reference
is moved to all shards that have come (`--new-reference`), or to the shard of the alarm (`--since`), and then it stays,
or is moved once more, to that shard and the 5 or 13 that came after it without an alarm. After each further alarm the
person does the same. Of `all`, some alarms after the classes changed are still about the column.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from heldout.monitoring.column_alarm import ColumnAlarm
from studies.quarter import Quarter, labelled
from studies.study import Finding, Record, at_most, share_interval

SEED, NEEDS_DATA = 0, False
LEVEL = 0.05
LABELLED, ROWS, WORLDS = 500, 200, 60
PLAN = Quarter()
NEVER = float("inf")


@dataclass(frozen=True)
class Way:
    """To which shards the reference is moved, and after how many quiet shards once more."""

    words: str
    earlier: bool = False  # those before the alarm too
    quiet: float = NEVER


WAYS: Mapping[str, Way] = {
    "all": Way("to all shards", earlier=True),
    "since": Way("to the shard of the alarm"),
    **{f"since-{quiet}": Way(f"to the shard of the alarm, and after {quiet} again", quiet=quiet) for quiet in (5, 13)},
}


@dataclass(frozen=True)
class Unit:
    """A world."""

    world: int


def units(quick: bool) -> Sequence[Unit]:
    """Each world."""
    return [Unit(world) for world in range(6 if quick else WORLDS)]


def measure(unit: Unit, data: Path | None) -> list[Record]:  # noqa: ARG001
    """For each way, the alarms after the reference was moved, and the shard of other class shares with the first."""
    rng = np.random.default_rng([SEED, unit.world])
    known = labelled(rng, LABELLED).drop(columns="label")
    shards = [labelled(rng, ROWS, *PLAN.population(night)).drop(columns="label") for night in range(PLAN.nights)]
    return [{"way": name, **_watched(known, shards, way)} for name, way in WAYS.items()]


def _watched(known: pd.DataFrame, shards: Sequence[pd.DataFrame], way: Way) -> Record:
    last, raised = PLAN.moved, []
    alarm = _moved(known, shards, way, last, last)
    for night in range(PLAN.moved + 1, PLAN.nights):
        alarm = alarm.after(shards[night])
        if alarm.raised(LEVEL):
            raised.append(night)
            last = night
        if last == night or night - last == way.quiet:
            alarm = _moved(known, shards, way, last, night)
    seen = [night - PLAN.shares + 1 for night in raised if night >= PLAN.shares]
    return {"again": sum(night < PLAN.shares for night in raised), "seen": min(seen, default=NEVER)}


def _moved(known: pd.DataFrame, shards: Sequence[pd.DataFrame], way: Way, alarm: int, night: int) -> ColumnAlarm:
    return ColumnAlarm.of(known, shards[0 if way.earlier else alarm : night + 1])


def findings(results: pd.DataFrame) -> list[Finding]:
    """The worlds with an alarm again, at most the level; how many alarms; and when other class shares are seen."""
    found = []
    for name, way in WAYS.items():
        own = results[results["way"] == name]
        share, low, high = share_interval(int((own["again"] > 0).sum()), len(own))
        why = f"of {len(own)} worlds, moved {way.words}"
        if low > LEVEL:
            why += f"; {own['again'].mean():.1f} alarms in {PLAN.shares - PLAN.moved - 1} shards, since most of the "
            why += "reference is from before the column moved"
        found.append(Finding(f"moved-reference-{name}-alarms", share, low <= LEVEL, why, at_most(LEVEL), low, high))
        share, low, high = share_interval(int(np.isfinite(own["seen"]).sum()), len(own))
        why = f"of {len(own)} worlds, within {PLAN.nights - PLAN.shares} shards; of these the median is shard "
        why += f"{np.median(own['seen'][np.isfinite(own['seen'])]):g}"
        found.append(Finding(f"moved-reference-{name}-class-shares-seen", share, True, why, "", low, high))
    return found


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:  # noqa: ARG001
    """None: the numbers are few."""
    return {}
