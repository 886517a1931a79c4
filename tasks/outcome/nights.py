"""The nights of a data source, as the ledger of operations has them: what a person reads each morning.

A night is a run that may promote. Its entries are joined by the key of its run: `contest` or `champion` has what was
decided, `night`, the last, how long it took, its rows, and the sizes of the stores. A night before that entry, or
one whose process died, has the first alone; one that failed has the last alone.
"""

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any

from tasks.outcome import to_do
from tasks.outcome.chain import Entry
from tasks.outcome.champion_error import NAME as ERROR
from tasks.outcome.operations import Of
from tasks.outcome.pins import pins
from tasks.outcome.to_do import Matter

NIGHT = "night"  # the kind of the entry
_DECIDED = ("contest", "champion")
_HELD, _DECIDED_BATCHES = "held", ("batch-released", "batch-dropped")
_LATE, _LATE_BY = timedelta(hours=26), 1.5  # a daily night with two hours of delay; the usual gap, times this
_GAPS = 7  # of which the usual one is the median
_GROWTH_NIGHTS, _LEAST_ROOM_NIGHTS = 30, 30


@dataclass(frozen=True)
class Unit:
    """How an error is read (`heldout.losses.amounts.ReadAs`), kept without its loss."""

    binary: bool
    power: int
    mean_called: str
    shown_as: str

    @classmethod
    def parsed(cls, said: Mapping[str, Any]) -> "Unit":
        """From an entry."""
        return cls(bool(said["binary"]), int(said["power"]), str(said["mean_called"]), str(said["shown_as"]))


@dataclass(frozen=True)
class Night:
    """What is known of a night; None, or empty, is not known.

    `champion` is the version in use after it, `met` the one that its winner was compared with: the
    champion of the reign with this number. `error` with its ends `low` and `high`, on `error_rows` rows, is of
    the champion that it met. `capital` is the challenger's, who needs `needed`. `sizes` are bytes by store.
    """

    time: datetime
    champion: str = ""
    met: str = ""
    reign: int = 0
    promoted: str = ""
    candidate: str = ""
    compared: bool = True
    prevented: bool = False
    withheld: bool = False
    anyway: bool = False
    capital: float | None = None
    needed: float | None = None
    error: float | None = None
    low: float | None = None
    high: float | None = None
    error_rows: int = 0
    rows: int | None = None
    seconds: float | None = None
    sizes: Mapping[str, int] = field(default_factory=dict)
    disk_free: int | None = None
    unit: Unit | None = None
    failed: str = ""
    run: str = ""

    @property
    def size(self) -> int | None:
        """Bytes of all stores together."""
        return sum(self.sizes.values()) if self.sizes else None


@dataclass(frozen=True)
class Happened:
    """Something that happened at a moment: `lane` says of which kind, `bad` whether it is none to be glad of.

    What is `quiet` is as usual: the terminal leaves it out.
    """

    time: datetime
    lane: str
    text: str
    bad: bool = False
    quiet: bool = False


@dataclass(frozen=True)
class Reign:
    """Since when a version is the champion: `how` is first, yes (on evidence), rollback or by hand."""

    time: datetime
    version: str
    how: str
    candidate: str
    why: str = ""


@dataclass(frozen=True)
class Morning:
    """All nights of a data source, what happened, and what is to be done."""

    of: Of
    now: datetime
    nights: tuple[Night, ...] = ()
    reigns: tuple[Reign, ...] = ()
    happened: tuple[Happened, ...] = ()
    matters: tuple[Matter, ...] = ()
    entries: int = 0  # of the ledger

    @cached_property
    def unit(self) -> Unit | None:
        """How the newest night reads its errors; those of nights with another unit are not comparable."""
        return next((night.unit for night in reversed(self.nights) if night.unit is not None), None)

    @property
    def first_line(self) -> str:
        """Whether somebody must do something."""
        return to_do.first_line(self.matters)

    def newest(self, number: int) -> "Morning":
        """The same with the last nights alone."""
        if len(self.nights) <= number:
            return self
        kept = self.nights[-number:]
        start = kept[0].time
        before = [one for one in self.reigns if one.time <= start][-1:]
        reigns = (*before, *(one for one in self.reigns if one.time > start))
        happened = tuple(one for one in self.happened if one.time >= start)
        return replace(self, nights=kept, reigns=reigns, happened=happened)


