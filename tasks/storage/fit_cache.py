"""Finished units of work of this checkout. Removing the folder is always safe."""

import functools
from typing import Any

from heldout.errors import StoreFailure
from heldout.running.store import FolderStore
from tasks.runtime.environment import CACHE
from tasks.runtime.errors import UserError
from tasks.runtime.full_disk import written
from tasks.runtime.private_files import private_folder
from tasks.runtime.secret import checkout_secret

FOLDER = CACHE / "tasks"


class StoreError(UserError, StoreFailure):
    """A failure of the store, which a user reads."""


class _Fits(FolderStore):
    """The store, whose failures a user reads."""

    def load(self, key: str) -> Any:
        """The value of the finished unit. Raises StoreError for a file that is not as this checkout stored it."""
        try:
            return super().load(key)
        except StoreFailure as failure:
            raise StoreError(str(failure)) from None

    def save(self, key: str, value: Any) -> None:
        """Store the unit's value. Raises StoreError for a cache of another user, and where the disk is full."""
        try:
            private_folder(CACHE)
            with written(self.path(key)):
                super().save(key, value)
        except (UserError, StoreFailure) as failure:
            raise StoreError(str(failure)) from None


store = _Fits(FOLDER, functools.partial(checkout_secret, "stored fits"))
