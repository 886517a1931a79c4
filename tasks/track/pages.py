"""MLflow's pages of the store, for this machine's own pages and programs alone."""

import os

from starlette.routing import Mount
from starlette.types import ASGIApp

from tasks.params import Settings
from tasks.runtime.listening import LOOPBACK
from tasks.runtime.own_address import OwnAddressOnly
from tasks.track.store import connect


def application(settings: Settings, host: str = LOOPBACK) -> ASGIApp:
    """The pages as an application for uvicorn, also at `host`. Raises UserError if the store cannot be reached.

    MLflow's own check lets pages at every other port of this machine write, and pages of every name that begins like a
    private address (10.evil.example), so that it is not enough. Of what MLflow serves, only the part of the store is
    left: its assistant, for one, has a program run commands for whoever reaches the port.
    """
    if host != LOOPBACK:  # MLflow, which reads this at its import, knows loopback and private addresses alone
        os.environ["MLFLOW_SERVER_ALLOWED_HOSTS"] = f"127.0.0.1:*,localhost:*,{host}:*"
        os.environ["MLFLOW_SERVER_CORS_ALLOWED_ORIGINS"] = f"http://{host}:*"
    connect(settings)
    from mlflow.server import constants
    from mlflow.store.tracking import DEFAULT_ARTIFACTS_URI

    # what `mlflow ui` sets for the application that it starts
    os.environ[constants.BACKEND_STORE_URI_ENV_VAR] = settings.tracking.store
    os.environ[constants.ARTIFACT_ROOT_ENV_VAR] = DEFAULT_ARTIFACTS_URI
    os.environ[constants.ARTIFACTS_DESTINATION_ENV_VAR] = "./mlartifacts"
    os.environ[constants.SERVE_ARTIFACTS_ENV_VAR] = "true"
    os.environ["MLFLOW_SERVER_ENABLE_JOB_EXECUTION"] = "false"
    from mlflow.server.fastapi_app import app

    app.router.routes[:] = [route for route in app.routes if isinstance(route, Mount)]  # the store
    return OwnAddressOnly(app, host)
