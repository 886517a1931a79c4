"""New labelled rows: examined before a run uses them, held back, and released or dropped by a person."""

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from heldout.monitoring import new_batch
from tasks.data import prepare_tables
from tasks.data.known_rows import Identities
from tasks.data.prepare_tables import ReadRows
from tasks.fits.model_process import opened
from tasks.outcome import to_do
from tasks.outcome.batches import Batch, batches, examined
from tasks.outcome.examined_rows import ChampionLosses, NewRows, reason
from tasks.outcome.new_rows import KnownRows
from tasks.outcome.operations import Of, cut
from tasks.params import Settings
from tasks.runtime.checkout_lock import checkout_lock
from tasks.runtime.environment import CACHE
from tasks.runtime.errors import UserError, one_line
from tasks.storage import quarantine
from tasks.storage.quarantine import LeftOut
from tasks.storage.row_ids import WORD, Ids, RowIds
from tasks.track import operations_ledger
from tasks.track.downloads import download, downloads
from tasks.track.promote import trained_rows
from tasks.track.registry import MODEL, Standing, standing
from tasks.track.store import connect

if TYPE_CHECKING:
    from mlflow import MlflowClient

_FOLDER = "batches"  # of the artifacts of the ledger's run, and of their copies in the cache
_COPIES = CACHE / _FOLDER
_MOST_RELEASED = 5  # released batches with which a new one is compared, the newest
_COLUMNS = "columns"
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
    stored = _stored(client, past)
    _follow(settings, past, stored)
    rows = prepare_tables.read_rows(settings)
    of_pool = pd.Series(np.arange(len(rows.identities)), index=rows.identities.index).loc[rows.pool.index].to_numpy()
    known = [(stored[one.number], one) for one in past if one.used and one.number in stored]
    before = rows.identities.among(found for found, _ in known)[of_pool]
    new = ~before
    said: dict[str, Any] = {"run": run, "rows": int(new.sum()), "reasons": [], "not_asked": []}
    left = _left(rows.identities, past, stored)
    if len(left.rows):
        return _hold(client, settings, of, past, said, rows.identities.columns, left)
    _end_held(client, settings, of, past, "the table has these rows again")
    if not new.any():
        return None
    words = _words(rows, of_pool)
    if not before.any():
        why = "no row of the table is known from before: it counts as a new table"
        said |= {"verdict": "first", "reasons": [why] if past else []}
    elif settings.data.sampling == "active":
        said |= {"verdict": "accepted", "not_asked": ["rows that were picked (data.sampling) are unlike others"]}
    else:
        released = [found for found, one in known if one.state == "released"][-_MOST_RELEASED:]
        again = [rows.identities.among([found])[of_pool] for found in released]
        sets = [before, *(one for one in again if one.any())]
        said |= _examined(client, settings, place, NewRows.of(rows, new, sets, settings), past)
    columns = rows.identities.columns
    said["file"] = _keep(client, columns, words[new])
    if lost := [str(one.number) for one in past if one.number not in stored]:
        said["not_asked"].append(cut(f"which rows are of batch {', '.join(lost)}: the store has lost their identities"))
    operations_ledger.append(client, settings, "batch", of.said(**said))
    past = batches(operations_ledger.entries(client), of)
    now = next(one for one in past if one.file == said["file"])  # another checkout may have been first
    if now.state == "held":
        _follow(settings, past, _stored(client, past))
    return Examined(now, _told(now))


@dataclass(frozen=True, eq=False)
class _Left:
    """The words of rows of the past that are not in a table, of so many that are expected there."""

    rows: Ids
    expected: int


