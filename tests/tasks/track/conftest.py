"""A new store, which MLflow takes seconds to make."""

import contextlib

import pytest

from tasks.track.store import connect


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory, settings_with):
    """The database of a new store, to be copied."""
    path = tmp_path_factory.mktemp("store") / "mlflow.db"
    with contextlib.chdir(path.parent):  # a store is below the current folder
        connect(settings_with(f"tracking.uri=sqlite:///{path}"))
    return path
