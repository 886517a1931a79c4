"""Finished units of work, under keys made of content hashes. Removing the folder is always safe.

They are pickles, which can run code when they are read. So each begins with a checksum under a key that only this
checkout has, and a file without it, damaged or planted, is as good as missing.
"""

import contextlib
import functools
import hashlib
import hmac
import os
import pickle
import shutil
import stat
import threading
import time
from pathlib import Path
from typing import IO, Any

from tasks.runtime.environment import CACHE
from tasks.runtime.errors import UserError
from tasks.runtime.full_disk import written
from tasks.runtime.private_files import private_folder, private_opener
from tasks.runtime.secret import checkout_secret

FOLDER = CACHE / "tasks"
_PURPOSE = "stored fits"
_BYTES = 32  # of the checksum, in front of the pickle

_refused: list[Path] = []


def has(name: str) -> bool:
    """Whether the unit is finished, and the file is as this checkout stored it."""
    try:
        found = _path(name).lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    version_of_file = str(Path.cwd()), found.st_ino, found.st_mode, found.st_mtime_ns, found.st_size
    return _is_authentic(name, checkout_secret(_PURPOSE), version_of_file)


def refused() -> str:
    """What was found that is not as this checkout stored it, since the last call; empty for nothing."""
    if not _refused:
        return ""
    found = f"{len(_refused)} files of finished fits are damaged or not of this checkout, as {_refused[0]}"
    _refused.clear()
    return f"{found}; they are not read, and their fits are made again"


def load(name: str) -> Any:
    """The value of the finished unit. Raises UserError for a file that is not as this checkout stored it."""
    path = _path(name)
    if path.is_file() and not path.is_symlink():
        with path.open("rb") as file:
            if hmac.compare_digest(file.read(_BYTES), _checksum(name, checkout_secret(_PURPOSE), file)):
                file.seek(_BYTES)
                return pickle.load(file)  # noqa: S301  # the checksum is right: this checkout wrote it
    raise UserError(f"{path} was removed or damaged during the run; run again, and its fit is made again")


def save(name: str, value: Any) -> None:
    """Store the unit's value, completely or not at all, even if the process is killed."""
    path = _path(name)
    if not path.parent.is_dir():
        with contextlib.suppress(FileNotFoundError, IsADirectoryError):  # another worker makes it at this moment
            path.parent.unlink()
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
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def prune(most_bytes: float) -> int:
    """Remove the files that were used longest ago, until at most `most_bytes` are left; returns the bytes removed.

    Not while a run uses them: call it before the first fit.
    """
    files = []
    for folder, _, names in os.walk(FOLDER):
        for path in (Path(folder, name) for name in names):
            with contextlib.suppress(FileNotFoundError):  # an experiment of DVC shares the folder
                found = path.lstat()
                files.append((found.st_atime_ns, found.st_size, path))
    too_many = sum(size for _, size, _ in files) - most_bytes
    removed = 0
    for _, size, path in sorted(files):
        if removed >= too_many:
            break
        path.unlink(missing_ok=True)
        removed += size
    return removed


def remove(name: str) -> None:
    """Remove a value that nobody will need again."""
    _path(name).unlink(missing_ok=True)


@functools.lru_cache(maxsize=1 << 16)
def _is_authentic(name: str, secret: str, version_of_file: tuple[Any, ...]) -> bool:
    """Whether the checksum is right: read once in a process for each version of the file, since models may be large."""
    path = _path(name)
    _, _, mode, modified, _ = version_of_file
    if stat.S_ISREG(mode):
        try:
            with path.open("rb") as file:
                authentic = hmac.compare_digest(file.read(_BYTES), _checksum(name, secret, file))
        except OSError:  # it cannot be read
            authentic = False
        if authentic:
            with contextlib.suppress(OSError):
                os.utime(path, ns=(time.time_ns(), modified))  # used now, whatever the disk notes by itself
            return True
    _refused.append(path)
    return False


def _checksum(name: str, secret: str, file: IO[bytes]) -> bytes:
    """The keyed checksum of the rest of the file, and of its name: no unit passes for another one."""
    code = hmac.new(secret.encode(), name.encode() + b"\0", hashlib.sha256)
    while chunk := file.read(1 << 20):
        code.update(chunk)
    return code.digest()


def _path(name: str) -> Path:
    return FOLDER / name[:2] / name
