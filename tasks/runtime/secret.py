"""A secret of this checkout, which other users of the machine and web pages do not know."""

import hashlib
import hmac
import os
import secrets
import stat
from pathlib import Path

from tasks.runtime.environment import CACHE
from tasks.runtime.errors import UserError

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
    """Write the file unless another process was first; it appears complete, and was never readable for others."""
    path.parent.mkdir(exist_ok=True)
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(descriptor, 0o600)  # a strict umask forbids its owner to read it
            file.write(secrets.token_bytes(_BYTES))
        path.hardlink_to(draft)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
