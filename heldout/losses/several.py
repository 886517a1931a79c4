"""The loss of several labels a row: the mean over the labels of the loss of each."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from heldout.losses.constant import Constant, TrainingLabels
from heldout.losses.loss import Loss, Losses
from heldout.several_labels import as_given, as_one

_NO_BOUND = "what a disagreement of classes implies about errors is known for one label a row"


def mean_over_labels(loss: Loss, labels: int) -> Loss:
    """The mean of `loss` over so many labels of a row, which come as records (`heldout.several_labels`).

    Answers are those of `predict`, of shape (n, labels), as records too. The target holds no classes that parts could
    be stratified by. A disagreement is the mean over the labels as well, and what it implies is linear in it for
    numbers; of classes only what the half models that were compared err at least is.
    """
    compared = loss.disagreement_loss
    several = replace(
        loss,
        pointwise=MeanOverLabels(loss.pointwise),
        constant=Constant(f"for each label {loss.constant.says}", _EachLabel(loss.constant)),
        binary=False,
        needs="number",
        says=f"the mean over {labels} labels of {loss.says}",
        mean_called=loss.mean_called or ("share of wrong labels" if loss.binary else ""),
        two_valued=False,
        labels=labels,
    )
    if loss.of_classes:
        several = replace(several, bound_factor=None, no_bound=_NO_BOUND)
    if compared is not None:
        distance = replace(
            compared, pointwise=MeanOverLabels(compared.pointwise), binary=False, needs="number", labels=labels
        )
        several = replace(several, disagreement_loss=distance)
    return several


@dataclass(frozen=True)
class MeanOverLabels:
    """A class, and no inner function: a worker gets it pickled."""

    pointwise: Any

    def __call__(self, y: ArrayLike, answers: ArrayLike) -> Losses:
        right, said = as_given(np.asarray(y)), as_given(np.asarray(answers))
        if said.shape != right.shape:
            raise ValueError(f"{said.shape} answers to {right.shape} labels")
        losses: Losses = np.mean(
            [self.pointwise(of_label, answer) for of_label, answer in zip(right.T, said.T, strict=True)], axis=0
        )
        return losses


@dataclass(frozen=True)
class _EachLabel:
    """The constant of each label by itself, of least mean loss since each label has its own answer."""

    constant: Constant

    def __call__(self, labels: TrainingLabels) -> NDArray[Any]:
        return as_one(np.stack([self.constant.answers(of_label) for of_label in labels.each], axis=1))
