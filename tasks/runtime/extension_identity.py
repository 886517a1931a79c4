"""What the extensions of a process are (`heldout.extensions`): part of the keys of fits and of the stages' records."""

import hashlib
from collections.abc import Collection
from importlib import import_module
from pathlib import Path

from heldout import extensions

CHANGING_FITS = ("heldout.losses", "heldout.estimates", "heldout.shortcuts", "heldout.column_kinds")


def identity(groups: Collection[str] = tuple(extensions.GROUPS)) -> tuple[str, ...]:
    """The packages from which this process has taken up extensions of `groups`: name, version, hash of their files."""
    found = {(one.package, one.version, one.module.partition(".")[0]) for one in extensions.loaded()}
    used = {one.package for one in extensions.loaded() if one.group in groups}
    return tuple(
        f"{package} {version} {_hash(module)}" for package, version, module in sorted(found) if package in used
    )


def _hash(module: str) -> str:
    """The hash of all Python files of a package, or of the one file of a module."""
    imported = import_module(module)
    folders = [Path(folder) for folder in getattr(imported, "__path__", ())]
    files = [(file.relative_to(folder), file) for folder in folders for file in folder.rglob("*.py")]
    if not folders:
        files = [(Path(module), Path(str(imported.__file__)))]
    digest = hashlib.sha256()
    for name, file in sorted(files):
        digest.update(f"{name.as_posix()} {hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()
