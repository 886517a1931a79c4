"""Files and folders that only their owner may read, whatever the umask."""

import os
import secrets
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


def private_draft(path: Path, content: bytes) -> Path:
    """A new file next to `path`, which was never readable for others."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    with open(draft, "xb", opener=private_opener) as file:
        file.write(content)
    return draft
