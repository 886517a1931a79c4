"""The same flow on a Dask cluster: a real scheduler, and workers that come and are killed."""

import contextlib
import json
import os
import shutil
import signal
import sys
from collections import Counter
from pathlib import Path

import psutil
import pytest
from distributed import Client

from tests.end_to_end.conftest import LEARNERS, PATIENCE_SECONDS, Checkout

pytestmark = pytest.mark.long
DASK = str(Path(sys.executable).with_name("dask"))
TASK = 6  # fits of 0.2 s in a task of a second, and its worker's first


class Cluster:
    """A scheduler on loopback, and its workers, in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.place, self.file, self.processes = Checkout(folder), folder / "scheduler.json", []
        address = ("--host", "127.0.0.1", "--port", "0", "--dashboard-address", "127.0.0.1:0")
        self.scheduler = self._start("scheduler", *address)
        written = self.file
        self.place.wait_until(lambda: written.exists() and written.read_text().rstrip().endswith("}"), self.scheduler)

    @property
    def address(self) -> str:
        return str(json.loads(self.file.read_text())["address"])

    def worker(self):
        """Start a worker of one thread."""
        return self._start("worker", "--nthreads", "1", "--host", "127.0.0.1", "--no-dashboard")

    def wait_for_workers(self, count: int) -> None:
        """Return when the scheduler has so many."""
        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(count, timeout=120)

    def stop(self) -> None:
        for process in self.processes:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _start(self, *command: str):
        log = (self.place.path / f"{len(self.processes)}.log").open("w")
        process = self.place.start(DASK, *command, "--scheduler-file", str(self.file), stdout=log, stderr=log)
        self.processes.append(process)
        return process


@pytest.fixture
def cluster(tmp_path):
    (tmp_path / "cluster").mkdir()
    made = Cluster(tmp_path / "cluster")
    try:
        yield made
    finally:
        made.stop()


@pytest.fixture(scope="module")
def write(write_params):
    """A function that writes four seconds of fits for each of three candidates, in a module of the user."""

    def write(folder: Path) -> Path:
        shutil.copy(LEARNERS / "noted.py", folder)
        candidates = [
            {"name": f"noted-{place}", "estimator": "noted.Noted", "params": {"var_smoothing": 10.0**-place}}
            for place in (9, 6, 3)
        ]
        return write_params(
            folder / "params.yaml",
            candidates=candidates,
            data={"labeled_rows": 240},
            split={"folds": 20},
            execution={"allowed_modules": ["sklearn", "noted"]},
            intervals={"E_cv": "Bayle within folds"},
        )

    return write


@pytest.fixture(scope="module")
def local(clone, server, write, tmp_path_factory) -> tuple[Checkout, Path]:
    """A local run, and its parameters."""
    checkout, params = clone(server), write(tmp_path_factory.mktemp("user"))
    checkout.flow("validate", "--params", params)
    return checkout, params


def noted(params: Path) -> list[list[str]]:
    file = params.with_name("fits.txt")
    return [line.split() for line in file.read_text().splitlines()] if file.exists() else []


def fitting(worker, lines: list[list[str]]) -> bool:
    """Whether a process of the worker made one of the fits."""
    with contextlib.suppress(psutil.Error):
        return bool(
            {str(each.pid) for each in psutil.Process(worker.pid).children(recursive=True)} & {x for x, _ in lines}
        )
    return False


@pytest.mark.fault("dask worker")
def test_workers_that_come_and_are_killed_leave_the_same_bytes_as_a_local_run(clone, server, cluster, write, local):
    """One worker is there at the start and is killed, two come while it works."""
    alone, params = local
    checkout, fits = clone(server), noted(params)
    params.with_name("fits.txt").unlink()

    said = params.with_name("said.txt")
    first = cluster.worker()
    command = ("python", "-m", "flows", "validate", "--params", str(params), "--set", "execution.executor=dask")
    with said.open("w") as file:
        run = checkout.start(*command, "--set", f"execution.scheduler={cluster.address}", stdout=file, stderr=file)
        checkout.wait_until(lambda: fitting(first, noted(params)), run)
        others = [cluster.worker(), cluster.worker()]
        for other in others:
            checkout.wait_until(lambda other=other: fitting(other, noted(params)), run)
        os.killpg(first.pid, signal.SIGKILL)
        assert 0 == run.wait(timeout=PATIENCE_SECONDS), said.read_text()

    assert "dask: 1 workers at tcp://127.0.0.1:" in said.read_text()
    assert alone.hashes() == checkout.hashes()
    made = Counter(rows for _, rows in noted(params))
    assert {rows for _, rows in fits} == {*made}
    assert sum(made.values()) - len(made) <= TASK, "the kill costs the fits of one task"
    checkout.wait_until(lambda: not checkout.processes(), seconds=20)


def test_dvc_repro_on_three_workers_writes_the_bytes_of_a_local_run(clone, cluster, write, local):
    checkout = clone()
    params = write(checkout.path)
    params.write_text(
        params.read_text()
        .replace("executor: local", "executor: dask")
        .replace("scheduler: null", f"scheduler: {cluster.address}")
    )
    workers = [cluster.worker() for _ in range(3)]
    cluster.wait_for_workers(3)
    said = checkout.run("dvc", "repro").stdout
    assert f"dask: 3 workers at {cluster.address}, dashboard http://127.0.0.1:" in said
    assert local[0].hashes() == checkout.hashes()
    assert all(worker.poll() is None for worker in workers)
    checkout.wait_until(lambda: not checkout.processes(), seconds=20)
