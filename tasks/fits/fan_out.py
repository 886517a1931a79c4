"""The fan-out: a Prefect task run for each task of the workers, or for some of them; its thread only waits."""

import importlib
import logging
import os
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.futures import as_completed
from prefect.logging import get_run_logger

from tasks.fits import failed_candidates
from tasks.fits.executor import executor, stop
from tasks.fits.progress_bar import Progress
from tasks.fits.work import Work, in_task_runs, longest_first, name_of
from tasks.params.running import Execution
from tasks.storage import fit_cache

log = logging.getLogger("heldout")

# What comes after the fits imports these: one while each of the first fan-outs is waited for, since a second of imports
# is half of a small run. Not in a thread: SciPy looks at what is half imported there, and fails. DVC commits what its
# own stages write.
_LATER = ["skops.io", "matplotlib.figure", *([] if "DVC_STAGE" in os.environ else ["dvc.repo"])]


def run_all(
    execution: Execution,
    what: str,
    todo: Sequence[Work],
    reused: int,
    *,
    measuring: bool = False,
) -> list[Any]:
    """Have the workers do `todo`, the longest first, in Prefect task runs; the results, in the order of `todo`.

    `reused` is the number of tasks that were finished before, for the log; `measuring` as in `Progress`.
    """
    if refused := fit_cache.store.refused():
        log.warning(
            "%s: %d files of finished fits are damaged or not of this checkout, as %s; they are not read, and their "
            "fits are made again",
            what,
            len(refused),
            refused[0],
        )
    level = logging.INFO if todo else logging.DEBUG
    log.log(level, "%s: %s%d to do", what, f"{reused} tasks reused, " if reused else "", len(todo))
    pool = executor(execution)
    order = longest_first(todo)
    # all of them, since there may be more workers than threads that wait for them
    submitted = {place: failed_candidates.submit(pool, todo[place]) for place in order}
    with Progress(what, todo, measuring=measuring) as progress:
        task_runs = {
            _units.with_options(task_run_name=name_of([todo[place] for place in places])).submit(
                [todo[place] for place in places], [submitted[place] for place in places]
            ): places
            for places in in_task_runs(order)
        }
        try:
            if todo and _LATER:
                importlib.import_module(_LATER.pop(0))
            for future in as_completed([*task_runs]):
                progress.advance(*(todo[place] for place in task_runs[future]))
        except BaseException:  # an interruption does not wait for the fits in progress
            stop()
            raise
        results = {
            place: result
            for future, places in task_runs.items()
            for place, result in zip(places, future.result(), strict=True)
        }
        return [results[place] for place in range(len(todo))]


@task(name="unit", cache_policy=NO_CACHE)
def _units(works: Sequence[Work], futures: "Sequence[Future[Any]]") -> list[Any]:
    if len(works) > 1:  # the log of a task run has those for which its name has no room
        get_run_logger().info("\n".join(work.name for work in works))
    return [failed_candidates.result(work, future) for work, future in zip(works, futures, strict=True)]
