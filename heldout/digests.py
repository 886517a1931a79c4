"""Digests: the same for the same content in every process, and the keys under which what was made of it is stored."""

import functools
import hashlib
import json
import sys
from importlib.metadata import PackageNotFoundError, version

from heldout import extensions

METHOD_VERSION = 16  # of what is made and how it is stored: raise it when the same content would give another result
_json = json.JSONEncoder(default=str).encode
_LIBRARIES = ("numpy", "pandas", "scikit-learn", "lightgbm", "xgboost", "xgboost-cpu")  # of what is pickled


def key(*parts: object) -> str:
    """The key of what is made of `parts`; it depends on `METHOD_VERSION`, the libraries and the extensions too."""
    return content_hash(METHOD_VERSION, *_versions(), *parts)


@functools.cache
def _versions() -> tuple[str, ...]:
    of_others = extensions.identity(extensions.CHANGING_FITS)
    return ".".join(map(str, sys.version_info[:2])), *map(_version, _LIBRARIES), *of_others


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return ""


def content_hash(*parts: object) -> str:
    """The SHA-256 of `parts`: the same for the same content, whatever the run, runner or machine."""
    return hashlib.sha256(_json(_exact(parts)).encode()).hexdigest()


def _exact(value: object) -> object:
    """Mappings as sorted pairs: in a JSON object the labels 1 and "1" would be the same key."""
    if isinstance(value, dict):
        return {"pairs": sorted(_json([_exact(name), _exact(item)]) for name, item in value.items())}
    return [_exact(item) for item in value] if isinstance(value, list | tuple) else value
