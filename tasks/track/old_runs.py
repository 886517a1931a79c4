"""Old runs are removed from the store, with their artifacts and versions; what later runs need stays."""

import contextlib
import sqlite3
import time
from collections.abc import Collection, Iterator
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tasks.outcome.items import Tag
from tasks.outcome.operations import Of
from tasks.params import Settings
from tasks.track import operations_ledger
from tasks.track.data_source import source_of
from tasks.track.experiments import experiment_id
from tasks.track.ledger_tags import KEY, TESTED, of_ledger
from tasks.track.promote import AGAINST, EVIDENCE, PROMOTED, RESTORED, book_order
from tasks.track.registry import BEFORE, SOURCE
from tasks.track.send import send
from tasks.track.store import connect, database, runs

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Run
    from mlflow.entities.model_registry import ModelVersion

_PARENT, _PRUNED = "mlflow.parentRunId", "pruned"
_A_PAGE = 100


def prune(settings: Settings, keep: timedelta, *, compact: bool) -> Iterator[str]:
    """Remove what ended before `keep` ago in the experiment of the data source; says what.

    A validation stays whole if a version of it was ever the champion, has an alias, or was registered by somebody else.
    Of any other that compared learners, the contamination ledger stays: its tags, and the rows on which it tested a
    winner; and of the newest contest with each champion the evidence. Its version, its other artifacts, its model and
    its candidates' runs are removed. A validation that compared nothing is removed. `compact` returns freed space of a
    file to the system, which takes as long as copying it; else later runs use it.
    """
    client = connect(settings)
    experiment = experiment_id(client, settings)
    before = int(1000 * (time.time() - keep.total_seconds()))
    query = f"attributes.end_time < {before} and attributes.status != 'RUNNING'"
    old = [run for run in runs(client, query) if run.info.experiment_id == experiment]
    validations = [run for run in old if _PARENT not in run.data.tags]
    versions = list(_versions(client))
    needed = _needed(client, versions, validations)
    whole = {run.info.run_id for run in validations if run.info.run_id in needed}
    ledger = [run for run in validations if run.info.run_id not in whole and of_ledger(run.data.tags)]
    fresh = [run for run in ledger if _PRUNED not in run.data.tags]
    gone = [run for run in validations if run.info.run_id not in whole and not of_ledger(run.data.tags)]
    emptied = {run.info.run_id for run in (*ledger, *gone)}
    candidates = [run for run in old if run.data.tags.get(_PARENT) in emptied]
    newest = _newest_evidence(client)
    # before anything is removed: by the ledger, a run that is gone was pruned or taken away
    of = Of.made(settings.registered_model, source_of(settings))
    entered = operations_ledger.pruned(client)  # what keeps its evidence is emptied again and again
    for some, removed in (([run for run in fresh if run.data.tags.get(KEY) not in entered], False), (gone, True)):
        operations_ledger.append_of_runs(
            client,
            settings,
            "pruned",
            [run.info.run_id for run in some],
            of.said(keep_days=keep.days, removed=removed),
        )
    models = [model for model in _models(client, experiment) if model.source_run_id in emptied]
    unused = [version for version in versions if str(version.run_id) in emptied]
    for version in unused:
        client.delete_model_version(version.name, str(version.version))
    for model in models:
        _empty(model.artifact_location)
        client.delete_logged_model(model.model_id)
    for run in (*candidates, *gone):
        _empty(run.info.artifact_uri)
    for run in fresh:
        _empty(run.info.artifact_uri, but={TESTED, EVIDENCE} if run.info.run_id in newest else {TESTED})
    for run in (*candidates, *gone):
        client.delete_run(run.info.run_id)
    for run in fresh:
        if run.info.run_id not in newest:  # which is emptied when there is newer evidence
            send(client, run.info.run_id, [Tag(_PRUNED, time.strftime("%Y-%m-%d"))])
    deleted = [run.info.run_id for run in (*candidates, *gone)]
    freed = _forget(settings, deleted, [model.model_id for model in models], compact=compact)
    yield f"removed: {len(gone)} validations that compared nothing, {len(candidates)} runs of candidates"
    yield f"emptied: {len(fresh)} validations, of which the contamination ledger stays"
    yield f"models: {len(models)}, and {len(unused)} versions that were never the champion, removed"
    yield f"kept: {len(whole)} old validations of versions that are or were the champion, or have an alias"
    yield freed


