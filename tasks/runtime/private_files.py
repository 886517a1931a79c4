"""Files of this checkout that only their owner may read, whatever the umask."""

from pathlib import Path

from heldout.running.private_files import private_draft, private_folders
from tasks.runtime.errors import UserError


def private_folder(path: Path) -> None:
    """Make the folder, and those above it that are missing; nobody else may enter the folders below the current one.

    Raises UserError for a folder of another user.
    """
    try:
        private_folders(*reversed(path.parents[:-1]), path)
    except PermissionError as error:
        raise UserError(f"{error}; use a clone of your own") from None


def write_private(path: Path, content: bytes) -> None:
    """Write or replace a file that its owner alone may read; it appears complete."""
    private_draft(path, content).replace(path)
