"""A secret in a file that nobody but its owner may read; it is made by who asks first."""

import contextlib
import functools
import hashlib
import hmac
import os
import secrets
import stat
from pathlib import Path

from heldout.running.private_files import private_draft, private_folders

_BYTES = 32


def secret_of(path: Path, purpose: str) -> str:
    """64 hexadecimal digits that are the same in every process which knows the file, and differ between purposes.

    Raises PermissionError if other users may have read the file.
    """
    try:
        found = path.stat()
    except FileNotFoundError:
        _create(path)
        found = path.stat()
    version = found.st_dev, found.st_ino, found.st_mode, found.st_uid, found.st_mtime_ns
    return _derived(path, purpose, version)


def user_secret(purpose: str) -> str:
    """The same, of the user of this machine: a folder that came from elsewhere was not made with it."""
    return secret_of(user_folder() / "secret", purpose)


def user_folder() -> Path:
    """The folder of this user on this machine, which nobody else may enter. Raises PermissionError for another's."""
    state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    state.mkdir(parents=True, exist_ok=True)
    private_folders(state / "heldout")
    return state / "heldout"


@functools.lru_cache
def _derived(path: Path, purpose: str, _version: tuple[int, ...]) -> str:
    """The digits, read once in a process for each version of the file: each stored fit asks for them."""
    return hmac.new(_key(path), purpose.encode(), hashlib.sha256).hexdigest()


def _key(path: Path) -> bytes:
    with path.open("rb") as file:
        found, key = os.fstat(file.fileno()), file.read()
    mode = stat.S_IMODE(found.st_mode)
    if mode & 0o077 or found.st_uid != os.getuid() or len(key) != _BYTES:
        raise PermissionError(
            f"{path} has mode {mode:o}, owner {found.st_uid} and {len(key)} bytes, but a secret has mode 600, owner "
            f"{os.getuid()} and {_BYTES} bytes; remove it, and a new one is made"
        )
    return key


def _create(path: Path) -> None:
    """Write the file unless another process was first."""
    path.parent.mkdir(exist_ok=True)
    draft = private_draft(path, secrets.token_bytes(_BYTES))
    with contextlib.suppress(FileExistsError):
        path.hardlink_to(draft)
    draft.unlink()
