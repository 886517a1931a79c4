"""The time limit of a fit. Nothing stops a thread, so the process that makes the fit ends itself."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psutil

_EXIT = 124  # as that of timeout(1)
_GRACE_SECONDS = 2.0
_MOST_SECONDS = 1e8  # three years: what timers can count
CODES = (_EXIT, -signal.SIGALRM)  # of a process that ended itself


@contextmanager
def limited(seconds: float | None, times: int = 1) -> Iterator[None]:
    """End this process, and those that it started, if the block takes longer than so many seconds so many times.

    None is no limit. `times` are the fits that the block stands for.
    """
    if seconds is None:
        yield
        return
    seconds = min(seconds * times, _MOST_SECONDS)
    watch = threading.Timer(seconds, _end)
    watch.daemon = True
    # where compiled code never lets a thread of Python run, the system ends the process
    signal.setitimer(signal.ITIMER_REAL, seconds + _GRACE_SECONDS)
    watch.start()
    try:
        yield
    finally:
        watch.cancel()
        signal.setitimer(signal.ITIMER_REAL, 0)


def _end() -> None:
    try:
        for child in psutil.Process().children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                child.kill()
    finally:
        os._exit(_EXIT)