def night_said(
    of: Of,
    run: str,
    seconds: float,
    sizes: Mapping[str, int],
    disk_free: int,
    *,
    failed: str = "",
    rows: int | None = None,
    unit: Unit | None = None,
) -> dict[str, Any]:
    """What the entry of a night says."""
    more: dict[str, Any] = (
        {"failed": failed} if failed else {"rows": rows, "unit": None if unit is None else vars(unit)}
    )
    return of.said(run=run, seconds=round(seconds, 1), sizes={**sizes}, disk_free=disk_free, **more)


def morning(
    entries: Sequence[Entry],
    of: Of,
    now: datetime,
    *,
    unended: tuple[str, str] = ("", ""),
    lost: str = "",
    faults: Sequence[str] = (),
) -> Morning:
    """What the entries say of a data source.

    `unended` are the time and the status of the newest run that may promote, if it did not end as it should: of a
    process that died no entry says so. `now` decides whether a night is missing. `lost` says why the store is not that
    of the last night, `faults` what it has otherwise than the entries.
    """
    about = of.among(entries)
    nights, reigns = _nights(about), _reigns(about)
    versions = {f"{of.name}/{reign.version}" for reign in reigns}
    # an entry from before the source was in it is known by the version alone
    watched = [
        one
        for one in entries
        if one.kind == "watched" and (_is_about(one, of) or ("name" not in one.said and one.said["model"] in versions))
    ]
    happened = [*_of_nights(nights), *_of_watch(watched), *_of_batches(about), *_by_hand(about)]
    made = Morning(
        of=of,
        now=now,
        nights=nights,
        reigns=reigns,
        happened=tuple(sorted(happened, key=lambda one: one.time)),
        entries=entries[-1].number if entries else 0,
    )
    waiting_batches = [*_waiting_batches(about)]
    held = [one.number for one in waiting_batches if _is_whole(one.said)]  # by which each night ends
    matters = [
        *([to_do.store_lost(lost)] if lost else []),
        *([to_do.store_changed(faults[0], len(faults) - 1)] if faults else []),
        *_of_last_night(made, unended, held=held),
        *_of_contest(about, nights, reigns, of),
        *map(_of_waiting_batch, waiting_batches),
        *_of_last_batch(about),
        *_of_alarm(watched),
        *_of_room(nights),
    ]
    return replace(made, matters=tuple(matters) or (() if nights else (to_do.never(),)))


def _nights(about: Iterable[Entry]) -> tuple[Night, ...]:
    """In the order of their last entries, which no clock decides."""
    found: dict[str, Night] = {}
    champion, reign = "", 0
    for entry in about:
        said = entry.said
        if entry.kind in ("champion", "rollback"):
            champion = said["version"]
        if entry.kind in _DECIDED:
            key = str(said.get("run") or entry.number)
            found[key] = replace(_decided(entry, champion), run=key, reign=reign)
        elif entry.kind == NIGHT:
            key = str(said.get("run") or entry.number)
            night = replace(found.pop(key, Night(_time(entry), champion)), time=_time(entry), run=key)
            found[key] = replace(
                night,
                rows=said.get("rows"),
                seconds=said.get("seconds"),
                sizes=said.get("sizes") or {},
                disk_free=said.get("disk_free"),
                unit=Unit.parsed(said["unit"]) if said.get("unit") else None,
                failed=str(said.get("failed") or ""),
            )
        reign += entry.kind in ("champion", "rollback")
    return tuple(found.values())


def _decided(entry: Entry, champion: str) -> Night:
    said = entry.said
    return Night(
        time=_time(entry),
        champion=champion,
        met=str(said.get("instead_of", "")) if entry.kind == "champion" else champion,
        promoted=str(said.get("promoted", "")),
        candidate=str(said.get("candidate", "")),
        compared=bool(said.get("compared", True)),
        prevented=bool(said.get("prevented", False)),
        withheld=bool(said.get("withheld", False)),
        anyway=bool(said.get("anyway", False)),
        capital=said.get("capital"),
        needed=said.get("capital_needed"),
        error=said.get(ERROR),
        low=said.get(f"{ERROR}_low"),
        high=said.get(f"{ERROR}_high"),
        error_rows=int(said.get(f"{ERROR}_rows", 0)),
    )


