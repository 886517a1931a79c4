"""Finished units of work, under keys made of content hashes. Removing the folder is always safe."""

import functools
import hashlib
import json
import os
import pickle
import threading
from importlib.metadata import version
from pathlib import Path
from typing import Any

FOLDER = Path(".cache/tasks")
VERSION = 6  # of what is stored: raise it when the same inputs would give another result


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
    """Whether the unit is finished."""
    return _path(name).exists()


def load(name: str) -> Any:
    """The value of the finished unit."""
    with _path(name).open("rb") as file:
        return pickle.load(file)  # noqa: S301  # our own file: who can write here can write the code too


def save(name: str, value: Any) -> None:
    """Store the unit's value, completely or not at all, even if the process is killed."""
    path = _path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}")
    with part.open("wb") as file:
        pickle.dump(value, file, pickle.HIGHEST_PROTOCOL)
    part.replace(path)


def _path(name: str) -> Path:
    return FOLDER / name[:2] / name
