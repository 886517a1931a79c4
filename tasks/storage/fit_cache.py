"""Finished units of work, under keys made of content hashes. Removing the folder is always safe.

They are pickles, which can run code when they are read. So each begins with a checksum under a key that only this
checkout has, and a file without it is as good as missing.
"""

import functools
import hashlib
import hmac
import json
import logging
import os
import pickle
import threading
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

from tasks.runtime.environment import CACHE
from tasks.runtime.errors import UserError
from tasks.runtime.full_disk import written
from tasks.runtime.private_files import private_folder, private_opener
from tasks.runtime.secret import checkout_secret

log = logging.getLogger("heldout")

FOLDER = CACHE / "tasks"
VERSION = 7  # of what is stored: raise it when the same inputs would give another result
_PURPOSE = "stored fits"
_BYTES = 32  # of the checksum, in front of the pickle


def key(*parts: object) -> str:
    """The key of the unit of work that `parts` describe; it depends on `VERSION` and on scikit-learn's version."""
    return content_hash(VERSION, _learners_version(), *parts)


@functools.cache
def _learners_version() -> str:
    return version("scikit-learn")


def content_hash(*parts: object) -> str:
    """The SHA-256 of `parts`: the same for the same content, whatever the run, runner or machine."""
    text = json.dumps(_exact(parts), default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _exact(value: object) -> object:
    """Mappings as sorted pairs: in a JSON object the labels 1 and "1" would be the same key."""
    if isinstance(value, dict):
        return {"pairs": sorted(json.dumps([_exact(name), _exact(item)], default=str) for name, item in value.items())}
    return [_exact(item) for item in value] if isinstance(value, list | tuple) else value


def has(name: str) -> bool:
    """Whether the unit is finished, and was stored by this checkout."""
    try:
        found = _path(name).stat()
    except FileNotFoundError:
        return False
    return _is_authentic(
        name, checkout_secret(_PURPOSE), (str(Path.cwd()), found.st_ino, found.st_mtime_ns, found.st_size)
    )


def load(name: str) -> Any:
    """The value of the finished unit. Raises UserError for a file that this checkout did not store."""
    with _path(name).open("rb") as file:
        if not hmac.compare_digest(file.read(_BYTES), _checksum(name, checkout_secret(_PURPOSE), file)):
            raise UserError(f"{file.name} was not stored by this checkout; remove it, and the fit is made again")
        file.seek(_BYTES)
        return pickle.load(file)  # noqa: S301  # the checksum is right: this checkout wrote it


def save(name: str, value: Any) -> None:
    """Store the unit's value, completely or not at all, even if the process is killed."""
    path = _path(name)
    private_folder(path.parent)
    part = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}")
    try:
        with written(path), open(part, "w+b", opener=private_opener) as file:
            file.write(bytes(_BYTES))
            pickle.dump(value, file, pickle.HIGHEST_PROTOCOL)
            file.seek(_BYTES)
            checksum = _checksum(name, checkout_secret(_PURPOSE), file)
            file.seek(0)
            file.write(checksum)
    except UserError:
        part.unlink(missing_ok=True)
        raise
    part.replace(path)


@functools.lru_cache(maxsize=1 << 16)
def _is_authentic(name: str, secret: str, version_of_file: tuple[object, ...]) -> bool:  # noqa: ARG001
    """Whether the checksum is right: read once in a process for each version of the file, since models may be large."""
    path = _path(name)
    with path.open("rb") as file:
        authentic = hmac.compare_digest(file.read(_BYTES), _checksum(name, secret, file))
    if not authentic:
        log.warning("%s was not stored by this checkout, so it is not read; the fit is made again", path)
    return authentic


def _checksum(name: str, secret: str, file: IO[bytes]) -> bytes:
    """The keyed checksum of the rest of the file, and of its name: no unit passes for another one."""
    code = hmac.new(secret.encode(), name.encode() + b"\0", hashlib.sha256)
    while chunk := file.read(1 << 20):
        code.update(chunk)
    return code.digest()


def _path(name: str) -> Path:
    return FOLDER / name[:2] / name
