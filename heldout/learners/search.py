"""A search: a learner as it is, and further candidates like it whose parameters are drawn by the seed."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from heldout import seeds
from heldout.errors import BadArgument, check_whole

FORM = "loguniform(low, high)"
_FORM = re.compile(r"loguniform\(\s*([\d.eE+-]+)\s*,\s*([\d.eE+-]+)\s*\)")
_DIGITS = 3  # of a drawn number: a search needs no more, and a name shows them
_TRIES = 100  # for each draw that must differ from those before


@dataclass(frozen=True)
class Space:
    """What one parameter is drawn from: one of `values`, or a number between two of them, by its ratio."""

    values: tuple[Any, ...]
    between: bool = False

    @classmethod
    def of(cls, parameter: str, values: Sequence[Any] | str) -> "Space":
        """The space that a list, or the text `loguniform(low, high)`, stands for.

        Raises BadArgument, with the parameter as argument, for another text and bounds that are no interval above 0.
        """
        if not isinstance(values, str):
            if not isinstance(values, Sequence) or not values:
                raise BadArgument(parameter, f"{parameter} is {values!r}; write a list of values, or {FORM}")
            return cls(tuple(values))
        if (found := _FORM.fullmatch(values.strip())) is None:
            raise BadArgument(parameter, f"{parameter} is {values!r}; write a list of values, or {FORM}")
        try:
            low, high = (int(bound) if bound.isdigit() else float(bound) for bound in found.groups())
        except ValueError:
            message = f"{parameter} is {values!r}, whose bounds are no numbers; write {FORM}"
            raise BadArgument(parameter, message) from None
        if not 0 < low < high < math.inf:
            raise BadArgument(parameter, f"{parameter} is {values!r}; it needs 0 < low < high")
        return cls((low, high), between=True)

    def drawn(self, random: np.random.Generator) -> Any:
        """One value: whole where both bounds are."""
        if not self.between:
            return self.values[int(random.integers(len(self.values)))]
        low, high = self.values
        whole = isinstance(low, int) and isinstance(high, int)
        number = math.exp(random.uniform(math.log(low), math.log(high + 1 if whole else high)))
        if whole:
            return min(int(number), high)
        return min(max(float(f"{number:.{_DIGITS}g}"), low), high)


def points(name: str, spaces: Mapping[str, Space], draws: int, seed: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """The name and the parameters of the learner as it is, which are none, and of `draws` further points.

    A point depends on the seed, the name and the spaces alone, and a larger number of draws leaves those before
    unchanged. Raises BadArgument where there are fewer different points than `draws`.
    """
    yield name, {}
    random = np.random.default_rng(seeds.named(seed, f"search {name} {' '.join(spaces)}"))
    found: set[str] = set()
    for _ in range(_TRIES * draws):
        if len(found) == draws:
            return
        point = {parameter: space.drawn(random) for parameter, space in spaces.items()}
        called = point_name(name, point)
        if called not in found:
            found.add(called)
            yield called, point
    if len(found) < draws:
        raise BadArgument(
            "draws", f"draws is {draws}, but only {len(found)} different points were found; draw at most so many"
        )


def point_name(name: str, point: Mapping[str, Any]) -> str:
    """What a point is called: name(C=1, gamma=0.1)."""
    return f"{name}({', '.join(f'{key}={_text(value)}' for key, value in point.items())})"


def _text(value: Any) -> str:
    """A value in the letters that a candidate's name may have."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, dict) and isinstance(value.get("estimator"), str):
        inner = ", ".join(f"{key}={_text(inner_value)}" for key, inner_value in (value.get("params") or {}).items())
        return str(value["estimator"]).rpartition(".")[2] + (f"({inner})" if inner else "")
    if isinstance(value, list | tuple):
        return f"({', '.join(map(_text, value))})"
    return re.sub(r"[^\w.() =,+-]+", "-", str(value))


def search(
    name: str, learner: Any, values: Mapping[str, Sequence[Any] | str], *, draws: int, seed: int = 0
) -> dict[str, Any]:
    """Candidates for `heldout.validate`: a learner as it is, and others like it with drawn parameters.

    They are the candidates that `search:` in params.yaml makes, by the same draws.

    Parameters
    ----------
    name : str
        The name of the learner; a drawn candidate is called ``name(C=0.48, gamma=0.0211)``.
    learner : scikit-learn estimator
        The unfitted learner.
    values : mapping of str to list or str
        What each parameter is drawn from: a list of values, each with the same probability, or the text
        ``"loguniform(low, high)"``, a number between whose logarithm is uniform; it is whole where both bounds are. A
        parameter of a step of a pipeline is ``step__name``.
    draws : int
        The number of further candidates, at least 1.
    seed : int, default 0
        The seed of the draws.

    Returns
    -------
    dict of str to estimator
        ``1 + draws`` candidates, by name.

    Raises
    ------
    BadArgument
        For a parameter that the learner does not have, values that cannot be drawn, and more draws than there are
        different points.

    Examples
    --------
    >>> import heldout
    >>> from sklearn.svm import SVC
    >>> list(heldout.search("svm", SVC(), {"C": "loguniform(0.1, 100)"}, draws=2))
    ['svm', 'svm(C=7.36)', 'svm(C=2.35)']
    """
    from heldout.learners import parameters
    from heldout.learners.clones import cloned

    check_whole(draws=(draws, 1), seed=(seed, 0))
    known = parameters(learner)
    for parameter in values:
        if parameter not in known:
            raise BadArgument("values", f"values has {parameter!r}, which is no parameter of {type(learner).__name__}")
    spaces = {parameter: Space.of(parameter, of) for parameter, of in values.items()}
    return {
        called: cloned(learner).set_params(**point) for called, point in points(name, spaces, int(draws), int(seed))
    }
