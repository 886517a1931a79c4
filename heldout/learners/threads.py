"""Threads: one for the arithmetic of each fit, as in the workers of a run, so that sums are the same; or several calls
at once, whose results come in order.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from multiprocessing.pool import ThreadPool
from typing import Any, TypeVar

Argument = TypeVar("Argument")
Result = TypeVar("Result")


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit the BLAS and OpenMP libraries of this process to one thread, until the block ends."""
    with _libraries(len(sys.modules)).limit(limits=1):
        yield


@lru_cache(maxsize=1)
def _libraries(modules: int) -> Any:  # noqa: ARG001  # a library comes with a module: look only when there are more
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def in_threads(call: Callable[[Argument], Result], arguments: Iterable[Argument], threads: int) -> Iterator[Result]:
    """The results of calls, in the order of their arguments, by so many threads."""
    if threads == 1:
        yield from map(call, arguments)
        return
    with ThreadPool(threads) as pool:
        yield from pool.imap(call, arguments)
