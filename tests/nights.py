"""A made history of nights, told to whatever takes entries: a chain in memory, or the ledger of a real store."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from tasks.outcome import chain
from tasks.outcome.chain import Entry
from tasks.outcome.nights import Unit, night_said
from tasks.outcome.operations import Of

OF = Of("churn", "source data/raw/churn.csv, target left, positive None")
PERCENT = Unit(binary=True, power=0, mean_called="", shown_as="mean zero_one loss")
RMSE = Unit(binary=False, power=2, mean_called="RMSE", shown_as="RMSE")
FIRST = datetime(2026, 8, 1, 2, 5, tzinfo=UTC)
Append = Callable[[str, Mapping[str, Any], datetime], int]


class Chain:
    """A chain of entries in memory, whose clock is set by whoever appends."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def append(self, kind: str, said: Mapping[str, Any], time: datetime) -> int:
        """Add an entry; returns its number."""
        draft = Entry(0, "", time.isoformat(timespec="milliseconds"), "ada", "0.2.0", kind, said)
        self.entries.append(chain.following(self.entries[-1] if self.entries else None, draft))
        return self.entries[-1].number


def at(night: int, hours: float = 0.0) -> datetime:
    """The end of a night, or so many hours later."""
    return FIRST + timedelta(days=night, hours=hours)


def contest(night: int, candidate: str, version: int, **more: Any) -> dict[str, Any]:
    """What the entry of a contest says, as `tasks.track.promote` writes it."""
    said = {"run": f"run{night}", "candidate": candidate, "learner": candidate, "version": str(version)}
    return OF.said(**said, promoted="no", compared=True, **more)


def ended(append: Append, night: int, *, unit: Unit = PERCENT, **more: Any) -> None:
    """The entry at the end of a night."""
    sizes = {"MLflow": 3_000_000 + 90_000 * night, "artifacts": 20_000_000 + 600_000 * night, "DVC": 8_000_000}
    sizes |= {"Prefect": 2_000_000 + 150_000 * min(night, 30), "fits": 5_000_000}
    known = {} if "failed" in more else {"rows": 4000 + 120 * night, "unit": unit}
    append("night", night_said(OF, f"run{night}", 95 + night / 2, sizes, 10**12, **known, **more), at(night))


def quarter(
    append: Append, nights: int = 90, *, unit: Unit = PERCENT, names: Sequence[str] = ("forest", "boosting")
) -> None:
    """Nights in which everything happens once: in a quarter at 20, 30, 33, 45, 60, 62, 70 and 75."""
    rng = np.random.default_rng(0)
    old, new = names
    scale = 1.0 if unit.binary else 40_000.0
    champion, capital, error, since, held = "1", 1.0, 0.14, 0, 0
    moment = {round(of * nights / 90): of for of in (20, 30, 33, 45, 47, 60, 62, 70)}
    append("champion", {**contest(0, old, 1), "promoted": "first", "alias": "churn@champion"}, at(0, -0.01))
    ended(append, 0, unit=unit)
    for night in range(1, nights):
        which = moment.get(night, 0)
        rows = 24 * (night - since)
        half = 0.9 / np.sqrt(rows + 20)
        value = error + rng.normal(0, 0.2) / np.sqrt(rows + 60)
        capital *= float(np.exp(rng.normal(0.17 if champion == "1" and night < 22 else 0.01, 0.12)))
        said = {
            "E_champion": scale * value,
            "E_champion_low": scale * max(value - half, 0.01),
            "E_champion_high": scale * (value + half),
            "E_champion_rows": float(rows),
            "capital": capital,
            "capital_needed": 40.0 if 30 <= night * 90 / nights < 33 else 20.0,
        }
        if which == 70:
            ended(append, night, unit=unit, failed="the table has no column 'tenure'")
            continue
        if which == 45:
            why = ["the champion errs 39 % on it, 14 % before"]
            held = append("batch", OF.said(run=f"run{night}", rows=120, verdict="held", reasons=why), at(night, -0.5))
        elif night % 2:
            append("batch", OF.said(run=f"run{night}", rows=120, verdict="accepted", reasons=[]), at(night, -0.5))
        if which == 20:
            promoted = {**contest(night, new, night, **{**said, "capital": 23.1}), "promoted": "yes"}
            append("champion", {**promoted, "instead_of": champion, "alias": "churn@champion"}, at(night, -0.01))
            champion, capital, error, since = str(night), 1.0, 0.11, night
        else:
            prevented = {"pin": 1, "prevented": which == 33}
            append(
                "contest", contest(night, old if night % 9 == 4 else new, night, **said, **prevented), at(night, -0.01)
            )
        ended(append, night, unit=unit)
        if which == 30:
            back = {"alias": "churn@champion", "version": "1", "instead_of": champion, "candidate": new, "learner": new}
            append("rollback", OF.said(**back, why="complaints of the shop"), at(night, 7))
            champion, capital, error, since = "1", 1.0, 0.14, 0
        elif which == 33:
            append("release", OF.said(candidates=[new]), at(night, 8))
        elif which == 47:
            append("batch-dropped", OF.said(batch=held, why="labels of a test system"), at(night, 9))
        elif which == 60:
            alarm = ["monday: the rows are distributed otherwise than those of the reference: age is greater"]
            append("watched", OF.said(model=f"churn/{champion}", shards=night, raised=True, alarms=alarm), at(night, 9))
        elif which == 62:
            append("watched", OF.said(model=f"churn/{champion}", moved=True, raised=False), at(night, 9))
