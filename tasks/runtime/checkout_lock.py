"""One run at a time in a checkout: two would write over each other's files."""

import fcntl
import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from heldout.running.private_files import private_opener
from tasks.runtime.environment import CACHE, copy_suffix
from tasks.runtime.errors import UserError
from tasks.runtime.full_disk import check_space
from tasks.runtime.private_files import private_folder

log = logging.getLogger("heldout")

_PATIENCE_SECONDS = 3.0  # the host notices the end of its `dvc` process after a moment
_held = False


def _locked(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextmanager
def checkout_lock(what: str = "a run", *, wait: bool = False) -> Iterator[None]:
    """Lock the checkout for this process, which does `what`; a nested call does nothing.

    Raises UserError if another process holds the lock, or with `wait` logs who does, and waits for its end. The system
    releases the lock when the process ends.
    """
    global _held
    if _held:
        yield
        return
    private_folder(CACHE)
    check_space(Path(), CACHE)
    suffix = copy_suffix()
    path = (CACHE / f"lock{suffix}").resolve()
    with open(path, "a+", opener=private_opener) as file:
        _acquire(file, wait)
        file.truncate(0)
        file.write(f"{os.getpid()} ({what})")
        file.flush()
        _held = True
        try:
            yield
        finally:
            _held = False
            if suffix:  # the copy is removed after its run
                path.unlink(missing_ok=True)


def _acquire(file: IO[str], wait: bool) -> None:
    """Return when the lock is ours. Raises UserError if it is not after a moment, unless we wait for it."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    waited_for = ""
    while not _locked(file):
        if time.monotonic() > deadline:
            file.seek(0)
            owner = file.read().strip()
            if not wait:
                raise UserError(
                    f"process {owner} runs in this checkout already; wait for it, stop it, or use a second clone"
                )
            if owner != waited_for:
                log.warning("process %s runs in this checkout; waiting for its end", owner)
                waited_for = owner
        time.sleep(0.1)
    if waited_for:
        log.info("process %s has ended; going on", waited_for)
