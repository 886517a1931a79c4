"""A folder or a file that is written completely or not at all: by a kill, by an error, or on a full disk."""

import ctypes
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tasks.runtime.full_disk import written

_AT_CURRENT_FOLDER, _EXCHANGE = -100, 2  # of Linux: AT_FDCWD, RENAME_EXCHANGE


@contextmanager
def replacing(folder: Path) -> Iterator[Path]:
    """A new folder to write into; it replaces `folder` if the block raises no exception.

    Killed at any moment, the old or the new folder is there, complete.
    """
    fresh, old = (folder.with_name(f".{folder.name}.{name}") for name in ("new", "old"))
    _remove(fresh)
    if old.exists() and not folder.exists():  # killed between two renames
        old.rename(folder)
    _remove(old)
    fresh.mkdir(parents=True)
    try:
        with written(folder):
            yield fresh
            for path in fresh.rglob("*"):
                if path.is_file():
                    sync(path)
    except BaseException:
        _remove(fresh)
        raise
    if folder.exists() and not _exchange(fresh, folder):
        folder.rename(old)
    if not folder.exists():
        _remove(folder)  # a link to nothing
        fresh.rename(folder)
    for left in (fresh, old):
        _remove(left)


def _remove(path: Path) -> None:
    """Remove a folder, or a link alone: what it leads to stays."""
    if path.is_symlink():
        path.unlink()
    shutil.rmtree(path, ignore_errors=True)


def _exchange(one: Path, other: Path) -> bool:
    """Swap two folders in one step, where the system and its file system can."""
    rename = getattr(ctypes.CDLL(None), "renameat2", None)
    if rename is None:
        return False
    here = _AT_CURRENT_FOLDER
    return bool(rename(here, os.fsencode(one), here, os.fsencode(other), _EXCHANGE) == 0)


@contextmanager
def replacing_file(path: Path) -> Iterator[Path]:
    """The path of a draft; it replaces `path` if the block raises no exception. Raises UserError for a full disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.new")
    draft.unlink(missing_ok=True)  # it may be a link
    try:
        with written(path):
            yield draft
            sync(draft)
            draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def sync(path: Path) -> None:
    """Return when the file is on the disk: a rename must not be there before the content is."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
