"""The spherical loss of probabilities: 1 minus the probability of the true class over the length of all.

Let u and v be the probabilities of two hypotheses, divided by their lengths. Whatever the true class y is, the mean of
their losses is 1 - (u_y + v_y) / 2, and no component of u + v is above its length: so it is at least 1 - |u + v| / 2,
which is their distance. The expected error likewise.

A proper loss, least for the true probabilities: T. Gneiting, A. Raftery, Strictly proper scoring rules, prediction, and
estimation (J. Amer. Statist. Assoc. 102, 2007), section 4.2.
"""

from functools import partial

import numpy as np

from heldout.losses.constant import SHARES
from heldout.losses.kind import LossKind
from heldout.losses.loss import Loss, places


def _spherical(y, probabilities, *, classes):
    probabilities = np.asarray(probabilities, dtype=np.float64)
    place = places(y, classes)
    of_truth = np.where(place >= 0, probabilities[np.arange(len(place)), place], 0.0)  # an unknown class has none
    return np.clip(1 - of_truth / np.linalg.norm(probabilities, axis=1), 0, 1)


def _distance(first, second):
    one, other = (np.asarray(each, dtype=np.float64) for each in (first, second))
    both = one / np.linalg.norm(one, axis=1, keepdims=True) + other / np.linalg.norm(other, axis=1, keepdims=True)
    return np.clip(1 - np.linalg.norm(both, axis=1) / 2, 0, 1)


def _make(target, _):
    classes = np.unique(target.y)
    kind = {"limit": 1, "binary": False, "needs": "probabilities", "classes": classes}
    loss = Loss(
        "spherical",
        partial(_spherical, classes=classes),
        SHARES,
        says="1 minus the probability of the class over the length of all probabilities",
        **kind,
    )
    return loss.compared_by(Loss("angle", _distance, SHARES, **kind), pair_factor=1.0, bound_factor=1.0)


KIND = LossKind("spherical", "classes", make=_make, bound="d", pair_bound="d")
