"""Whether a history of validations is as it was written, and what it says of a report (decision 90)."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from heldout.rows.row_sketch import Sketch
from tasks.outcome import chain, ledger
from tasks.outcome.chain import Entry, Head
from tasks.outcome.champion_error import NAME as CHAMPION_ERROR
from tasks.outcome.history import (
    History,
    StoredLedger,
    TrackedRun,
    adopted_hash,
    candidates_hash,
    metrics_hash,
    tags_hash,
)
from tasks.outcome.operations import about_runs, champions, removed, with_result
from tasks.runtime.errors import UserError
from tasks.runtime.own_code import COMMAND
from tasks.storage.seen_rows import SeenRows

UNSEEN = (
    "runs that were never logged, or logged to another store",
    "what came after the last head that somebody else keeps, if all of it was cut off or made again: give --head",
    "steps of a curve before its last; files of a run; what was done before the ledger began",
)
_ENDED = ("FINISHED", "FAILED")
# of a run in a store: what the ledger of contamination reads in its tags
ReadEntry = Callable[[str, Mapping[str, str]], ledger.Entry]


@dataclass(frozen=True)
class Verified:
    """What was found: `faults` are what nobody does by the commands of heldout; `remarks` explain what holds."""

    faults: tuple[str, ...]
    remarks: tuple[str, ...]
    head: Head | None


def verify(
    history: History, read: ReadEntry, report: Mapping[str, str] | None = None, witness: Head | None = None
) -> Verified:
    """Check a history, and a report by the hashes of its files, {name: hash}, if it is given.

    `witness` is a head that somebody has kept.
    """
    if not history.ledgers:
        return Verified(("the store has no ledger of operations",), (), None)
    ours = history.ledgers[0]
    entries = chain.entries_of(ours.entries)
    faults = [*_of_ledgers(history.ledgers), *of_ledger(ours, entries)]
    if witness is not None and (why := chain.does_not_hold(witness, entries)):
        faults.append(f"the head that was kept, {witness}, does not hold: {why}")
    faults += [*_of_runs(history.runs, entries), *of_champions(history.champions, entries)]
    remarks = [*_clocks(entries), *_unfinished(history.runs, entries), *_without_result(entries)]
    if report is not None:
        about = _Report(history, entries, read)
        more = [*about.look(report)]
        faults += [text for fault, text in more if fault]
        remarks += [text for fault, text in more if not fault]
    return Verified(tuple(faults), tuple(remarks), entries[-1].head if entries else None)


def _of_ledgers(ledgers: Sequence[StoredLedger]) -> Iterator[str]:
    if len(ledgers) > 1:
        yield f"there are {len(ledgers)} ledgers, and one store has one: runs {', '.join(one.run for one in ledgers)}"


def of_ledger(stored: StoredLedger, entries: Sequence[Entry]) -> Iterator[str]:
    """What is wrong with a ledger in itself; `entries` are those of it that can be read."""
    yield from chain.faults(stored.entries)
    yield from _of_head(stored, entries)


def _of_head(stored: StoredLedger, entries: Sequence[Entry]) -> Iterator[str]:
    """The head that the ledger's own run names may be the one before, if a process died in between."""
    if why := _breaks(stored.head, entries):
        yield f"the ledger's run names the head {stored.head!r}, and {why}: its end was cut off or made again"


def _breaks(head: str, entries: Sequence[Entry]) -> str:
    """Why a head that a run names does not hold; empty if it does."""
    try:
        return chain.does_not_hold(Head.parsed(head), entries)
    except UserError as error:
        return str(error)


def _of_runs(runs: Sequence[TrackedRun], entries: Sequence[Entry]) -> Iterator[str]:
    by_key = {run.key: run for run in runs}
    named = about_runs(entries)
    for key, times in Counter(run.key for run in runs).items():
        if times > 1:
            yield f"{times} runs say that they are the validation {key}"
    for key, about in named.items():
        if (run := by_key.get(key)) is not None:
            yield from _differences(run, about)
    for key, about in removed(entries, by_key).items():
        yield f"the validation {key} of entry {about[0].number} ({about[0].time}) was removed"
    for entry in entries:
        if entry.kind in ("contest", "champion") and entry.said.get("run") in by_key:
            yield from _of_champion(by_key[entry.said["run"]], entry)
    for run in runs:
        if run.key not in named and run.ended in _ENDED:
            yield f"the run {run.run} is in the store, and no entry names it"
        if run.ledger and (why := _breaks(run.ledger, entries)):
            yield f"the run {run.run} names the head {run.ledger}, and {why}"


