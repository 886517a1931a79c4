"""What a learner that chooses inside its `fit` has to know of the rows: their groups and times.

A family (`heldout.family`) and a search over folds of groups choose on rows of their own training rows. Where these
divide a group, or precede the rows that train, the choice is for rows that are alike, and not for new groups or later
rows.
"""

import inspect
from typing import Any

from numpy.typing import NDArray

from heldout.splits.dependence import Dependence
from heldout.splits.weights import argument_of_fit


def arguments(learner: Any, dependence: Dependence | None) -> dict[str, NDArray[Any]]:
    """The further arguments of `learner.fit`, each of shape (N,), with the groups and times of all rows."""
    if dependence is None:
        return {}
    roles = {"groups": dependence.group, "time": dependence.time}
    called = {name: _called(learner, name) for name, of_rows in roles.items() if of_rows is not None}
    return {argument: roles[name] for name, argument in called.items() if argument is not None}  # type: ignore[misc]


NEEDS_GROUPS = "divides its training rows by groups, and the rows have none"
DIVIDES_GROUPS = (
    "chooses its parameters on folds that divide groups, so the choice is not for new groups: with cv=GroupKFold(5) "
    "(sklearn.model_selection) it is given the groups"
)


def lacks_groups(learner: Any, dependence: Dependence) -> bool:
    """Whether `learner` divides its rows by groups, and there are none."""
    return dependence.group is None and any(map(_folds_of_groups, _inner(learner)))


def divides_groups(learner: Any, dependence: Dependence) -> bool:
    """Whether `learner` chooses on folds that divide groups: a search whose `cv` is none of groups."""
    if dependence.group is None:
        return False
    searches = [part for part in _inner(learner) if hasattr(part, "cv") and hasattr(part, "refit")]
    return any(not _folds_of_groups(part) for part in searches)


def _inner(learner: Any) -> list[Any]:
    every = (learner, *learner.get_params(deep=True).values())
    return [part for part in every if hasattr(part, "fit") and not isinstance(part, type)]


def _called(learner: Any, name: str) -> str | None:
    """What the argument is called; None for a learner that takes none."""
    if getattr(learner, "chooses_on_whole_groups", False):
        return name
    if name == "groups" and _folds_of_groups(learner) and _passes_on(learner):
        return name
    if not hasattr(learner, "steps"):
        return None
    if argument_of_fit(learner, name) == name:  # by scikit-learn's metadata routing
        return name
    step, last = learner.steps[-1]
    inner = _called(last, name)
    return None if inner is None else f"{step}__{inner}"


def _folds_of_groups(learner: Any) -> bool:
    """Whether its `cv` is a splitter that asks for groups, as GroupKFold."""
    cv: Any = getattr(learner, "cv", None)
    return hasattr(cv, "get_metadata_routing") and "groups" in cv.get_metadata_routing().consumes("split", ["groups"])


def _passes_on(learner: Any) -> bool:
    arguments = inspect.signature(learner.fit).parameters.values()
    return any(one.name == "groups" or one.kind is inspect.Parameter.VAR_KEYWORD for one in arguments)
