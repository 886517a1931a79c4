"""The ledger of operations in MLflow: the parameters of one run of the store, of which each is an entry.

A parameter of MLflow is written once: a second value for its name is refused, by the primary key of the database. So of
two writers at the same moment one is first, and the other takes the next number; nothing that is written changes; and
an entry is there whole, or not at all. All experiments and checkouts of a store share its ledger.
"""

import contextlib
import getpass
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any, TypeVar

from heldout import __version__
from tasks.outcome import chain
from tasks.outcome.chain import Entry
from tasks.outcome.history import (
    History,
    StoredLedger,
    TrackedRun,
    adopted_hash,
    candidates_hash,
    metrics_hash,
    tags_hash,
)
from tasks.outcome.items import HIDDEN
from tasks.outcome.operations import KINDS, Of, about_runs
from tasks.outcome.operations import removed as removed_of
from tasks.outcome.verified_history import of_champions, of_ledger
from tasks.params import Settings
from tasks.runtime.errors import UserError
from tasks.track.ledger_tags import KEY, PARENT, claims, may_live, validations
from tasks.track.registry import CHAMPION
from tasks.track.store import connect, database, failures, make_experiment, runs

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Run

_One = TypeVar("_One")
NAME = "heldout ledger"  # of the experiment
HEAD = f"{HIDDEN}ledger.head"  # the tag of a run: the head after its entry; of the ledger's own run: the newest head
_LEDGER = f"{HIDDEN}ledger"  # the tag of a run that holds a ledger
_FIRST = "began"
_A_CHUNK = 90  # names of runs with the beginnings of their hashes in one entry
_PATIENCE_SECONDS = 45.0  # for somebody who is about to make the ledger
_POLL_SECONDS = 0.1
_heads: list[str] = []  # of the entries of this process
_DECIDE = ("champion", "contest", "rollback", "release")  # kinds of entries on which a later decision rests
# a server that does not answer would be asked for minutes
_IMPATIENT = {"MLFLOW_HTTP_REQUEST_MAX_RETRIES": "1", "MLFLOW_HTTP_REQUEST_TIMEOUT": "10"}


class Overtaken(Exception):
    """Another run, or a person, decided about the champion since the entries were read."""


def head() -> str:
    """The head after the last entry of this process, for others to keep; empty without one."""
    return _heads[0] if _heads else ""


def entries(client: "MlflowClient") -> tuple[Entry, ...]:
    """All entries, the oldest first; none before the first writer. Raises UserError where the ledger was deleted."""
    found = _find(client)
    return () if found is None else chain.entries_of(found.data.params)


def run_of(client: "MlflowClient") -> "Run | None":
    """The run that holds the ledger, if there is one. Raises UserError where it was deleted."""
    return _find(client)


def begin(client: "MlflowClient", settings: Settings, found: "Sequence[Run]") -> tuple[Entry, ...]:
    """Have the ledger there, with the validations `found` that no entry names, and return its entries.

    No entry names those before the ledger, and of a process that died before its entry.
    """
    known = [*entries(client)]
    if not known:
        counted = {"validations": len(found), "versions": _count_versions(client)}
        known.append(_append(client, settings, _FIRST, counted))
    elif known[-1].version != __version__:
        known.append(_append(client, settings, "migrated", {"from": known[-1].version, "to": __version__}))
    named = about_runs(known)
    strangers = {_key(run): adopted_hash(tracked(run)) for run in found if _key(run) not in named and not _goes_on(run)}
    for some in _chunks([*strangers.items()]):
        known.append(_append(client, settings, "adopted", {"runs": dict(some)}))
    return tuple(known)


def removed(client: "MlflowClient", known: Sequence[Entry], found: "Sequence[Run]") -> dict[str, list[Entry]]:
    """The validations that somebody took out of the store, and the entries about each; `found` are those that it has.

    Each is looked for once more: it may have begun since they were found.
    """
    gone = removed_of(known, {_key(run) for run in found})
    return {key: about for key, about in gone.items() if next(runs(client, f"tags.`{KEY}` = '{key}'"), None) is None}


def append(client: "MlflowClient", settings: Settings, kind: str, said: Mapping[str, Any]) -> Entry:
    """Add an entry. Raises what MLflow raises if it is not taken, and UserError where the ledger was deleted."""
    found = _find(client)
    if found is None or not found.data.params:
        begin(client, settings, validations(client))
        found = None
    return _append(client, settings, kind, said, found)


