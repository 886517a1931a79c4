"""Stores that do not answer: at the start an error; later the run goes on, and its store gets it from a further run."""

import shutil
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest

from flows.session import report_error
from tasks.outcome.items import DATA_HASH, Artifact, Dataset, Note, Tag, TrackedMetric
from tasks.runtime.errors import NotSent, UserError
from tasks.track import lifecycle, store
from tasks.track.experiments import experiment_id
from tasks.track.store import connect, runs
from tests.tasks.track.conftest import SAID
from tests.variants import some

STORE, NEW = Path("mlflow.db"), Path("new.db")


@pytest.fixture
def settings(checkout, empty_store, settings_with, monkeypatch):
    """A store, another that is new, and half a second of patience."""
    for path in (STORE, NEW):
        shutil.copy(empty_store, path)
    monkeypatch.setattr(store, "_PATIENCE_SECONDS", 0.5)
    return lambda path=STORE: settings_with(f"tracking.uri=sqlite:///{checkout}/{path}")


def lock() -> sqlite3.Connection:
    connection = sqlite3.connect(STORE, isolation_level=None, check_same_thread=False)
    connection.execute("BEGIN EXCLUSIVE")
    return connection


def garbage(path: Path) -> None:
    path.write_bytes(b"garbage" * 1000)


def of_another_program(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE mine (x)")


def of_another_version(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = 'another'")


@pytest.mark.fault("mlflow at the start")
@pytest.mark.parametrize(
    ("change", "part"),
    [
        (garbage, "not a database"),
        (of_another_program, "another program"),
        (of_another_version, "another"),
        (lambda _: lock(), "locked"),
    ],
    ids=["garbage", "another program", "another version", "locked"],
)
def test_a_store_that_does_not_answer_at_the_start_is_an_error_and_stays_as_it_is(settings, change, part, capfd):
    held = change(STORE)
    before = STORE.read_bytes()
    with pytest.raises(UserError, match=f"^tracking.uri is sqlite.*{part}") as error, lifecycle.run(settings()):
        pytest.fail("the run began")
    assert not isinstance(error.value, NotSent)
    assert before == STORE.read_bytes()
    assert "" == "".join(capfd.readouterr())
    del held


@pytest.mark.fault("mlflow at the start")
def test_a_store_that_is_locked_for_a_while_is_waited_for(settings, monkeypatch):
    monkeypatch.setattr(store, "_PATIENCE_SECONDS", 30)
    for when in ("at the start", "later"):
        held = lock()
        threading.Timer(1, held.close).start()
        began = time.monotonic()
        with lifecycle.run(settings()):
            if when == "later":
                held = lock()
                threading.Timer(1, held.close).start()
            lifecycle.send_to_run([TrackedMetric("E_cv", 0.5)])
        lifecycle.check_sent()
        assert 1 < time.monotonic() - began < 25
    assert ["FINISHED"] * 2 == [run.info.status for run in found(settings())]


def found(settings):
    client = connect(settings)
    return client.search_runs([experiment_id(client, settings)], "tags.`mlflow.parentRunId` IS NULL")


def validate(settings, how=lambda: None):
    """A run with a candidate, an input and an artifact, during which `how` happens to the store; what is left of it."""
    with lifecycle.run(settings):
        lifecycle.send_to_run([TrackedMetric("before", 1.0)])
        left = how()
        table = pd.DataFrame({"x": [0.5], "y": [1]})
        data = Dataset("labeled", table, "y", Path("labeled.parquet"), "abc", "validation")
        lifecycle.send_to_run([TrackedMetric("E_cv", 1 / 3), data, Artifact(Path("report.html"), "plots")])
        lifecycle.send_to_run([Note("[report]({page}/artifacts/a.csv)")])
        lifecycle.active().send_candidate("bayes", [TrackedMetric("E_cv", 0.5), Tag("warnings", "none")], failed=False)
    return left


def is_whole(parent, client):
    """Whether a run has all that it was sent."""
    assert ("FINISHED", 1 / 3, 1.0) == (parent.info.status, parent.data.metrics["E_cv"], parent.data.metrics["before"])
    assert ["labeled"] == [given.dataset.name for given in parent.inputs.dataset_inputs]
    assert parent.info.end_time >= parent.info.start_time > 0
    assert ["plots/report.html"] == [file.path for file in client.list_artifacts(parent.info.run_id, "plots")]
    page = f"#/experiments/{parent.info.experiment_id}/runs/{parent.info.run_id}"
    assert f"[report]({page}/artifacts/a.csv)" == parent.data.tags["mlflow.note.content"]
    children = list(runs(client, f"tags.`mlflow.parentRunId` = '{parent.info.run_id}'"))
    assert [("bayes", "FINISHED", {"E_cv": 0.5})] == [
        (child.info.run_name, child.info.status, child.data.metrics) for child in children
    ]


LOSSES = {
    "locked": lock,
    "gone": lambda: STORE.unlink(),
    "garbage": lambda: garbage(STORE),
    "of another program": lambda: of_another_program(STORE),
}


@pytest.mark.fault("mlflow")
@pytest.mark.parametrize("how", some(LOSSES, "gone"))
def test_a_run_goes_on_without_a_store_that_is_lost_and_run_again_it_is_there_whole(settings, how, capfd):
    Path("report.html").write_text("a report")
    held = validate(settings(), LOSSES[how])
    assert "" == "".join(capfd.readouterr())  # MLflow's own words are for nobody
    with pytest.raises(NotSent) as lost:
        lifecycle.check_sent()
    lifecycle.check_sent()  # which tells it once
    assert 3 == report_error(lost.value)
    assert lifecycle.AGAIN_IN_STORE in capfd.readouterr().err
    assert ["report.html"] == [path.name for path in Path().glob("report*")]
    if held is not None:
        held.close()
    target = settings(STORE if how == "locked" else NEW)
    validate(target)
    lifecycle.check_sent()
    whole, *before = found(target)
    is_whole(whole, connect(target))
    assert ["RUNNING"] * (how == "locked") == [run.info.status for run in before]  # until its process is gone


@pytest.mark.fault("mlflow")
def test_a_run_that_fails_after_the_loss_ends_with_its_own_failure(settings):
    def fails():
        with lifecycle.run(settings()), closing(lock()):
            lifecycle.send_to_run([Tag(DATA_HASH, "table"), Tag("compared.abc", "bayes"), *SAID])
            raise ValueError("oh")

    with pytest.raises(ValueError, match="oh"):
        fails()
