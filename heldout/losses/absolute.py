"""The absolute loss of a number. A hypothesis answers with `predict`."""

import math

import numpy as np
from numpy.typing import ArrayLike

from heldout.losses.constant import at_quantile
from heldout.losses.kind import LossKind
from heldout.losses.loss import Loss, Losses, difference


def _absolute(y: ArrayLike, predicted: ArrayLike) -> Losses:
    return np.abs(difference(y, predicted))


DISTANCE = Loss(
    "absolute",
    _absolute,
    at_quantile(0.5, "the median"),
    limit=math.inf,
    binary=False,
    says="the absolute difference",
    power=1,
    mean_called="MAE",
)
ABSOLUTE = DISTANCE.compared_by(DISTANCE, pair_factor=0.5, bound_factor=0.5)
KIND = LossKind(
    "absolute",
    "numbers",
    make=lambda *_: ABSOLUTE,
    bound="d/2",
    pair_bound="d/2",
    by_label=True,
    metrics={"MAE": ("mean_absolute_error", "neg_mean_absolute_error")},
)
