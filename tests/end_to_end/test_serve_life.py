"""`make serve` over days: a schedule that is too fast, a run by hand meanwhile, a kill, and the next start."""

import os
import signal
import socket
import sqlite3
from collections import Counter

import pytest
import yaml
from mlflow import MlflowClient

SCHEDULED_SECONDS, GONE_SECONDS, STOP_SECONDS = 120, 15, 60
PATIENCE_SECONDS = 500
READY = "PREFECT_API_URL=http://127.0.0.1:4200/api"
NIGHTLY_RUN, OUTSIDE = "validate/nightly-validation", "sqlite:////srv/outside.db"
NIGHTLY = "the deployment nightly-validation"


def states(checkout) -> Counter:
    """How many runs of the deployment are in each state."""
    with sqlite3.connect(f"file:{checkout.path}/.prefect/prefect.db?mode=ro", uri=True) as database:
        rows = database.execute("SELECT state_type FROM flow_run WHERE deployment_id IS NOT NULL").fetchall()
    return Counter(state for (state,) in rows)


def every(seconds: int | None, checkout) -> None:
    """Run nightly-validation every so many seconds, or only when asked."""
    path = checkout.path / "prefect.yaml"
    written = yaml.safe_load(path.read_text())
    written["deployments"][0]["schedules"] = [{"interval": seconds, "active": True}] if seconds else []
    path.write_text(yaml.safe_dump(written))


@pytest.fixture
def serving(clone, write_slow):
    """A function that starts `make serve` in a clone, and the clone."""
    for port in (4200, 5000):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                pytest.skip(f"port {port} is taken")
    checkout = clone()
    write_slow(checkout.path)
    said = checkout.path.parent / "said.txt"

    def start():
        with said.open("w") as file:
            process = checkout.start("python", "-m", "flows.serve", stdout=file, stderr=file)
        checkout.wait_until(lambda: READY in said.read_text().splitlines(), process, PATIENCE_SECONDS)
        return process, said

    yield checkout, start
    for left in checkout.processes():
        left.kill()


def owner(checkout) -> str:
    lock = checkout.path / ".cache/lock"
    return lock.read_text() if lock.exists() else ""


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.fault("schedule")
@pytest.mark.fault("two runs")
@pytest.mark.fault("killed alone")
def test_a_fast_schedule_a_run_by_hand_a_kill_and_the_next_start(serving):
    checkout, start = serving
    every(10, checkout)
    process, said = start()
    checkout.wait_until(lambda: NIGHTLY in owner(checkout), process, SCHEDULED_SECONDS)  # fired by itself
    by_hand = checkout.flow("validate", check=False)
    assert 2 == by_hand.returncode
    assert NIGHTLY in by_hand.stderr
    checkout.wait_until(lambda: states(checkout)["CANCELLED"] >= 2, process, PATIENCE_SECONDS)
    assert 1 == states(checkout)["RUNNING"]
    process.kill()
    process.wait()
    checkout.wait_until(lambda: not checkout.processes(), seconds=GONE_SECONDS)
    assert 1 == states(checkout)["RUNNING"]

    with sqlite3.connect(checkout.path / ".prefect/prefect.db") as database:  # a count that nothing explains
        database.execute("UPDATE concurrency_limit_v2 SET active_slots = 5")
    every(None, checkout)
    by_hand = checkout.start("python", "-m", "flows", "validate", "--set", "covalidation.repeats=100")  # 40 seconds
    checkout.wait_until(lambda: "python -m flows validate" in owner(checkout), by_hand, PATIENCE_SECONDS)
    process, said = start()
    checkout.run("prefect", "deployment", "run", NIGHTLY_RUN)  # it waits for the run by hand, if none was due before
    checkout.wait_until(
        lambda: "python -m flows validate) runs in this checkout; waiting" in said.read_text(),
        process,
        PATIENCE_SECONDS,
    )
    asked = checkout.run("prefect", "deployment", "run", NIGHTLY_RUN, "--watch", check=False)
    assert "Cancelled" in asked.stdout
    assert 0 == by_hand.wait()
    checkout.wait_until(lambda: states(checkout)["COMPLETED"] == 1, process, PATIENCE_SECONDS)
    assert (0, 0, 1) == tuple(states(checkout)[name] for name in ("RUNNING", "PENDING", "CRASHED"))
    run = ("prefect", "deployment", "run")
    ask = (*run, NIGHTLY_RUN, "--watch", "-p", f'overrides=["tracking.uri={OUTSIDE}"]')
    # as long as the run before it holds its place, it is cancelled
    checkout.wait_until(lambda: "Failed" in checkout.run(*ask, check=False).stdout, process, PATIENCE_SECONDS)
    assert f"tracking.uri is set to '{OUTSIDE}'" in said.read_text()
    assert "Traceback" not in said.read_text()
    study = checkout.run(*run, "study/weekly-study", "--watch", "-p", "halvings=2")
    assert "Completed" in study.stdout
    assert "study: winner all, won 2" in said.read_text()
    checkout.run("prefect", "event", "emit", "heldout.shards.arrived", "--resource-id", "heldout.shards")
    checkout.wait_until(lambda: "for flow 'watch'" in said.read_text(), process, PATIENCE_SECONDS)
    os.kill(process.pid, signal.SIGINT)
    assert 0 == process.wait(STOP_SECONDS)
    assert [] == checkout.processes()


TOO_LONG = """
from tasks.runtime import environment
environment.enter()
from flows.validate import validate
validate.with_options(timeout_seconds=12)()
"""


@pytest.mark.long
def test_a_run_that_takes_longer_than_its_timeout_ends_as_failed_and_leaves_no_process(clone, server, write_slow):
    checkout = clone(server)
    write_slow(checkout.path)
    run = checkout.run("python", "-c", TOO_LONG, check=False)
    assert 0 != run.returncode
    assert "timed out after 12" in run.stderr
    checkout.wait_until(lambda: not checkout.processes(), seconds=GONE_SECONDS)
    client = MlflowClient(f"sqlite:///{checkout.path}/mlruns/mlflow.db")
    experiment = client.get_experiment_by_name("heldout")  # none, if the time was over before the store was reached
    left = client.search_runs([experiment.experiment_id]) if experiment else []
    assert {run.info.status for run in left} <= {"FAILED"}
