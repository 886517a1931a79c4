"""New labelled rows: examined before a run uses them, held back, and released or dropped by a person."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from heldout.monitoring import new_batch
from heldout.monitoring.corrected_rows import Profile, changed
from heldout.printable import printable
from tasks.data import prepare_tables
from tasks.data.known_rows import Identities
from tasks.data.prepare_tables import ReadRows
from tasks.fits.model_process import opened
from tasks.outcome import to_do
from tasks.outcome.batches import Batch, batches, examined
from tasks.outcome.examined_rows import ChampionLosses, NewRows, compared_columns, reason
from tasks.outcome.new_rows import KnownRows
from tasks.outcome.operations import Of, cut
from tasks.params import Settings
from tasks.runtime.checkout_lock import checkout_lock
from tasks.runtime.errors import UserError, one_line
from tasks.storage import quarantine
from tasks.storage.files import TARGET
from tasks.storage.quarantine import LeftOut
from tasks.storage.row_ids import Ids, RowIds
from tasks.storage.seen_rows import KEY
from tasks.track import operations_ledger
from tasks.track.batch_files import Stored, in_order, keep, read_all
from tasks.track.downloads import download, downloads
from tasks.track.promote import trained_rows
from tasks.track.registry import MODEL, Standing, standing
from tasks.track.store import connect

if TYPE_CHECKING:
    from mlflow import MlflowClient

_MOST_RELEASED = 5  # released batches with which a new one is compared, the newest
_MOST_BATCHES = 12  # the newest, of which it is asked whether a column grows with each, and which are one together
_MOST_GONE, _MOST_MOVED, _MOST_NOTICED = 5, 3, 5  # columns and sentences that an entry names
_MOST_KEYS, _MOST_OF_KEY = 5, 40  # rows of a batch that its entry names, and letters of each value
_MOST_NAMES = 500  # of columns, that a file keeps
_MOST_CELLS = 20_000_000  # of which a file keeps the ranks
_NONE: Ids = np.empty(0, np.uint64)


@dataclass(frozen=True)
class Examined:
    """What was said of a batch."""

    batch: Batch
    words: str  # what is told

    @property
    def held(self) -> bool:
        """Whether it is held back."""
        return self.batch.state == "held"


def examine(client: "MlflowClient", settings: Settings, run: str, *, may_begin: bool) -> Examined | None:
    """The verdict on the labelled rows that are new since the last examination; None without any.

    Where rows of the past are not in the table as they were, it is about the delivery as a whole, which is held. `run`
    is the key of the validation. The rows of a data source are examined from the first run on that `may_begin`. Brings
    quarantine.json to what the ledger says. Raises UserError as `read_rows`, and where the identities of earlier rows
    cannot be read.
    """
    place = standing(client, settings)
    of = Of.made(place.name, place.source)
    past = batches(operations_ledger.entries(client), of)
    if not past and not may_begin:
        return None
    stored = read_all(client, past)
    _follow(settings, past, stored)
    rows = prepare_tables.read_rows(settings)
    of_pool = pd.Series(np.arange(len(rows.identities)), index=rows.identities.index).loc[rows.pool.index].to_numpy()
    here = _here(rows, of_pool, settings)
    known = [(stored[one.number], one) for one in past if one.used and one.number in stored]
    before = rows.identities.among((found.columns, found.words) for found, _ in known)[of_pool]
    new = ~before
    said: dict[str, Any] = {"run": run, "rows": int(new.sum()), "reasons": [], "not_asked": []}
    left = _left(rows.identities, past, stored)
    names = {str(name) for name in rows.written.columns}
    told = [stored[one.number] for one in past if one.state in ("accepted", "released") and one.number in stored]
    last = next((found for found in reversed(told) if found.names), None)
    gone = () if last is None else tuple(name for name in last.names if name not in names)
    if gone and here.content is not None and not len(left.rows):  # a key names the rows, and none is as it was
        left = _Left(here.words[before], int(before.sum()))
    if len(left.rows):
        more = {
            "verdict": "held",
            "left": len(left.rows),
            "expected": left.expected,
            "gone": [cut(printable(one)) for one in gone[:_MOST_GONE]],
            "reasons": [_why_left(left, said["rows"], gone, () if last is None else sorted(names - {*last.names}))],
        }
        gone_rows = replace(here, words=np.unique(left.rows), content=None, ranks={})
        return _hold(client, settings, of, past, said | more, gone_rows)
    known_rows = here.some(before)
    past_rows = [(stored[one.number], one) for one in past if one.number in stored]
    correction = _correction(rows, np.flatnonzero(before), known_rows, past_rows, settings)
    if correction is not None and correction["verdict"] == "held":
        return _hold(client, settings, of, past, said | correction, known_rows)
    _end_held(client, settings, of, past, "the table has these rows again")
    if _end_replaced(client, settings, of, past, stored, rows.identities):
        return examine(client, settings, run, may_begin=may_begin)
    corrected = None
    if correction is not None:
        corrected = _entered(client, settings, of, {**said, **correction, "rows": 0}, known_rows)
    if not new.any():
        return None if corrected is None else Examined(corrected, _told(corrected))
    here = here.some(new)
    said |= _keys(rows, new, settings)
    if not before.any():
        why = "no row of the table is known from before: it counts as a new table"
        said |= {"verdict": "first", "reasons": [why] if past else []}
    elif settings.data.sampling == "active":
        said |= {"verdict": "accepted", "not_asked": ["rows that were picked (data.sampling) are unlike others"]}
    else:
        of_batch = {
            one.number: rows.identities.among([(found.columns, found.words)])[of_pool]
            for found, one in known
            if one.state == "released" or one in [one for _, one in known[-_MOST_BATCHES:]]
        }
        again = [of_batch[one.number] for _, one in known if one.state == "released"][-_MOST_RELEASED:]
        arrival = np.where(new, _MOST_BATCHES, 0)
        for place_in, (_, one) in enumerate(reversed(known[-_MOST_BATCHES:]), start=1):
            arrival[of_batch[one.number] & ~new] = _MOST_BATCHES - place_in
        sets = [before, *(one for one in again if one.any())]
        said |= _examined(client, settings, place, NewRows.of(rows, new, sets, arrival, settings), past)
    if lost := [str(one.number) for one in past if one.number not in stored]:
        said["not_asked"].append(cut(f"which rows are of batch {', '.join(lost)}: the store has lost their identities"))
    now = _entered(client, settings, of, said, here)
    if now.state == "held":
        past = batches(operations_ledger.entries(client), of)
        _follow(settings, past, read_all(client, past))
    return Examined(now, "; ".join(_told(one) for one in (corrected, now) if one is not None))


def _entered(client: "MlflowClient", settings: Settings, of: Of, said: dict[str, Any], rows: Stored) -> Batch:
    """The batch of an entry that is added, with the file of its rows."""
    said = {**said, "file": keep(client, rows)}
    operations_ledger.append(client, settings, "batch", of.said(**said))
    past = batches(operations_ledger.entries(client), of)
    return next(one for one in reversed(past) if one.file == said["file"])  # another checkout may have been first


def _here(rows: ReadRows, of_pool: NDArray[np.intp], settings: Settings) -> Stored:
    """The rows of the pool, in their order, as they would be stored."""
    names = tuple(map(str, rows.written.columns))
    ids = rows.identities.by(rows.identities.columns)
    assert ids is not None  # noqa: S101  # the table has its own columns
    stored = Stored(rows.identities.columns, ids.of_rows[of_pool], names if len(names) <= _MOST_NAMES else ())
    if not settings.data.key_columns:
        return stored
    columns = compared_columns(rows, np.arange(len(rows.pool)), target=True)
    profile = Profile.of(columns)
    first = sorted(columns, key=lambda name: name != TARGET)[: max(1, _MOST_CELLS // max(len(rows.pool), 1))]
    ranks = profile.ranks({name: columns[name] for name in first})
    return replace(stored, content=rows.identities.content[of_pool], profile=profile, ranks=ranks)


def _correction(
    rows: ReadRows, places: NDArray[np.intp], known: Stored, past: Sequence[tuple[Stored, Batch]], settings: Settings
) -> dict[str, Any] | None:
    """What an entry says of rows that are known by a key and have another content; None without any.

    `known` are the rows at these `places` of the pool. They are held where a column of all known rows moved, or where
    many rows have another value, which a few corrections do not do.
    """
    if known.content is None:
        return None
    there = [
        found
        for found, one in past
        if one.state in ("accepted", "released") and not one.left and found.columns == known.columns
    ]
    was: dict[int, int] = {}
    for found in there:
        if found.content is not None:
            was.update(zip(found.words.tolist(), found.content.tolist(), strict=True))
    pairs = zip(known.words.tolist(), known.content.tolist(), strict=True)
    corrected = np.array([was.get(word, content) != content for word, content in pairs], np.bool_)
    if not corrected.any():
        return None
    profile = next((found.profile for found in reversed(there) if found.profile is not None), None)
    columns = compared_columns(rows, places, target=True)
    moved = [] if profile is None else profile.moved(columns)
    label = settings.data.target or TARGET
    wrong: list[Any] = [*moved, *([] if moved else changed(_far(columns, known, there), columns))]
    return {
        "verdict": "held" if wrong else "accepted",
        "corrected": int(corrected.sum()),
        **_keys(rows, places[corrected], settings),
        "reasons": [
            cut(printable(str(replace(one, column=label) if one.column == TARGET else one)))
            for one in wrong[:_MOST_MOVED]
        ],
    }


def _keys(rows: ReadRows, places: NDArray[Any], settings: Settings) -> dict[str, Any]:
    """The keys of the first rows at some places of the pool, a mask or numbers; nothing without data.key."""
    if not settings.data.key_columns:
        return {}
    named = rows.written.loc[rows.pool.index[places][:_MOST_KEYS], settings.data.key_columns]
    keys = (" ".join(printable(str(value))[:_MOST_OF_KEY] for value in row) for row in named.itertuples(index=False))
    return {"keys": [cut(one) for one in keys]}


def _far(columns: Mapping[str, NDArray[Any]], known: Stored, told: Sequence[Stored]) -> dict[str, NDArray[np.bool_]]:
    """Which of the `known` rows, whose values are in `columns`, have another one than when they were `told` last."""
    found = {name: np.zeros(len(known.words), np.bool_) for name in columns}
    open_ = np.ones(len(known.words), np.bool_)
    for one in reversed(told):
        here = np.flatnonzero(open_ & np.isin(known.words, one.words))
        open_[here] = False
        if one.profile is None or not one.ranks or not len(here):
            continue
        there = one.some(np.searchsorted(one.words, known.words[here]))
        now = {name: values[here] for name, values in columns.items()}
        for name, far in one.profile.far(there.ranks, now).items():
            found[name][here] = far
    return found


def _why_left(left: "_Left", rows: int, gone: Sequence[str], came: Sequence[str]) -> str:
    """Why a table is held, in words."""
    number = len(left.rows)
    if gone:
        names = ", ".join(gone[:_MOST_GONE])
        new = f", and {', '.join(came[:_MOST_GONE])} {'is' if len(came) == 1 else 'are'} new" if came else ""
        return cut(
            printable(
                f"the column{'s' * (len(gone) > 1)} {names} {'is' if len(gone) == 1 else 'are'} gone{new}, so that "
                f"none of the {left.expected:,} rows of the past is as it was"
            )
        )
    return (
        f"{number:,} of {left.expected:,} rows of the past are not in the table as they were (they left it or "
        f"changed), and {rows:,} rows are new"
    )


@dataclass(frozen=True, eq=False)
class _Left:
    """The words of rows of the past that are not in a table, of so many that are expected there."""

    rows: Ids
    expected: int


def _left(identities: Identities, past: Sequence[Batch], stored: Mapping[int, Stored]) -> _Left:
    """Which rows that runs used are not in the table as they were, but for those of deliveries that a person released.

    Of a batch whose columns are gone it is all rows.
    """
    released = [
        stored[one.number].words
        for one in past
        if one.left
        and one.state == "released"
        and one.number in stored
        and not (one.gone and stored[one.number].columns.startswith(KEY))  # rows with a key are there without a column
    ]
    announced = np.concatenate([_NONE, *released])
    expected, left = _NONE, _NONE
    for found in (stored[one.number] for one in past if one.used and one.number in stored):
        words = np.setdiff1d(found.words, announced)
        ids = identities.by(found.columns)
        expected = np.union1d(expected, words)
        left = np.union1d(left, words if ids is None else words[~np.isin(words, ids.of_rows)])
    return _Left(left, len(expected))


def _hold(
    client: "MlflowClient",
    settings: Settings,
    of: Of,
    past: Sequence[Batch],
    said: dict[str, Any],
    rows: Stored,
) -> Examined:
    """Hold the delivery; one that came before and about which nobody has decided keeps its entry."""
    rows = in_order(rows)
    waiting = (one for one in past if one.whole and one.state == "held")
    same = (rows.hash, said["rows"], tuple(said["reasons"]))  # other reasons ask for something else
    one = next((one for one in waiting if (one.file, one.rows, one.reasons) == same), None)
    _end_held(client, settings, of, [other for other in past if other is not one], "another table came")
    if one is None:
        entry = operations_ledger.append(client, settings, "batch", of.said(**said, file=keep(client, rows)))
        one = next(one for one in batches([entry], of) if one.number == entry.number)
    return Examined(one, _told(one))


def _end_held(client: "MlflowClient", settings: Settings, of: Of, past: Sequence[Batch], why: str) -> None:
    """Deliveries that are held no longer, since another one came."""
    for one in past:
        if one.whole and one.state == "held":
            operations_ledger.append(client, settings, "batch-dropped", of.said(batch=one.number, why=why))


def _end_replaced(
    client: "MlflowClient",
    settings: Settings,
    of: Of,
    past: Sequence[Batch],
    stored: Mapping[int, Stored],
    identities: Identities,
) -> bool:
    """Whether a batch that was held back is no more in the table as it was, as after a repaired export.

    What is left of it is new again: of a batch of which some rows were wrong the others are still there.
    """
    ended = False
    for one in past:
        if one.state == "held" and not one.whole and one.number in stored:
            found = stored[one.number]
            ids = identities.by(found.columns)
            left = len(found.words) if ids is None else int((~np.isin(found.words, ids.of_rows)).sum())
            if not left and not identities.differ(found.columns, found.words, found.content):
                continue
            gone = f"{left:,} of its {len(found.words):,} rows are not in the table as they were"
            why = gone if left else "its rows have other values now"
            said = of.said(batch=one.number, why=why, replaced=True)
            operations_ledger.append(client, settings, "batch-dropped", said)
            ended = True
    return ended


def _examined(
    client: "MlflowClient", settings: Settings, place: Standing, found: NewRows, past: Sequence[Batch]
) -> dict[str, Any]:
    """The part of an entry that says what the checks found."""
    champion = _losses(client, settings, place, found)
    verdict, in_words = found.verdicts(champion)
    delta, number = settings.operations.false_alarm, examined(past) + 1
    limit = new_batch.limit(delta, number)
    unit = "rows" if found.unit is None else "groups" if settings.data.groups else "distinct rows"
    held = verdict.held(limit)
    reasons = [reason(answer, unit) for answer in in_words.reasons(limit)] if held else []
    unusual = [] if held or verdict.p > delta else in_words.worth_a_word(delta)
    noticed = [f"{reason(one, unit)}: not enough to hold" for one in unusual]
    noticed += found.said()
    rows, counts = int(found.new.sum()), [one.rows for one in past if not one.first and not one.whole]
    if new_batch.unusual_count(rows, counts):
        noticed.append(f"{rows:,} new rows, where batches before had {min(counts):,} to {max(counts):,}")
    together = []
    for place_in, length in enumerate(new_batch.windows(number), start=new_batch.windows_before(number) + 1):
        if held or length > _MOST_BATCHES or (window := found.with_the_last(length)) is None:
            continue
        (last, _), least = window.verdicts(champion), new_batch.limit(delta, place_in)
        if last.held(least):
            together += [f"the last {length} batches: {reason(answer, unit)}" for answer in last.reasons(least)]
    said: dict[str, Any] = {
        "verdict": "held" if held else "accepted",
        "reasons": reasons,
        **({"noticed": [*map(cut, noticed)][:_MOST_NOTICED]} if noticed else {}),
        **({"together": [*map(cut, together)][:_MOST_NOTICED]} if together else {}),
        "not_asked": [cut(f"the champion: {champion.why_not}")] if champion.why_not else [],
        "evidence": {check: float(f"{p:.4g}") for check, p in verdict.checks.items()},
        "limit": limit,
    }
    if champion.version is not None:
        errors = {"error": champion.mean(found.new), "error_before": champion.mean(~found.new)}
        said |= {"champion": champion.version, **{name: value for name, value in errors.items() if value is not None}}
    return said


def _losses(client: "MlflowClient", settings: Settings, place: Standing, found: NewRows) -> ChampionLosses:
    """The losses of the champion, or why it was not asked."""
    nothing = np.full(len(found.new), np.nan)
    if place.champion is None:
        return ChampionLosses(nothing, why_not="there is none")
    champion = place.champion
    try:
        with downloads() as folder:
            words = trained_rows(client, folder, champion)
            path = download(folder, f"models:/{champion.name}/{champion.version}/{MODEL}")
            with opened(path, settings) as hypothesis:
                hypothesis.load()
                seen = _seen(found, KnownRows(words))
                return found.losses(hypothesis, seen, str(champion.version))
    except UserError as error:
        return ChampionLosses(nothing, why_not=one_line(str(error)))


def _seen(found: NewRows, known: KnownRows) -> NDArray[np.bool_]:
    """Which rows of the pool, or rows of which groups, the champion was trained on."""
    ids = RowIds.of(found.rows.ids, found.unit)
    seen = known.rows(ids)
    return seen if ids.of_units is None else seen | np.isin(ids.of_units, known.words)


def listed(settings: Settings) -> list[Batch]:
    """The batches of the data source, the oldest first; brings quarantine.json to what the ledger says."""
    client = connect(settings)
    found = batches(operations_ledger.entries(client), _of(client, settings))
    _follow_between_runs(client, settings, found)
    return found


def decide(settings: Settings, number: int, *, release: bool, why: str) -> str:
    """Release or drop a batch; returns what to say.

    Raises UserError for a number that is no batch of the data source, or one whose state that is already.
    """
    client = connect(settings)
    of = _of(client, settings)
    past = batches(operations_ledger.entries(client), of)
    one = next((one for one in past if one.number == number), None)
    what, kind = ("--release", "batch-released") if release else ("--drop", "batch-dropped")
    if one is None:
        open_ = ", ".join(str(one.number) for one in past if one.state == "held") or "none"
        raise UserError(f"{what} {number}: no batch of {of.source} has this number; held back: {open_}")
    if one.corrected and one.state == "accepted":
        raise UserError(f"{what} {number}: it is a record of {one.corrected:,} corrected rows, and holds nothing back")
    if release and one.state in ("accepted", "released"):
        raise UserError(f"{what} {number}: the rows of batch {number} are used already ({one.state})")
    if one.state == "replaced":
        raise UserError(f"{what} {number}: the rows of batch {number} were replaced by others, which are a later batch")
    if not release and one.state == "dropped":
        raise UserError(f"{what} {number}: batch {number} is dropped already")
    entry = operations_ledger.append(client, settings, kind, of.said(batch=number, why=cut(why)))
    _follow_between_runs(client, settings, batches(operations_ledger.entries(client), of))
    if one.whole:
        gone = (
            f"its {one.left:,} rows of the past are expected no longer, and its new rows are examined in the next run"
        )
        values = f"the values of its {one.corrected:,} corrected rows count from the next run on"
        again = "such a table is held again"
        then = again if not release else values if one.corrected else gone
        return f"{'released' if release else 'dropped'}: delivery {number} (entry {entry.head} of the ledger); {then}"
    then = (
        "from the next run on its rows are used, and later batches are compared with them too"
        if release
        else "no run uses its rows, also where the table still has them"
    )
    done = f"{'released' if release else 'dropped'}: batch {number}, {one.rows:,} rows"
    return f"{done} (entry {entry.head} of the ledger); {then}"


def remedy(one: Batch) -> str:
    """What to do about a batch that is held back."""
    if not one.whole:
        return to_do.held_back(one.number, one.rows).do
    return to_do.held_delivery(one.number, one.left, one.rows, gone=one.gone, corrected=one.corrected).do


def _of(client: "MlflowClient", settings: Settings) -> Of:
    place = standing(client, settings)
    return Of.made(place.name, place.source)


def _told(one: Batch) -> str:
    """What is said of a batch that was just examined."""
    if one.whole and one.state == "held":
        return f"batch {one.number}: the table is held: {'; '.join(one.reasons)}"
    if one.whole:
        return f"batch {one.number}: {one.corrected:,} known row{'s' * (one.corrected != 1)} corrected"
    rows = f"{one.rows:,} new labelled row{'s' * (one.rows != 1)}"
    if one.state == "held":
        return f"batch {one.number}: {rows} held back: {'; '.join(one.reasons)}"
    texts = [*one.together, *one.reasons, *one.noticed, *one.not_asked]
    more = f" ({'; '.join(texts)})" if texts else ""
    return f"batch {one.number}: {rows} {'counted as the first' if one.first else 'accepted'}{more}"


def _follow(settings: Settings, found: Sequence[Batch], stored: Mapping[int, Stored]) -> None:
    """Bring quarantine.json to what the ledger says; without a batch it is left as it is."""
    left = [
        LeftOut(
            one.number,
            "held" if one.state == "held" else "dropped",
            one.reasons,
            stored[one.number].columns,
            stored[one.number].words,
        )
        for one in found
        if one.state in ("held", "dropped") and not one.whole and one.number in stored
    ]
    if left or (found and quarantine.PATH.exists()):
        quarantine.write(settings, left)


def _follow_between_runs(client: "MlflowClient", settings: Settings, found: Sequence[Batch]) -> None:
    """The same, unless a run goes on in this checkout, whose results are of the file as it is: the next run does it."""
    stored = read_all(client, found)
    with suppress(UserError), checkout_lock("batch"):
        _follow(settings, found, stored)
