"""A folder that is written completely or not at all."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tasks.runtime.full_disk import written
from tasks.storage.whole_file import sync


@contextmanager
def replacing(folder: Path) -> Iterator[Path]:
    """A new folder to write into; it replaces `folder` if the block raises no exception."""
    fresh = folder.with_name(f".{folder.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
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
    old = folder.with_name(f".{folder.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        folder.rename(old)
    fresh.rename(folder)
    shutil.rmtree(old, ignore_errors=True)
