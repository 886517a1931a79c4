"""Which store a run has, the parameters' or the environment's, and whether this Python can talk to it."""

import functools
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager

from tasks.params.running import DEFAULT, VARIABLE, Tracking
from tasks.runtime import vouched_hosts
from tasks.runtime.errors import UserError, without_secrets

log = logging.getLogger("heldout")


@functools.cache
def say_which(uri: str | None) -> None:
    """Log, once, which of `tracking.uri` and the environment's variable names the store, unless there is no doubt."""
    other = os.environ.get(VARIABLE)
    if uri is None:
        source = f"of {VARIABLE}" if other else f"since {VARIABLE} is not set"
        log.info("the MLflow store is %s, %s", without_secrets(other or DEFAULT), source)
    elif other and other != uri:
        log.warning(
            "tracking.uri is %s, and is used; %s is %s, and is not used: write tracking.uri: null to use it",
            *map(without_secrets, (uri, VARIABLE, other)),
        )


@contextmanager
def variables_kept() -> Iterator[None]:
    """Leave the environment's variables to the user: MLflow writes the store into them, with its password."""
    before = {name: os.environ.get(name) for name in (VARIABLE, "MLFLOW_REGISTRY_URI")}
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


def reach(tracking: Tracking) -> None:
    """Have nobody but a server for which the user vouches get the login of the environment, and see whether it answers.

    A database is connected to once: MLflow would try ten times, which takes 100 seconds. Raises UserError if nobody
    vouches for the server, or a database's driver is not installed, and what SQLAlchemy raises if it does not answer.
    """
    if tracking.store.startswith("http"):
        _check_vouched(tracking)
        return
    from sqlalchemy import create_engine

    try:
        engine = create_engine(tracking.store)
    except ImportError as error:
        package = "the extra postgres: pip install '.[postgres]'"
        if "+psycopg:" not in tracking.store:
            package = f"the Python package {error.name}; install it, or use a postgresql:// address"
        raise UserError(f"{tracking.named_by} is {tracking.address}, which needs {package}") from None
    _check_vouched(tracking)
    with engine.connect():
        pass
    engine.dispose()


def _check_vouched(tracking: Tracking) -> None:
    vouched_hosts.check(
        tracking.named_by,
        tracking.address,
        tracking.own_stores,
        remedy=f"set the environment variable {VARIABLE} to this address",
        gets="it would be sent the logins of your environment, and your results",
    )
