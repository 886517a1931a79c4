"""The one executor that does the arithmetic: local processes, or the workers of a Dask scheduler.

No orchestrator is imported here, nor by what a worker runs: `python -m flows plan` needs none.
"""

import functools
import os
import signal
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

from tasks.fits.lifeline import end_with, lifeline
from tasks.params.sections import Execution
from tasks.runtime.errors import UserError

_IDLE_SECONDS = 600


@dataclass(frozen=True)
class Work:
    """A task for a worker: its name, the arguments, the keys of the units that it stores, its expected seconds."""

    name: str
    arguments: tuple[Any, ...]
    keys: tuple[str, ...]
    seconds: float = 0.0


def longest_first(todo: Sequence[Work]) -> list[int]:
    """The places of the tasks in `todo`, in the order in which they should start."""
    return sorted(range(len(todo)), key=lambda place: -todo[place].seconds)


def executor(settings: Execution) -> Executor:
    """The shared executor. Raises UserError if the Dask scheduler does not answer."""
    return _dask(str(settings.scheduler)) if settings.executor == "dask" else _local(settings.workers)


def stop(settings: Execution) -> None:
    """End the local workers at once, whatever they do: finished fits are stored."""
    if settings.executor == "local":
        executor(settings).shutdown(wait=True, kill_workers=True)  # type: ignore[call-arg]  # loky's own


def _local(workers: int) -> Executor:
    from loky import get_reusable_executor

    pool: Executor = get_reusable_executor(
        max_workers=workers, timeout=_IDLE_SECONDS, initializer=start_worker, initargs=lifeline()
    )
    return pool


@functools.cache
def _dask(address: str) -> Executor:
    from distributed import Client

    try:
        client = Client(address, timeout=10, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise UserError(
            f"execution.scheduler is {address}, which does not answer ({error}); start it or fix the address"
        ) from None
    pool: Executor = client.get_executor(pure=False)  # type: ignore[no-untyped-call]
    return pool


def start_worker(process: int, reading: int) -> None:
    """Limit the worker to one thread: the cores are in use, and sums are the same with any number of workers.

    It ends with the main process, whose lifeline the arguments are.
    """
    end_with(process, reading)
    from threadpoolctl import threadpool_limits

    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"  # for the libraries that are loaded later: scikit-learn's OpenMP, SciPy's BLAS
    threadpool_limits(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the main process reports an interruption
