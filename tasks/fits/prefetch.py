"""Tasks of later stages of the same run, submitted before their stage: no worker waits between two stages.

They change no result: a stage waits for a prefetched task, and submits every other task itself.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from typing import Any

from tasks.fits import failed_candidates
from tasks.fits.executor import Work, executor, longest_first
from tasks.params.sections import Execution

_prefetched: dict[tuple[str, ...], tuple[Work, "Future[Any]"]] = {}


def submit_all(settings: Execution, function: Callable[..., Any], todo: Sequence[Work]) -> None:
    """Submit tasks that a later stage will pass to `run_all`."""
    pool = executor(settings)
    for place in longest_first(todo):
        submit(pool, function, todo[place])


def submit(pool: Executor, function: Callable[..., Any], work: Work) -> None:
    """Submit a task, unless a task with the same keys is prefetched; it starts after all tasks in the queue."""
    if work.keys not in _prefetched:
        _prefetched[work.keys] = work, failed_candidates.submit(pool, function, work)


def is_prefetched(keys: Sequence[str]) -> bool:
    """Whether a task with exactly these keys is prefetched, and no stage has waited for it yet."""
    return tuple(keys) in _prefetched


def result(pool: Executor, function: Callable[..., Any], work: Work) -> Any:
    """The result of the task, prefetched or submitted now, or the reason of its failure if it ended its workers."""
    prefetched = _prefetched.pop(work.keys, None)
    future = failed_candidates.submit(pool, function, work) if prefetched is None else prefetched[1]
    return failed_candidates.result(work, future)


def of_later_stages(todo: Sequence[Work]) -> list[tuple[Work, bool]]:
    """The prefetched tasks that no stage has waited for, without those of `todo`, and whether each is finished."""
    present = {work.keys for work in todo}
    return [(work, future.done()) for keys, (work, future) in list(_prefetched.items()) if keys not in present]