def _versions(client: "MlflowClient") -> "Iterator[ModelVersion]":
    token = None
    while True:
        page = client.search_model_versions(max_results=_A_PAGE, page_token=token)
        yield from page
        if not (token := page.token):
            return


def _needed(client: "MlflowClient", versions: "Collection[ModelVersion]", validations: "Collection[Run]") -> set[str]:
    """The runs of all versions but those that were registered by a night, and never became the champion.

    A rollback, and what was known before it, asks for former champions.
    """
    refused = {run.info.run_id for run in validations if run.data.tags.get(PROMOTED) == "no"}
    former = {(version.name, version.tags[BEFORE]) for version in versions if BEFORE in version.tags}
    names = {version.name for version in versions}
    with_alias = {
        (name, str(number)) for name in names for number in client.get_registered_model(name).aliases.values()
    }

    def is_free(version: "ModelVersion") -> bool:
        by_a_night = SOURCE in version.tags and str(version.run_id) in refused
        place = version.name, str(version.version)
        return by_a_night and RESTORED not in version.tags and place not in former | with_alias

    return {str(version.run_id) for version in versions if not is_free(version)}


def _newest_evidence(client: "MlflowClient") -> set[str]:
    """The newest run of each champion that has the book of its contests, from which the next night goes on."""
    newest: dict[str, Run] = {}
    for run in runs(client, f"tags.{AGAINST} IS NOT NULL"):
        against = run.data.tags[AGAINST]
        if against not in newest or book_order(newest[against]) < book_order(run):
            newest[against] = run
    return {run.info.run_id for run in newest.values()}


def _models(client: "MlflowClient", experiment: str) -> Iterator[Any]:
    token = None
    while True:
        page = client.search_logged_models([experiment], max_results=_A_PAGE, page_token=token)
        yield from page
        if not (token := page.token):
            return


def _empty(location: str, but: Collection[str] = ()) -> None:
    """Remove the artifacts of a run or a model, all `but` some folders."""
    from mlflow.store.artifact.artifact_repository_registry import get_artifact_repository
    from mlflow.utils.file_utils import local_file_uri_to_path
    from mlflow.utils.uri import is_local_uri

    with contextlib.suppress(FileNotFoundError):
        kept: Any = get_artifact_repository(location)
        paths = [found.path for found in kept.list_artifacts() if found.path not in but] if but else [None]
        for path in paths:
            kept.delete_artifacts(path)
    if not but and is_local_uri(location):  # type: ignore[no-untyped-call]
        folder = Path(local_file_uri_to_path(location))  # type: ignore[no-untyped-call]
        with contextlib.suppress(OSError):  # MLflow leaves it, empty
            folder.rmdir()
            folder.parent.rmdir()


def _forget(settings: Settings, removed: list[str], models: list[str], *, compact: bool) -> str:
    """Free the space of what MLflow keeps of deleted runs, for which it has no other way for single runs than this."""
    path = database(settings)
    if path is None:
        return "`mlflow gc` frees the space in the store"
    from mlflow.store.tracking import DEFAULT_LOCAL_FILE_AND_ARTIFACT_PATH
    from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore

    before = path.stat().st_size
    store: Any = SqlAlchemyStore(settings.tracking.store, DEFAULT_LOCAL_FILE_AND_ARTIFACT_PATH)  # type: ignore[no-untyped-call]
    for model in models:
        store._hard_delete_logged_model(model)
    for run in removed:
        store._hard_delete_run(run)
    if compact:
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("VACUUM")
    return f"{path}: {before / 1e6:.1f} MB before, {path.stat().st_size / 1e6:.1f} MB now"