def _of_champion(run: TrackedRun, entry: Entry) -> Iterator[str]:
    """Metrics about the champion that a run has otherwise than the entry of its contest."""
    said, stored = ({n: v for n, v in of.items() if n.startswith(CHAMPION_ERROR)} for of in (entry.said, run.metrics))
    if said != stored:
        yield f"the run {run.run} is not as in entry {entry.number}: a metric about the champion was changed"


def _differences(run: TrackedRun, about: Sequence[Entry]) -> Iterator[str]:
    """What the store has otherwise than the last entry that says it."""
    where = f"the run {run.run} is not as in entry {{}}: "
    last = about[-1]
    if last.kind == "adopted":
        if last.said["runs"][run.key] != adopted_hash(run):
            yield f"{where.format(last.number)}its tags, metrics or time were changed"
        return
    if last.said["tags"] != tags_hash(run.started, run.tags):
        yield f"{where.format(last.number)}what it compared, or when it began, was changed"
    reported = next((entry for entry in reversed(about) if entry.kind == "reported"), None)
    if reported is None:
        return
    if reported.said["metrics"] != metrics_hash(run.metrics):
        yield f"{where.format(reported.number)}a metric was changed"
    if reported.said["candidates"] != candidates_hash(run.candidates):
        yield f"{where.format(reported.number)}a metric of a candidate was changed, or a candidate's run removed"
    if not run.ledger and reported is about[-1] and run.ended == _ENDED[0]:
        yield f"{where.format(reported.number)}the head that it named was taken away"


def of_champions(aliases: Mapping[str, str], entries: Iterable[Entry]) -> Iterator[str]:
    """The aliases of champions that are not on the version of the last entry about each."""
    for alias, version in champions(entries).items():
        found = aliases.get(alias)
        if found != version:
            there = "nowhere" if found is None else f"on version {found}"
            accept = "" if found is None else f", or accept it: `{COMMAND} rollback --accept --why TEXT`"
            yield (
                f"models:/{alias} is {there}, and version {version} by the ledger: it was moved without heldout, or a "
                f"command was killed before it moved it; set it back in MLflow{accept}"
            )


def _clocks(entries: Sequence[Entry]) -> Iterator[str]:
    for before, after in pairwise(entries):
        if after.time < before.time:
            yield f"entry {after.number} has an earlier time than entry {before.number}: a clock was set, or differs"


def _unfinished(runs: Sequence[TrackedRun], entries: Sequence[Entry]) -> Iterator[str]:
    named = about_runs(entries)
    for run in runs:
        if run.key not in named and run.ended not in _ENDED:
            yield f"the run {run.run} is {run.ended}, and has no entry yet: the next run adopts it if its process died"


def _without_result(entries: Sequence[Entry]) -> Iterator[str]:
    known = with_result(entries)
    for entry in entries:
        if entry.kind == "opened" and entry.said["run"] not in known:
            yield f"entry {entry.number} opened the test set, and none has its result: the part counts as opened"


