"""Killed in the middle and started again, a run does what was left, and ends as if nothing had happened."""

import os
import re
import signal
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from mlflow import MlflowClient

FOLDS, ENOUGH = 20, 8


def kill_amid_fits(checkout, *command: str) -> tuple[str, dict[Path, int]]:
    """Start, and kill with all its children when some fits are done.

    Returns what a second run said, and when each unit was stored that was left.
    """
    said, lock = checkout.path.parent / "said.txt", checkout.path / ".cache/lock"
    beginning = "fits: "

    def finished() -> dict[Path, int]:
        found = (checkout.path / ".cache/tasks").glob("*/*")
        return {path: path.stat().st_mtime_ns for path in found if path.suffix == ""}

    with said.open("w") as file:
        process = checkout.start(*command, stdout=file, stderr=file)
        try:
            checkout.wait_until(lambda: lock.exists() and lock.read_text(), process)
            os.killpg(process.pid, signal.SIGSTOP)  # on a machine with other work a second start takes longer than all
            second = checkout.flow("validate", check=False)
            os.killpg(process.pid, signal.SIGCONT)
            checkout.wait_until(lambda: beginning in said.read_text(), process, seconds=300)
            before = len(finished())  # the hold-out and the final fit
            checkout.wait_until(lambda: len(finished()) >= before + ENOUGH, process)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    checkout.wait_until(lambda: not checkout.processes())
    assert len(finished()) < before + 2 * FOLDS
    assert 2 == second.returncode
    return second.stderr, finished()


def counts(said: str, scheme: str) -> tuple[int, int]:
    """Tasks reused and to do, as the log tells."""
    found = re.search(rf"^.*\b{scheme}: (?:(\d+) tasks reused, )?(\d+) to do", said, re.MULTILINE)
    assert found, said
    return int(found[1] or 0), int(found[2])


def statuses(checkout) -> list[str]:
    client = MlflowClient(f"sqlite:///{checkout.path}/mlruns/mlflow.db")
    experiment = client.get_experiment_by_name("heldout").experiment_id
    runs = client.search_runs([experiment], order_by=["attributes.start_time ASC"])
    return [run.info.status for run in runs if "mlflow.parentRunId" not in run.data.tags]


@dataclass(frozen=True)
class Story:
    """What was said by a run that came in between, and by the one that finished; and an undisturbed checkout."""

    checkout: Any
    undisturbed: Any
    in_between: str
    left: dict[Path, int]
    resumed: str


@pytest.fixture(scope="module")
def story(clone, server, write_slow, tmp_path_factory) -> Story:
    params = write_slow(tmp_path_factory.mktemp("user"), seconds=0.8)  # so that many are left at the kill
    command = ("python", "-m", "flows", "validate", "--params", str(params))
    checkout, undisturbed = clone(), clone(server)
    in_between, left = kill_amid_fits(checkout, *command)
    resumed = checkout.run(*command).stdout
    undisturbed.run(*command)
    return Story(checkout, undisturbed, in_between, left, resumed)


@pytest.mark.long
@pytest.mark.fault("two runs")
def test_a_second_run_in_the_same_checkout_is_refused(story):
    assert re.search(r"process \d+ \(python -m flows validate\) runs in this checkout already", story.in_between)
    assert "runs in this checkout already; wait for it, stop it, or use a second clone" in story.in_between
    assert "Traceback" not in story.in_between


@pytest.mark.long
@pytest.mark.fault("killed")
def test_started_again_it_fits_what_was_left(story):
    assert story.left == {path: path.stat().st_mtime_ns for path in story.left}
    assert counts(story.resumed, "fits")[1] > 0
    assert "holdout and final: " not in story.resumed  # finished before the kill


@pytest.mark.long
@pytest.mark.fault("killed")
def test_the_results_are_those_of_an_undisturbed_run(story):
    expected = story.undisturbed.hashes()
    assert {"data/results/losses.parquet", "reports/report.html", "models/selected.skops"} <= {*expected}
    assert expected == story.checkout.hashes()


@pytest.mark.long
@pytest.mark.fault("killed")
@pytest.mark.fault("dead run")
def test_the_killed_run_is_marked_and_told_of(story):
    assert ["KILLED", "FINISHED"] == statuses(story.checkout)
    assert "died before its end; it is now marked KILLED" in story.resumed
    with sqlite3.connect(story.checkout.path / ".prefect/prefect.db") as database:
        found = database.execute("SELECT state_type FROM flow_run WHERE parent_task_run_id IS NULL ORDER BY created")
        assert [("CRASHED",), ("COMPLETED",)] == found.fetchall()
        assert [] == database.execute("SELECT name FROM flow_run WHERE state_type = 'RUNNING'").fetchall()
    assert "died before its end; it is now marked Crashed" in story.resumed


@pytest.mark.long
@pytest.mark.fault("killed")
def test_nothing_is_left_running(story):
    assert [] == story.checkout.processes()


@pytest.mark.long  # the same story by dvc
@pytest.mark.fault("killed")
def test_dvc_repro_killed_and_started_again_ends_as_undisturbed(clone, write_slow):
    checkout, undisturbed = clone(), clone()
    for place in (checkout, undisturbed):
        write_slow(place.path, seconds=0.8)
    _, left = kill_amid_fits(checkout, "dvc", "repro")
    checkout.run("dvc", "repro")
    undisturbed.run("dvc", "repro")
    assert left == {path: path.stat().st_mtime_ns for path in left}
    assert undisturbed.hashes() == checkout.hashes()
    assert (undisturbed.path / "dvc.lock").read_text() == (checkout.path / "dvc.lock").read_text()
    assert ["KILLED", "FINISHED"] == statuses(checkout)
