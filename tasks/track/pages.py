"""MLflow's pages of the store: they show runs, and change names, notes and tags for who has the login."""

import os
from pathlib import Path

from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from tasks.params import Settings
from tasks.runtime.doors import Doors
from tasks.runtime.own_address import OwnAddressOnly
from tasks.runtime.server import login
from tasks.track import artifacts, experiments, shared_view
from tasks.track.page_routes import READS, WRITES
from tasks.track.store import artifact_folder, connect

# MLflow has no switch for its assistant, which comes by itself at a browser's first visit, in front of the list of
# runs, nor for the pages of models, where nobody has chosen those of chats.
_HEAD = """<head>
<style>[data-assistant-ui] { display: none !important; }</style>
<script>
localStorage["mlflow.assistant.fab.autoOpenedOnFirstLoad_v1"] = true
localStorage["mlflow.workflowType_v1"] ??= '"machine_learning"'
</script>"""


def application(settings: Settings, *, reads_need_login: bool = False) -> ASGIApp:
    """The pages as an application for uvicorn. Raises UserError if the store cannot be reached.

    MLflow's own check lets pages at every other port of this machine read and write, and its own login is asked for
    every request: docs/decisions/0023.
    """
    connect(settings)
    artifacts.read_no_others()
    from mlflow.server import constants

    # what `mlflow ui` sets for the application that it starts; it keeps no artifacts for others
    os.environ[constants.BACKEND_STORE_URI_ENV_VAR] = settings.tracking.store
    os.environ[constants.ARTIFACT_ROOT_ENV_VAR] = artifact_folder(settings).as_posix()
    os.environ[constants.SERVE_ARTIFACTS_ENV_VAR] = "false"
    os.environ["MLFLOW_SERVER_ENABLE_JOB_EXECUTION"] = "false"
    os.environ.pop("MLFLOW_DEPLOYMENTS_TARGET", None)  # a gateway, to which it would pass requests on
    from mlflow.server.fastapi_app import app
    from mlflow.server.graphql.graphql_schema_extensions import schema

    schema.graphql_schema.mutation_type = None  # its path says nothing about what a request does
    app.router.routes.insert(0, Route("/", _first_page))
    return OwnAddressOnly(Doors(app, READS, WRITES, login(), reads_need_login=reads_need_login))


async def _first_page(_: Request) -> HTMLResponse:
    """MLflow's, which holds all others: those of models, without its assistant, whose routes are shut."""
    from mlflow.server import app

    page = Path(str(app.static_folder), "index.html").read_text(encoding="utf-8")
    return HTMLResponse(page.replace("<head>", _HEAD, 1), headers={"Cache-Control": "no-cache"})


def list_of_runs(settings: Settings) -> str:
    """Where MLflow's pages have the list of the runs with their estimates, below their address; "" before the first."""
    from mlflow import MlflowClient

    found = experiments.find(MlflowClient(), settings)
    return "" if found is None else shared_view.address(found)
