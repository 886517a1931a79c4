"""The MLflow store that `tracking` names: the client, and the experiment that keeps the runs."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tasks.params import Settings
from tasks.runtime.errors import UserError

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Run

_SQLITE = "sqlite:///"
_REMEDY = "start the store, or fix tracking.uri"
_RUNS_A_PAGE = 1000


def connect(settings: Settings) -> "MlflowClient":
    """A client of the store, which becomes MLflow's own. Raises UserError if the store cannot be reached."""
    import mlflow
    from mlflow.exceptions import MlflowException

    uri = settings.tracking.uri
    if uri.startswith(_SQLITE):
        path = Path(uri.removeprefix(_SQLITE))
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with sqlite3.connect(path) as database:
                database.execute("PRAGMA schema_version")
        except (OSError, sqlite3.Error) as error:
            raise UserError(f"tracking.uri is {uri}, which cannot be opened ({error}); {_REMEDY}") from None
    mlflow.set_tracking_uri(uri)
    try:
        client = mlflow.MlflowClient()
        client.search_experiments(max_results=1)
    except (MlflowException, OSError, ValueError) as error:
        reason = " ".join(str(error).split())[:300]
        raise UserError(f"tracking.uri is {uri}, which does not answer ({reason}); {_REMEDY}") from None
    return client


def experiment_id(client: "MlflowClient", settings: Settings) -> str:
    """The id of the experiment, which is created with its artifacts next to the store, at a relative place."""
    name, uri = settings.tracking.experiment, settings.tracking.uri
    experiment = client.get_experiment_by_name(name)
    if experiment is not None:
        return str(experiment.experiment_id)
    if not uri.startswith(_SQLITE):
        return client.create_experiment(name)
    database = Path(uri.removeprefix(_SQLITE))
    place = (database.parent / "artifacts").as_posix()
    created = client.create_experiment(name, artifact_location=place)
    # MLflow makes the place absolute, and a copied checkout would then write into the original
    with sqlite3.connect(database) as connection:
        connection.execute(
            "UPDATE experiments SET artifact_location = ? WHERE experiment_id = ?", (place, int(created))
        )
    return created


def runs(client: "MlflowClient", query: str) -> Iterator["Run"]:
    """The runs of all experiments that match a query of MLflow."""
    experiments = [experiment.experiment_id for experiment in client.search_experiments()]
    token = None
    while True:
        page = client.search_runs(experiments, query, max_results=_RUNS_A_PAGE, page_token=token)
        yield from page
        token = page.token
        if not token:
            return
