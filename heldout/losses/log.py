"""The log loss of class probabilities. A hypothesis answers with `predict_proba`, a column a class."""

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

    No disagreement is admitted: no distance of probabilities bounds the log loss from below by a function of it.
    """
    classes = np.unique(y)
    return Loss(
        "log",
        partial(_log, classes=classes),
        SHARES,
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


KIND = LossKind("log", "classes", make=lambda target, _: log(target.y))
