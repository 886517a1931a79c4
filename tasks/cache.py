"""Finished units of work, under keys made of content hashes. Removing the folder is always safe."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import joblib

FOLDER = Path(".cache/tasks")


def key(*parts: object) -> str:
    """The SHA-256 of `parts`: the same for the same content, whatever the run, runner or machine."""
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def has(name: str) -> bool:
    """Whether the unit is finished."""
    return _path(name).exists()


def load(name: str) -> Any:
    """What the finished unit left."""
    return joblib.load(_path(name))


def save(name: str, value: Any) -> None:
    """Leave the unit's value: whole or not at all, also when killed."""
    path = _path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}")
    joblib.dump(value, part)
    part.replace(path)


def _path(name: str) -> Path:
    return FOLDER / name[:2] / name
