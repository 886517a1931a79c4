"""The log loss of class probabilities. A hypothesis answers with `predict_proba`, a column a class."""

import math
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from heldout.losses.constant import SHARES
from heldout.losses.kind import LossKind
from heldout.losses.loss import Classes, Loss, Losses, places


def log(y: NDArray[np.generic]) -> Loss:
    """-ln of the probability given to the right class, over the classes of the labelled rows `y`, shape (N,).

    As in scikit-learn's log_loss, a probability is clipped to [eps, 1 - eps], eps being the precision of its
    type: 2.2e-16 for float64, so that a loss is at most 36.1 (float32: 1.2e-7 and 16). A class that the
    training rows lacked has probability 0, and so costs that most.

    Half models are compared by the Bhattacharyya distance of their probabilities, d = -ln sum sqrt(p1c p2c) over the
    classes c, clipped alike. Whatever the label y is, the mean of the two losses is -ln sqrt(p1y p2y), and
    sqrt(p1y p2y) is a term of that sum: so the mean error of two given hypotheses is at least d at every row, and the
    expected error likewise. They are equal where both give no chance in common to another class, as for p1 = (1, 0). A
    class without a column costs the most, which d does not pass.
    """
    classes = np.unique(y)
    distance = Loss(
        "bhattacharyya", _distance, SHARES, limit=math.inf, binary=False, needs="probabilities", classes=classes
    )
    loss = Loss(
        "log",
        partial(_log, classes=classes),
        SHARES,
        limit=math.inf,  # not that of the clipping: it is far above what any constant answer costs
        binary=False,
        needs="probabilities",
        classes=classes,
        says="-ln of the probability given to the right class, clipped as scikit-learn does: at most 36",
    )
    return loss.compared_by(distance, pair_factor=1.0, bound_factor=1.0)


def _log(y: ArrayLike, probabilities: ArrayLike, *, classes: Classes) -> Losses:
    losses: Losses = -np.log(_clipped(_of_right(y, np.asarray(probabilities), classes)))
    return losses


def _distance(first: ArrayLike, second: ArrayLike) -> Losses:
    one, other = _clipped(first), _clipped(second)
    shared = np.sqrt(one * other).sum(axis=1)
    # equal answers are 0 apart, also where rounding keeps their sum below 1; dividing makes the distance no larger
    total = np.minimum(np.sqrt(one.sum(axis=1) * other.sum(axis=1)), 1)
    apart: Losses = np.abs(np.log(np.minimum(shared / total, 1)))
    return apart


def _clipped(probabilities: ArrayLike) -> NDArray[np.float64]:
    probabilities = np.asarray(probabilities)
    eps = np.finfo(probabilities.dtype).eps
    clipped: NDArray[np.float64] = np.clip(probabilities, eps, 1 - eps).astype(np.float64)
    return clipped


def _of_right(y: ArrayLike, probabilities: NDArray[Any], classes: Classes) -> NDArray[Any]:
    """The probability of the right class, shape (n,); 0 for a class without a column."""
    place = places(y, classes)
    return np.where(place < 0, 0, probabilities[np.arange(len(place)), place]).astype(probabilities.dtype)


KIND = LossKind(
    "log",
    "classes",
    make=lambda target, _: log(target.y),
    bound="d",
    pair_bound="d",
    metrics={"log loss": ("log_loss", "neg_log_loss", "logloss", "cross_entropy")},
)
