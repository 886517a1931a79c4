"""The values of a parametrized test, so that the default suite has a few of them and CI, or a release, the others."""

from collections.abc import Iterable

import pytest


def some(values: Iterable[object], *always: object, rare: Iterable[object] = ()) -> list[object]:
    """The default suite has the values `always`, and CI the others too, but those that are `rare`."""
    rare = list(rare)
    return [
        value
        if value in always
        else pytest.param(
            *(value if isinstance(value, tuple) else (value,)),
            marks=pytest.mark.long if value in rare else pytest.mark.slow,
        )
        for value in values
    ]
