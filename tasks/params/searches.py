"""A search in params.yaml: the points of `heldout.search`, with errors at their places."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from heldout.errors import BadArgument
from heldout.learners import search
from heldout.learners.search import Space
from tasks.params.messages import of_argument

Values = Mapping[str, Sequence[Any] | str]


def points(name: str, values: Values, draws: int, seed: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """The name and the parameters of each point; the first is the candidate as it is written. Raises Misplaced."""
    try:
        yield from search.points(name, _spaces(values), draws, seed)
    except BadArgument as error:
        raise of_argument(error, ("search", "draws")) from None


def ends(values: Values) -> Iterator[dict[str, Any]]:
    """Points that have every written value and every bound, by which a learner is checked before any draw."""
    for parameter, space in _spaces(values).items():
        yield from ({parameter: value} for value in space.values)


def _spaces(values: Values) -> dict[str, Space]:
    spaces = {}
    for parameter, of in values.items():
        try:
            spaces[parameter] = Space.of(parameter, of)
        except BadArgument as error:
            raise of_argument(error, ("search", "values", parameter)) from None
    return spaces
