"""The one executor that does the arithmetic, and the fan-out of Prefect tasks that wait for it."""

import functools
import logging
import multiprocessing
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.futures import as_completed
from prefect.task_runners import ThreadPoolTaskRunner

from tasks import tracking, worker
from tasks.errors import UserError
from tasks.params import Settings
from tasks.params_sections import Execution
from tasks.progress import Progress

log = logging.getLogger("heldout")

# threads only wait for the executor; a few more than the workers keep it busy, many would lock sqlite
RUNNER: Any = ThreadPoolTaskRunner(max_workers=(os.cpu_count() or 1) + 2)


def executor(settings: Execution) -> Executor:
    """The shared executor: local processes, or the workers of a Dask scheduler. Raises UserError."""
    return _dask(str(settings.scheduler)) if settings.executor == "dask" else _local(settings.workers)


def stop(settings: Execution) -> None:
    """End the local workers at once, whatever they do: what was finished is stored."""
    if settings.executor == "local":
        pool = _local(settings.workers)
        for process in multiprocessing.active_children():
            process.kill()
        pool.shutdown(cancel_futures=True)
        _local.cache_clear()


@dataclass(frozen=True)
class Work:
    """A task to be: its name, what a worker is given, and the seconds that it is thought to take."""

    name: str
    arguments: tuple[Any, ...]
    seconds: float = 0.0


def run_all(
    settings: Settings, what: str, function: Callable[..., Any], todo: Sequence[Work], reused: int
) -> list[Any]:
    """One Prefect task run for each of `todo`, the longest first; their results, in the order of `todo`.

    `reused` is the number of tasks that were found finished, for the log.
    """
    log.info("%s: %d tasks reused, %d to do", what, reused, len(todo))
    pool = executor(settings.execution)
    started = time.monotonic()
    with Progress(what, len(todo)) as progress:
        futures = {
            place: _unit.with_options(task_run_name=todo[place].name).submit(pool, function, todo[place].arguments)
            for place in sorted(range(len(todo)), key=lambda place: -todo[place].seconds)
        }
        try:
            for _ in as_completed([*futures.values()]):
                progress.advance()
        except BaseException:  # an interruption does not wait for fits that are under way
            stop(settings.execution)
            raise
        results = [futures[place].result() for place in range(len(todo))]
    tracking.tag_seconds(what.replace(" ", "_"), time.monotonic() - started)
    return results


@task(name="unit", cache_policy=NO_CACHE)
def _unit(pool: Executor, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    return pool.submit(function, *arguments).result()


@functools.cache
def _local(workers: int) -> Executor:
    """Processes that are forked from one which has imported what they need, and has no thread."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tasks.worker", "sklearn.ensemble", "sklearn.pipeline"])
    return ProcessPoolExecutor(workers, context, initializer=worker.start)


@functools.cache
def _dask(address: str) -> Executor:
    from distributed import Client

    try:
        client = Client(address, timeout=10, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise UserError(
            f"execution.scheduler is {address}, which does not answer ({error}); start it or mend the address"
        ) from None
    pool: Executor = client.get_executor(pure=False)  # type: ignore[no-untyped-call]
    return pool
