"""The installed packages whose code a fit can reach: with another version of one of them it may give other bytes."""

import functools
from collections.abc import Iterator
from importlib import metadata

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

# what our own code imports in a worker; `heldout` is installed in a project alone
_ROOTS = (
    "heldout",
    "numpy",
    "scipy",
    "scikit-learn",
    "pandas",
    "pyarrow",
    "pytz",  # of time zones; pandas and pyarrow take it where it is
    "narwhals",
    "threadpoolctl",
    "joblib",
    "loky",
    "cloudpickle",
    "lightgbm",
    "xgboost",
    "xgboost-cpu",
)


@functools.cache
def reached(modules: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Their names, in order: the roots, the packages of the `modules` that params.yaml allows, and what these require.

    A name stays where its package is not installed, since it may be so elsewhere. Extras are not followed.
    """
    owners = metadata.packages_distributions() if modules else {}
    named = [name for module in modules for name in owners.get(module.partition(".")[0], ())]
    waiting: list[str] = [canonicalize_name(name) for name in (*_ROOTS, *named)]
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _required(name)
    return tuple(sorted(found))


def _required(name: str) -> Iterator[str]:
    try:
        texts = metadata.requires(name) or ()
    except metadata.PackageNotFoundError:
        return
    for requirement in map(Requirement, texts):
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            yield canonicalize_name(requirement.name)
