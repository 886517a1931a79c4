"""Losses of a number: squared, absolute and pinball. A hypothesis answers with `predict`."""

from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from heldout.losses.loss import Loss, Losses


def _squared(y: ArrayLike, predicted: ArrayLike) -> Losses:
    return _difference(y, predicted) ** 2


def _absolute(y: ArrayLike, predicted: ArrayLike) -> Losses:
    return np.abs(_difference(y, predicted))


def _pinball(y: ArrayLike, predicted: ArrayLike, *, quantile: float) -> Losses:
    above = -_difference(y, predicted)
    losses: Losses = np.maximum(quantile * above, (quantile - 1) * above)
    return losses


def _difference(y: ArrayLike, predicted: ArrayLike) -> Losses:
    difference: Losses = np.asarray(predicted, dtype=np.float64) - np.asarray(y, dtype=np.float64)
    return difference


_SQUARE = Loss("squared", _squared, bounded=False, binary=False, says="the square of the difference")
_DISTANCE = Loss("absolute", _absolute, bounded=False, binary=False, says="the absolute difference")
SQUARED = _SQUARE.compared_by(_SQUARE, bound_factor=0.5)
ABSOLUTE = _DISTANCE.compared_by(_DISTANCE, bound_factor=0.5)


def pinball(quantile: float) -> Loss:
    """q (y - f) where the answer f lies below y, (1 - q) (f - y) above: the conditional q-quantile errs least.

    As in scikit-learn's mean_pinball_loss; q = 1/2 is half of the absolute loss. Half models are compared by the
    absolute difference d, and e >= min(q, 1 - q) d / 2: with f1 < f2, the two losses sum up to q (f2 - f1) or
    more where y >= f2, to (1 - q) (f2 - f1) or more where y <= f1, and between the two to
    q (y - f1) + (1 - q) (f2 - y), which lies between those. No larger factor holds for all distributions: with
    y at f1 and f2 drawn ever more rarely, the ratio of e to d tends to (1 - q) / 2, and mirrored to q / 2.
    """
    says = f"{quantile:g} of what an answer is too low by, {1 - quantile:g} of what it is too high by"
    loss = Loss("pinball", partial(_pinball, quantile=quantile), bounded=False, binary=False, says=says)
    return loss.compared_by(_DISTANCE, bound_factor=min(quantile, 1 - quantile) / 2)
