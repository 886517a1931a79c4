"""The one executor that does the arithmetic, and the fan-out of Prefect tasks that wait for it."""

import functools
import logging
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.futures import as_completed
from prefect.task_runners import ThreadPoolTaskRunner

from tasks.fits import prefetch, worker
from tasks.fits.progress import Progress
from tasks.params import Settings
from tasks.params.sections import Execution
from tasks.runtime.errors import UserError

log = logging.getLogger("heldout")

# threads only wait for the executor; a few more than the workers keep it busy, many would lock sqlite
RUNNER: Any = ThreadPoolTaskRunner(max_workers=(os.cpu_count() or 1) + 2)
_IDLE_SECONDS = 600


def executor(settings: Execution) -> Executor:
    """The shared executor: local processes, or the workers of a Dask scheduler. Raises UserError."""
    return _dask(str(settings.scheduler)) if settings.executor == "dask" else _local(settings.workers)


def stop(settings: Execution) -> None:
    """End the local workers at once, whatever they do: what was finished is stored."""
    if settings.executor == "local":
        executor(settings).shutdown(wait=True, kill_workers=True)  # type: ignore[call-arg]  # loky's own


@dataclass(frozen=True)
class Work:
    """A task to be: its name, what a worker is given, the units that it stores, and the seconds it may take."""

    name: str
    arguments: tuple[Any, ...]
    keys: tuple[str, ...]
    seconds: float = 0.0


def run_all(
    settings: Settings, what: str, function: Callable[..., Any], todo: Sequence[Work], reused: int
) -> list[Any]:
    """One Prefect task run for each of `todo`, the longest first; their results, in the order of `todo`.

    `reused` is the number of tasks that were found finished, for the log.
    """
    log.info("%s: %d tasks reused, %d to do", what, reused, len(todo))
    pool = executor(settings.execution)
    with Progress(what, len(todo)) as progress:
        futures = {
            place: _unit.with_options(task_run_name=todo[place].name).submit(pool, function, todo[place])
            for place in longest_first(todo)
        }
        try:
            for _ in as_completed([*futures.values()]):
                progress.advance()
        except BaseException:  # an interruption does not wait for fits that are under way
            stop(settings.execution)
            raise
        return [futures[place].result() for place in range(len(todo))]


def longest_first(todo: Sequence[Work]) -> list[int]:
    """The places of the tasks in `todo`, in the order in which they should begin."""
    return sorted(range(len(todo)), key=lambda place: -todo[place].seconds)


def begin(settings: Settings, function: Callable[..., Any], todo: Sequence[Work]) -> None:
    """Have the workers begin with tasks for which `run_all` will be called later."""
    pool = executor(settings.execution)
    for place in longest_first(todo):
        prefetch.begin(pool, function, todo[place].keys, todo[place].arguments)


@task(name="unit", cache_policy=NO_CACHE)
def _unit(pool: Executor, function: Callable[..., Any], work: Work) -> Any:
    return prefetch.result(pool, function, work.keys, work.arguments)


def _local(workers: int) -> Executor:
    from loky import get_reusable_executor

    pool: Executor = get_reusable_executor(max_workers=workers, timeout=_IDLE_SECONDS, initializer=worker.start)
    return pool


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
