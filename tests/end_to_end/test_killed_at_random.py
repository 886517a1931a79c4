"""Thirty kills at random moments: the next run ends as if nothing had happened, and does only what was left."""

import os
import pickle
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from mlflow import MlflowClient

from heldout.fits.fit_cost import FitCost

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]
MOMENTS = 30
SECONDS_TO_END = 15
CHECKSUM = 32  # bytes
DOORS = (("dvc", "repro"), ("python", "-m", "flows", "validate"))
# part of its command line -> which process of a run it is
KINDS = {"server_process": "server", "loky": "worker", "flows.host": "host", "DVC_STAGE": "stage"}


@pytest.fixture(scope="module")
def undisturbed(clone, write_slow):
    """A checkout in which nothing was killed, and how long its run took."""
    checkout = clone()
    write_slow(checkout.path)
    started = time.monotonic()
    checkout.run("dvc", "repro")
    return checkout, time.monotonic() - started


def kinds(checkout, run) -> Iterator[tuple[str, psutil.Process]]:
    """The processes of a run, each with what it is; the command first."""
    yield "command", psutil.Process(run.pid)
    for process in checkout.processes():
        try:
            line = " ".join(process.cmdline())
            line += " DVC_STAGE" if "-m flows " in line and "DVC_STAGE" in process.environ() else ""
        except psutil.Error:
            continue
        for part, kind in KINDS.items():
            if part in line and "resource_tracker" not in line:
                yield kind, process
                break


def stored(checkout) -> dict[Path, int]:
    """When each finished unit was stored; without the costs of a fit, which every later fit may correct."""
    found = (checkout.path / ".cache/tasks").glob("*/*")
    return {path: path.stat().st_mtime_ns for path in found if path.suffix == "" and not is_cost(path)}


def is_cost(path: Path) -> bool:
    """Whether a file has the costs of a fit behind its checksum."""
    return isinstance(pickle.loads(path.read_bytes()[CHECKSUM:]), FitCost)


def statuses(checkout) -> list[str]:
    """Of the parent runs, the oldest first."""
    client = MlflowClient(f"sqlite:///{checkout.path}/mlruns/mlflow.db")
    experiment = client.get_experiment_by_name("heldout").experiment_id
    runs = client.search_runs([experiment], order_by=["attributes.start_time ASC"])
    return [run.info.status for run in runs if "mlflow.parentRunId" not in run.data.tags]


@pytest.mark.fault("killed")
@pytest.mark.parametrize("moment", range(MOMENTS))
def test_killed_at_a_random_moment_and_started_again(clone, write_slow, undisturbed, moment):
    rng, (expected, seconds) = random.Random(moment), undisturbed
    checkout, command = clone(), rng.choice(DOORS)
    write_slow(checkout.path)
    said = checkout.path.parent / "said.txt"
    with said.open("w") as file:
        run = checkout.start(*command, stdout=file, stderr=file)
        try:
            time.sleep(rng.uniform(0, seconds))
            found = dict(kinds(checkout, run)) if run.poll() is None else {}
            kind = rng.choice(["group", *sorted(found)]) if found else "nothing"
            if kind == "group":
                os.killpg(run.pid, signal.SIGKILL)
            elif kind != "nothing":
                found[kind].kill()
            if kind in ("server", "worker", "host", "stage"):
                run.wait(max(120, 3 * seconds))  # the run goes on, or ends by itself
            checkout.wait_until(lambda: not checkout.processes(), seconds=SECONDS_TO_END)
        finally:
            for process in (run, *checkout.processes()):
                process.kill()
            run.wait()
    left = stored(checkout)
    print(f"{' '.join(command)}: killed {kind}, exit code {run.returncode}, {len(left)} units were stored")
    checkout.run(*command)
    assert expected.hashes() == checkout.hashes(), kind
    assert left == {path: when for path, when in stored(checkout).items() if path in left}
    assert "RUNNING" not in statuses(checkout)
    assert "FINISHED" == statuses(checkout)[-1]
    assert "up to date" in checkout.run("dvc", "status").stdout
    checkout.wait_until(lambda: not checkout.processes(), seconds=SECONDS_TO_END)