def _reigns(about: Iterable[Entry]) -> tuple[Reign, ...]:
    found = []
    names: dict[str, str] = {}
    for entry in about:
        said = entry.said
        if entry.kind in _DECIDED:
            names[said["version"]] = str(said.get("candidate", ""))
        if entry.kind == "champion":
            found.append(Reign(_time(entry), said["version"], str(said.get("promoted", "yes")), names[said["version"]]))
        elif entry.kind == "rollback":
            how, why = "rollback" if "candidate" in said else "by hand", str(said.get("why", ""))
            found.append(Reign(_time(entry), said["version"], how, names.get(said["version"], ""), why))
    return tuple(found)


def _of_nights(nights: Iterable[Night]) -> Iterable[Happened]:
    for night in nights:
        if night.failed:
            yield Happened(night.time, "nights", f"failed: {night.failed}", bad=True)
        elif not night.compared:
            yield Happened(night.time, "nights", "the champion could not be compared", bad=True)
        elif night.prevented:
            yield Happened(night.time, "nights", f"a pin held {night.candidate} back", bad=True)
        elif night.anyway:
            yield Happened(night.time, "nights", f"{night.candidate} promoted by --anyway: do not ship yet", bad=True)
        elif night.withheld:
            yield Happened(night.time, "nights", f"{night.candidate} not promoted: do not ship yet", bad=True)


def _of_watch(watched: Iterable[Entry]) -> Iterable[Happened]:
    for entry in watched:
        if entry.said.get("moved"):
            yield Happened(_time(entry), "alarms", "the reference was moved")
        for alarm in entry.said.get("alarms", ()):
            yield Happened(_time(entry), "alarms", f"alarm: {alarm}", bad=True)


def _of_batches(about: Iterable[Entry]) -> Iterable[Happened]:
    """New labelled rows that were looked at, and what a person decided about those that are held back."""
    for entry in about:
        said = entry.said
        if entry.kind == "batch":
            held = said["verdict"] == _HELD
            more = [*said.get("together", ()), *said.get("noticed", ())]
            why = said.get("reasons", ()) if held else more
            words = "held back" if held else "accepted"
            of = f"{said['rows']} rows"
            if _is_whole(said):
                of = "the table" if held else f"{said['corrected']} corrected rows"
            text = f"batch {entry.number} of {of} {words}{': ' if why else ''}{'; '.join(map(str, why))}"
            bad = held or bool(said.get("together"))
            yield Happened(_time(entry), "batches", text, bad=bad, quiet=not held and not more)
        elif entry.kind in _DECIDED_BATCHES:
            what = "replaced" if said.get("replaced") else entry.kind.removeprefix("batch-")
            text = f"batch {said['batch']} {what}: {said.get('why', '')}"
            yield Happened(_time(entry), "batches", text.strip(": "))


def _by_hand(about: Iterable[Entry]) -> Iterable[Happened]:
    said_as: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
        "rollback": lambda said: (
            f"{said.get('instead_of')} rolled back to {said['version']}: {said.get('why', '')}"
            if "candidate" in said
            else f"{said['version']} accepted instead of {said.get('instead_of')}: {said.get('why', '')}"
        ),
        "release": lambda said: f"pin released: {', '.join(said['candidates'])}",
        "gate": lambda said: f"gate {'passed' if said['passed'] else 'not passed'}",
    }
    for entry in about:
        if entry.kind in said_as:
            bad = entry.kind == "gate" and not entry.said["passed"]
            yield Happened(_time(entry), "by hand", said_as[entry.kind](entry.said).strip(": "), bad=bad)


