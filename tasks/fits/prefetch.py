"""Tasks of later stages of the same run, submitted before their stage: no worker waits between two stages.

They change no result: a stage waits for a prefetched task, and submits every other task itself.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from typing import Any

from tasks.fits import failed_candidates
from tasks.fits.work import Work, longest_first

PREFETCHED: dict[tuple[str, ...], tuple[Work, "Future[Any]"]] = {}  # by the keys of the task


def submit_all(pool: Executor, function: Callable[..., Any], todo: Sequence[Work]) -> None:
    """Submit tasks that a later stage will pass to `run_all`."""
    for place in longest_first(todo):
        submit(pool, function, todo[place])


def submit(pool: Executor, function: Callable[..., Any], work: Work) -> None:
    """Submit a task, unless a task with the same keys is prefetched; it starts after all tasks in the queue."""
    if work.keys not in PREFETCHED:
        PREFETCHED[work.keys] = work, failed_candidates.submit(pool, function, work)


def result(pool: Executor, function: Callable[..., Any], work: Work) -> Any:
    """The result of the task, prefetched or submitted now, or the reason of its failure if it ended its workers."""
    earlier = PREFETCHED.pop(work.keys, None)
    future = failed_candidates.submit(pool, function, work) if earlier is None else earlier[1]
    return failed_candidates.result(work, future)


def is_prefetched(keys: Sequence[str]) -> bool:
    """Whether a task with exactly these keys is prefetched, and no stage has waited for it yet."""
    return tuple(keys) in PREFETCHED


def by_key() -> dict[str, Work]:
    """The prefetched tasks that no stage has waited for yet, by the key of each of their units."""
    return {key: work for work, _ in PREFETCHED.copy().values() for key in work.keys}


def forget() -> None:
    """Wait for no prefetched task: the workers were ended."""
    PREFETCHED.clear()


def of_later_stages(todo: Sequence[Work]) -> list[tuple[Work, bool]]:
    """The prefetched tasks that no stage has waited for, without those of `todo`, and whether each is finished."""
    present = {work.keys for work in todo}
    prefetched = PREFETCHED.copy()  # at once: the threads of task runs take tasks out of it meanwhile
    return [(work, future.done()) for keys, (work, future) in prefetched.items() if keys not in present]
