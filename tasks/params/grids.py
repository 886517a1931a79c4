"""A grid of parameters: each of its points is a candidate, and counts in M."""

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tasks.runtime.errors import Misplaced

_MOST_POINTS = 1000  # a bound among more candidates says nothing


def points(name: str, grid: Mapping[str, Sequence[Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The name and the values of each point, in the order written: the last parameter varies fastest.

    A point is called name(C=1, gamma=0.1). Raises Misplaced for a value written twice, for points whose names would
    be equal, and for too many of them.
    """
    count = math.prod(map(len, grid.values()))
    if count > _MOST_POINTS:
        raise Misplaced(f"has {count} points, and each is a candidate; at most {_MOST_POINTS} are allowed", ("grid",))
    for parameter, values in grid.items():
        twice = [value for place, value in enumerate(values) if any(_same(value, other) for other in values[:place])]
        if twice:
            raise Misplaced(f"has the value {twice[0]!r} twice; leave one out", ("grid", parameter))
    chosen = [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]
    names = [point_name(name, point) for point in chosen]
    twin, times = Counter(names).most_common(1)[0]
    if times > 1:
        raise Misplaced(f"has {times} points with the name {twin!r}; write candidates, each with a name", ("grid",))
    yield from zip(names, chosen, strict=True)


def point_name(name: str, point: Mapping[str, Any]) -> str:
    """What a point is called: name(C=1, gamma=0.1)."""
    return f"{name}({', '.join(f'{key}={_text(value)}' for key, value in point.items())})"


def _same(value: Any, other: Any) -> bool:
    return type(value) is type(other) and bool(value == other)  # 1 is not true


def _text(value: Any) -> str:
    """A value in the letters that a candidate's name may have."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, dict) and isinstance(value.get("estimator"), str):
        inner = ", ".join(f"{key}={_text(inner_value)}" for key, inner_value in (value.get("params") or {}).items())
        return str(value["estimator"]).rpartition(".")[2] + (f"({inner})" if inner else "")
    if isinstance(value, list):
        return f"({', '.join(map(_text, value))})"
    return re.sub(r"[^\w.() =,+-]+", "-", str(value))
