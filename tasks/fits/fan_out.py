"""The fan-out: one Prefect task run for each task of the workers; its thread only waits."""

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import Any

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.futures import as_completed

from tasks.fits import live_progress, prefetch
from tasks.fits.executor import executor, stop
from tasks.fits.progress_bar import Progress
from tasks.fits.work import Work, longest_first
from tasks.params.running import Execution
from tasks.storage import fit_cache

log = logging.getLogger("heldout")


def run_all(
    execution: Execution,
    what: str,
    function: Callable[..., Any],
    todo: Sequence[Work],
    reused: int,
    *,
    measuring: bool = False,
) -> list[Any]:
    """One Prefect task run for each of `todo`, the longest first; their results, in the order of `todo`.

    `reused` is the number of tasks that were finished before, for the log; `measuring` as in `Progress`.
    """
    if refused := fit_cache.refused():
        log.warning("%s: %s", what, refused)
    log.info("%s: %d tasks reused, %d to do", what, reused, len(todo))
    pool = executor(execution)
    if execution.executor == "dask":  # a cluster has more workers than there are threads to wait for them
        prefetch.submit_all(executor(execution), function, todo)
    with Progress(what, todo, measuring=measuring) as progress:
        futures = {
            place: _unit.with_options(task_run_name=todo[place].name).submit(pool, function, todo[place])
            for place in longest_first(todo)
        }
        places = {future: place for place, future in futures.items()}
        try:
            for future in as_completed([*futures.values()]):
                progress.advance(todo[places[future]])
                live_progress.show(progress.share())
        except BaseException:  # an interruption does not wait for the fits in progress
            stop(execution)
            raise
        live_progress.show(progress.share() if todo else None, last=True)
        return [futures[place].result() for place in range(len(todo))]


@task(name="unit", cache_policy=NO_CACHE)
def _unit(pool: Executor, function: Callable[..., Any], work: Work) -> Any:
    return prefetch.result(pool, function, work)
