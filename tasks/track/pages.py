"""MLflow's pages of the store: they show runs, and change names, notes and tags for who has the login."""

import os

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route
from starlette.types import ASGIApp

from tasks.params import Settings
from tasks.runtime.doors import Doors
from tasks.runtime.listening import LOOPBACK
from tasks.runtime.own_address import OwnAddressOnly
from tasks.runtime.server import login
from tasks.track import artifacts
from tasks.track.first_page import first_page
from tasks.track.page_routes import GATEWAY, HEALTH, READS, WRITES
from tasks.track.store import artifact_folder, connect


def application(settings: Settings, host: str = LOOPBACK, *, reads_need_login: bool = False) -> ASGIApp:
    """The pages as an application for uvicorn, also at `host`. Raises UserError if the store cannot be reached.

    MLflow's own check lets pages at every other port of this machine write, and pages of every name that begins like a
    private address (10.evil.example), and it asks nobody for a login: docs/decisions/0023.
    """
    if host != LOOPBACK:  # MLflow, which reads this at its import, knows loopback and private addresses alone
        os.environ["MLFLOW_SERVER_ALLOWED_HOSTS"] = f"127.0.0.1:*,localhost:*,{host}:*"
        os.environ["MLFLOW_SERVER_CORS_ALLOWED_ORIGINS"] = f"http://{host}:*"
    connect(settings)
    artifacts.read_no_others()
    from mlflow.server import constants

    # what `mlflow ui` sets for the application that it starts; it keeps no artifacts for others
    os.environ[constants.BACKEND_STORE_URI_ENV_VAR] = settings.tracking.store
    os.environ[constants.ARTIFACT_ROOT_ENV_VAR] = artifact_folder(settings).as_posix()
    os.environ[constants.SERVE_ARTIFACTS_ENV_VAR] = "false"
    os.environ["MLFLOW_SERVER_ENABLE_JOB_EXECUTION"] = "false"
    from mlflow.server.fastapi_app import app

    store = [route for route in app.routes if isinstance(route, Mount)]
    app.router.routes[:] = [Route("/", first_page(settings)), Route(GATEWAY, _no_gateway), *store]
    _leave_out_mutations()
    reads = {**READS, "GET": [*READS["GET"], GATEWAY]}
    doors = Doors(app, reads, WRITES, login(), reads_need_login=reads_need_login, always=[HEALTH])
    return OwnAddressOnly(doors, host)


async def _no_gateway(_: Request) -> JSONResponse:
    """What the list of runs asks for, and complains of where it is refused."""
    return JSONResponse({"endpoints": []})


def _leave_out_mutations() -> None:
    """GraphQL's: its path says nothing about what a request does."""
    from mlflow.server.graphql import graphql_schema_extensions as of_mlflow

    of_mlflow.schema = type(of_mlflow.schema)(query=of_mlflow.Query, directives=[of_mlflow.ComponentDirective])
