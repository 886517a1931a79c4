"""Which process of which machine a record belongs to, so that a later process finds out whether it died."""

import socket

import psutil

HOST = socket.gethostname()


def identity(pid: int | None = None) -> str:
    """A process of this machine, this one if None: its number, and its start in seconds since the machine's.

    The system gives a number again. The time of day would not do: a clock that is set moves all starts.
    Raises psutil.Error if there is no such process.
    """
    process = psutil.Process(pid)
    return f"{process.pid}:{process.create_time() - psutil.boot_time():.2f}"


def alive(recorded: str) -> bool:
    """Whether the process of this machine that has this identity runs."""
    try:
        return identity(int(recorded.partition(":")[0])) == recorded
    except (psutil.Error, ValueError):
        return False
