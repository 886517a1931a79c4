"""A folder that is written completely or not at all."""

import ctypes
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tasks.runtime.full_disk import written
from tasks.storage.whole_file import sync

_AT_CURRENT_FOLDER, _EXCHANGE = -100, 2  # of Linux: AT_FDCWD, RENAME_EXCHANGE


@contextmanager
def replacing(folder: Path) -> Iterator[Path]:
    """A new folder to write into; it replaces `folder` if the block raises no exception.

    Killed at any moment, the old or the new folder is there, complete.
    """
    fresh, old = (folder.with_name(f".{folder.name}.{name}") for name in ("new", "old"))
    shutil.rmtree(fresh, ignore_errors=True)
    if old.exists() and not folder.exists():  # killed between two renames
        old.rename(folder)
    shutil.rmtree(old, ignore_errors=True)
    fresh.mkdir(parents=True)
    try:
        with written(folder):
            yield fresh
            for path in fresh.rglob("*"):
                if path.is_file():
                    sync(path)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    if folder.exists() and not _exchange(fresh, folder):
        folder.rename(old)
    if not folder.exists():
        fresh.rename(folder)
    for left in (fresh, old):
        shutil.rmtree(left, ignore_errors=True)


def _exchange(one: Path, other: Path) -> bool:
    """Swap two folders in one step, where the system and its file system can."""
    rename = getattr(ctypes.CDLL(None), "renameat2", None)
    if rename is None:
        return False
    here = _AT_CURRENT_FOLDER
    return bool(rename(here, os.fsencode(one), here, os.fsencode(other), _EXCHANGE) == 0)
