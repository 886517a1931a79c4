"""Tasks that end their worker, in a module that a worker imports fast."""

import ctypes
import os
import signal
import subprocess
import time
from pathlib import Path

from heldout.running.fit_limit import limited

LIMIT = 0.2
STARTS = ("sh", "-c", "sleep 600 & echo $!; wait")  # a process that starts another, and tells its number


def tries(name: str) -> int:
    """How often something was begun, this time too."""
    with Path(name).open("a") as file:
        file.write(".")
    return Path(name).stat().st_size


def dies(how, name: str) -> None:
    tries(name)
    how()


def dies_once(name: str) -> int:
    if tries(name) == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return os.getpid()


def interrupts() -> None:
    raise KeyboardInterrupt


def never_ends(name: str, *, holding_the_lock: bool = False) -> None:
    """A fit under the limit, with a child of its own, and one of that."""
    child = subprocess.Popen([*STARTS], stdout=subprocess.PIPE, text=True)
    Path(name).write_text(f"{os.getpid()} {child.pid} {child.stdout.readline()}")
    with limited(LIMIT):
        (ctypes.PyDLL(None).sleep if holding_the_lock else time.sleep)(600)


def exits() -> None:
    os._exit(3)


def is_killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def naps(seconds: float) -> int:
    """A task of some length; who made it."""
    time.sleep(seconds)
    return os.getpid()
