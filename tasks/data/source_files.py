"""The files that a run reads, by their hashes: a file that changes meanwhile makes the results those of no table."""

import contextlib
from collections.abc import Mapping
from pathlib import Path

from tasks.data.read_source import parts, unlabeled_files
from tasks.params import Settings
from tasks.runtime.errors import UserError
from tasks.storage import files


def hash_sources(settings: Settings) -> dict[Path, str]:
    """The SHA-256 of each file that `data.source` and `data.unlabeled` name; data sets of a library have none.

    A file that cannot be read has none either: `prepare` says it.
    """
    source = Path(settings.data.source)
    found = parts(source) if source.is_dir() else [source]
    if settings.data.unlabeled is not None:
        with contextlib.suppress(UserError):  # `prepare` says it
            found += unlabeled_files(settings.data.unlabeled)
    hashes = {}
    for path in found:
        with contextlib.suppress(OSError):
            if path.is_file():
                hashes[path] = files.file_hash(path)
    return hashes


def check_unchanged(before: Mapping[Path, str]) -> None:
    """Raise UserError for a file that is not as it was; a new one is no part of the run."""
    for path, known in before.items():
        if not path.is_file() or files.file_hash(path) != known:
            raise UserError(
                f"{path} {'changed' if path.is_file() else 'was removed'} during the run, which began with a file of "
                f"the hash {known[:12]}…; nothing was promoted; run again"
            )
