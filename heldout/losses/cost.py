"""A matrix of costs: what each answer costs, by the right class. A hypothesis answers with `predict`."""

import math
from collections.abc import Mapping
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from heldout.errors import BadArgument
from heldout.losses.constant import Constant, TrainingLabels
from heldout.losses.kind import LossKind, LossParameter, Target
from heldout.losses.loss import Classes, Loss, Losses, places
from heldout.losses.zero_one import WRONG


def cost_matrix(costs: Mapping[Any, Mapping[Any, float]], y: NDArray[np.generic], called: str = "y") -> Loss:
    """The cost `costs[actual][predicted]` of an answer; a right answer that is left out costs 0.

    Half models are compared by the 0/1 loss, and E_dis follows from it with the least cost of a wrong answer:
    cost >= least * [wrong] at every row, whatever its label.

    Raises BadArgument unless there is a cost, finite and not negative, for each pair of different classes, where
    the classes are the labels in `y` and the labels that `costs` names.
    """
    named = list(dict.fromkeys([*costs, *(predicted for of in costs.values() for predicted in of)]))
    of_target = np.unique(y).tolist()
    text = isinstance(of_target[0], str)
    if any(isinstance(label, str) != text for label in named):
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
    of_labels = matrix[places(of_target, classes)]
    loss = Loss(
        "cost",
        partial(_cost, classes=classes, matrix=matrix),
        Constant("the class of least cost", partial(_cheapest, classes=classes, costs=of_labels)),
        limit=float(matrix.max()) or 1.0,  # where every cost is 0
        binary=bool(np.isin(matrix, (0.0, 1.0)).all()),
        two_valued=bool(np.isin(matrix, (0.0, matrix.max())).all()),
        needs="class",
        counts="rows",
        says="the cost of the class predicted, given the right one, from the matrix in the parameters",
    )
    return loss.compared_by(WRONG, pair_factor=least / 2, bound_factor=least)


def _cheapest(labels: TrainingLabels, *, classes: Classes, costs: NDArray[np.float64]) -> Classes:
    """The class of least cost on the training rows, where `costs` has a row for each class of the labels."""
    answers: Classes = classes[(labels.counts @ costs).argmin(axis=1)]
    return answers


def _cost(y: ArrayLike, predicted: ArrayLike, *, classes: Classes, matrix: NDArray[np.float64]) -> Losses:
    pairs = []
    for labels in (y, predicted):
        place = places(labels, classes)
        if (place < 0).any():
            raise ValueError(f"there is no cost for class {np.asarray(labels)[place < 0].tolist()[0]!r}")
        pairs.append(place)
    costs: Losses = matrix[pairs[0], pairs[1]]
    return costs


def _check(costs: Any) -> None:
    if not isinstance(costs, Mapping) or not costs or not all(isinstance(of, Mapping) for of in costs.values()):
        raise BadArgument("loss", f"loss.cost is {costs!r}; it must map each class to the cost of each prediction")
    for actual, of in costs.items():
        for predicted, cost in of.items():
            number = isinstance(cost, Real) and not isinstance(cost, bool)
            if not number or not math.isfinite(cost) or cost < 0:
                raise BadArgument(
                    "loss", f"loss.cost of {predicted!r} for {actual!r} is {cost!r}; it must be a number of at least 0"
                )


def _make(target: Target, costs: Mapping[Any, Mapping[Any, float]]) -> Loss:
    return cost_matrix(costs, target.y, target.called)


KIND = LossKind(
    "cost",
    "classes",
    make=_make,
    bound="the least cost of a wrong answer, times the bound of `zero_one`",
    pair_bound="d/2 times the least cost of a wrong answer",
    parameter=LossParameter(
        "costs",
        says="the cost of each prediction, for each class that is right",
        written="{actual: {predicted: 2}}",
        sample={1: {2: 2}, 2: {1: 1}},
        check=_check,
    ),
)
