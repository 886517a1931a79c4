"""Finished units of work, under keys made of content hashes. Removing the folder is always safe."""

import functools
import hashlib
import json
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from heldout.errors import StoreFailure
from heldout.running.store import FolderStore
from tasks.runtime import extension_identity
from tasks.runtime.environment import CACHE
from tasks.runtime.errors import UserError
from tasks.runtime.full_disk import written
from tasks.runtime.private_files import private_folder
from tasks.runtime.secret import checkout_secret

FOLDER = CACHE / "tasks"
VERSION = 9  # of what is stored: raise it when the same inputs would give another result
_LIBRARIES = ("numpy", "pandas", "scikit-learn", "lightgbm", "xgboost", "xgboost-cpu")  # of what is pickled


def key(*parts: object) -> str:
    """The key of the unit of work that `parts` describe; it depends on `VERSION`, the libraries and extensions."""
    return content_hash(VERSION, *_versions(), *parts)


@functools.cache
def _versions() -> tuple[str, ...]:
    of_others = extension_identity.identity(extension_identity.CHANGING_FITS)
    return ".".join(map(str, sys.version_info[:2])), *map(_version, _LIBRARIES), *of_others


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return ""


def content_hash(*parts: object) -> str:
    """The SHA-256 of `parts`: the same for the same content, whatever the run, runner or machine."""
    text = json.dumps(_exact(parts), default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _exact(value: object) -> object:
    """Mappings as sorted pairs: in a JSON object the labels 1 and "1" would be the same key."""
    if isinstance(value, dict):
        return {"pairs": sorted(json.dumps([_exact(name), _exact(item)], default=str) for name, item in value.items())}
    return [_exact(item) for item in value] if isinstance(value, list | tuple) else value


class _Fits(FolderStore):
    """The store, whose failures a user reads."""

    def load(self, key: str) -> Any:
        """The value of the finished unit. Raises UserError for a file that is not as this checkout stored it."""
        try:
            return super().load(key)
        except StoreFailure as failure:
            raise UserError(str(failure)) from None

    def save(self, key: str, value: Any) -> None:
        """Store the unit's value. Raises UserError for a cache of another user, and where the disk is full."""
        private_folder(CACHE)
        try:
            with written(self.path(key)):
                super().save(key, value)
        except StoreFailure as failure:
            raise UserError(str(failure)) from None


store = _Fits(FOLDER, functools.partial(checkout_secret, "stored fits"))
