"""Old models that nobody uses are marked as deleted, for `mlflow gc`; the runs, which are the ledgers, stay."""

import time
from collections.abc import Callable, Collection, Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from tasks.params import Settings
from tasks.track.experiments import experiment_id
from tasks.track.promote import PROMOTED, RESTORED
from tasks.track.registry import BEFORE, SOURCE
from tasks.track.store import connect, runs

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities.model_registry import ModelVersion

_A_PAGE = 100


def mark_deleted(settings: Settings, keep: timedelta) -> tuple[int, int]:
    """Delete models of validations that ended before `keep` ago and promoted none, and their versions; how many.

    A model stays if a version of it was ever the champion, has an alias, or was registered by somebody else: a
    rollback, and what was known before it, asks for former champions. What is in another experiment stays too. MLflow
    keeps the files of a deleted model until `mlflow gc`.
    """
    client = connect(settings)
    experiment = experiment_id(client, settings)
    before = int(1000 * (time.time() - keep.total_seconds()))
    ended = runs(client, f"tags.`{PROMOTED}` LIKE 'no:%' and attributes.end_time < {before}")
    old = {run.info.run_id for run in ended if run.info.experiment_id == experiment}
    versions = list(_versions(client))
    unused = old - _in_use(client, versions)
    # a version without its model would have an address that leads nowhere
    gone = [version for version in versions if str(version.run_id) in unused]
    models = [model for model in _models(client, experiment) if model.source_run_id in unused]
    for version in gone:
        client.delete_model_version(version.name, str(version.version))
    for model in models:
        client.delete_logged_model(model.model_id)
    return len(models), len(gone)


def _in_use(client: "MlflowClient", versions: "Collection[ModelVersion]") -> set[str]:
    """The runs of versions that are or were the champion, have an alias, or were registered by somebody else."""
    former = {(version.name, version.tags[BEFORE]) for version in versions if BEFORE in version.tags}
    with_alias = {
        (name, str(number))
        for name in {version.name for version in versions}
        for number in client.get_registered_model(name).aliases.values()
    }
    return {
        str(version.run_id)
        for version in versions
        if SOURCE not in version.tags
        or RESTORED in version.tags
        or (version.name, str(version.version)) in former | with_alias
    }


def _versions(client: "MlflowClient") -> "Iterator[ModelVersion]":
    return _pages(lambda token: client.search_model_versions(max_results=_A_PAGE, page_token=token))


def _models(client: "MlflowClient", experiment: str) -> Iterator[Any]:
    return _pages(lambda token: client.search_logged_models([experiment], max_results=_A_PAGE, page_token=token))


def _pages(ask: Callable[[str | None], Any]) -> Iterator[Any]:
    token = None
    while True:
        page = ask(token)
        yield from page
        if not (token := page.token):
            return
