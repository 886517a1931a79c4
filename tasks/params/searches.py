"""A search: a candidate as it is written, and further candidates whose parameters are drawn by the seed."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from heldout import seeds
from tasks.params.grids import point_name
from tasks.runtime.errors import Misplaced

Values = Sequence[Any] | str
FORM = "loguniform(low, high)"
_FORM = re.compile(r"loguniform\(\s*([\d.eE+-]+)\s*,\s*([\d.eE+-]+)\s*\)")
_DIGITS = 3  # of a drawn number: a search needs no more, and a name shows them
_TRIES = 100  # for each draw that must differ from those before


def points(name: str, values: Mapping[str, Values], draws: int, seed: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """The name and the parameters of the candidate as it is written, which are none, and of `draws` further points.

    A list gives each of its values with the same probability, `loguniform(low, high)` each ratio; a number is drawn
    whole where both bounds are. A point depends on the seed, the name and the parameters alone, and a larger number of
    draws leaves those before unchanged. Raises Misplaced for a text of another form, for bounds that are no interval
    above zero, and where there are fewer different points than `draws`.
    """
    yield name, {}
    spaces = {parameter: _space(parameter, of) for parameter, of in values.items()}
    random = np.random.default_rng(seeds.named(seed, f"search {name} {' '.join(values)}"))
    found: set[str] = set()
    for _ in range(_TRIES * draws):
        if len(found) == draws:
            return
        point = {parameter: _drawn(space, random) for parameter, space in spaces.items()}
        called = point_name(name, point)
        if called not in found:
            found.add(called)
            yield called, point
    raise Misplaced(
        f"is {draws}, but only {len(found)} different points were found; draw at most so many", ("search", "draws")
    )


def ends(values: Mapping[str, Values]) -> Iterator[dict[str, Any]]:
    """Points that have every written value and every bound, by which a learner is checked before any draw."""
    for parameter, of in values.items():
        space = _space(parameter, of)
        yield from ({parameter: value} for value in space)


def _space(parameter: str, values: Values) -> Sequence[Any]:
    """The list, or the two bounds of an interval as a tuple."""
    if not isinstance(values, str):
        return list(values)
    place = ("search", "values", parameter)
    if (found := _FORM.fullmatch(values.strip())) is None:
        raise Misplaced(f"is {values!r}; write a list of values, or {FORM}", place)
    try:
        low, high = (int(bound) if bound.isdigit() else float(bound) for bound in found.groups())
    except ValueError:
        raise Misplaced(f"is {values!r}, whose bounds are no numbers; write {FORM}", place) from None
    if not 0 < low < high < math.inf:
        raise Misplaced(f"is {values!r}; it needs 0 < low < high", place)
    return (low, high)


def _drawn(space: Sequence[Any], random: np.random.Generator) -> Any:
    if isinstance(space, list):
        return space[int(random.integers(len(space)))]
    low, high = space
    whole = isinstance(low, int) and isinstance(high, int)
    drawn = math.exp(random.uniform(math.log(low), math.log(high + 1 if whole else high)))
    if whole:
        return min(int(drawn), high)
    return min(max(float(f"{drawn:.{_DIGITS}g}"), low), high)
