"""The MLflow store is lost while the real commands run: results, exit code, one message, and the run when run again."""

import json
import os
import random
import shutil
import signal
import sqlite3
import time

import pytest
from mlflow import MlflowClient

from tasks.track.lifecycle import AGAIN_IN_STORE
from tasks.track.promote import PROMOTED

pytestmark = pytest.mark.long


@pytest.fixture
def lost(clone, server, write_params):
    """A function that runs a command, during which `how` happens to the store; returns checkout, exit code, words."""

    def run(how, *command):
        checkout = clone(server)
        write_params(checkout.path / "params.yaml", execution={"workers": 1})
        said = checkout.path.parent / "said.txt"
        with said.open("w") as file:
            process = checkout.start(*command, stdout=file, stderr=file)
            checkout.wait_until((checkout.path / "data/results/fits").exists, process, seconds=300)
            how(checkout.path / "mlruns")
            process.wait(300)
        return checkout, process.returncode, said.read_text()

    return run


def parents(checkout):
    client = MlflowClient(f"sqlite:///{checkout.path}/mlruns/mlflow.db")
    experiment = client.get_experiment_by_name("heldout").experiment_id
    return client.search_runs([experiment], "tags.`mlflow.parentRunId` IS NULL")


def fits(checkout):
    return {path.name for path in (checkout.path / ".cache/tasks").rglob("*") if path.is_file()}


def garbage(folder):
    (folder / "mlflow.db").write_bytes(random.Random(0).randbytes(100_000))


def e_test(checkout):
    return json.loads((checkout.path / "reports/selection.json").read_text())["E_test"]


def is_there_when_run_again(checkout, said, again):
    assert 1 == said.count(AGAIN_IN_STORE)
    assert [] == [word for word in ("Traceback", "sqlalche.me", "alembic", "SQL:") if word in said]
    assert "up to date" in checkout.run("dvc", "status").stdout
    before = {**checkout.hashes("data/prepared", "models"), **dict.fromkeys(fits(checkout))}
    assert None is e_test(checkout)  # it is opened once the ledger can say so
    assert "but for the test set, which stays sealed" in said
    checkout.run(*again)
    assert before == {**checkout.hashes("data/prepared", "models"), **dict.fromkeys(fits(checkout))}
    assert None is not e_test(checkout)
    assert "up to date" in checkout.run("dvc", "status").stdout
    (run,) = parents(checkout)
    assert "FINISHED" == run.info.status
    assert {"E_cv"} <= {*run.data.metrics}
    loaded = "import mlflow; mlflow.set_tracking_uri('sqlite:///mlruns/mlflow.db'); "
    loaded += f"mlflow.sklearn.load_model('runs:/{run.info.run_id}/{run.data.tags['selected_model']}')"
    checkout.run("python", "-c", loaded)
    return run


@pytest.mark.fault("mlflow")
def test_a_validation_ends_with_3_and_a_new_store_has_it_when_it_is_run_again(lost):
    command = ("python", "-m", "flows", "validate", "--promote")
    checkout, code, said = lost(shutil.rmtree, *command)
    assert 3 == code, said
    run = is_there_when_run_again(checkout, said, command)
    assert ("first", True) == (run.data.tags[PROMOTED].partition(":")[0], "E_test" in run.data.metrics)


@pytest.mark.fault("mlflow")
def test_dvc_repro_keeps_all_outputs(lost):
    checkout, code, said = lost(garbage, "dvc", "repro")
    assert 0 == code, said
    (checkout.path / "mlruns/mlflow.db").unlink()
    is_there_when_run_again(checkout, said, AGAIN_IN_STORE.split())


@pytest.mark.fault("mlflow")
def test_a_store_that_is_locked_for_half_a_minute_is_waited_for(lost):
    def lock(folder):
        connection = sqlite3.connect(folder / "mlflow.db", isolation_level=None, timeout=30)
        connection.execute("BEGIN EXCLUSIVE")
        time.sleep(30)
        connection.close()

    checkout, code, said = lost(lock, "python", "-m", "flows", "validate")
    assert 0 == code, said
    assert ["FINISHED"] == [run.info.status for run in parents(checkout)]


@pytest.mark.fault("new store")
def test_a_kill_while_a_new_store_is_made_leaves_none_or_a_whole_one(clone, tmp_path):
    checkout, first = clone(), ("env", f"XDG_STATE_HOME={tmp_path}")  # of a user with no empty store to copy
    program = "from tasks.runtime import environment; environment.enter()\n"
    program += "from tasks.params import load; from tasks.track.store import connect; connect(load())"
    for seconds in (0.05, 0.4, 0.8):
        process = checkout.start(*first, "python", "-c", program)
        checkout.wait_until(lambda: [*(checkout.path / "mlruns").glob(".mlflow.db.new-*")], process)
        time.sleep(seconds)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert not (checkout.path / "mlruns/mlflow.db").exists()
        assert [] == [*tmp_path.glob("heldout/mlflow*")]
    for _ in range(2):  # by migrations, and as a copy
        (checkout.path / "mlruns/mlflow.db").unlink(missing_ok=True)
        checkout.run(*first, "python", "-c", program)
    assert ["mlflow.db"] == [path.name for path in (checkout.path / "mlruns").iterdir()]