def _left(identities: Identities, past: Sequence[Batch], stored: Mapping[int, tuple[str, Ids]]) -> _Left:
    """Which rows that runs used are not in the table as they were, but for those of deliveries that a person released.

    Of a batch whose columns are gone it is all rows.
    """
    released = [stored[one.number][1] for one in past if one.left and one.state == "released" and one.number in stored]
    announced = np.concatenate([_NONE, *released])
    expected, left = _NONE, _NONE
    for columns, words in (stored[one.number] for one in past if one.used and one.number in stored):
        words = np.setdiff1d(words, announced)
        ids = identities.by(columns)
        expected = np.union1d(expected, words)
        left = np.union1d(left, words if ids is None else words[~np.isin(words, ids.of_rows)])
    return _Left(left, len(expected))


def _hold(
    client: "MlflowClient",
    settings: Settings,
    of: Of,
    past: Sequence[Batch],
    said: dict[str, Any],
    columns: str,
    left: _Left,
) -> Examined:
    """Hold the delivery; one that came before and about which nobody has decided keeps its entry."""
    file = _hash(columns, np.unique(left.rows))
    waiting = (one for one in past if one.left and one.state == "held")
    one = next((one for one in waiting if (one.file, one.rows) == (file, said["rows"])), None)
    _end_held(client, settings, of, [other for other in past if other is not one], "another table came")
    if one is None:
        number = len(left.rows)
        said |= {
            "verdict": "held",
            "left": number,
            "expected": left.expected,
            "file": _keep(client, columns, left.rows),
        }
        said["reasons"] = [
            f"{number:,} of {left.expected:,} rows of the past are not in the table as they were (they left it or "
            f"changed), and {said['rows']:,} rows are new"
        ]
        entry = operations_ledger.append(client, settings, "batch", of.said(**said))
        one = next(one for one in batches([entry], of) if one.number == entry.number)
    return Examined(one, _told(one))


def _end_held(client: "MlflowClient", settings: Settings, of: Of, past: Sequence[Batch], why: str) -> None:
    """Deliveries that are held no longer, since another one came."""
    for one in past:
        if one.left and one.state == "held":
            operations_ledger.append(client, settings, "batch-dropped", of.said(batch=one.number, why=why))


