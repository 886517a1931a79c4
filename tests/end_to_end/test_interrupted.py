"""Ctrl-C, and a main process that dies alone: the run ends in seconds, is marked so, and nothing lives on."""

import os
import signal
from collections.abc import Callable

import pytest
from mlflow import MlflowClient

pytestmark = pytest.mark.slow
SECONDS = 30
ALONE_SECONDS = 30  # twice what docs/reliability.md promises: other tests keep the processors busy meanwhile


@pytest.fixture
def amid_fits(clone, write_slow) -> Callable[..., tuple]:
    """A function that starts a command in a clone and returns both when the fits are under way."""
    started = []

    def start(*command: str) -> tuple:
        checkout = clone()
        write_slow(checkout.path)
        said = checkout.path.parent / "said.txt"
        with said.open("w") as file:
            process = checkout.start(*command, stdout=file, stderr=file)
        started.append((checkout, process))
        checkout.wait_until(lambda: "fits: " in said.read_text(), process, seconds=300)
        return checkout, process

    yield start
    for checkout, process in started:
        for left in [process, *checkout.processes()]:
            left.kill()
        process.wait()


def status(checkout) -> tuple[str, str]:
    """Of the run that is the only one: status and reason."""
    client = MlflowClient(f"sqlite:///{checkout.path}/mlruns/mlflow.db")
    (run,) = client.search_runs([client.get_experiment_by_name("heldout").experiment_id])
    return run.info.status, run.data.tags.get("failure", "")


@pytest.mark.long
def test_ctrl_c_ends_a_run_with_130_and_marks_it_killed(amid_fits):
    checkout, process = amid_fits("python", "-m", "flows", "validate")
    os.killpg(process.pid, signal.SIGINT)
    assert 130 == process.wait(SECONDS)
    assert ("KILLED", "interrupted") == status(checkout)
    checkout.wait_until(lambda: not checkout.processes(), seconds=SECONDS)


@pytest.mark.long
def test_ctrl_c_ends_dvc_repro_and_its_host(amid_fits):
    checkout, process = amid_fits("dvc", "repro")
    os.killpg(process.pid, signal.SIGINT)
    assert 0 != process.wait(SECONDS)
    checkout.wait_until(lambda: not checkout.processes(), seconds=SECONDS)
    assert ("KILLED", "interrupted") == status(checkout)


@pytest.mark.long
@pytest.mark.fault("killed alone")
def test_a_run_whose_main_process_is_killed_alone_leaves_no_process(amid_fits):
    checkout, process = amid_fits("python", "-m", "flows", "validate")
    process.kill()
    process.wait()
    checkout.wait_until(lambda: not checkout.processes(), seconds=ALONE_SECONDS)


@pytest.mark.long
@pytest.mark.fault("killed alone")
def test_dvc_killed_alone_leaves_no_process_and_no_running_run(amid_fits):
    checkout, process = amid_fits("dvc", "repro")
    process.kill()
    process.wait()
    checkout.wait_until(lambda: not checkout.processes(), seconds=ALONE_SECONDS)
    assert ("KILLED", "interrupted") == status(checkout)
