"""What is said of the rows one by one (labels, groups, times, weights, answers) in one order, by the labels of pandas.

A series or a frame of pandas says by its index which row each value is of; arrays, lists and frames of other libraries
have no labels, and are taken by place. Who sorts X, or draws a sample of y, has moved the rows of one of them alone.
"""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument, RowsWarning

Places = NDArray[np.intp]


def aligned(given: Mapping[str, Any], stacklevel: int = 3) -> dict[str, Any]:
    """The values of `given`, named as in messages, each with its rows in the order of the first that has an index.

    - Equal labels in the same order, also where some are there twice: as they are.
    - Equal labels in another order, each there once: moved, with a RowsWarning.
    - Other labels, where one side has the labels 0, 1, … of values that were given none, and none is there twice: taken
      by place, with a RowsWarning.

    Raises BadArgument for all others, with the argument and one of the labels. Values without an index are as they are,
    and so are those of another length, which who reads them refuses.
    """
    made, known = dict(given), list[tuple[str, Any]]()
    for name, values in given.items():
        index = _index(values)
        if index is None or (known and len(index) != len(known[0][1])):
            continue
        if known:
            order, word = _order(name, index, known)
            if order is not None:
                made[name], index = values.iloc[order], index.take(order)
            if word:
                warnings.warn(word, RowsWarning, stacklevel=stacklevel)
        known.append((name, index))
    return made


def _order(name: str, index: Any, known: list[tuple[str, Any]]) -> tuple[Places | None, str]:
    """How to move the rows of an index into the order of those that are `known`, None for not; and a word about it."""
    if any(index.equals(before) for _, before in known):
        return None, ""
    for other, before in known:
        if (order := _places(index, before)) is not None:
            return order, (
                f"{name} has the labels of the index of {other} in another order: its rows were moved by them; give "
                f"{name}.to_numpy() if row n of {name} is row n of {other}"
            )
    other, first = known[0]
    what = _difference(name, index, other, first)
    remedy = f"{name}.to_numpy() takes its rows by place; else give the rows whose labels both have"
    if index.is_unique and first.is_unique and (_is_default(index) or _is_default(first)):
        return None, f"{what}: row n of {name} is taken for row n of {other}, as one index is 0, 1, …; {remedy}"
    raise BadArgument(name, f"{what}, so that it is not known which of its rows is which; {remedy}")


def _places(index: Any, before: Any) -> Places | None:
    """The place in `index` of each label of `before`; None where one is not there, or there twice."""
    if not (index.is_unique and before.is_unique):
        return None
    try:
        places: Places = index.get_indexer(before)
    except (TypeError, ValueError):  # labels that cannot be compared
        return None
    return None if (places < 0).any() else places


def _difference(name: str, index: Any, other: str, first: Any) -> str:
    """What the index of an argument has that the first one has not, in a clause."""
    for one, labels in ((name, index), (other, first)):
        if not labels.is_unique:
            return (
                f"{name} has another index than {other}, and that of {one} has the label "
                f"{labels[labels.duplicated()].tolist()[0]!r} twice"
            )
    return f"the index of {name} has the label {index[~index.isin(first)].tolist()[0]!r}, which {other} has not"


def _is_default(index: Any) -> bool:
    """Whether labels are 0, 1, …, as of values that were given none."""
    whole = index.nlevels == 1 and getattr(index.dtype, "kind", "") in "iu"
    return whole and bool((np.asarray(index) == np.arange(len(index))).all())


def _index(values: Any) -> Any:
    """The index of a series or a frame of pandas; None of anything else."""
    index = getattr(values, "index", None)
    return index if hasattr(values, "iloc") and hasattr(index, "get_indexer") else None
