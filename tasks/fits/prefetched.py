"""The tasks of later stages that are submitted already: `tasks.fits.prefetch` submits them."""

from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

from tasks.fits.work import Work

PREFETCHED: dict[tuple[str, ...], tuple[Work, "Future[Any]"]] = {}  # by the keys of the task


def is_prefetched(keys: Sequence[str]) -> bool:
    """Whether a task with exactly these keys is prefetched, and no stage has waited for it yet."""
    return tuple(keys) in PREFETCHED


def of_later_stages(todo: Sequence[Work]) -> list[tuple[Work, bool]]:
    """The prefetched tasks that no stage has waited for, without those of `todo`, and whether each is finished."""
    present = {work.keys for work in todo}
    return [(work, future.done()) for keys, (work, future) in list(PREFETCHED.items()) if keys not in present]