def append_decision(
    client: "MlflowClient", settings: Settings, kind: str, said: Mapping[str, Any], of: Of, known: Sequence[Entry]
) -> Entry:
    """Add the entry of a decision about a champion, unless one came that is not among the entries `known` to it.

    Raises Overtaken then: of two runs that decide at the same moment, the second decides again.
    """
    last = known[-1].number if known else 0
    return _append(client, settings, kind, said, unless=lambda stored: _decided_since(stored, of, last))


def append_of_run(client: "MlflowClient", settings: Settings, run_id: str, kind: str, said: Mapping[str, Any]) -> Entry:
    """Add an entry about a validation, with the hashes of what the store has of it by now."""
    run = _with_candidates(client, client.get_run(run_id))
    hashes = {"tags": tags_hash(run.started, run.tags)}
    if kind == "reported":
        hashes |= {"metrics": metrics_hash(run.metrics), "candidates": candidates_hash(run.candidates)}
    of_kind = hashes if kind in ("compared", "reported") else {}
    return append(client, settings, kind, {"run": run.key, **of_kind, **said})


def append_if_there(settings: Settings, kind: str, said: Mapping[str, Any]) -> Entry | None:
    """Add an entry; None where there is no store, as in a fresh clone, or where it takes nothing.

    For commands that need none.
    """
    path = database(settings)
    if path is not None and not path.exists():
        return None
    for name, value in _IMPATIENT.items():
        os.environ.setdefault(name, value)
    with contextlib.suppress(UserError, *failures()):
        return append(connect(settings), settings, kind, said)
    return None


def run_id(client: "MlflowClient") -> str:
    """The run that holds the ledger, and files that its entries name. Raises UserError where there is none."""
    found = _find(client)
    if found is None:
        raise UserError("the store has no ledger of operations")
    return str(found.info.run_id)


def attach(client: "MlflowClient", path: Path, folder: str) -> None:
    """Keep a file with the ledger, below `folder`, before an entry names it."""
    client.log_artifact(run_id(client), str(path), folder)


def history(client: "MlflowClient") -> History:
    """All that the store says, for `verify`."""
    children: dict[str, dict[str, Mapping[str, float]]] = {}
    for child in runs(client, f"tags.`{PARENT}` != ''"):
        children.setdefault(child.data.tags[PARENT], {})[str(child.info.run_name)] = dict(child.data.metrics)
    ledgers = [_stored(run) for run in runs(client, f"tags.`{_LEDGER}` = 'operations'")]
    of_runs = [tracked(run, children.get(run.info.run_id, {})) for run in validations(client)]
    return History(tuple(sorted(ledgers, key=lambda one: one.run)), tuple(of_runs), _champions(client))


def faults(client: "MlflowClient", of: Of) -> list[str]:
    """What `verify` finds without a look at the validations: in the ledger itself, and in the aliases of a source."""
    found = _find(client)
    if found is None:
        return []
    stored = _stored(found)
    known = chain.entries_of(stored.entries)
    return [*of_ledger(stored, known), *of_champions(_champions(client), of.among(known))]


def _stored(run: "Run") -> StoredLedger:
    return StoredLedger(run.info.run_id, dict(run.data.params), run.data.tags.get(HEAD, ""))


def _champions(client: "MlflowClient") -> dict[str, str]:
    """The version of each alias of a champion."""
    return {
        f"{model.name}@{alias}": str(version)
        for model in _registered(client)
        for alias, version in model.aliases.items()
        if alias.startswith(CHAMPION)
    }


def tracked(run: "Run", candidates: Mapping[str, Mapping[str, float]] | None = None) -> TrackedRun:
    """What the ledger looks at in a run."""
    return TrackedRun(
        run.info.run_id,
        _key(run),
        int(run.info.start_time),
        str(run.info.status),
        claims(run.data.tags),
        dict(run.data.metrics),
        candidates or {},
        run.data.tags.get(HEAD, ""),
    )


def _with_candidates(client: "MlflowClient", run: "Run") -> TrackedRun:
    children = runs(client, f"tags.`{PARENT}` = '{run.info.run_id}'")
    return tracked(run, {str(child.info.run_name): dict(child.data.metrics) for child in children})


def _key(run: "Run") -> str:
    return str(run.data.tags.get(KEY, run.info.run_id))  # a run of somebody else has none


def _goes_on(run: "Run") -> bool:
    """Whether its process may still write an entry; that of another machine may, until its run has an end."""
    if run.info.status != "RUNNING":
        return False
    return may_live(run.data.tags)


