"""The contamination ledger in MLflow: tags of parent runs say which learners were compared on which rows."""

import functools
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tasks.outcome.items import DATA_HASH, HIDDEN, Artifact, Tag
from tasks.outcome.ledger import Entry, Ledger, count, seeded_id, winner_id
from tasks.params import Candidate, Settings
from tasks.runtime.errors import UserError
from tasks.runtime.process_identity import HOST, alive
from tasks.storage import files
from tasks.storage.row_ids import WORD, Ids, read_words
from tasks.storage.seen_rows import SeenRows
from tasks.track.downloads import download, downloads
from tasks.track.store import runs

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Run

KEY = f"{HIDDEN}validation"  # the tag that names a run also in another store
PARENT = "mlflow.parentRunId"  # the tag of a candidate's run
RUNS_ON, PROCESS = f"{HIDDEN}host", f"{HIDDEN}process"  # the tags by which a later process finds out that one died
_COMPARED = "compared."  # and a number: the ids of the learners whose estimates the run showed, with spaces between
_OPENED_FOR = "test_opened_for"
_ROWS = "rows."  # and a field of SeenRows
DIGITS, IDS_A_TAG = 16, 290  # of an id, 64 of the 256 bits; of them in a tag of 5000 letters
TESTED = "tested_rows"  # the folder of the artifact with the rows on which a winner was tested


Earlier = Mapping[str, Mapping[str, str]]  # the tags of earlier validations by their runs' ids, the oldest first


def validations(client: "MlflowClient") -> "list[Run]":
    """All validations of the store that compared something, over all its experiments, the oldest first."""
    found = runs(client, f"tags.`{DATA_HASH}` IS NOT NULL and tags.`{PARENT}` IS NULL")
    return sorted(found, key=lambda run: (run.info.start_time, run.info.run_id))


def after(found: "Sequence[Run]") -> int:
    """The first millisecond that is later than the start of each of these `validations`.

    No later run starts before it, also where the clock was set back: the order of starts is that of the store, as with
    a hybrid logical clock (S. Kulkarni et al., Logical physical clocks, OPODIS 2014).
    """
    return int(found[-1].info.start_time) + 1 if found else 0


def tags_of(found: "Iterable[Run]") -> Earlier:
    """The tags of validations, in their turn."""
    return {run.info.run_id: dict(run.data.tags) for run in found}


def check_readable(found: "Iterable[Run]") -> None:
    """Raise UserError where a validation has not said, as this version does, on which rows it compared learners."""
    needed = [f"{HIDDEN}{_ROWS}{name}" for name in SeenRows.ALWAYS]
    for run in found:
        if missing := [name for name in needed if name not in run.data.tags]:
            raise UserError(
                f"tracking.uri: the run {run.info.run_id} of this store lacks the tags {', '.join(missing)}, so that "
                "what it compared cannot be counted: another version of heldout wrote it, or somebody removed them. "
                "Name another store"
            )


def read_ledger(
    settings: Settings,
    seen: SeenRows,
    compared: Sequence[str],
    seen_in: Callable[[str], SeenRows],
    earlier: Earlier,
) -> Ledger:
    """The ledger of these rows after `earlier` validations, with the candidates named `compared` added.

    For `seen_in` see `count`; it is called once for each set of columns.
    """
    learners = [_id(candidate, settings) for candidate in settings.candidates if candidate.name in compared]
    entries = [entry_of(run, tags) for run, tags in earlier.items()]
    return count(seen, learners, entries, functools.cache(seen_in))


def ledger_items(
    settings: Settings,
    data_hash: str,
    seen: SeenRows,
    winner: Candidate,
    compared: Sequence[Candidate],
    *,
    test_opened: bool,
) -> Iterator[Tag | Artifact]:
    """What a later `read_ledger` finds: sent as soon as the choice is made, since it was seen from then on."""
    yield Tag(DATA_HASH, data_hash)
    yield Tag("selected_model", winner.name)
    for name, text in seen.texts().items():
        yield Tag(f"{HIDDEN}{_ROWS}{name}", text)
    ids = [_id(candidate, settings) for candidate in compared]
    for number, first in enumerate(range(0, len(ids), IDS_A_TAG)):
        yield Tag(f"{HIDDEN}{_COMPARED}{number}", " ".join(ids[first : first + IDS_A_TAG]))
    if test_opened:
        yield Tag(f"{HIDDEN}{_OPENED_FOR}", winner_id(winner, settings, seen))
        yield Artifact(files.TESTED, TESTED)


def read_tested(opened_in: Sequence[str]) -> Ids | None:
    """The words of all rows on which these runs tested a winner; None where one of them has no list any more."""
    words = [np.empty(0, np.uint64)]
    with downloads() as folder:
        for run in opened_in:
            try:
                table = read_words(download(folder, f"runs:/{run}/{TESTED}/{files.TESTED.name}"))
            except UserError:
                return None
            words.append(table[WORD].to_numpy(np.uint64))
    return np.unique(np.concatenate(words))


def may_live(tags: Mapping[str, str]) -> bool:
    """Whether the process of a run is alive, or of another machine, so that nobody here can say."""
    return tags.get(RUNS_ON) != HOST or alive(tags.get(PROCESS, ""))


def claims(tags: Mapping[str, str]) -> dict[str, str]:
    """The tags by which a run says what it compared, on which rows, and for whom it opened the test set."""
    plain = ("data_hash", "selected_model", _OPENED_FOR)
    return {
        name: text
        for name, text in tags.items()
        if (bare := name.removeprefix(HIDDEN)) in plain or bare.startswith((_COMPARED, _ROWS))
    }


def entry_of(run: str, tags: Mapping[str, str]) -> Entry:
    """What an earlier run left, by its tags."""
    return _entry(run, _plain(tags))


def known_since(client: "MlflowClient", candidate: Candidate, settings: Settings, seen: SeenRows) -> int:
    """When a learner was first compared, with these columns and in this form, in milliseconds; the future if never."""
    learner = _id(candidate, settings)
    same = (
        run.info.start_time
        for run in runs(client, f"tags.`{HIDDEN}{_ROWS}trained` = '{seen.trained}'")
        if run.data.params.get("deliver") == settings.deliver and learner in _learners(_plain(run.data.tags))
    )
    return min(same, default=sys.maxsize)


def _plain(tags: Mapping[str, str]) -> dict[str, str]:
    """The tags by their names without `HIDDEN`."""
    return {name.removeprefix(HIDDEN): text for name, text in tags.items()}


def _id(candidate: Candidate, settings: Settings) -> str:
    return seeded_id(candidate, settings.seed)[:DIGITS]


def _learners(tags: Mapping[str, str]) -> frozenset[str]:
    """The ids of a run's learners."""
    return frozenset(one for name, text in tags.items() if name.startswith(_COMPARED) for one in text.split())


def _entry(run: str, tags: Mapping[str, str]) -> Entry:
    texts = {name.removeprefix(_ROWS): text for name, text in tags.items() if name.startswith(_ROWS)}
    return Entry(
        learners=_learners(tags),
        seen=SeenRows.parsed(texts) if texts else None,
        opened_for=tags.get(_OPENED_FOR),
        run=run,
    )
