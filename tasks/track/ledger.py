"""The contamination ledger in MLflow: tags of parent runs say which learners were compared on which rows."""

import functools
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from tasks.outcome.items import Tag
from tasks.outcome.ledger import Entry, Ledger, count, seeded_id, winner_id
from tasks.params import Candidate, Settings
from tasks.storage.seen_rows import SeenRows
from tasks.track.store import runs

if TYPE_CHECKING:
    from mlflow import MlflowClient

_COMPARED = "compared."  # and a learner's id: a tag for each learner whose estimates the run showed
_OPENED_FOR = "test_opened_for"
_ROWS = "rows."  # and a field of SeenRows


Earlier = Sequence[Mapping[str, str]]  # the tags of earlier validations


def read_earlier(client: "MlflowClient") -> Earlier:
    """The tags of all validations, over all experiments of the store; candidates' own runs compare nothing."""
    return [run.data.tags for run in runs(client, "tags.data_hash IS NOT NULL and tags.`mlflow.parentRunId` IS NULL")]


def read_ledger(
    settings: Settings,
    data_hash: str,
    seen: SeenRows,
    compared: Sequence[str],
    seen_in: Callable[[str], SeenRows],
    earlier: Earlier,
) -> Ledger:
    """The ledger of these rows after `earlier` validations, with the candidates named `compared` added.

    A run of a version that left no sketch of its rows counts if its labelled table has the same `data_hash`. For
    `seen_in` see `count`; it is called once for each set of columns.
    """
    learners = [seeded_id(candidate, settings.seed) for candidate in settings.candidates if candidate.name in compared]
    entries = [_entry(tags) for tags in earlier if f"{_ROWS}labeled" in tags or tags["data_hash"] == data_hash]
    return count(seen, learners, entries, functools.cache(seen_in))


def ledger_items(
    settings: Settings,
    data_hash: str,
    seen: SeenRows,
    winner: Candidate,
    compared: Sequence[Candidate],
    *,
    test_opened: bool,
) -> Iterator[Tag]:
    """What a later `read_ledger` finds: sent as soon as the choice is made, since it was seen from then on."""
    yield Tag("data_hash", data_hash)
    yield Tag("selected_model", winner.name)
    for name, text in seen.texts().items():
        yield Tag(_ROWS + name, text)
    for candidate in compared:
        yield Tag(_COMPARED + seeded_id(candidate, settings.seed), candidate.name)
    if test_opened:
        yield Tag(_OPENED_FOR, winner_id(winner, settings, seen))


def of_ledger(tags: Mapping[str, str]) -> bool:
    """Whether the ledger of later runs needs these tags."""
    return any(name.startswith(_COMPARED) or name == _OPENED_FOR for name in tags)


def known_since(client: "MlflowClient", candidate: Candidate, settings: Settings, seen: SeenRows) -> int:
    """When a learner was first compared, with these columns and in this form, in milliseconds; the future if never."""
    query = f"tags.`{_COMPARED}{seeded_id(candidate, settings.seed)}` IS NOT NULL and tags.`{_ROWS}trained` = "
    same = (
        run.info.start_time
        for run in runs(client, f"{query}'{seen.trained}'")
        if run.data.params.get("deliver") == settings.deliver
    )
    return min(same, default=sys.maxsize)


def _entry(tags: Mapping[str, str]) -> Entry:
    texts = {name.removeprefix(_ROWS): text for name, text in tags.items() if name.startswith(_ROWS)}
    return Entry(
        learners=frozenset(name.removeprefix(_COMPARED) for name in tags if name.startswith(_COMPARED)),
        seen=SeenRows.parsed(texts) if texts else None,
        opened_for=tags.get(_OPENED_FOR),
    )
