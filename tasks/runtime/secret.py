"""A secret of this checkout, which other users of the machine and web pages do not know."""

import contextlib
import hashlib
import hmac
import os
import secrets
import stat
from pathlib import Path

from tasks.runtime.environment import CACHE
from tasks.runtime.errors import UserError
from tasks.runtime.private_files import private_draft

_BYTES = 32


def checkout_secret(purpose: str) -> str:
    """64 hexadecimal digits that are the same in every process of this checkout, and differ between purposes.

    They are derived from the random bytes of `.cache/secret`, which the first call writes and only its owner may read.
    Raises UserError if other users may have read the file.
    """
    return hmac.new(_key(CACHE / "secret"), purpose.encode(), hashlib.sha256).hexdigest()


def _key(path: Path) -> bytes:
    if not path.exists():
        _create(path)
    with path.open("rb") as file:
        found, key = os.fstat(file.fileno()), file.read()
    mode = stat.S_IMODE(found.st_mode)
    if mode & 0o077 or found.st_uid != os.getuid() or len(key) != _BYTES:
        raise UserError(
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
