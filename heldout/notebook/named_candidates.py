"""The candidates of a call, each under a name: as a mapping, a list, or one estimator."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, cast

from heldout.errors import BadArgument


def named(candidates: Any) -> Mapping[str, Any]:
    """The candidates under the names of their mapping or pairs; others under the name of their class in small letters.

    A pipeline has that of its last step. Of several with one name each has its number too, as `make_pipeline` counts.
    Raises BadArgument for two pairs of one name. What is no learner is refused by who reads them.
    """
    if hasattr(candidates, "fit"):
        return {_name(candidates): candidates}
    if not isinstance(candidates, list | tuple) or not candidates:
        return cast(Mapping[str, Any], candidates)  # what is no mapping is refused
    if all(isinstance(one, tuple) and len(one) == 2 and isinstance(one[0], str) for one in candidates):
        twice = [name for name, count in Counter(name for name, _ in candidates).items() if count > 1]
        if twice:
            raise BadArgument("candidates", f"candidates has the name {twice[0]!r} twice; give each a name of its own")
        return dict(candidates)
    return _numbered(candidates)


def _numbered(learners: Sequence[Any]) -> dict[str, Any]:
    names = [_name(one) for one in learners]
    counts, place = Counter(names), Counter[str]()
    made = {}
    for name, learner in zip(names, learners, strict=True):
        place[name] += 1
        made[f"{name}-{place[name]}" if counts[name] > 1 else name] = learner
    return made


def _name(learner: Any) -> str:
    steps = getattr(learner, "steps", None)
    last = steps[-1][1] if isinstance(steps, list) and steps and hasattr(steps[-1][1], "fit") else learner
    return (last if isinstance(last, type) else type(last)).__name__.lower()
