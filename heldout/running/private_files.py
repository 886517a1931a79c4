"""Files and folders that only their owner may read, whatever the umask."""

import os
from pathlib import Path


def private_folders(*folders: Path) -> None:
    """Make those of the folders that are missing, in this order; nobody else may enter them.

    Raises PermissionError for a folder of another user.
    """
    for folder in folders:
        try:
            folder.mkdir(0o700)
            folder.chmod(0o700)  # a strict umask would forbid its owner to enter it
        except FileExistsError:
            found = folder.stat()
            if found.st_uid != os.getuid():
                raise PermissionError(f"{folder} belongs to another user ({found.st_uid})") from None
            if found.st_mode & 0o077:
                folder.chmod(0o700)


def private_opener(path: str, flags: int) -> int:
    """For `open(…, opener=…)`: a file that only its owner may read and write."""
    descriptor = os.open(path, flags, 0o600)
    os.fchmod(descriptor, 0o600)
    return descriptor
