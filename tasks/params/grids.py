"""A grid of parameters: each of its points is a candidate, and counts in M."""

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from heldout.learners.search import point_name
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


def _same(value: Any, other: Any) -> bool:
    return type(value) is type(other) and bool(value == other)  # 1 is not true
