"""A file that is written completely or not at all: by a kill, by an error, or on a full disk."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tasks.runtime.full_disk import written


@contextmanager
def replacing_file(path: Path) -> Iterator[Path]:
    """The path of a draft; it replaces `path` if the block raises no exception. Raises UserError for a full disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.new")
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
