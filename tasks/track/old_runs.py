"""`python -m flows prune`: old runs are removed from the store, with their artifacts; what later runs need stays."""

import contextlib
import sqlite3
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from tasks.outcome.items import Tag
from tasks.params import Settings
from tasks.track import operations_ledger
from tasks.track.experiments import experiment_id
from tasks.track.ledger_tags import TESTED, of_ledger
from tasks.track.send import send
from tasks.track.store import connect, database, runs

if TYPE_CHECKING:
    from mlflow import MlflowClient

_PARENT, _PRUNED = "mlflow.parentRunId", "pruned"
_A_PAGE = 100


def prune(settings: Settings, keep: timedelta) -> Iterator[str]:
    """Remove what ended before `keep` ago in the experiment of the data source; says what.

    A validation of a registered version stays whole. Of any other that compared learners, the contamination ledger
    stays: its tags, and the rows on which it tested a winner. Its other artifacts, its model and its candidates' runs
    are removed. A validation that compared nothing is removed.
    """
    client = connect(settings)
    experiment = experiment_id(client, settings)
    before = int(1000 * (time.time() - keep.total_seconds()))
    query = f"attributes.end_time < {before} and attributes.status != 'RUNNING'"
    old = [run for run in runs(client, query) if run.info.experiment_id == experiment]
    registered = _registered(client)
    validations = [run for run in old if _PARENT not in run.data.tags]
    whole = {run.info.run_id for run in validations if run.info.run_id in registered}
    ledger = [run for run in validations if run.info.run_id not in whole and of_ledger(run.data.tags)]
    fresh = [run for run in ledger if _PRUNED not in run.data.tags]
    gone = [run for run in validations if run.info.run_id not in whole and not of_ledger(run.data.tags)]
    emptied = {run.info.run_id for run in (*ledger, *gone)}
    candidates = [run for run in old if run.data.tags.get(_PARENT) in emptied]
    # before anything is removed: by the ledger, a run that is gone was pruned or taken away
    for some, removed in ((fresh, False), (gone, True)):
        operations_ledger.append_of_runs(
            client, settings, "pruned", [run.info.run_id for run in some], {"keep_days": keep.days, "removed": removed}
        )
    models = [model for model in _models(client, experiment) if model.source_run_id in emptied]
    for model in models:
        _empty(model.artifact_location)
        client.delete_logged_model(model.model_id)
    for run in (*candidates, *gone):
        _empty(run.info.artifact_uri)
    for run in fresh:
        _empty(run.info.artifact_uri, but=TESTED)
    for run in (*candidates, *gone):
        client.delete_run(run.info.run_id)
    for run in fresh:
        send(client, run.info.run_id, [Tag(_PRUNED, time.strftime("%Y-%m-%d"))])
    deleted = [run.info.run_id for run in (*candidates, *gone)]
    freed = _forget(settings, deleted, [model.model_id for model in models])
    yield f"removed: {len(gone)} validations that compared nothing, {len(candidates)} runs of candidates"
    yield f"emptied: {len(fresh)} validations, of which the contamination ledger stays"
    yield f"models: {len(models)} that are not registered, removed"
    yield f"kept: {len(whole)} old validations of registered versions"
    yield freed


def _registered(client: "MlflowClient") -> set[str]:
    """The runs of all registered versions, champions or not."""
    found, token = set(), None
    while True:
        page = client.search_model_versions(max_results=_A_PAGE, page_token=token)
        found |= {str(version.run_id) for version in page}
        if not (token := page.token):
            return found


def _models(client: "MlflowClient", experiment: str) -> Iterator[Any]:
    token = None
    while True:
        page = client.search_logged_models([experiment], max_results=_A_PAGE, page_token=token)
        yield from page
        if not (token := page.token):
            return


def _empty(location: str, but: str | None = None) -> None:
    """Remove the artifacts of a run or a model, all `but` one folder."""
    from mlflow.store.artifact.artifact_repository_registry import get_artifact_repository

    with contextlib.suppress(FileNotFoundError):
        kept: Any = get_artifact_repository(location)
        paths = [None] if but is None else [found.path for found in kept.list_artifacts() if found.path != but]
        for path in paths:
            kept.delete_artifacts(path)


def _forget(settings: Settings, removed: list[str], models: list[str]) -> str:
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
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("VACUUM")
    return f"{path}: {before / 1e6:.1f} MB before, {path.stat().st_size / 1e6:.1f} MB now"
