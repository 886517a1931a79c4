"""One thread for the arithmetic of each fit, as in the workers of a run, so that sums are the same."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit the BLAS and OpenMP libraries of this process to one thread, until the block ends."""
    with _libraries(len(sys.modules)).limit(limits=1):
        yield


@lru_cache(maxsize=1)
def _libraries(modules: int) -> Any:  # noqa: ARG001  # a library comes with a module: look only when there are more
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
