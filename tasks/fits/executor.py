"""The one executor that does the arithmetic: local processes, or the workers of a Dask scheduler.

No orchestrator is imported here, nor by what a worker runs: `python -m flows plan` needs none.
"""

import sys
from concurrent.futures import Executor
from typing import TYPE_CHECKING

from heldout.running.workers import Workers
from tasks.fits.workers import fit_workers
from tasks.params.running import Execution

if TYPE_CHECKING:
    from tasks.fits.dask_cluster import DaskExecutor


def executor(settings: Execution) -> Executor:
    """The shared executor. Raises UserError if the Dask scheduler does not answer, or its workers cannot be used."""
    return _cluster(settings) if settings.executor == "dask" else local(settings)


def worker_count(settings: Execution) -> int:
    """How many workers there are now, at least one: a cluster may start some for the first task."""
    return settings.workers if settings.executor == "local" else _cluster(settings).worker_count()


def workers(settings: Execution) -> str:
    """Who makes the fits, in words. A connection to a cluster is made, since its log belongs in the user's terminal."""
    if settings.executor == "local":
        return f"{settings.workers} workers"
    executor(settings)
    return "the flows for Dask's workers"


def stop(*, wait: bool = True) -> None:
    """End the fits of this process at once, whatever the workers do, and `wait` until it is done.

    Finished fits are stored.
    """
    if _workers:
        _workers.pop().shutdown(wait)
    if "tasks.fits.dask_cluster" in sys.modules:
        from tasks.fits import dask_cluster

        dask_cluster.disconnect()


_workers: list[Workers] = []  # at most one set of them


def local(settings: Execution) -> Executor:
    """The processes of this machine, also where the fits are those of a cluster."""
    wanted = settings.workers, settings.fit_timeout
    if _workers and (_workers[0].count, _workers[0].fit_timeout) != wanted:
        _workers.pop().shutdown()
    if not _workers:
        _workers.append(fit_workers(*wanted))
    return _workers[0]


def _cluster(settings: Execution) -> "DaskExecutor":
    from tasks.fits import dask_cluster

    return dask_cluster.connect(settings.scheduler, settings.fit_timeout, tuple(settings.allowed_modules))
