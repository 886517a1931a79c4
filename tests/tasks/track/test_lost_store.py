"""Stores that do not answer: at the start an error, later a record on disk that is sent once, also to a new store."""

import json
import shutil
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest

from tasks.outcome.items import Artifact, Dataset, Note, Tag, TrackedMetric, TrackedTable
from tasks.runtime.errors import NotSent, UserError
from tasks.track import lifecycle, store
from tasks.track.experiments import experiment_id
from tasks.track.send_pending import send_pending
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
    assert not Path("pending").exists()
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


def lose(settings, how, *, tags=()):
    """A run with a candidate, an input and an artifact, during which the store is lost; returns the message."""
    Path("reports").mkdir(exist_ok=True)
    Path("reports/a.csv").write_text("a\n1\n")
    with lifecycle.run(settings):
        lifecycle.send_to_run([TrackedMetric("before", 1.0)])
        held = how()
        table = pd.DataFrame({"x": [0.5], "y": [1]})
        data = Dataset("labeled", table, "y", Path("labeled.parquet"), "abc", "validation")
        lifecycle.send_to_run([TrackedMetric("E_cv", 1 / 3), data, Artifact(Path("reports/a.csv"), "plots"), *tags])
        estimates = pd.DataFrame({"candidate": ["=bayes", "tree"], "value": [1 / 3, None]})
        lifecycle.send_to_run([TrackedTable("estimates.json", estimates), Note("[report]({page}/artifacts/a.csv)")])
        lifecycle.active().send_candidate("bayes", [TrackedMetric("E_cv", 0.5), Tag("warnings", "none")], failed=False)
    with pytest.raises(NotSent) as lost:
        lifecycle.check_sent()
    lifecycle.check_sent()  # which tells it once
    shutil.rmtree("reports")  # the next run writes over it
    if held is not None:
        held.close()
    return str(lost.value)


def is_there_once(settings):
    (parent,) = found(settings)
    assert ("FINISHED", 1 / 3, 1.0) == (parent.info.status, parent.data.metrics["E_cv"], parent.data.metrics["before"])
    assert ["labeled"] == [given.dataset.name for given in parent.inputs.dataset_inputs]
    assert {"promoted", "promotion_reason", "git_commit"} <= {*parent.data.tags}
    assert parent.info.end_time >= parent.info.start_time > 0
    client = connect(settings)
    assert ["plots/a.csv"] == [file.path for file in client.list_artifacts(parent.info.run_id, "plots")]
    page = f"#/experiments/{parent.info.experiment_id}/runs/{parent.info.run_id}"
    assert f"[report]({page}/artifacts/a.csv)" == parent.data.tags["mlflow.note.content"]
    table = client.load_table(parent.info.experiment_id, "estimates.json", run_ids=[parent.info.run_id])
    assert ["=bayes", "tree"] == table["candidate"].tolist()
    assert [1 / 3, None] == [None if pd.isna(value) else pytest.approx(value) for value in table["value"]]
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
def test_a_store_that_is_lost_during_the_run_gets_it_later_once(settings, how, capfd):
    message = lose(settings(), LOSSES[how])
    assert 1 == message.count("python -m flows log")
    assert "" == "".join(capfd.readouterr())  # MLflow's own words are for nobody
    (record,) = Path("pending").glob("*/record.json")
    assert "mlflow.db" not in record.read_text()
    assert "uri" not in json.loads(record.read_text())
    if how == "garbage":
        with pytest.raises(UserError, match=r"^tracking\.uri is"):
            list(send_pending(settings()))
    target = settings(STORE if how == "locked" else NEW)
    (line,) = send_pending(target)
    assert "FINISHED" == line.status
    is_there_once(target)
    assert [] == [*Path("pending").iterdir()]
    assert [] == list(send_pending(target))
    is_there_once(target)


@pytest.mark.fault("mlflow")
def test_a_run_that_a_store_has_in_part_is_replaced_there(settings):
    """The store comes back, or `log` was killed while it sent."""
    lose(settings(), lock)
    (half,) = found(settings())
    assert ("RUNNING", 1) == (half.info.status, len(half.data.metrics))
    list(send_pending(settings()))
    is_there_once(settings())
    assert half.info.run_id != found(settings())[0].info.run_id


@pytest.mark.fault("mlflow")
def test_a_run_that_only_lacks_its_end_is_ended(settings):
    with lifecycle.run(settings()):
        client, run_id = lifecycle.active().client, lifecycle.active().run_id
        lifecycle.send_to_run([Tag("promoted", "yes"), Tag("promotion_reason", "shown")])
        held = lock()
    with pytest.raises(NotSent):
        lifecycle.check_sent()
    held.close()
    list(send_pending(settings()))
    run = client.get_run(run_id)
    assert ("FINISHED", "yes") == (run.info.status, run.data.tags["promoted"])
    assert 1 == len(found(settings()))


@pytest.mark.fault("mlflow")
def test_a_run_that_failed_after_the_loss_is_sent_as_failed(settings):
    """What it had compared was seen all the same."""

    def fails():
        with lifecycle.run(settings()), closing(lock()):
            lifecycle.send_to_run([Tag("data_hash", "table"), Tag("compared.abc", "bayes"), *SAID])
            raise ValueError("oh")

    with pytest.raises(ValueError, match="oh"):
        fails()
    list(send_pending(settings(NEW)))
    (run,) = found(settings(NEW))
    assert ("FAILED", "oh", "bayes") == (run.info.status, run.data.tags["failure"], run.data.tags["compared.abc"])
