"""A full disk, as one line that a user can act on."""

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tasks.runtime.errors import UserError

_ERRNOS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}  # the disk, the user's share of it, the largest file allowed
_LEAST_BYTES, _LEAST_FILES = 1 << 20, 500  # a run makes some hundred files
_WORDS = ("No space left on device", "Disk quota exceeded", "File too large", "database or disk is full")


def is_full(error: BaseException) -> bool:
    """Whether an error, or one that it came from, says that nothing more can be written."""
    of_system = isinstance(error, OSError) and error.errno in _ERRNOS
    cause = error.__cause__ or error.__context__
    return of_system or any(word in str(error) for word in _WORDS) or (cause is not None and is_full(cause))


def full_disk(path: Path | str | None = None) -> UserError:
    """What the user reads where `path` could not be written."""
    what = "a file" if path is None else str(path)
    return UserError(
        f"{what} could not be written: no space is left on its disk, or no inode for a further file, or the limit of "
        "the user or the process is reached; what was there before is as it was. Free some space, and run again: "
        "finished fits are kept"
    )


def check_space(*folders: Path) -> None:
    """Raise UserError if a run could not even begin: its servers would wait for a disk in vain."""
    for folder in folders:
        if (free := shutil.disk_usage(folder).free) < _LEAST_BYTES:
            raise UserError(f"{folder}/: {free} bytes are free on its disk, and a run needs {_LEAST_BYTES}; free space")
        system = os.statvfs(folder)
        if system.f_files > 0 and system.f_favail < _LEAST_FILES:  # some file systems count none
            raise UserError(
                f"{folder}/: its disk has inodes for {system.f_favail} further files, and a run needs {_LEAST_FILES}; "
                "remove files, or give it more space"
            )


@contextmanager
def written(path: Path) -> Iterator[None]:
    """Around the code that writes `path`. Raises UserError where the disk is full."""
    try:
        yield
    except OSError as error:
        if is_full(error):
            raise full_disk(path) from None
        raise
