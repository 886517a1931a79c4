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
VERSION = 5  # of what is stored: raise it when the same inputs would give another result


def key(*parts: object) -> str:
    """Where the unit of work that `parts` describe is stored: with another `VERSION` somewhere else."""
    return content_hash(VERSION, _learners_version(), *parts)


@functools.cache
def _learners_version() -> str:
    return version("scikit-learn")


def content_hash(*parts: object) -> str:
    """The SHA-256 of `parts`: the same for the same content, whatever the run, runner or machine."""
    text = json.dumps(_exact(parts), default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _exact(value: object) -> object:
    """Mappings as sorted pairs: JSON would make the label 1 and the label "1" the same key."""
    if isinstance(value, dict):
        return {"pairs": sorted(json.dumps([_exact(name), _exact(item)], default=str) for name, item in value.items())}
    return [_exact(item) for item in value] if isinstance(value, list | tuple) else value


def has(name: str) -> bool:
    """Whether the unit is finished."""
    return _path(name).exists()


def load(name: str) -> Any:
    """What the finished unit left."""
    with _path(name).open("rb") as file:
        return pickle.load(file)  # noqa: S301  # our own: what else could write here could write the code


def save(name: str, value: Any) -> None:
    """Leave the unit's value: whole or not at all, also when killed."""
    path = _path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}")
    with part.open("wb") as file:
        pickle.dump(value, file, pickle.HIGHEST_PROTOCOL)
    part.replace(path)


def _path(name: str) -> Path:
    return FOLDER / name[:2] / name
