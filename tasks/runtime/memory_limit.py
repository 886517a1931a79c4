"""The memory that a process may take for what a file makes it do."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager

import psutil

_LEAST = 1 << 30


def allowed() -> int:
    """Half of the memory that is free now, in bytes: a process that takes more ends, and not the run."""
    return max(psutil.virtual_memory().available // 2, _LEAST)


@contextmanager
def limited_memory(most: int) -> Iterator[None]:
    """Raise MemoryError, or end this process, if the block takes `most` bytes more than it has."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = psutil.Process().memory_info().vms + most
    if hard == resource.RLIM_INFINITY or wanted < hard:
        resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
