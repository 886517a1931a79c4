"""Losses of a class: 0/1, balanced, and a matrix of costs. A hypothesis answers with `predict`."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from heldout.errors import BadArgument
from heldout.losses.loss import Classes, Loss, Losses, places


def _zero_one(y: ArrayLike, predicted: ArrayLike) -> Losses:
    wrong: Losses = np.not_equal(np.asarray(predicted), np.asarray(y)).astype(np.float64)
    return wrong


_WRONG = Loss("zero_one", _zero_one, bounded=True, binary=True, needs="class", says="1 for a wrong class, else 0")
ZERO_ONE = _WRONG.compared_by(_WRONG, bound_factor=1.0)


def balanced(y: NDArray[np.generic], weights: NDArray[np.float64] | None = None) -> Loss:
    """The error that counts every class alike, over the labelled rows `y`, shape (N,): 1 - balanced accuracy.

    A wrong answer at a row of class c costs N / (C n_c), where n_c of the N labelled rows have that class, so
    that the mean over all rows is the mean over the C classes of each class's error. The n_c are those of all
    labelled rows in every part too: the loss of a row does not depend on the part that it falls into, and a
    part's mean is the balanced error up to how far its class shares differ. With `weights`, shape (N,), the
    n_c and N are sums of weights. A loss lies in [0, N / (C min n_c)], which may pass 1.

    Half models are compared by the 0/1 loss. No bound on the error is admitted: it would need the class shares
    of the unlabelled rows, and where rows were picked, which E_dis is made for, those of the labelled rows are
    others. Raises BadArgument where all rows of a class have weight 0.
    """
    classes, place = np.unique(y, return_inverse=True)
    counts = np.bincount(place, weights=weights)
    if not (counts > 0).all():
        empty = classes[counts <= 0].tolist()[0]
        raise BadArgument("loss", f"loss is balanced, but every row of class {empty!r} has weight 0; drop that class")
    costs = counts.sum() / (len(classes) * counts)
    loss = Loss(
        "balanced",
        partial(_balanced, classes=classes, costs=costs),
        bounded=bool(costs.max() <= 1),
        binary=bool((costs == 1).all()),
        needs="class",
        says="a wrong class costs N / (C n_c), so that each of the C classes counts alike",
    )
    return loss.compared_by(
        _WRONG, None, "a bound on the balanced error needs the class shares of the unlabelled rows, which are not known"
    )


def _balanced(y: ArrayLike, predicted: ArrayLike, *, classes: Classes, costs: NDArray[np.float64]) -> Losses:
    place = places(y, classes)
    if (place < 0).any():
        raise ValueError(f"class {np.asarray(y)[place < 0].tolist()[0]!r} is that of no labelled row")
    return _zero_one(y, predicted) * costs[place]


def cost_matrix(costs: Mapping[Any, Mapping[Any, float]], y: NDArray[np.generic], called: str = "y") -> Loss:
    """The cost `costs[actual][predicted]` of an answer; a right one that is left out costs 0.

    Raises BadArgument unless there is a cost, finite and not negative, for each pair of different classes, of
    those of `y` and those named. Half models are compared by the 0/1 loss, and E_dis follows from that with
    the least cost of a wrong answer: cost >= least * [wrong] at every row, whatever its label.
    """
    named = list(dict.fromkeys([*costs, *(predicted for of in costs.values() for predicted in of)]))
    of_target = np.unique(y).tolist()
    text = isinstance(of_target[0], str)
    if any(isinstance(one, str) != text for one in named):
        raise BadArgument(
            "loss", f"loss.cost names {named}, but the classes of {called} are {of_target}; write them so"
        )
    classes = np.unique(np.array([*of_target, *named], dtype=object if text else None))
    matrix = np.zeros((len(classes), len(classes)))
    for a, actual in enumerate(classes.tolist()):
        for p, predicted in enumerate(classes.tolist()):
            cost = costs.get(actual, {}).get(predicted, 0.0 if a == p else None)
            if cost is None:
                raise BadArgument(
                    "loss",
                    f"loss.cost has no cost for {predicted!r} where {actual!r} is right; the classes of {called} are "
                    f"{of_target}, and each pair of them needs one",
                )
            matrix[a, p] = cost
    least = float(matrix[~np.eye(len(classes), dtype=np.bool_)].min(initial=matrix.max()))
    loss = Loss(
        "cost",
        partial(_cost, classes=classes, matrix=matrix),
        bounded=bool(matrix.max() <= 1),
        binary=bool(np.isin(matrix, (0.0, 1.0)).all()),
        needs="class",
        says="the cost of the class predicted, given the right one, from the matrix in the parameters",
    )
    return loss.compared_by(_WRONG, bound_factor=least)


def _cost(y: ArrayLike, predicted: ArrayLike, *, classes: Classes, matrix: NDArray[np.float64]) -> Losses:
    found = []
    for labels in (y, predicted):
        place = places(labels, classes)
        if (place < 0).any():
            raise ValueError(f"there is no cost for class {np.asarray(labels)[place < 0].tolist()[0]!r}")
        found.append(place)
    costs: Losses = matrix[found[0], found[1]]
    return costs
