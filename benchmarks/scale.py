"""How a run grows on more machines: what each part of it takes for a task, and which part is busy first.

    python -m benchmarks.scale                # ten minutes on an idle machine; writes the tables of docs/scale.md
    python -m benchmarks.scale --units 500    # fewer units, for a look; writes nothing

A real scheduler and real workers on loopback. On two cores the scheduler, this process and the workers share them.
"""

import argparse
import importlib
import json
import logging
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import psutil

from benchmarks.checkout import checkout
from benchmarks.scale_simulation import Costs, Run, Stage, on_paper, simulate, table
from heldout import digests
from tasks.runtime import environment

PAGE = Path("docs/scale.md")
_GROUP = 100  # units of a task here: fits of ten milliseconds
_SECONDS, _TASKS = 0.25, 24  # of the tasks whose number of workers changes
_CANDIDATES = 40
_WRITTEN_SECONDS = 4.0  # after which Prefect's server has written all task runs
_CORES = 4  # of a machine
_MACHINES = (1, 10, 100, 1000)
_FIRST, _LATER = (1, 1), (5, 10, 60)  # fits: hold-out and all rows; progressive, folds, half models
_RUNS = {
    "10 candidates, a million unlabelled rows": Run(10, (Stage(_FIRST, 1.0), Stage(_LATER, 1.0), Stage((20,), 1.0))),
    "10,000 candidates, 77 fits of a second each": Run(10_000, (Stage(_FIRST, 1.0), Stage(_LATER, 1.0))),
    "the same, 100 values in each `family`": Run(100, (Stage(_FIRST, 100.0), Stage(_LATER, 100.0))),
    "10 candidates, 10⁹ unlabelled rows in shards of 50,000": Run(10, (Stage((20_000,), 1.0),)),
    "the same, in shards of a million": Run(10, (Stage((1_000,), 20.0),)),
}


