"""The 0/1 loss: 1 for a wrong class, else 0. A hypothesis answers with `predict`."""

import numpy as np
from numpy.typing import ArrayLike

from heldout.losses.constant import Constant, TrainingLabels
from heldout.losses.kind import LossKind
from heldout.losses.loss import Classes, Loss, Losses


def wrong(y: ArrayLike, predicted: ArrayLike) -> Losses:
    """1 where the class predicted is not the right one, else 0."""
    differs: Losses = np.not_equal(np.asarray(predicted), np.asarray(y)).astype(np.float64)
    return differs


def _most_frequent(labels: TrainingLabels) -> Classes:
    """A tie goes to the first class."""
    answers: Classes = labels.classes[labels.counts.argmax(axis=1)]
    return answers


_MOST_FREQUENT = Constant("the most frequent class", _most_frequent)
# how half models are compared by every loss of a class
WRONG = Loss(
    "zero_one", wrong, _MOST_FREQUENT, limit=1.0, binary=True, needs="class", says="1 for a wrong class, else 0"
)
ZERO_ONE = WRONG.compared_by(WRONG, pair_factor=0.5, bound_factor=1.0)
KIND = LossKind(
    "zero_one",
    "classes",
    make=lambda *_: ZERO_ONE,
    bound="the bound for classes",
    pair_bound="d/2",
    by_label=True,
    metrics={"accuracy": ("error_rate",)},
)
