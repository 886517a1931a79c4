"""The folds of a splitter of scikit-learn, or of a list of splits, as `cv` gives them."""

from collections.abc import Iterable
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.parts.dependence import Dependence

_FITTING = "KFold, StratifiedKFold, GroupKFold, PredefinedSplit and LeaveOneOut do"
_LONGEST = 80


def own_folds(
    cv: Any, X: Any, y: NDArray[np.generic], groups: Any, dependence: Dependence, seed: int
) -> NDArray[np.int64]:
    """The fold of each row, 0 … k-1, shape (N,), from the splits of `cv` on the rows X, shape (N, p).

    What E_cv is about decides what may be given: each row is tested once, by a hypothesis that was trained on all rows
    of the other folds. A splitter that shuffles without a state of its own gets the `seed`. Raises BadArgument.
    """
    if dependence.time is not None:
        raise BadArgument("cv", "cv: the folds of rows in time are later rows than those that train; leave out cv")
    fold = np.full(len(y), -1, dtype=np.int64)
    for number, (train, tested) in enumerate(_splits(cv, X, y, groups, seed)):
        if (again := tested[fold[tested] >= 0]).size:
            raise BadArgument("cv", f"cv is {shown(cv)}, which tests row {again[0]} again; {_once()}")
        fold[tested] = number
        missing = len(y) - len(tested) - len(np.setdiff1d(train, tested))
        if missing or np.intersect1d(train, tested).size:
            raise BadArgument(
                "cv",
                f"cv is {shown(cv)}, whose split {number} leaves {missing} rows out of both parts, or has some in "
                f"both; {_once()}",
            )
    if (never := np.flatnonzero(fold < 0)).size:
        raise BadArgument("cv", f"cv is {shown(cv)}, which never tests row {never[0]}; {_once()}")
    if fold.max() == 0:
        raise BadArgument("cv", f"cv is {shown(cv)}, which has a single split; {_once()}")
    if dependence.group is not None and divides_a_group(fold, dependence.group):
        raise BadArgument("cv", f"cv is {shown(cv)}, which has rows of a group in several folds; take GroupKFold")
    return fold


def divides_a_group(fold: NDArray[np.int64], group: NDArray[np.int64]) -> bool:
    """Whether rows of a group are in several folds, both of shape (N,)."""
    return bool(np.unique(np.stack([group, fold]), axis=1).shape[1] > int(group.max()) + 1)


def shown(cv: Any) -> str:
    """The splitter for messages; a list of splits may be as long as the rows."""
    text = " ".join(repr(cv).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"


def _once() -> str:
    return f"each row must be tested once, by a hypothesis that was trained on all other folds, as {_FITTING}"


def _splits(
    cv: Any, X: Any, y: NDArray[np.generic], groups: Any, seed: int
) -> Iterable[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    if getattr(cv, "shuffle", False) and getattr(cv, "random_state", seed) is None:
        cv = copy(cv)
        cv.random_state = seed
    try:
        pairs = [*cv.split(X, y, groups)] if hasattr(cv, "split") else [*cv]
        rows = np.arange(len(y))
        return [(rows[np.asarray(train)], rows[np.asarray(tested)]) for train, tested in pairs]
    except (TypeError, ValueError, IndexError) as error:
        raise BadArgument(
            "cv",
            f"cv is {shown(cv)}; it must be a number of folds, a splitter, or a list of pairs of row numbers, to "
            f"train and to test: {error}",
        ) from None