class Cluster:
    """A Dask scheduler and workers of one thread, each a process."""

    def __init__(self, workers: int, folder: Path) -> None:
        self._file = folder / "scheduler.json"
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        while not (self._file.exists() and self._file.read_text().rstrip().endswith("}")):
            time.sleep(0.05)
        self.address = str(json.loads(self._file.read_text())["address"])
        self._processes = [self.scheduler]
        options = ("--nthreads", "1", "--host", "127.0.0.1", "--no-dashboard", "--no-nanny")
        self._processes += [self._start("worker", *options) for _ in range(workers)]

    def stop(self) -> None:
        """End all."""
        for process in reversed(self._processes):
            process.terminate()
            process.wait()

    def scheduler_seconds(self) -> float:
        """Of the processor, which the scheduler has used."""
        return _used(self.scheduler.pid)

    def workers_seconds(self) -> float:
        """Of the processor, which the workers and their processes have used."""
        return sum(_used(process.pid) for process in self._processes[1:])

    def _start(self, *command: str) -> "subprocess.Popen[bytes]":
        dask = str(Path(sys.executable).with_name("dask"))
        return subprocess.Popen(  # noqa: S603
            [dask, *command, "--scheduler-file", str(self._file)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )


def _used(pid: int) -> float:
    """The seconds of the processor that a process and its children have used."""
    processes = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    return float(sum(sum(process.cpu_times()[:2]) for process in processes))


@contextmanager
def cluster(workers: int) -> Iterator[Cluster]:
    """A cluster with all its workers."""
    from distributed import Client

    with tempfile.TemporaryDirectory() as folder:
        made = Cluster(workers, Path(folder))
        try:
            with Client(made.address, set_as_default=False) as client:  # type: ignore[no-untyped-call]
                client.wait_for_workers(workers, timeout=120)
            yield made
        finally:
            made.stop()


def store_units(names: Sequence[str]) -> None:
    """Units without work, each stored as a finished fit is."""
    from tasks.storage import fit_cache

    for name in names:
        fit_cache.store.save(name, None)


def compute(seconds: float) -> None:
    """Work for the processor."""
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


def _processor_seconds(work: Callable[[], Any]) -> float:
    """Of this process, whatever else runs."""
    started = time.process_time()
    work()
    return time.process_time() - started


def _seconds(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _finish(futures: Sequence["Future[Any]"]) -> None:
    for future in futures:
        future.result()


def no_ops(units: int, server: int) -> tuple[dict[str, float], dict[str, float]]:
    """The seconds of units without work in each way, and the seconds of the processor that each part takes for a task.

    `server` is Prefect's process.
    """
    from distributed import Client

    from tasks.fits import dask_cluster, executor, fan_out
    from tasks.params import Settings, load

    seconds, costs = {}, {}
    names = [digests.key("nothing", number) for number in range(units)]
    groups = [names[first : first + _GROUP] for first in range(0, units, _GROUP)]
    costs["store"] = _processor_seconds(lambda: store_units(names)) / units

    def in_flow(settings: Settings, function: Callable[..., Any], arguments: Sequence[Any]) -> float:
        from prefect import flow

        from flows.stage import RUNNER
        from tasks.fits.work import Work

        todo = [
            Work(f"task {n}", function, (argument,), (f"{id(arguments)} {n}",)) for n, argument in enumerate(arguments)
        ]

        @flow(name="scale", task_runner=RUNNER)
        def run() -> None:
            fan_out.run_all(settings.execution, "nothing", todo, 0)

        return _seconds(run)

    with cluster(2) as made:
        with Client(made.address, set_as_default=False) as client:  # type: ignore[no-untyped-call]
            pool = client.get_executor(pure=False)
            _finish([pool.submit(abs, n) for n in range(10)])
            before = made.scheduler_seconds()
            seconds["Dask alone, a task each"] = _seconds(lambda: _finish([pool.submit(abs, n) for n in range(units)]))
            costs["schedule"] = (made.scheduler_seconds() - before) / units
        on_dask = load("params.yaml", ["execution.executor=dask", f"execution.scheduler={made.address}"])
        ours = dask_cluster.connect(made.address)
        _finish([ours.submit(abs, n) for n in range(10)])
        tasks: list[Any] = []
        costs["submit"] = _processor_seconds(lambda: tasks.extend(ours.submit(abs, n) for n in range(units))) / units
        _finish(tasks)
        few = max(100, units // 20)
        before = made.workers_seconds()
        for number in range(few):
            ours.submit(abs, number).result()
        costs["pass_on"] = (made.workers_seconds() - before) / few

        def recorded(tasks: int) -> float:
            """The seconds of the processor for so many task runs, after what the server has still to write."""
            before = time.process_time() + _used(server)
            in_flow(on_dask, abs, range(tasks))
            time.sleep(_WRITTEN_SECONDS)
            return time.process_time() + _used(server) - before

        costs["record"] = (recorded(few) - recorded(10)) / (few - 10) - costs["submit"]
        seconds["here on Dask, stored, a task each"] = in_flow(on_dask, store_units, [[name] for name in names])
        seconds["here on Dask, stored, 100 a task"] = in_flow(on_dask, store_units, groups)
        executor.stop()
    local = load("params.yaml", [])
    seconds["here on local workers, stored, a task each"] = in_flow(local, store_units, [[name] for name in names])
    seconds["here on local workers, stored, 100 a task"] = in_flow(local, store_units, groups)
    executor.stop()
    return seconds, costs


def scaling(counts: Sequence[int] = (1, 2, 4)) -> dict[int, list[float]]:
    """The seconds of tasks that compute, and of tasks that wait, by the number of workers."""
    from tasks.fits import dask_cluster

    found = {}
    for count in counts:
        with cluster(count) as made:
            pool = dask_cluster.connect(made.address)
            _finish([pool.submit(compute, 0.0) for _ in range(4 * count)])
            found[count] = [_seconds(partial(_together, pool, work)) for work in (compute, time.sleep)]
            dask_cluster.disconnect()
    return found


def _together(pool: Executor, work: Callable[[float], None]) -> None:
    _finish([pool.submit(work, _SECONDS) for _ in range(_TASKS)])


def of_a_candidate() -> float:
    """The seconds of the processor for a child run with thirty metrics in a store of SQLite."""
    from mlflow import MlflowClient
    from mlflow.entities import Metric, Param

    client = MlflowClient("sqlite:///scale.db")
    experiment = client.create_experiment("scale")

    def log() -> None:
        for _ in range(_CANDIDATES):
            run = client.create_run(experiment).info.run_id
            client.log_batch(run, [Metric(f"m{n}", 0.5, 0, 0) for n in range(30)], [Param("a", "b")])
            client.set_terminated(run)

    return _processor_seconds(log) / _CANDIDATES


def of_a_fit() -> dict[str, float]:
    """The seconds of the processor, in the process of the run, for a fit: to plan it, and to read what it has stored.

    The fits are the half models of many naive Bayes on the shipped rows.
    """
    from heldout.running.stored_fits import read_once
    from tasks.fits import worker
    from tasks.params import load
    from tasks.plans import units_of_scheme
    from tasks.plans.fit_plans import scheme
    from tasks.plans.read_design import read_design
    from tasks.plans.units import Versions
    from tasks.storage import fit_cache

    subprocess.run([sys.executable, "-m", "flows", "prepare"], check=True, capture_output=True)
    bayes = "name: bayes, estimator: sklearn.naive_bayes.GaussianNB"
    grid = ", ".join(f"{1e-9 * (1 + n):g}" for n in range(_CANDIDATES))
    settings = load("params.yaml", [f"candidates=[{{{bayes}, grid: {{var_smoothing: [{grid}]}}}}]"])
    plan, versions = scheme(read_design(settings), "covalidation", settings.deliver), Versions.current()
    found: list[Any] = []

    def planned() -> None:
        found[:] = units_of_scheme.plan_units(settings, plan, versions)
        for _, units in found:
            _ = [units_of_scheme.is_stored(unit) for unit in units]

    def read() -> None:
        for _, units in found:
            finished = read_once(units_of_scheme.gather(units))
            _ = [*finished.losses, *finished.training]

    costs = {"plan": _processor_seconds(planned)}
    candidate, units = found[0]
    worker.fit_units(settings, candidate, units, versions)
    stored = fit_cache.store.load(units[0].key)
    for _, units in found:
        for unit in units:
            fit_cache.store.save(unit.key, stored)
    costs["gather"] = _processor_seconds(read)
    return {name: seconds / (_CANDIDATES * len(plan.splits)) for name, seconds in costs.items()}


def simulated(costs: Costs) -> list[list[str]]:
    """A line for each run and number of machines."""
    rows = [["run", "machines", "seconds", "tasks", "task runs", "first to be busy", "share of the time", "on paper"]]
    for name, run in _RUNS.items():
        for machines in _MACHINES:
            spent = simulate(run, _CORES * machines, costs)
            least = max(on_paper(run, _CORES * machines, costs).values())
            counts = [f"{machines:,}", f"{spent.seconds:,.0f}", f"{spent.tasks:,}", f"{spent.task_runs:,}"]
            rows.append([name, *counts, spent.first, f"{spent.busy[spent.first]:.0%}", f"{least:,.0f}"])
    return rows


def write(parts: dict[str, str]) -> None:
    """Put each part between its marks in the page."""
    text = PAGE.read_text(encoding="utf-8")
    for name, part in parts.items():
        head, rest = text.split(f"<!-- {name} -->\n")
        tail = rest.split("<!-- end -->\n", 1)[1]
        text = f"{head}<!-- {name} -->\n{part}\n<!-- end -->\n{tail}"
    PAGE.write_text(text, encoding="utf-8")


def main() -> None:
    """Measure, simulate, print, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--units", type=int, default=10_000, help="with fewer nothing is written")
    units = parser.parse_args().units
    from tasks.runtime.server import Server

    environment.enter()
    logging.disable(logging.WARNING)
    load = os.getloadavg()[0]
    pages = {}
    with checkout():
        server = Server()
        server.start()
        try:
            server.wait()
            seconds, parts = no_ops(units, psutil.Process().children()[0].pid)
        finally:
            server.stop()
        alone = seconds["Dask alone, a task each"]
        rows = [["units without work", "seconds", "ms a unit", "ratio to Dask alone"]]
        rows += [[name, f"{s:.1f}", f"{1e3 * s / units:.2f}", f"{s / alone:.2g}"] for name, s in seconds.items()]
        pages["units"] = table(rows) + f"\n\n{units:,} units; load of the machine at the start {load:.1f}."
        print(pages["units"], flush=True)
        costs = Costs(**parts, **of_a_fit(), candidate=of_a_candidate())
        pages["costs"] = table([["part", "ms"], *([name, f"{1e3 * value:.2f}"] for name, value in vars(costs).items())])
        pages["simulated"] = table(simulated(costs))
        print(pages["costs"], pages["simulated"], sep="\n\n", flush=True)
        by_workers = scaling()
        rows = [["workers", "compute, s", "speed-up", "wait, s", "speed-up"]]
        for count, found in by_workers.items():
            faster = [first / then for first, then in zip(by_workers[1], found, strict=True)]
            rows.append([f"{count}", f"{found[0]:.1f}", f"{faster[0]:.2f}", f"{found[1]:.1f}", f"{faster[1]:.2f}"])
        pages["workers"] = table(rows)
        print(pages["workers"], flush=True)
    if units >= 10_000:
        write(pages)


if __name__ == "__main__":
    importlib.import_module("benchmarks.scale").main()  # workers import what is pickled by this name
