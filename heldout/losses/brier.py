"""The Brier loss of class probabilities. A hypothesis answers with `predict_proba`, a column a class."""

from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from heldout.losses.constant import SHARES
from heldout.losses.kind import LossKind
from heldout.losses.loss import Classes, Loss, Losses, places


def brier(y: NDArray[np.generic]) -> Loss:
    """The squared distance of the probabilities from the right answer's, over the classes of `y`, shape (N,).

    As in scikit-learn's brier_score_loss: for C > 2 classes the sum over classes, in [0, 2]; for two classes
    half of that, which is (p - [y is the second class])^2, in [0, 1].

    Half models are compared by the same distance of their probabilities, and half of its mean bounds the error:
    at a row, E |p - y|^2 = |E p - y|^2 + E |p - E p|^2, and E |p1 - p2|^2 of two independent draws is twice the
    last term; so e >= d/2. Halving both for two classes changes nothing. The mean error of two given hypotheses
    is at least d/2 too, at every row and for every label: with u = p1 - y and v = p2 - y,
    |u - v|^2 = |u|^2 + |v|^2 - 2 uv, where uv, which is (1 - p1y) (1 - p2y) + the sum of p1c p2c over the wrong classes
    c, is not negative.
    """
    classes = np.unique(y)
    halved = len(classes) <= 2
    share = 0.5 if halved else 1.0
    kind = {"limit": 2 * share, "binary": False, "needs": "probabilities", "classes": classes}
    distance = Loss("brier", partial(_distance, share=share), SHARES, **kind)  # type: ignore[arg-type]
    loss = Loss(
        "brier",
        partial(_brier, classes=classes, share=share),
        SHARES,
        says=f"the squared distance of the probabilities from the right answer's, in [0, {1 if halved else 2}]",
        **kind,  # type: ignore[arg-type]
    )
    return loss.compared_by(distance, pair_factor=0.5, bound_factor=0.5)


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


KIND = LossKind(
    "brier",
    "classes",
    make=lambda target, _: brier(target.y),
    bound="d/2",
    pair_bound="d/2",
    metrics={"Brier score": ("brier_score", "neg_brier_score")},
)
