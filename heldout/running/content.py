"""The digest of a value of a notebook: rows, a learner, a loss."""

import functools
import os
import pickle
import sys
import sysconfig
from importlib.metadata import packages_distributions, version
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

from heldout import digests


def digest_of(value: Any) -> str | None:
    """The digest of what a pickle of `value` holds, with the versions of the packages whose code it names.

    None where nobody can tell two values apart: it cannot be pickled, or names code that is no part of an installed
    package, as a class or a function of a notebook, which may change under the same name.
    """
    import joblib

    tops = _packages(value)
    installed = [] if tops is None else [(top, _version(top)) for top in sorted(tops)]
    if tops is None or any(found is None for _, found in installed):
        return None
    return digests.content_hash(joblib.hash(value), installed)


class _Names(pickle.Pickler):
    """Collects the packages whose code a pickle names."""

    def __init__(self, nowhere: IO[bytes]) -> None:
        super().__init__(nowhere, pickle.HIGHEST_PROTOCOL)
        self.tops: set[str] = set()

    def persistent_id(self, obj: Any) -> None:
        """Called for each object of the pickle; none is left out of it."""
        of_code = hasattr(obj, "__qualname__")  # a class or a function, also of compiled code
        module = getattr(obj if of_code else type(obj), "__module__", None)
        self.tops.add(str(module).partition(".")[0])


def _packages(value: Any) -> set[str] | None:
    """The packages, without Python's own modules and heldout, whose version is part of every key; None if it fails."""
    with Path(os.devnull).open("wb") as nowhere:  # rows may be as large as the memory
        names = _Names(nowhere)
        try:
            names.dump(value)
        except Exception:  # whatever an object raises that cannot be pickled
            return None
    return names.tops - {*sys.stdlib_module_names, "heldout"} | (names.tops & {"__main__"})


@functools.cache  # to list what is installed takes a second
def _version(top: str) -> str | None:
    """The version of an installed package; None for code that lies elsewhere, which may change under one version."""
    spec = find_spec(top) if top != "__main__" else None
    places = [Path(sysconfig.get_path(name)) for name in ("purelib", "platlib")]
    if spec is None or spec.origin is None or not any(Path(spec.origin).is_relative_to(place) for place in places):
        return None
    names = packages_distributions().get(top)
    return None if not names else ",".join(version(name) for name in sorted({*names}))