def _decided_since(stored: Mapping[str, str], of: Of, last: int) -> bool:
    return any(one.number > last and one.kind in _DECIDE for one in of.among(chain.entries_of(stored)))


def _append(
    client: "MlflowClient",
    settings: Settings,
    kind: str,
    said: Mapping[str, Any],
    found: "Run | None" = None,
    unless: Callable[[Mapping[str, str]], bool] = lambda _: False,
) -> Entry:
    """Take the next number that nobody else takes; `found` is the ledger's run, where it was just read.

    Raises Overtaken where the stored entries are such that it is not to be added.
    """
    if kind not in KINDS:
        raise ValueError(f"{kind!r} is no kind of entry; add it to KINDS")
    from mlflow.exceptions import MlflowException

    found = found or _find(client) or _make(client, settings)
    run_id, stored = found.info.run_id, dict(found.data.params)
    draft = Entry(0, "", "", _user(), __version__, kind, said, token_hex(4))
    while True:
        if kind == _FIRST and stored:  # of two who begin it, one does
            return chain.entries_of(stored)[0]
        if unless(stored):
            raise Overtaken
        entry = chain.following(_last(stored), replace(draft, time=_now()))
        name, text = chain.name_of(entry.number), entry.text()
        try:
            client.log_param(run_id, name, text)
        except MlflowException:
            stored = dict(client.get_run(run_id).data.params)
            if name not in stored:
                raise
            if stored[name] != text:  # somebody else was first
                continue
        client.set_tag(run_id, HEAD, str(entry.head))
        _heads[:] = [str(entry.head)]
        return entry


def _last(stored: Mapping[str, str]) -> Entry | None:
    """The newest entry; one that cannot be read keeps its number, and `verify` reports it."""
    if not stored:
        return None
    name = max(stored)
    try:
        return Entry.parsed(stored[name])
    except ValueError:
        number = int(name) if name.isdigit() else len(stored)
        return Entry(number, "", "", "", "", "", {}, hash="cannot be read")


def _find(client: "MlflowClient") -> "Run | None":
    """The run that holds the ledger: of several, which nobody should have made, the first."""
    experiment = client.get_experiment_by_name(NAME)
    if experiment is None:
        return None
    deleted = experiment.lifecycle_stage == "deleted"
    found = [] if deleted else client.search_runs([experiment.experiment_id], f"tags.`{_LEDGER}` = 'operations'")
    if found:
        return min(found, key=lambda run: (run.info.start_time, run.info.run_id))
    if deleted or client.search_runs([experiment.experiment_id], "", run_view_type=_deleted()):
        what = f"`mlflow experiments restore -x {experiment.experiment_id}`" if deleted else "`mlflow runs restore`"
        raise UserError(
            f"the ledger of operations of this store was deleted (experiment {NAME!r}), by which pins and the history "
            f"of the champion are known; bring it back with {what}"
        )
    return None


def _make(client: "MlflowClient", settings: Settings) -> "Run":
    """Make the run, once: who makes the experiment makes it, and others wait.

    If its maker died in between, the experiment gets another name, and all begin again.
    """
    from mlflow.exceptions import MlflowException

    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            experiment = make_experiment(client, settings, NAME, {})
        except MlflowException:
            found = client.get_experiment_by_name(NAME)
            if found is None:
                raise
            if (made := _find(client)) is not None:
                return made
            if time.monotonic() > deadline:
                with contextlib.suppress(MlflowException):  # another one was first
                    client.rename_experiment(found.experiment_id, f"{NAME}, empty {found.experiment_id}")
            time.sleep(_POLL_SECONDS)
            continue
        made = client.create_run(experiment, run_name="ledger", tags={_LEDGER: "operations"})
        client.set_terminated(made.info.run_id)
        current = client.get_experiment_by_name(NAME)
        if current is not None and current.experiment_id == experiment:
            return made


def _deleted() -> int:
    from mlflow.entities import ViewType

    return int(ViewType.DELETED_ONLY)


def _count_versions(client: "MlflowClient") -> int:
    return sum(int(version.version) for model in _registered(client) for version in model.latest_versions[-1:])


def _registered(client: "MlflowClient") -> Iterator[Any]:
    token = None
    while True:
        page = client.search_registered_models(page_token=token)
        yield from page
        if not (token := page.token):
            return


def _chunks(every: list[_One]) -> Iterator[list[_One]]:
    """As many as one entry holds."""
    return (every[first : first + _A_CHUNK] for first in range(0, len(every), _A_CHUNK))


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container has no name for its user
        return f"uid {os.getuid()}"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
