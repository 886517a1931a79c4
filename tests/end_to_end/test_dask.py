"""The same flow on a Dask cluster: a real scheduler, and workers that come and are killed."""

import contextlib
import dataclasses
import json
import os
import shutil
import signal
import sys
from collections import Counter
from importlib import metadata
from pathlib import Path

import psutil
import pytest
import yaml
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

    def worker(self, **own: str):
        """Start a worker of one thread, with these variables of its own."""
        return self._start("worker", "--nthreads", "1", "--host", "127.0.0.1", "--no-dashboard", **own)

    def wait_for_workers(self, count: int) -> None:
        """Return when the scheduler has so many."""
        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(count, timeout=120)

    def stop(self) -> None:
        for process in self.processes:
            kill(process)

    def _start(self, *command: str, **own: str):
        log = (self.place.path / f"{len(self.processes)}.log").open("w")
        place = dataclasses.replace(self.place, own={**self.place.own, **own})
        process = place.start(DASK, *command, "--scheduler-file", str(self.file), stdout=log, stderr=log)
        self.processes.append(process)
        return process


def kill(process) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@pytest.fixture
def clusters(tmp_path):
    """A function that makes a cluster, with a scheduler of its own."""
    with contextlib.ExitStack() as stack:

        def make() -> Cluster:
            folder = tmp_path / str(len([*tmp_path.iterdir()]))
            folder.mkdir()
            made = Cluster(folder)
            stack.callback(made.stop)
            return made

        yield make


@pytest.fixture
def cluster(clusters):
    return clusters()


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


def use(cluster: Cluster, params: Path) -> None:
    """Have the parameters name the cluster, as `dvc repro` needs it."""
    written = yaml.safe_load(params.read_text())
    written["execution"] |= {"executor": "dask", "scheduler": cluster.address}
    params.write_text(yaml.safe_dump(written, sort_keys=False))


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
    assert 1 == " ".join(said.read_text().split()).count("is gone; others make the tasks that it had")
    assert alone.hashes() == checkout.hashes()
    made = Counter(rows for _, rows in noted(params))
    assert {rows for _, rows in fits} == {*made}
    assert sum(made.values()) - len(made) <= TASK, "the kill costs the fits of one task"
    checkout.wait_until(lambda: not checkout.processes(), seconds=20)


def test_dvc_repro_on_three_workers_writes_the_bytes_of_a_local_run(clone, cluster, write, local):
    checkout = clone()
    params = write(checkout.path)
    use(cluster, params)
    workers = [cluster.worker() for _ in range(3)]
    cluster.wait_for_workers(3)
    said = checkout.run("dvc", "repro").stdout
    assert f"dask: 3 workers at {cluster.address}, dashboard http://127.0.0.1:" in said
    assert local[0].hashes() == checkout.hashes()
    assert all(worker.poll() is None for worker in workers)
    checkout.wait_until(lambda: not checkout.processes(), seconds=20)


@pytest.mark.fault("dask scheduler killed")
def test_a_killed_scheduler_ends_the_run_with_2_and_the_next_run_makes_what_is_left(clone, clusters, write, local):
    alone, params = local
    checkout, before = clone(), Counter(rows for _, rows in noted(params))
    params.with_name("fits.txt").unlink()
    command = ("python", "-m", "flows", "validate", "--params", str(params), "--set", "execution.executor=dask")
    said = params.with_name("said.txt")
    cluster = clusters()
    worker = cluster.worker()
    with said.open("w") as file:
        run = checkout.start(*command, "--set", f"execution.scheduler={cluster.address}", stdout=file, stderr=file)
        checkout.wait_until(lambda: fitting(worker, noted(params)), run)
        kill(cluster.scheduler)
        assert 2 == run.wait(timeout=60)
    assert "is gone; start it, and the run again: finished fits are stored" in " ".join(said.read_text().split())
    assert "Traceback" not in said.read_text()
    assert not (checkout.path / "reports/selection.json").exists()
    checkout.wait_until(lambda: not checkout.processes(), seconds=20)
    kill(worker)
    some = len(noted(params))
    assert 0 < some < sum(before.values())

    other = clusters()
    other.worker()
    other.wait_for_workers(1)
    checkout.run(*command, "--set", f"execution.scheduler={other.address}")
    assert alone.hashes() == checkout.hashes()
    made = Counter(rows for _, rows in noted(params))
    assert {*before} == {*made}
    assert sum(made.values()) - len(made) <= TASK, "what was stored is not made again"


@pytest.mark.fault("dask scheduler")
@pytest.mark.parametrize("door", [("python", "-m", "flows", "validate"), ("dvc", "repro")])
def test_a_worker_with_another_version_of_a_package_is_refused_before_the_first_fit(clone, cluster, write, door):
    """Of threadpoolctl, a package that scikit-learn requires: a copy of ours, whose metadata have another version."""
    packages, ours = cluster.place.path / "packages", metadata.distribution("threadpoolctl")
    for path in ours.files:
        if path.suffix == ".py" or path.name == "METADATA":
            copy = packages / path
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(path.read_text().replace(f"\nVersion: {ours.version}\n", "\nVersion: 1.0.0\n"))
    cluster.worker(PYTHONPATH=str(packages))
    cluster.wait_for_workers(1)
    checkout = clone()
    params = write(checkout.path)
    use(cluster, params)
    refused = checkout.run(*door, check=False)
    said = " ".join((refused.stdout + refused.stderr).split())
    assert refused.returncode == (255 if "dvc" in door else 2), said
    assert f"threadpoolctl is 1.0.0 there and {ours.version} here; use the same requirements.lock" in said
    assert [] == noted(params)
