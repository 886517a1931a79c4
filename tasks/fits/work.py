"""The tasks of the workers, and their order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


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
