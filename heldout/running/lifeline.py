"""Workers that end with the main process, however it ends and whatever they do."""

import contextlib
import fcntl
import functools
import os
import signal

from heldout.running import parent_watch


@functools.cache
def lifeline() -> tuple[int, int]:
    """For `end_with`: this process, and the reading end of a pipe. The system closes the writing end when it ends."""
    reading, _ = os.pipe()
    return os.getpid(), reading


def end_with(process: int, reading: int) -> None:
    """End this worker when the main process ends, which gives its `lifeline`; at once, if it has ended already.

    A thread looks for the main process. It never runs during a fit that does not give up Python's lock, as a regular
    expression or a call of LAPACK; there the system ends the worker, by SIGIO at the end of the pipe.
    """
    parent_watch.end_with(process)
    with contextlib.suppress(OSError):  # without /proc the thread is all
        pipe = os.open(f"/proc/{process}/fd/{reading}", os.O_RDONLY | os.O_NONBLOCK)
        signal.signal(signal.SIGIO, signal.SIG_DFL)
        fcntl.fcntl(pipe, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(pipe, fcntl.F_SETFL, os.O_RDONLY | os.O_NONBLOCK | os.O_ASYNC)
