"""Tasks that a later stage of the same run will ask for, begun before its turn: no worker waits between two stages.

They change no result: a stage waits for a task that was begun, and makes one that was not.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from typing import Any

_begun: dict[tuple[str, ...], "Future[Any]"] = {}


def begin(pool: Executor, function: Callable[..., Any], keys: Sequence[str], arguments: tuple[Any, ...]) -> None:
    """Hand the task that stores the units `keys` to the workers, behind what they do already."""
    if tuple(keys) not in _begun:
        _begun[tuple(keys)] = pool.submit(function, *arguments)


def is_begun(keys: Sequence[str]) -> bool:
    """Whether a task of exactly these units was begun that nobody has waited for yet."""
    return tuple(keys) in _begun


def result(pool: Executor, function: Callable[..., Any], keys: Sequence[str], arguments: tuple[Any, ...]) -> Any:
    """What the task returns, begun before or now."""
    begun = _begun.pop(tuple(keys), None)
    return (pool.submit(function, *arguments) if begun is None else begun).result()
