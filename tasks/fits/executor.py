"""The one executor that does the arithmetic: local processes, or the workers of a Dask scheduler.

No orchestrator is imported here, nor by what a worker runs: `python -m flows plan` needs none.
"""

import sys
from collections.abc import Sequence
from concurrent.futures import Executor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any

from tasks.fits import fit_limit
from tasks.fits.workers import TaskFailed, Workers, exit_code, how
from tasks.params.sections import Execution


@dataclass(frozen=True)
class Work:
    """A task for a worker: its name, the arguments, the keys of the units that it stores, its expected seconds.

    `candidate` is a key of the candidate that fails if its tasks end their workers; empty for none.
    """

    name: str
    arguments: tuple[Any, ...]
    keys: tuple[str, ...]
    seconds: float = 0.0
    candidate: str = ""


def longest_first(todo: Sequence[Work]) -> list[int]:
    """The places of the tasks in `todo`, in the order in which they should start."""
    return sorted(range(len(todo)), key=lambda place: -todo[place].seconds)


def executor(settings: Execution) -> Executor:
    """The shared executor. Raises UserError if the Dask scheduler does not answer, or its workers cannot be used."""
    return _dask(settings) if settings.executor == "dask" else _local(settings)


def workers(settings: Execution) -> str:
    """Who makes the fits, in words. A connection to a cluster is made, since its log belongs in the user's terminal."""
    if settings.executor == "local":
        return f"{settings.workers} workers"
    executor(settings)
    return "the flows for Dask's workers"


def stop(settings: Execution) -> None:
    """End the fits at once, whatever the workers do: finished fits are stored."""
    if settings.executor == "local" and _workers:
        _workers.pop().shutdown()
    elif "distributed" in sys.modules:
        from tasks.fits import dask_cluster

        dask_cluster.disconnect()


def reason_of(error: BaseException) -> str | None:
    """Why a task has no result, if it is the task that ended its workers; None for another error."""
    if isinstance(error, TaskFailed):
        return str(error)
    if not isinstance(error, BrokenProcessPool):
        return None
    # of another machine's worker
    ended = exit_code(error) in fit_limit.CODES
    return "a fit took longer than execution.fit_timeout, and was ended" if ended else f"its worker died: {how(error)}"


_workers: list[Workers] = []  # at most one set of them


def _local(settings: Execution) -> Executor:
    wanted = settings.workers, settings.fit_timeout
    if _workers and (_workers[0].count, _workers[0].fit_timeout) != wanted:
        _workers.pop().shutdown()
    if not _workers:
        _workers.append(Workers(*wanted))
    return _workers[0]


def _dask(settings: Execution) -> Executor:
    from tasks.fits import dask_cluster

    return dask_cluster.connect(settings.scheduler, settings.fit_timeout)