@dataclass(frozen=True)
class _Report:
    """What a history says of a report; each line with whether it is a fault."""

    history: History
    entries: Sequence[Entry]
    read: ReadEntry

    def look(self, report: Mapping[str, str]) -> Iterator[tuple[bool, str]]:
        found = [one for one in self.entries if one.kind == "reported" and self._has(one, report)]
        if not found:
            yield (
                True,
                f"no entry names {', '.join(report)}: no validation of this store wrote it, or its entry is gone",
            )
            return
        first, last = found[0], found[-1]
        often = f", and {len(found) - 1} later validations wrote the same bytes" if len(found) > 1 else ""
        yield (
            False,
            (
                f"{', '.join(report)} was written by the run of entry {first.number} ({first.who}, {first.time}, "
                f"heldout {first.version}){often}"
            ),
        )
        yield from self._test_set(last)
        yield from self._compared(last)

    @staticmethod
    def _has(entry: Entry, report: Mapping[str, str]) -> bool:
        """By its content alone: a file that is mailed may get another name."""
        return all(hashed in entry.said["files"].values() for hashed in report.values())

    def _test_set(self, reported: Entry) -> Iterator[tuple[bool, str]]:
        """For whom the rows of E_test were opened, before and by this validation."""
        openings = [one for one in self.entries if one.kind == "opened" and one.number < reported.number]
        own = [one for one in openings if one.said["run"] == reported.said["run"]]
        if reported.said["E_test"] is None:
            yield False, "the test set was not opened for this model: the report has no E_test"
            return
        if not own:
            same = [one for one in openings if self._winner_of(reported) == one.said["winner"]]
            own = same[-1:]  # it was opened before, and this validation reports it again
        if not own:
            yield True, "the report has an E_test, and no entry says that the test set was opened for its winner"
            return
        this = own[-1]
        yield from self._result(this, reported)
        rows = Sketch.parsed(this.said["tested"])
        others = {
            one.said["winner"]
            for one in openings
            if one.said["winner"] != this.said["winner"] and Sketch.parsed(one.said["tested"]).overlaps(rows)
        }
        if others:
            why = " (selection.reopen_test)" if this.said["reopened"] else ""
            yield (
                True,
                (
                    f"the {this.said['rows']} rows of E_test were opened for {len(others)} other winners before{why}: "
                    "it may have been chosen by them"
                ),
            )
        else:
            yield (
                False,
                (
                    f"the test set was opened once for this model: {this.said['rows']} rows, in entry {this.number}, "
                    "and for no other winner before"
                ),
            )

    def _result(self, opened: Entry, reported: Entry) -> Iterator[tuple[bool, str]]:
        """An E_test that is not the one that was found by the run that opened the part."""
        run, E_test = opened.said["run"], reported.said["E_test"]
        found = [one.said["E_test"] for one in self.entries if one.kind == "tested" and one.said["run"] == run]
        if run == reported.said["run"] and found and E_test not in found:
            yield True, f"the report has E_test = {E_test:.6g}, and the rows gave {found[-1]:.6g}"

    def _winner_of(self, reported: Entry) -> str | None:
        run = next((one for one in self.history.runs if one.key == reported.said["run"]), None)
        return None if run is None else self.read(run.run, run.tags).opened_for

    def _compared(self, reported: Entry) -> Iterator[tuple[bool, str]]:
        """M, counted again from the runs that were there when the validation began."""
        stated = reported.said["compared"]
        key = reported.said["run"]
        own = next((one for one in reversed(self.entries) if one.kind == "compared" and one.said["run"] == key), None)
        run = next((one for one in self.history.runs if one.key == key), None)
        if own is None or run is None or "after" not in own.said:
            yield (
                False,
                f"candidates compared: M = {stated}, as its run says, which reports an earlier selection",
            )
            return
        counted = self._count(run, own.said["after"])
        if counted is None:
            yield False, f"candidates compared: M = {stated}, as its run says: the table has gained a column"
        elif counted == stated:
            yield False, f"candidates compared: M = {stated}, counted again from the runs of the ledger"
        else:
            yield True, f"candidates compared: M = {stated} by the report, and {counted} by the runs of the ledger"

    def _count(self, run: TrackedRun, after: int) -> int | None:
        """None where the table has gained a column, whose earlier rows are not known here."""
        mine = self.read(run.run, run.tags)
        if mine.seen is None:
            return None
        there = {key for key, about in about_runs(self.entries).items() if about[0].number <= after and key != run.key}
        earlier = [self.read(one.run, one.tags) for one in self.history.runs if one.key in there]
        if any(one.seen is not None and one.seen.has_fewer_columns_than(mine.seen) for one in earlier):
            return None

        def unknown(columns: str) -> SeenRows:
            raise AssertionError(columns)

        return ledger.count(mine.seen, mine.learners, earlier, unknown).compared
