"""A new store, which MLflow takes seconds to make."""

import contextlib
import functools

import pytest

from tasks.outcome.items import Tag
from tasks.storage.seen_rows import SeenRows
from tasks.track.ledger_tags import HIDDEN
from tasks.track.store import connect

# what every validation says of its rows
SAID = [Tag(f"{HIDDEN}rows.{name}", text) for name, text in SeenRows(partition="p", trained="t").texts().items()]


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory, settings_with):
    """The database of a new store, to be copied; MLflow reads its migrations once, and not for each copy."""
    from mlflow.store.db import utils

    path = tmp_path_factory.mktemp("store") / "mlflow.db"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(utils, "_get_latest_schema_revision", functools.cache(utils._get_latest_schema_revision))
        with contextlib.chdir(path.parent):  # a store is below the current folder
            connect(settings_with(f"tracking.uri=sqlite:///{path}"))
        yield path
