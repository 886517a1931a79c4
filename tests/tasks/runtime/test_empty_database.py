"""The database of a new server: a copy of an empty one of this user, equal to what Prefect's migrations make."""

import contextlib
import sqlite3
import stat
import subprocess
import sys
import time
from pathlib import Path

import mlflow
import prefect
import pytest
from prefect.settings import PREFECT_API_DATABASE_CONNECTION_URL, temporary_settings

from tasks.runtime import empty_database
from tasks.track.store import connect

MADE = "from tasks.runtime.empty_database import prepare; prepare()"


@pytest.fixture
def state(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "state").mkdir()
    return tmp_path / "state/heldout"


def at(database: object):
    return temporary_settings({PREFECT_API_DATABASE_CONNECTION_URL: f"sqlite+aiosqlite:///{database}"})


def schema(database: Path) -> list[tuple[str, ...]]:
    with contextlib.closing(sqlite3.connect(database)) as connection:
        found = [*connection.execute("SELECT name, sql FROM sqlite_master ORDER BY name")]
        return [*found, *connection.execute("SELECT version_num FROM alembic_version")]


def test_a_new_database_is_a_copy_and_one_that_is_there_stays(tmp_path, state):
    state.mkdir(mode=0o700)
    with contextlib.closing(sqlite3.connect(state / f"prefect-{prefect.__version__}.db")) as kept:
        kept.execute("CREATE TABLE alembic_version (version_num)")
    with at(tmp_path / "new.db"):
        empty_database.prepare()
        assert 1 == len(schema(tmp_path / "new.db"))
        assert 0o600 == stat.S_IMODE((tmp_path / "new.db").stat().st_mode)
        (tmp_path / "new.db").write_text("of a user")
        empty_database.prepare()
    assert "of a user" == (tmp_path / "new.db").read_text()
    assert {"new.db", "state"} == {path.name for path in tmp_path.iterdir()}


@pytest.mark.parametrize("url", ["sqlite+aiosqlite:///:memory:", "postgresql+asyncpg://a:b@127.0.0.1:1/prefect"])
def test_a_database_of_another_kind_is_left_to_prefect(url, state):
    with temporary_settings({PREFECT_API_DATABASE_CONNECTION_URL: url}):
        empty_database.prepare()
    assert not state.exists()


def test_a_new_mlflow_store_is_a_copy_of_the_first_and_names_no_folder_of_it(tmp_path, state, settings_with):
    found = []
    for name in ("first", "second"):
        settings = settings_with(f"tracking.uri=sqlite:///{tmp_path}/{name}/mlflow.db")
        before = 1000 * time.time()
        (experiment,) = connect(settings).search_experiments()
        assert before - 1 <= experiment.creation_time <= 1000 * time.time()
        assert "mlruns/0" == experiment.artifact_location
        (plain := tmp_path / "plain").touch()
        readers = [path.stat().st_mode & 0o444 for path in (plain, tmp_path / name / "mlflow.db")]
        assert readers[0] == readers[1]  # no secret is in it
        found.append(schema(tmp_path / name / "mlflow.db"))
    (kept,) = state.iterdir()
    assert f"mlflow-{mlflow.__version__}.db" == kept.name
    assert found[0] == found[1] == schema(kept)
    kept.write_bytes(b"no database")
    third = settings_with(f"tracking.uri=sqlite:///{tmp_path}/third/mlflow.db")
    assert 1 == len(connect(third).search_experiments())


@pytest.mark.slow
def test_the_first_server_of_a_user_leaves_what_the_second_begins_with(tmp_path, state, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]))
    found = []
    for name in ("first", "second"):
        monkeypatch.setenv("PREFECT_HOME", str(tmp_path / name))
        subprocess.run([sys.executable, "-c", MADE], check=True)
        found.append(schema(tmp_path / name / "prefect.db"))
    (kept,) = state.iterdir()
    assert found[0] == found[1] == schema(kept)
    assert len(found[0]) > 100
    with contextlib.closing(sqlite3.connect(kept)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        filled = {name for name in tables if connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0]}
    assert {"alembic_version"} == filled