def _of_last_night(made: Morning, unended: tuple[str, str], *, held: Sequence[int]) -> Iterable[Matter]:
    last = made.nights[-1] if made.nights else None
    when, status = unended
    if status:
        yield to_do.died(when, status)
    elif last is not None and last.failed and not last.failed.startswith(tuple(f"batch {number}:" for number in held)):
        yield to_do.run_failed(last.failed, shown_day(last.time))
    gaps = [(after.time - before.time) for before, after in zip(made.nights, made.nights[1:], strict=False)][-_GAPS:]
    if last is None or len(gaps) < 2:
        return
    usual = timedelta(seconds=statistics.median(gap.total_seconds() for gap in gaps))
    if made.now - last.time > max(_LATE, _LATE_BY * usual):
        yield to_do.missing(shown_day(last.time), _span(usual))


def _of_contest(about: Sequence[Entry], nights: Sequence[Night], reigns: Sequence[Reign], of: Of) -> Iterable[Matter]:
    last = next((night for night in reversed(nights) if night.promoted), None)
    if last is None or len(reigns) > last.reign + (last.promoted != "no"):  # a person has changed the champion since
        return
    if not last.compared:
        yield to_do.uncompared(last.champion)
    if last.withheld:
        yield to_do.withheld(last.candidate)
    if last.prevented and any(pin.holds(last.candidate, "") for pin in pins(about, of)):
        yield to_do.pinned(last.candidate)


def _waiting_batches(about: Sequence[Entry]) -> Iterable[Entry]:
    """Batches that are held back, and about which nobody has decided."""
    decided = {entry.said["batch"] for entry in about if entry.kind in _DECIDED_BATCHES}
    return [one for one in about if one.kind == "batch" and one.said["verdict"] == _HELD and one.number not in decided]


def _of_waiting_batch(entry: Entry) -> Matter:
    said = entry.said
    if _is_whole(said):
        more = {"gone": said.get("gone", ()), "corrected": said.get("corrected", 0)}
        return to_do.held_delivery(
            entry.number, said.get("left", 0), said["rows"], **more, reasons="; ".join(map(str, said["reasons"]))
        )
    return to_do.held_back(entry.number, said["rows"], "; ".join(map(str, said.get("reasons", ()))))


def _is_whole(said: Mapping[str, Any]) -> bool:
    return bool(said.get("left") or said.get("corrected"))


def _of_last_batch(about: Sequence[Entry]) -> Iterable[Matter]:
    """What the newest batches show together, until the next batch."""
    newest = next((one for one in reversed(about) if one.kind == "batch" and not _is_whole(one.said)), None)
    decided = {entry.said["batch"] for entry in about if entry.kind in _DECIDED_BATCHES}
    if newest is not None and newest.said.get("together") and newest.number not in decided:
        yield to_do.look_together(newest.number, "; ".join(map(str, newest.said["together"])))


def _of_alarm(watched: Sequence[Entry]) -> Iterable[Matter]:
    """One that began since the reference was moved, or since another model is watched."""
    begun = ""
    for before, entry in zip([None, *watched], watched, strict=False):
        said = entry.said
        if said.get("moved") or (before is not None and before.said.get("model") != said.get("model")):
            begun = ""
        if said.get("alarms") or said.get("raised"):
            begun = begun or shown_day(_time(entry))
    if begun:
        yield to_do.rows_changed(begun, both=True)


def _of_room(nights: Sequence[Night]) -> Iterable[Matter]:
    """By how much all stores together grew in the last nights, and what is free on the disk."""
    sized = [night for night in nights if night.size is not None][-_GROWTH_NIGHTS:]
    if len(sized) < 2 or sized[-1].disk_free is None:
        return
    growth = ((sized[-1].size or 0) - (sized[0].size or 0)) / (len(sized) - 1)
    if growth > 0 and (left := int(sized[-1].disk_free / growth)) < _LEAST_ROOM_NIGHTS:
        yield to_do.little_room(left)


def _is_about(entry: Entry, of: Of) -> bool:
    return bool(of.among([entry]))


def _time(entry: Entry) -> datetime:
    return datetime.fromisoformat(entry.time)


def _span(gap: timedelta) -> str:
    hours = gap.total_seconds() / 3600
    return f"{hours / 24:.0f} days" if hours >= 36 else f"{max(hours, 1):.0f} h"


def shown_day(time: datetime) -> str:
    """A day and an hour, in UTC."""
    return time.astimezone(UTC).strftime("%Y-%m-%d %H:%M")
