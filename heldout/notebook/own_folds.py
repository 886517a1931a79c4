"""The folds of a splitter of scikit-learn, or of a list of splits, as `cv` gives them."""

from collections.abc import Iterable, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.splits.dependence import Dependence

_FITTING = "KFold, StratifiedKFold, GroupKFold, PredefinedSplit, LeaveOneOut and, again and again, RepeatedKFold do"
_LONGEST = 80


def own_folds(
    cv: Any, X: Any, y: NDArray[np.generic], groups: Any, dependence: Dependence, seed: int
) -> tuple[NDArray[np.int64], ...]:
    """The fold of each row, 0 … k-1, shape (N,), in each partition of the rows X, shape (N, p), that `cv` makes.

    What E_cv is about decides what may be given: in a partition each row is tested once, by a hypothesis that was
    trained on all rows of the other folds. Where all rows were tested, the next split begins another partition, into
    as many folds. A splitter that shuffles without a state of its own gets the `seed`. Raises BadArgument.
    """
    if dependence.time is not None:
        raise BadArgument("cv", "cv: the folds of rows in time are later rows than those that train; leave out cv")
    folds, number = [np.full(len(y), -1, dtype=np.int64)], 0
    for place, (train, tested) in enumerate(_splits(cv, X, y, groups, seed)):
        if (folds[-1] >= 0).all():
            folds.append(np.full(len(y), -1, dtype=np.int64))
            number = 0
        fold = folds[-1]
        if (again := tested[fold[tested] >= 0]).size:
            never = np.flatnonzero(fold < 0)[0]
            raise BadArgument(
                "cv", f"cv is {shown(cv)}, which tests row {again[0]} again before row {never}; {_once()}"
            )
        fold[tested] = number
        number += 1
        missing = len(y) - len(tested) - len(np.setdiff1d(train, tested))
        if missing or np.intersect1d(train, tested).size:
            raise BadArgument(
                "cv",
                f"cv is {shown(cv)}, whose split {place} leaves {missing} rows out of both parts, or has some in "
                f"both; {_once()}. For later rows than those that train give time",
            )
    _check_partitions(cv, folds, dependence)
    return tuple(folds)


def own_test_set(cv: Any, X: Any, y: NDArray[np.generic], groups: Any, seed: int) -> NDArray[np.bool_] | None:
    """The rows that test, shape (N,), where `cv` has a single split; None where it has several.

    So does `PredefinedSplit` whose fold is -1 for rows that only train, and 0 for those that test.
    Raises BadArgument for rows that are in no part, or in both.
    """
    splits = [*_splits(cv, X, y, groups, seed)]
    if len(splits) != 1:
        return None
    train, tested = splits[0]
    of_row = np.zeros(len(y), dtype=np.int64)
    np.add.at(of_row, train, 1)
    np.add.at(of_row, tested, 1)
    if (of_row != 1).any() or not len(train) or not len(tested):
        raise BadArgument(
            "cv",
            f"cv is {shown(cv)}, whose single split has {int((of_row == 0).sum())} rows in no part and "
            f"{int((of_row > 1).sum())} in both; it must have each row to train or to test; {_once()}",
        )
    mask = np.zeros(len(y), dtype=np.bool_)
    mask[tested] = True
    return mask


def _check_partitions(cv: Any, folds: Sequence[NDArray[np.int64]], dependence: Dependence) -> None:
    if (never := np.flatnonzero(folds[-1] < 0)).size:
        often = "never tests" if len(folds) == 1 else "tests less often than others"
        raise BadArgument("cv", f"cv is {shown(cv)}, which {often} row {never[0]}; {_once()}")
    counts = sorted({int(fold.max()) + 1 for fold in folds})
    if counts[0] == 1:
        raise BadArgument("cv", f"cv is {shown(cv)}, which has a single split; {_once()}")
    if len(counts) > 1:
        raise BadArgument(
            "cv", f"cv is {shown(cv)}, which divides the rows into {counts[0]} folds and into {counts[-1]}; take one"
        )
    if dependence.group is None:
        return
    if any(divides_a_group(fold, dependence.group) for fold in folds):
        raise BadArgument("cv", f"cv is {shown(cv)}, which has rows of a group in several folds; take GroupKFold")
    if len(folds) > 1:
        raise BadArgument(
            "cv", f"cv is {shown(cv)}, which has {len(folds)} partitions of groups; give the folds of one"
        )


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
    splits = hasattr(cv, "split") and not isinstance(cv, str)
    splitter = deepcopy(cv) if splits else cv  # a generator in it goes on with each split
    # RepeatedKFold always shuffles
    if splits and getattr(cv, "shuffle", True) and getattr(cv, "random_state", seed) is None:
        splitter.random_state = seed
    try:
        pairs = [*splitter.split(X, y, groups)] if splits else [*cv]
        rows = np.arange(len(y))
        return [(rows[np.asarray(train)], rows[np.asarray(tested)]) for train, tested in pairs]
    except (TypeError, ValueError, IndexError) as error:
        if splits:
            raise BadArgument("cv", f"cv is {shown(cv)}, which cannot split these rows: {error}") from None
        raise BadArgument(
            "cv",
            f"cv is {shown(cv)}; it must be a number of folds, a splitter, or a list of pairs of row numbers, to "
            f"train and to test: {error}",
        ) from None
