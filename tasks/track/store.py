"""The MLflow store that `tracking` names: the client, what it makes, and its runs."""

import contextlib
import fcntl
import functools
import logging
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from tasks.params import Settings
from tasks.runtime.empty_database import begin
from tasks.runtime.errors import UserError, one_line, without_secrets
from tasks.track import address
from tasks.track.artifacts import keep_in

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Run

_SQLITE = "sqlite:///"
_RUNS_A_PAGE = 1000
_KIND = {"mlflow.experimentKind": "custom_model_development"}  # the pages are those of models, not of chats
_PATIENCE_SECONDS = 45  # for a store that another program has locked


def connect(settings: Settings) -> "MlflowClient":
    """A client of the store, which becomes MLflow's own; a store that is missing is made.

    Waits for a store that is locked. Raises UserError if it cannot be opened for writing, does not answer, needs a
    package that is not installed, or is a server for which the user does not vouch.
    """
    import mlflow

    tracking, path = settings.tracking, database(settings)
    address.say_which(tracking.uri)
    _prepare_mlflow()
    keep_in(artifact_folder(settings), tracking.artifacts, tracking.store)
    try:
        if path is not None:
            _open(path)
        else:
            address.reach(tracking)
        with address.variables_kept():
            mlflow.set_tracking_uri(tracking.store)
            mlflow.set_registry_uri(tracking.store)
        client = mlflow.MlflowClient()
        client.search_experiments(max_results=1)
        client.search_registered_models(max_results=1)
    except UserError:
        raise
    except Exception as error:  # SQLite's, MLflow's, SQLAlchemy's, alembic's
        raise UserError(
            f"{tracking.named_by} is {tracking.address}, which does not answer ({reason(error)}); start the store, or "
            f"fix {tracking.named_by}"
        ) from None
    return client


def make_experiment(client: "MlflowClient", settings: Settings, name: str, tags: Mapping[str, str]) -> str:
    """Make an experiment; returns its id.

    It keeps its artifacts where `tracking.artifacts` says. Where it says nothing, a server decides; those of a database
    are next to it, if it is a file, or below `mlruns`, at a relative place.
    """
    tracking, tags = settings.tracking, {**_KIND, **tags}
    if tracking.artifacts is not None or tracking.store.startswith("http"):
        return client.create_experiment(name, tracking.artifacts, tags=tags)
    place = artifact_folder(settings).as_posix()
    created = client.create_experiment(name, place, tags=tags)
    _make_relative(tracking.store, created, place)
    return created


def artifact_folder(settings: Settings) -> Path:
    """The folder of artifacts that are kept here: next to the store's file, else `mlruns/artifacts`."""
    path = database(settings)
    return (Path("mlruns") if path is None else path.parent) / "artifacts"


def _make_relative(uri: str, experiment: str, place: str) -> None:
    """Undo that MLflow makes the place absolute: a copied checkout would then write into the original."""
    from mlflow.store.tracking.dbmodels.models import SqlExperiment
    from mlflow.tracking._tracking_service.utils import _get_store

    store: Any = _get_store(uri)  # type: ignore[no-untyped-call]
    with store.ManagedSessionMaker(read_only=False) as session:
        session.get(SqlExperiment, int(experiment)).artifact_location = place


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


def reason(error: Exception) -> str:
    """Why a store does not answer, without the statement that SQLAlchemy adds, and without secrets."""
    first = str(error).strip().partition("\n")[0]
    return one_line(without_secrets(first)) or type(error).__name__


def failures() -> tuple[type[Exception], ...]:
    """What MLflow raises if a store that answered before does not do so any more."""
    from mlflow.exceptions import MlflowException
    from sqlalchemy.exc import SQLAlchemyError

    return MlflowException, SQLAlchemyError, sqlite3.Error, OSError, *_failures_of_buckets()


def _failures_of_buckets() -> tuple[type[Exception], ...]:
    if find_spec("boto3") is None:
        return ()
    from boto3.exceptions import Boto3Error  # type: ignore[import-untyped]
    from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]

    return Boto3Error, BotoCoreError, ClientError


def database(settings: Settings) -> Path | None:
    """The file of a SQLite store."""
    uri = settings.tracking.store
    return Path(uri.removeprefix(_SQLITE)) if uri.startswith(_SQLITE) else None


def _open(path: Path) -> None:
    """Wait until the database can be written to. Raises ValueError for a database of another program."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.stat().st_size == 0:
        _make(path)
    with contextlib.closing(sqlite3.connect(path, timeout=_PATIENCE_SECONDS, isolation_level=None)) as database:
        database.execute("BEGIN IMMEDIATE")
        database.execute("ROLLBACK")
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if "alembic_version" not in tables:
        raise ValueError("it is the database of another program")


def _make(path: Path) -> None:
    """A new store, which appears complete: a kill during MLflow's migrations leaves a draft, which the next removes."""
    import mlflow

    stem = f".{path.name}.new-"
    for left in path.parent.glob(f"{stem}*"):
        owner = left.name.removeprefix(stem).partition("-")[0]
        if not (owner.isdigit() and psutil.pid_exists(int(owner))):
            left.unlink(missing_ok=True)
    draft = path.with_name(f"{stem}{os.getpid()}")
    draft.unlink(missing_ok=True)
    begin(draft, f"mlflow-{mlflow.__version__}.db", functools.partial(_migrate, draft))
    with contextlib.closing(sqlite3.connect(draft)) as database, database:
        now = int(1000 * time.time())
        # MLflow's place is absolute: of the folder in which the first store was made
        database.execute(
            "UPDATE experiments SET artifact_location = 'mlruns/0', creation_time = ?, last_update_time = ?", (now, now)
        )
    try:
        path.hardlink_to(draft)
    except FileExistsError:  # another process was first, or there is an empty file
        _replace_empty(path, draft)
    draft.unlink(missing_ok=True)


def _migrate(path: Path) -> None:
    from mlflow.store.tracking import DEFAULT_LOCAL_FILE_AND_ARTIFACT_PATH
    from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore

    store: Any = SqlAlchemyStore(f"{_SQLITE}{path}", DEFAULT_LOCAL_FILE_AND_ARTIFACT_PATH)  # type: ignore[no-untyped-call]
    store.engine.dispose()


def _replace_empty(path: Path, draft: Path) -> None:
    """Put the draft in the place of an empty file, but of no store that another process has put there meanwhile."""
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # of two processes the second waits, and then sees another file at the path
        if os.path.samestat(os.fstat(file.fileno()), path.stat()) and path.stat().st_size == 0:
            draft.replace(path)


@functools.cache
def _prepare_mlflow() -> None:
    """Have MLflow wait for a locked database as long as we do, and leave it to us to report what failed."""
    import mlflow  # noqa: F401  # it sets the level of its logger
    from sqlalchemy import Engine, event

    for name in ("mlflow", "alembic"):
        logging.getLogger(name).setLevel(logging.CRITICAL)

    def patient(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> tuple[str, Any]:
        # MLflow sets 20 seconds at the start of each session
        waits = statement.startswith("PRAGMA busy_timeout")
        return f"PRAGMA busy_timeout = {1000 * _PATIENCE_SECONDS}" if waits else statement, parameters

    event.listen(Engine, "before_cursor_execute", patient, retval=True)
