"""Killed in the middle and started again, a run does what was left, and ends as if nothing had happened."""

import os
import re
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest
from mlflow import MlflowClient

SLOW = '''
"""A learner that takes its time."""

import time

from sklearn.naive_bayes import GaussianNB


class Slow(GaussianNB):
    def fit(self, X, y):
        time.sleep(0.2)
        return super().fit(X, y)
'''
pytestmark = pytest.mark.slow
FOLDS, ENOUGH, PATIENCE_SECONDS = 20, 8, 120
BEFORE = 2 * 2  # for each candidate the fit of the hold-out and that of all rows


@pytest.fixture(scope="module")
def write_slow(write_params) -> Callable[[Path], Path]:
    """A function that writes parameters whose cross-validation takes four seconds, beside the learner's module."""

    def write(folder: Path) -> Path:
        (folder / "slow.py").write_text(SLOW)
        candidates = [
            {"name": f"slow-{place}", "estimator": "slow.Slow", "params": {"var_smoothing": 10.0**-place}}
            for place in (9, 3)
        ]
        return write_params(
            folder / "params.yaml", data={"labeled_rows": 200}, split={"folds": FOLDS}, candidates=candidates
        )

    return write


def wait_for(what: Callable[[], Any], process) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not what():
        assert process.poll() is None, "the run ended too early"
        assert time.monotonic() < deadline, "the run takes too long"
        time.sleep(0.02)


def kill_amid_cross_validation(checkout, *command: str) -> str:
    """Start, and kill with all its children when some folds of cross-validation are done; what a second run said."""
    said, lock = checkout.path.parent / "said.txt", checkout.path / ".cache/lock"

    def finished() -> int:
        return sum(path.suffix == "" for path in (checkout.path / ".cache/tasks").glob("*/*"))

    with said.open("w") as file:
        process = checkout.start(*command, stdout=file, stderr=file)
        try:
            wait_for(lambda: lock.exists() and lock.read_text(), process)
            second = checkout.flow("validate", check=False)
            wait_for(lambda: f"cross_validation: 0 tasks reused, {2 * FOLDS} to do" in said.read_text(), process)
            wait_for(lambda: finished() >= BEFORE + ENOUGH, process)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    wait_until_gone(checkout)
    assert finished() < BEFORE + 2 * FOLDS
    assert 2 == second.returncode
    return second.stderr


def wait_until_gone(checkout) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while processes_in(checkout.path):
        assert time.monotonic() < deadline, f"left behind: {processes_in(checkout.path)}"
        time.sleep(0.1)


def processes_in(folder: Path) -> list[psutil.Process]:
    """The live processes whose current folder is `folder` or below."""
    return [
        process
        for process in psutil.process_iter(["cwd", "status"])
        if process.info["status"] != psutil.STATUS_ZOMBIE and Path(process.info["cwd"] or "/").is_relative_to(folder)
    ]


def counts(said: str, scheme: str) -> tuple[int, int]:
    """Tasks reused and to do, as the log tells."""
    found = re.search(rf"^.*\b{scheme}: (\d+) tasks reused, (\d+) to do", said, re.MULTILINE)
    assert found, said
    return int(found[1]), int(found[2])


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
    resumed: str


@pytest.fixture(scope="module")
def story(clone, server, write_slow, tmp_path_factory) -> Story:
    params = write_slow(tmp_path_factory.mktemp("user"))
    command = ("python", "-m", "flows", "validate", "--params", str(params))
    checkout, undisturbed = clone(), clone(server)
    in_between = kill_amid_cross_validation(checkout, *command)
    resumed = checkout.run(*command).stdout
    undisturbed.run(*command)
    return Story(checkout, undisturbed, in_between, resumed)


def test_a_second_run_in_the_same_checkout_is_refused(story):
    assert "runs in this checkout already; wait for it, stop it, or use a second clone" in story.in_between
    assert "Traceback" not in story.in_between


def test_started_again_it_fits_what_was_left(story):
    reused, to_do = counts(story.resumed, "cross_validation")
    assert 2 * FOLDS == reused + to_do
    assert reused >= ENOUGH
    assert to_do > 0
    assert 0 == counts(story.resumed, "holdout and final")[1]
    assert 0 == counts(story.resumed, "progressive")[0]


def test_the_results_are_those_of_an_undisturbed_run(story):
    expected = story.undisturbed.hashes()
    assert {"data/results/losses.parquet", "reports/report.html", "models/selected.skops"} <= {*expected}
    assert expected == story.checkout.hashes()


def test_the_killed_run_is_marked_and_told_of(story):
    assert ["KILLED", "FINISHED"] == statuses(story.checkout)
    assert "had died without ending; it is now marked KILLED" in story.resumed


def test_nothing_is_left_running(story):
    assert [] == processes_in(story.checkout.path)


def test_dvc_repro_killed_and_started_again_ends_as_undisturbed(clone, write_slow):
    checkout, undisturbed = clone(), clone()
    for place in (checkout, undisturbed):
        write_slow(place.path)
    kill_amid_cross_validation(checkout, "dvc", "repro")
    resumed = checkout.run("dvc", "repro").stdout
    undisturbed.run("dvc", "repro")
    reused, to_do = counts(resumed, "cross_validation")
    assert reused >= ENOUGH
    assert 2 * FOLDS == reused + to_do
    assert undisturbed.hashes() == checkout.hashes()
    assert (undisturbed.path / "dvc.lock").read_text() == (checkout.path / "dvc.lock").read_text()
    assert ["KILLED", "FINISHED"] == statuses(checkout)
    wait_until_gone(checkout)
