"""The squared loss of a number. A hypothesis answers with `predict`."""

import math

from numpy.typing import ArrayLike

from heldout.losses.constant import Constant, TrainingLabels
from heldout.losses.kind import LossKind
from heldout.losses.loss import Loss, Losses, difference


def _squared(y: ArrayLike, predicted: ArrayLike) -> Losses:
    return difference(y, predicted) ** 2


def _mean(labels: TrainingLabels) -> Losses:
    return labels.means


_MEAN = Constant("the mean", _mean)
_SQUARE = Loss(
    "squared",
    _squared,
    _MEAN,
    limit=math.inf,
    binary=False,
    says="the square of the difference",
    power=2,
    mean_called="RMSE",
)
SQUARED = _SQUARE.compared_by(_SQUARE, pair_factor=0.25, bound_factor=0.5)
KIND = LossKind(
    "squared",
    "numbers",
    make=lambda *_: SQUARED,
    bound="d/2",
    pair_bound="d/4",
    by_label=True,
    metrics={
        "RMSE": ("root_mean_squared_error", "neg_root_mean_squared_error"),
        "MSE": ("mean_squared_error", "neg_mean_squared_error"),
        "R2": ("r2_score",),
    },
)
