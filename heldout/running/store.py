"""Finished fits, each under its key and on its own: a run that was killed loses only what was under way.

A key is a text that describes everything that decides the value, as a hash. What is stored under a key that is not
known any more does no harm.
"""

import contextlib
import functools
import hashlib
import hmac
import io
import os
import pickle
import shutil
import stat
import threading
import time
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO, Any, Protocol

from heldout.errors import BadArgument, StoreFailure
from heldout.running.private_files import private_folders, private_opener
from heldout.running.secret import user_secret

_BYTES = 32  # of the checksum, in front of the pickle
_SMALL = 1 << 16  # bytes of a pickle that is compressed: a larger one is mostly a model, which takes longer
_OF_USER = "heldout-fits"  # in the folder that a user names


class Store(Protocol):
    """Values by key. `load` of a key that `has` knows is the value that was saved last."""

    def has(self, key: str) -> bool:
        """Whether a value is stored, as it was saved."""

    def load(self, key: str) -> Any:
        """The value. Raises StoreFailure if there is none."""

    def save(self, key: str, value: Any) -> None:
        """Store the value, in place of an earlier one."""

    def remove(self, key: str) -> None:
        """Remove the value, if there is one."""


class MemoryStore:
    """Values of this process, which are gone with it; the values themselves, and no copies."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}

    def has(self, key: str) -> bool:
        """Whether a value is stored."""
        return key in self.values

    def load(self, key: str) -> Any:
        """The value. Raises StoreFailure if there is none."""
        if key not in self.values:
            raise StoreFailure(f"there is no value under {key}")
        return self.values[key]

    def save(self, key: str, value: Any) -> None:
        """Store the value, in place of an earlier one."""
        self.values[key] = value

    def remove(self, key: str) -> None:
        """Remove the value, if there is one."""
        self.values.pop(key, None)


class FolderStore:
    """Values as files below a folder, which may be removed at any time; several processes may use it at once.

    They are pickles, which can run code when they are read. So each begins with a checksum under the text that `secret`
    returns, and a file without it, damaged or planted, is as good as missing. `secret` is asked at each use, since a
    folder without a root is that of the current folder, which a process may change.
    """

    def __init__(self, folder: Path, secret: Callable[[], str]) -> None:
        self.folder, self._secret = folder, secret
        self._refused: list[Path] = []

    def path(self, key: str) -> Path:
        """The file of a value."""
        return self.folder / key[:2] / key

    def has(self, key: str) -> bool:
        """Whether a value is stored, and the file is as it was written."""
        try:
            found = self.path(key).lstat()
        except (FileNotFoundError, NotADirectoryError):
            return False
        version = str(Path.cwd()), found.st_ino, found.st_mode, found.st_mtime_ns, found.st_size
        return _is_authentic(self, key, self._secret(), version)

    def refused(self) -> list[Path]:
        """The files that `has` found since the last call, and that are not as they were written."""
        found, self._refused = self._refused, []
        return found

    def load(self, key: str) -> Any:
        """The value. Raises StoreFailure if there is none, or its file is not as it was written."""
        path = self.path(key)
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                if hmac.compare_digest(file.read(_BYTES), _checksum(key, self._secret(), file)):
                    file.seek(_BYTES)
                    compressed = file.read(1) != pickle.PROTO
                    file.seek(_BYTES)
                    read = io.BytesIO(zlib.decompress(file.read())) if compressed else file
                    return pickle.load(read)  # noqa: S301  # the checksum is right: who knows the secret wrote it
        raise StoreFailure(f"{path} was removed or damaged during the run; run again, and its fit is made again")

    def save(self, key: str, value: Any) -> None:
        """Store the value, completely or not at all, even if the process is killed.

        Raises StoreFailure for a folder of another user, OSError where the disk is full, and what the value raises
        while it is pickled.
        """
        path = self.path(key)
        self._make_folder(path.parent)
        part = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}")
        try:
            with open(part, "w+b", opener=private_opener) as file:
                file.write(bytes(_BYTES))
                pickle.dump(value, file, pickle.HIGHEST_PROTOCOL)
                if file.tell() - _BYTES <= _SMALL:
                    file.seek(_BYTES)
                    compressed = zlib.compress(file.read(), 1)
                    file.seek(_BYTES)
                    file.write(compressed)
                    file.truncate()
                file.seek(_BYTES)
                checksum = _checksum(key, self._secret(), file)
                file.seek(0)
                file.write(checksum)
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise

    def remove(self, key: str) -> None:
        """Remove the value, if there is one."""
        self.path(key).unlink(missing_ok=True)

    def prune(self, most_bytes: float) -> int:
        """Remove the files used longest ago, until at most `most_bytes` are left; returns the bytes removed.

        Not while a run uses them: call it before the first fit.
        """
        files = []
        for folder, _, names in os.walk(self.folder):
            for path in (Path(folder, name) for name in names):
                with contextlib.suppress(FileNotFoundError):  # another process may share the folder
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

    def _make_folder(self, folder: Path) -> None:
        if not folder.is_dir():
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            with contextlib.suppress(FileNotFoundError, IsADirectoryError):  # another worker makes it at this moment
                folder.unlink()
        try:
            private_folders(self.folder, folder)
        except PermissionError as error:
            raise StoreFailure(f"{error}; use a folder of your own") from None


@functools.lru_cache(maxsize=1 << 16)
def _is_authentic(store: FolderStore, key: str, secret: str, version_of_file: tuple[Any, ...]) -> bool:
    """Whether the checksum is right: read once in a process for each version of the file, since models may be large."""
    path = store.path(key)
    _, _, mode, modified, _ = version_of_file
    if stat.S_ISREG(mode):
        try:
            with path.open("rb") as file:
                authentic = hmac.compare_digest(file.read(_BYTES), _checksum(key, secret, file))
        except OSError:  # it cannot be read
            authentic = False
        if authentic:
            with contextlib.suppress(OSError):
                os.utime(path, ns=(time.time_ns(), modified))  # used now, whatever the disk notes by itself
            return True
    store._refused.append(path)
    return False


def store_of_user(store: Any) -> FolderStore:
    """The store below the folder `store`, whose files only this user can have written.

    It has a folder of its own, which nobody else may enter: those of the user stay as they are. Raises BadArgument for
    what is no folder, for fits of another user, and on a system that keeps no file private.
    """
    if not isinstance(store, str | os.PathLike):
        raise BadArgument("store", f"store is {store!r}; it must be the path of a folder, which may not exist yet")
    if os.name != "posix":
        raise BadArgument("store", f"store is {store!r}, whose files this system cannot keep private; leave it out")
    folder = Path(store).absolute()
    if folder.exists() and not folder.is_dir():
        raise BadArgument("store", f"store is {store!r}, which is no folder; it must be the path of one")
    own = folder / _OF_USER
    if own.exists() and own.stat().st_uid != os.getuid():
        raise BadArgument("store", f"store is {store!r}, where {own} is another user's; use a folder of your own")
    return FolderStore(own, partial(user_secret, "stored fits"))


def _checksum(key: str, secret: str, file: IO[bytes]) -> bytes:
    """The keyed checksum of the rest of the file, and of its key: no value passes for another one."""
    code = hmac.new(secret.encode(), key.encode() + b"\0", hashlib.sha256)
    while chunk := file.read(1 << 16):
        code.update(chunk)
    return code.digest()