def _examined(
    client: "MlflowClient", settings: Settings, place: Standing, found: NewRows, past: Sequence[Batch]
) -> dict[str, Any]:
    """The part of an entry that says what the checks found."""
    champion = _losses(client, settings, place, found)
    verdict = found.verdict(champion)
    limit = new_batch.limit(settings.operations.false_alarm, examined(past) + 1)
    unit = "rows" if found.unit is None else "groups" if settings.data.groups else "distinct rows"
    reasons = [reason(answer, unit) for answer in verdict.reasons(limit)] if verdict.held(limit) else []
    said: dict[str, Any] = {
        "verdict": "held" if verdict.held(limit) else "accepted",
        "reasons": reasons,
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
    ids = RowIds(found.rows.ids["content"].to_numpy(), found.rows.ids["number"].to_numpy(), found.unit)
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
    if release and one.state in ("accepted", "released"):
        raise UserError(f"{what} {number}: the rows of batch {number} are used already ({one.state})")
    if not release and one.state == "dropped":
        raise UserError(f"{what} {number}: batch {number} is dropped already")
    entry = operations_ledger.append(client, settings, kind, of.said(batch=number, why=cut(why)))
    _follow_between_runs(client, settings, batches(operations_ledger.entries(client), of))
    if one.left:
        then = (
            f"its {one.left:,} rows of the past are expected no longer, and its new rows are examined in the next run"
            if release
            else "a table without the rows of the past is held again"
        )
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
    return (
        to_do.held_delivery(one.number, one.left, one.rows) if one.left else to_do.held_back(one.number, one.rows)
    ).do


def _of(client: "MlflowClient", settings: Settings) -> Of:
    place = standing(client, settings)
    return Of.made(place.name, place.source)


def _told(one: Batch) -> str:
    """What is said of a batch that was just examined."""
    if one.left:
        return f"batch {one.number}: the table is held: {'; '.join(one.reasons)}"
    rows = f"{one.rows:,} new labelled row{'s' * (one.rows != 1)}"
    if one.state == "held":
        return f"batch {one.number}: {rows} held back: {'; '.join(one.reasons)}"
    more = f" ({'; '.join([*one.reasons, *one.not_asked])})" if one.reasons or one.not_asked else ""
    return f"batch {one.number}: {rows} {'counted as the first' if one.first else 'accepted'}{more}"


def _follow(settings: Settings, found: Sequence[Batch], stored: Mapping[int, tuple[str, Ids]]) -> None:
    """Bring quarantine.json to what the ledger says; without a batch it is left as it is."""
    left = [
        LeftOut(one.number, "held" if one.state == "held" else "dropped", one.reasons, *stored[one.number])
        for one in found
        if not one.used and not one.left and one.number in stored
    ]
    if left or (found and quarantine.PATH.exists()):
        quarantine.write(settings, left)


def _follow_between_runs(client: "MlflowClient", settings: Settings, found: Sequence[Batch]) -> None:
    """The same, unless a run goes on in this checkout, whose results are of the file as it is: the next run does it."""
    stored = _stored(client, found)
    with suppress(UserError), checkout_lock("batch"):
        _follow(settings, found, stored)


def _words(rows: ReadRows, of_pool: NDArray[np.intp]) -> Ids:
    ids = rows.identities.by(rows.identities.columns)
    assert ids is not None  # noqa: S101  # the table has its own columns
    return ids.of_rows[of_pool]


def _keep(client: "MlflowClient", columns: str, words: Ids) -> str:
    """Store the identities of a batch, in the store first; returns their hash, by which they are found."""
    words = np.unique(words)
    name = _hash(columns, words)
    with downloads() as folder:
        path = folder / f"{name}.parquet"
        _write(path, columns, words)
        operations_ledger.attach(client, path, _FOLDER)
    _copy(name, columns, words)
    return name


def _stored(client: "MlflowClient", found: Sequence[Batch]) -> dict[int, tuple[str, Ids]]:
    """The columns and the words of each batch, from the cache or the store, by its number.

    A batch whose file is gone from both is left out: its rows count as new. Raises UserError where a file is there, and
    cannot be read or is not that of the entry.
    """
    known, there = {}, None
    for one in found:
        copy = _COPIES / f"{one.file}.parquet"
        if copy.exists() and (read := _read(copy, one.file)) is not None:
            known[one.number] = read
            continue
        run = operations_ledger.run_id(client)
        there = there or {Path(file.path).name for file in client.list_artifacts(run, _FOLDER)}
        if copy.name not in there:
            continue
        with downloads() as folder:
            read = _read(download(folder, f"runs:/{run}/{_FOLDER}/{copy.name}"), one.file)
        if read is None:
            raise UserError(
                f"the identities of batch {one.number} in the store ({_FOLDER}/{copy.name} of the ledger's run) are "
                "not those of its entry in the ledger; bring the file back, or remove it: its rows then count as new"
            )
        _copy(one.file, *read)
        known[one.number] = read
    return known


def _copy(name: str, columns: str, words: Ids) -> None:
    _COPIES.mkdir(parents=True, exist_ok=True)
    _write(_COPIES / f"{name}.parquet", columns, words)


def _write(path: Path, columns: str, words: Ids) -> None:
    frame = pd.DataFrame({WORD: words})
    frame.attrs[_COLUMNS] = columns
    draft = path.with_suffix(".draft")
    frame.to_parquet(draft)
    draft.replace(path)


def _read(path: Path, name: str) -> tuple[str, Ids] | None:
    """What a file holds; None if it is not what its name says."""
    try:
        frame = pd.read_parquet(path)
        columns, words = str(frame.attrs.get(_COLUMNS, "")), frame[WORD].to_numpy(np.uint64)
    except (OSError, ValueError, KeyError):
        return None
    return (columns, words) if _hash(columns, words) == name else None


def _hash(columns: str, words: Ids) -> str:
    return hashlib.sha256(columns.encode() + b"\n" + words.astype("<u8").tobytes()).hexdigest()
