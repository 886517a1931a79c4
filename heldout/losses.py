"""Pointwise losses `e(h(x), y)` (METHOD, Notation). Lower is better."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from heldout.errors import BadArgument

Losses = NDArray[np.float64]


@dataclass(frozen=True)
class Loss:
    """A named pointwise loss; `bounded` says that it lies in [0, 1], `binary` that it is 0 or 1."""

    name: str
    pointwise: Callable[[ArrayLike, ArrayLike], Losses]
    bounded: bool
    binary: bool


def _zero_one(y: ArrayLike, predicted: ArrayLike) -> Losses:
    wrong: Losses = np.not_equal(np.asarray(predicted), np.asarray(y)).astype(np.float64)
    return wrong


def _squared(y: ArrayLike, predicted: ArrayLike) -> Losses:
    difference: Losses = np.asarray(predicted, dtype=np.float64) - np.asarray(y, dtype=np.float64)
    return difference**2


def _absolute(y: ArrayLike, predicted: ArrayLike) -> Losses:
    difference: Losses = np.asarray(predicted, dtype=np.float64) - np.asarray(y, dtype=np.float64)
    return np.abs(difference)


ZERO_ONE = Loss("zero_one", _zero_one, bounded=True, binary=True)
SQUARED = Loss("squared", _squared, bounded=False, binary=False)
ABSOLUTE = Loss("absolute", _absolute, bounded=False, binary=False)
LOSSES = {loss.name: loss for loss in (ZERO_ONE, SQUARED, ABSOLUTE)}


_MOST_WHOLE_CLASSES = 20


def natural_loss(y: ArrayLike) -> Loss:
    """Zero-one loss for a target of classes, squared loss for one of numbers.

    Strings and booleans are classes, and so are whole numbers with at most 20 distinct values.

    Raises BadArgument for a target that is neither (several columns, mixed types).
    """
    from sklearn.utils.multiclass import type_of_target

    target: Any = np.asarray(y)
    finite = target.ndim == 1 and target.dtype.kind in "iuf" and np.isfinite(target).all()
    if finite and len(np.unique(target)) > _MOST_WHOLE_CLASSES:
        return SQUARED
    try:
        kind = type_of_target(target)
    except (TypeError, ValueError):  # strings and numbers in one column
        kind = "unknown"
    if kind in ("binary", "multiclass"):
        return ZERO_ONE
    if kind == "continuous":
        return SQUARED
    raise BadArgument("y", f"the target is of kind {kind!r}; it must be one column of classes or of numbers")
