"""Losses of class probabilities: log and Brier. A hypothesis answers with `predict_proba`, a column a class."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from heldout.losses.loss import Classes, Loss, Losses, places


def log(y: NDArray[np.generic]) -> Loss:
    """-ln of the probability given to the right class, over the classes of the labelled rows `y`, shape (N,).

    As in scikit-learn's log_loss, a probability is clipped to [eps, 1 - eps], eps being the precision of its
    type: 2.2e-16 for float64, so that a loss is at most 36.1 (float32: 1.2e-7 and 16). A class that the
    training rows lacked has probability 0, and so costs that most.

    No disagreement is admitted: none of probabilities bounds the log loss from below by a function of its own.
    """
    classes = np.unique(y)
    return Loss(
        "log",
        partial(_log, classes=classes),
        bounded=False,
        binary=False,
        needs="probabilities",
        classes=classes,
        no_bound="no lower bound on the log loss follows from how far two hypotheses' probabilities lie apart",
        says="-ln of the probability given to the right class, clipped as scikit-learn does: at most 36",
    )


def _log(y: ArrayLike, probabilities: ArrayLike, *, classes: Classes) -> Losses:
    of_right = _of_right(y, np.asarray(probabilities), classes)
    eps = np.finfo(of_right.dtype).eps
    losses: Losses = -np.log(np.clip(of_right, eps, 1 - eps).astype(np.float64))
    return losses


def _of_right(y: ArrayLike, probabilities: NDArray[Any], classes: Classes) -> NDArray[Any]:
    """The probability of the right class, shape (n,); 0 for a class without a column."""
    place = places(y, classes)
    return np.where(place < 0, 0, probabilities[np.arange(len(place)), place]).astype(probabilities.dtype)


def brier(y: NDArray[np.generic]) -> Loss:
    """The squared distance of the probabilities from the right answer's, over the classes of `y`, shape (N,).

    As in scikit-learn's brier_score_loss: for C > 2 classes the sum over classes, in [0, 2]; for two classes
    half of that, which is (p - [y is the second class])^2, in [0, 1].

    Half models are compared by the same distance of their probabilities, and half of its mean bounds the error:
    at a row, E |p - y|^2 = |E p - y|^2 + E |p - E p|^2, and E |p1 - p2|^2 of two independent draws is twice the
    last term; so e >= d/2. Halving both for two classes changes nothing.
    """
    classes = np.unique(y)
    halved = len(classes) <= 2
    share = 0.5 if halved else 1.0
    kind = {"bounded": halved, "binary": False, "needs": "probabilities", "classes": classes}
    distance = Loss("brier", partial(_distance, share=share), **kind)  # type: ignore[arg-type]
    loss = Loss(
        "brier",
        partial(_brier, classes=classes, share=share),
        says=f"the squared distance of the probabilities from the right answer's, in [0, {1 if halved else 2}]",
        **kind,  # type: ignore[arg-type]
    )
    return loss.compared_by(distance, bound_factor=0.5)


def _brier(y: ArrayLike, probabilities: ArrayLike, *, classes: Classes, share: float) -> Losses:
    place = places(y, classes)
    known = place >= 0
    right = np.zeros((len(place), len(classes)))
    right[np.flatnonzero(known), place[known]] = 1
    return _distance(right, probabilities, share=share) + share * ~known  # a class without a column got 0 of its 1


def _distance(first: ArrayLike, second: ArrayLike, *, share: float) -> Losses:
    difference = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    losses: Losses = share * (difference**2).sum(axis=1)
    return losses
