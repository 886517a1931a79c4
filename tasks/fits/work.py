"""The tasks of the workers, their order, and the Prefect task runs that wait for them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Work:
    """A task for a worker: its name, what it calls with which arguments, the keys of the units that it stores, its
    expected seconds.

    `candidate` is a key of the candidate that fails if its tasks end their workers; empty for none.
    """

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    keys: tuple[str, ...]
    seconds: float = 0.0
    candidate: str = ""


def longest_first(todo: Sequence[Work]) -> list[int]:
    """The places of the tasks in `todo`, in the order in which they should start."""
    return sorted(range(len(todo)), key=lambda place: -todo[place].seconds)


_TASK_RUNS = 500  # at most, of a fan-out: a server takes some milliseconds for each
_LONGEST_NAME = 1000  # PostgreSQL's index of names takes at most 2700 bytes


def in_task_runs(order: Sequence[int]) -> list[Sequence[int]]:
    """The places of tasks, in the order in which they start, as the places of each Prefect task run: mostly one."""
    size = max(1, -(-len(order) // _TASK_RUNS))
    return [order[first : first + size] for first in range(0, len(order), size)]


def name_of(works: Sequence[Work]) -> str:
    """The name of the task run that waits for `works`: their names, as far as a name may be long."""
    name = "; ".join(work.name for work in works)
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]} …"
