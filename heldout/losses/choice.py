"""Which loss is meant, and which one a target takes by itself."""

import math
from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from heldout.errors import BadArgument, is_fraction
from heldout.losses import of_classes, of_numbers, of_probabilities
from heldout.losses.loss import Loss
from heldout.losses.of_classes import ZERO_ONE
from heldout.losses.of_numbers import ABSOLUTE, SQUARED

Spec = str | Mapping[str, Any]

_OF_CLASSES = ("zero_one", "log", "brier", "balanced")
_OF_NUMBERS = ("squared", "absolute", "pinball")
NAMES = (*_OF_CLASSES, *_OF_NUMBERS)
_ALLOWED = f"it must be one of {', '.join(NAMES)}, {{pinball: 0.9}}, or {{cost: {{actual: {{predicted: 2}}}}}}"
_MOST_WHOLE_CLASSES = 20
_MEDIAN = 0.5  # the quantile of `pinball` without one, as in scikit-learn


def check_spec(spec: Any) -> None:
    """Raise BadArgument unless `spec` is a loss's name, {pinball: quantile} or {cost: {actual: {predicted: c}}}."""
    if isinstance(spec, str) and spec in NAMES:
        return
    if not isinstance(spec, Mapping) or len(spec) != 1 or next(iter(spec)) not in ("pinball", "cost"):
        raise BadArgument("loss", f"loss is {spec!r}; {_ALLOWED}")
    ((name, value),) = spec.items()
    if name == "pinball":
        if not is_fraction(value):
            raise BadArgument("loss", f"loss.pinball is {value!r}; it must lie between 0 and 1, both excluded")
        return
    if not isinstance(value, Mapping) or not value or not all(isinstance(of, Mapping) for of in value.values()):
        raise BadArgument("loss", f"loss.cost is {value!r}; it must map each class to the cost of each prediction")
    for actual, of in value.items():
        for predicted, cost in of.items():
            number = isinstance(cost, Real) and not isinstance(cost, bool)
            if not number or not math.isfinite(cost) or cost < 0:
                raise BadArgument(
                    "loss", f"loss.cost of {predicted!r} for {actual!r} is {cost!r}; it must be a number of at least 0"
                )


def choose_loss(
    spec: Spec | None, y: NDArray[np.generic], weights: NDArray[np.float64] | None = None, called: str = "y"
) -> Loss:
    """The loss `spec` over the labelled rows `y`, shape (N,); None is the natural one.

    With `weights`, shape (N,), that differ it is the weighted one: not bounded.

    Raises BadArgument for what `check_spec` refuses, a target that the loss cannot judge (messages name it as
    `called`), or what the loss refuses itself.
    """
    loss = natural_loss(y) if spec is None else _named(spec, y, weights, called)
    return loss if weights is None or np.ptp(weights) == 0 else loss.weighted()


def _named(spec: Spec, y: NDArray[np.generic], weights: NDArray[np.float64] | None, called: str) -> Loss:
    check_spec(spec)
    value: Any
    name, value = (spec, _MEDIAN) if isinstance(spec, str) else next(iter(spec.items()))
    _check_target(name, y, called)
    made: dict[str, Callable[[], Loss]] = {
        "zero_one": lambda: ZERO_ONE,
        "log": lambda: of_probabilities.log(y),
        "brier": lambda: of_probabilities.brier(y),
        "balanced": lambda: of_classes.balanced(y, weights),
        "cost": lambda: of_classes.cost_matrix(value, y, called),
        "squared": lambda: SQUARED,
        "absolute": lambda: ABSOLUTE,
        "pinball": lambda: of_numbers.pinball(float(value)),
    }
    return made[name]()


def _check_target(name: str, y: NDArray[np.generic], called: str) -> None:
    y = np.asarray(y)
    if name in _OF_NUMBERS:
        if y.dtype.kind not in "iufb":
            kinds = f"{', '.join(_OF_CLASSES)} or a cost matrix"
            raise BadArgument("loss", f"loss is {name}, but {called} holds {y.dtype} labels; use {kinds}")
        return
    counts = np.unique(y, return_counts=True)[1] if y.dtype.kind in "iuf" else np.zeros(0)
    many = len(counts) > _MOST_WHOLE_CLASSES and counts.min() < 2
    if many or (y.dtype.kind == "f" and (y % 1 != 0).any()):
        raise BadArgument(
            "loss", f"loss is {name}, but {called} holds numbers that are no classes; use squared, absolute or pinball"
        )


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
