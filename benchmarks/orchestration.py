"""The time that Prefect, DVC, MLflow and the reports add, and the whole run compared with an earlier commit."""

from collections.abc import Iterator
from statistics import median

from benchmarks.checkout import checkout, repro, script
from benchmarks.measured import Row, paired

_BEFORE = "cb4a73a"  # the last commit without a shortcut
_TASKS = 400
_LONG = 600.0  # seconds of arithmetic
_SMALLEST = {
    "candidates": [{"name": "bayes", "estimator": "sklearn.naive_bayes.GaussianNB"}],
    "covalidation": {"repeats": 2},
    "intervals": {"E_cv": "Bayle within folds"},
}


def rows(scale: int) -> Iterator[Row]:
    """The rows of this comparison; the earlier commit runs at scale 1 only."""
    times = 3 if scale == 1 else 1
    with checkout(changes=_SMALLEST) as here:
        repro(here)  # makes the stores
        seconds = median(repro(here) for _ in range(times))
        tasks = _TASKS // scale
        per_task = _seconds_per_task(tasks)
    yield Row(
        "dvc repro of one naive Bayes, 2 repeats, median of 3",
        300,
        "no time at all",
        seconds,
        0.0,
        seconds,
        25.0,
        "seconds",
    )
    yield Row(
        f"{tasks} tasks that do nothing",
        0,
        "as many calls of the pool",
        per_task,
        0.0,
        1e3 * per_task,
        15.0,
        "ms a task",
    )
    share = (seconds + per_task * _LONG) / _LONG
    work = "orchestration of ten minutes in tasks of a second, by the two rows above"
    yield Row(work, 0, "the ten minutes", seconds + per_task * _LONG, _LONG, share, 0.05)
    if scale == 1:
        yield _before()


def _before() -> Row:
    with checkout() as now, checkout(_BEFORE) as before:
        ours, theirs = paired(lambda: repro(now), lambda: repro(before), times=3)
    work = "the shipped run, dvc repro --force without a stored fit, median of 3"
    return Row(work, 300, f"itself at {_BEFORE}, before the first shortcut", ours, theirs, ours / theirs, 0.5)


def _seconds_per_task(tasks: int) -> float:
    """The seconds that a Prefect task adds to a call of the pool, without the start of the flow."""
    from tasks.runtime.server import Server

    server = Server()
    server.start()
    try:
        server.wait()
        return float(script(_MANY.format(tasks=tasks)))
    finally:
        server.stop()


_MANY = """
import logging, time
from tasks.runtime import environment
environment.enter()
logging.disable(logging.CRITICAL)
from prefect import flow
from flows.stage import RUNNER
from tasks.fits import executor, fan_out
from tasks.fits.work import Work
from tasks.params import load
settings = load("params.yaml", ())

@flow(task_runner=RUNNER)
def many(number):
    started = time.perf_counter()
    fan_out.run_all(settings.execution, "many", [Work(f"task {{n}}", abs, (n,), ()) for n in range(number)], 0)
    return time.perf_counter() - started

many(10)
few, all_of_them = many(10), many({tasks})
pool, started = executor.executor(settings.execution), time.perf_counter()
for future in [pool.submit(abs, n) for n in range({tasks} - 10)]:
    future.result()
calls = time.perf_counter() - started
executor.stop()
print((all_of_them - few - calls) / ({tasks} - 10))
"""
