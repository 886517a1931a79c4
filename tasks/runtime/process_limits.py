"""The limits of the system for open files and processes: raised where they may be, and said in a line where reached."""

import contextlib
import errno
import resource

import psutil

from tasks.runtime.errors import UserError

_FILES = 128  # of one process; 46 are open in a run with two workers
_MOST_FILES = 4096  # what is asked for: a library may close every number up to the limit
_THREADS, _OF_A_WORKER = 64, 8  # a run with two workers has up to 47
_ERRNOS = {errno.EMFILE, errno.ENFILE, errno.EAGAIN}
_WORDS = ("Too many open files", "can't start new thread", "Resource temporarily unavailable")


def check_limits(workers: int) -> None:
    """Raise UserError if a run could not be made with the limits of this process (ulimit), before it starts anything.

    The limit of open files is raised, for this process and its children, as far as the system lets everybody.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < _MOST_FILES:
        wanted = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        if wanted < _FILES:
            raise UserError(f"{wanted} files may be open (ulimit -n), and a run needs {_FILES}; raise the limit")
    most, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    if most == resource.RLIM_INFINITY or psutil.Process().uids().real == 0:  # root has none
        return
    there, needed = _threads_of_user(), _THREADS + _OF_A_WORKER * workers
    if most - there < needed:
        raise UserError(
            f"{most} processes and threads are allowed to this user (ulimit -u), {there} are there, and a run with "
            f"{workers} workers needs {needed} more; raise the limit, end others, or lower execution.workers"
        )


def is_limited(error: BaseException) -> bool:
    """Whether an error, or one that it came from, says that a limit of files, processes or threads is reached."""
    cause = error.__cause__ or error.__context__
    of_system = isinstance(error, OSError) and error.errno in _ERRNOS
    return of_system or any(word in str(error) for word in _WORDS) or (cause is not None and is_limited(cause))


def limited() -> UserError:
    """What the user reads then."""
    return UserError(
        "the system gives this run no further file, process or thread: its limit is reached (ulimit -n, ulimit -u). "
        "Raise the limit, or lower execution.workers, and run again: finished fits are kept"
    )


def _threads_of_user() -> int:
    """How many threads the user of this process has."""
    user, number = psutil.Process().uids().real, 0
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            number += process.num_threads() if process.uids().real == user else 0
    return number
