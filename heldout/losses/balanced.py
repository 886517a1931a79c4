"""The balanced loss: each class counts alike. A hypothesis answers with `predict`."""

from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from heldout.losses.constant import Constant, TrainingLabels
from heldout.losses.kind import LossKind, Target
from heldout.losses.loss import Classes, Loss, Losses, places
from heldout.losses.zero_one import WRONG, wrong


def _first_class(labels: TrainingLabels) -> Classes:
    """Each class has the same mean loss over all labelled rows, 1 - 1/C."""
    return np.repeat(labels.classes[:1], len(labels.counts))


_ANY_CLASS = Constant("one class, whichever it is", _first_class)


def balanced(y: NDArray[np.generic], weights: NDArray[np.float64] | None = None) -> Loss:
    """The error that counts every class alike, over the labelled rows `y`, shape (N,): 1 - balanced accuracy.

    A wrong answer at a row of class c costs N / (C n_c), where n_c of the N labelled rows have that class, so
    that the mean over all rows is the mean over the C classes of each class's error. The n_c are counts over all
    labelled rows in every part too: the loss of a row does not depend on the part that it falls into, and a
    part's mean is the balanced error up to how far its class shares differ. With `weights`, shape (N,), the
    n_c and N are sums of weights. The limit of a loss is N / (C min n_c), 1 or more.

    Half models are compared by the 0/1 loss. No bound on the error is admitted: it would need the class shares
    of the unlabelled rows, and where rows were picked, which E_dis is made for, the labelled rows have other shares.
    """
    classes, sizes = _sizes(y, weights)
    costs = sizes.sum() / (len(classes) * sizes)
    loss = Loss(
        "balanced",
        partial(_balanced, classes=classes, costs=costs),
        _ANY_CLASS,
        limit=float(costs.max()),
        binary=bool((costs == 1).all()),
        needs="class",
        counts="classes",
        says="a wrong class costs N / (C n_c), so that each of the C classes counts alike",
    )
    reason = "a bound on the balanced error needs the class shares of the unlabelled rows, which are not known"
    return loss.compared_by(WRONG, pair_factor=None, bound_factor=None, no_bound=reason)


def _balanced(y: ArrayLike, predicted: ArrayLike, *, classes: Classes, costs: NDArray[np.float64]) -> Losses:
    place = places(y, classes)
    if (place < 0).any():
        raise ValueError(f"class {np.asarray(y)[place < 0].tolist()[0]!r} is that of no labelled row")
    return wrong(y, predicted) * costs[place]


def _sizes(y: NDArray[np.generic], weights: NDArray[np.float64] | None) -> tuple[Classes, NDArray[np.float64]]:
    """The classes, and the number, or the sum of weights, of the rows of each."""
    classes, place = np.unique(y, return_inverse=True)
    return classes, np.bincount(place, weights=weights).astype(np.float64)


def _refuses(target: Target) -> str | None:
    classes, sizes = _sizes(target.y, target.weights)
    if (sizes > 0).all():
        return None
    return f"every row of class {classes[sizes <= 0].tolist()[0]!r} has weight 0; drop that class"


KIND = LossKind(
    "balanced",
    "classes",
    make=lambda target, _: balanced(target.y, target.weights),
    refuses=_refuses,
    metrics={"balanced accuracy": ("balanced_accuracy",)},
)
