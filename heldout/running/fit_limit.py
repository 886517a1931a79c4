"""The time limit of a fit. Nothing stops a thread, so the process that makes the fit ends itself."""

import os
import signal
import subprocess
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

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
        for process in _started():
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
    finally:
        os._exit(_EXIT)


def _started() -> list[int]:
    """The processes that this one started, and those that they started."""
    children = defaultdict(list)
    for process, parent in _parents():
        children[parent].append(process)
    found: list[int] = []
    waiting = [os.getpid()]
    while waiting:
        started = children.pop(waiting.pop(), [])
        found += started
        waiting += started
    return found


def _parents() -> Iterator[tuple[int, int]]:
    """The number of each process of this machine, and that of its parent."""
    if not Path("/proc/self/stat").exists():
        listed = subprocess.run(["ps", "-Ao", "pid=,ppid="], capture_output=True, text=True, check=True)  # noqa: S607
        for line in listed.stdout.splitlines():
            process, parent = map(int, line.split())
            yield process, parent
        return
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended
            # behind the name, in which anything may be: its state, and its parent
            yield int(stat.parent.name), int(stat.read_text(errors="replace").rpartition(")")[2].split()[1])
