"""A loss that is a function of the user's, in a notebook: loss = f(labels, answers), a number for each row.

The answers are those of `predict`. Nothing is known of it but its values: no limit, unless one is stated, and no bound
by a disagreement; half models are compared as by the 0/1 or the absolute loss.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from heldout.errors import BadArgument
from heldout.losses.absolute import DISTANCE
from heldout.losses.constant import Constant, TrainingLabels
from heldout.losses.loss import Loss, Losses
from heldout.losses.several import mean_over_labels
from heldout.losses.squared import SQUARED
from heldout.losses.zero_one import WRONG
from heldout.printable import printable
from heldout.several_labels import as_given, how_many

Function = Callable[[NDArray[Any], NDArray[Any]], ArrayLike]
_TRIED = 200  # labels on which the function is tried before any fit
_QUANTILES = np.linspace(0, 1, 101)
_NO_BOUND = "nothing is known of a function but its values, so a disagreement bounds no error"


def of_function(function: Function, y: NDArray[np.generic], *, of_classes: bool) -> Loss:
    """The loss whose values are those of a function of labels and answers, both of shape (n,).

    Parameters
    ----------
    function : callable
        Returns a value for each row, shape (n,), finite and not negative; the same for the same labels and answers. Of
        q labels a row both come in the shape (n, q).
    y : array of shape (N,)
        The labels, on which it is tried.
    of_classes : bool
        Whether labels and answers are classes, or numbers.

    Returns
    -------
    Loss
        Without a limit. Its constant is the class, or of numbers the mean or percentile, of least mean loss on the
        training rows; of several labels a row the most frequent class, or the mean, of each.

    Raises
    ------
    BadArgument
        If the function raises, or returns anything else: here, or where a fit answers.

    Examples
    --------
    >>> import numpy as np
    >>> loss = of_function(lambda y, answers: np.maximum(y - answers, 0), np.array([1.0, 2.0]), of_classes=False)
    >>> loss.pointwise([3.0, 1.0], [2.0, 5.0])
    array([1., 0.])
    """
    name = str(getattr(function, "__name__", type(function).__name__))
    name = "own" if name.startswith("<") else printable(name)
    values = Values(function, name)
    labels = np.asarray(y)[:_TRIED]
    for answers in (labels, labels[::-1]):
        values(labels, answers)
    several = how_many(labels)
    distance = WRONG if of_classes else DISTANCE
    if several > 1:
        distance = mean_over_labels(distance, several)
        constant = mean_over_labels(WRONG if of_classes else SQUARED, several).constant
    elif of_classes:
        constant = Constant("the class of least loss", partial(_class, values=values))
    else:
        constant = Constant("the mean or the percentile of least loss", partial(_number, values=values))
    loss = Loss(
        name,
        values,
        constant,
        limit=math.inf,
        binary=False,
        needs="class" if of_classes and several == 1 else "number",
        says=f"what {name} returns for a label and an answer",
        counts="rows" if of_classes and several == 1 else None,
        labels=several,
    )
    return loss.compared_by(distance, pair_factor=None, bound_factor=None, no_bound=_NO_BOUND)


@dataclass(frozen=True)
class Values:
    """The values of a function, checked at each call."""

    function: Function
    name: str

    def __call__(self, y: ArrayLike, answers: ArrayLike) -> Losses:
        labels, said = as_given(np.asarray(y)), as_given(np.asarray(answers))
        try:
            values = np.asarray(self.function(labels, said))
        except Exception as error:
            raise BadArgument(
                "loss",
                f"loss is {self.name}, which raised {type(error).__name__}: {error}; it is called with labels and "
                f"answers, arrays of shape {'(n,)' if labels.ndim == 1 else '(n, q)'}",
            ) from error
        if values.shape != (len(labels),):
            raise BadArgument(
                "loss",
                f"loss is {self.name}, which returned shape {values.shape} for {len(labels)} rows; it must return a "
                "loss for each row, shape (n,). A metric of all rows at once is an estimate: see further_estimates",
            )
        if values.dtype.kind not in "biuf":
            raise BadArgument("loss", f"loss is {self.name}, which returned {values.dtype}; it must return numbers")
        wrong = ~(np.isfinite(values) & (values >= 0))
        if wrong.any():
            place = int(wrong.argmax())
            raise BadArgument(
                "loss",
                f"loss is {self.name}, which is {values[place]} for the label {labels[place]} and the answer "
                f"{said[place]}; a loss must be finite and not negative, and less is better",
            )
        losses: Losses = values.astype(np.float64)
        return losses


def _class(labels: TrainingLabels, *, values: Values) -> NDArray[np.generic]:
    """The class of least mean loss of each split, the first of several."""
    classes, shape = labels.classes, (len(labels.classes), len(labels.classes))
    right, said = (np.broadcast_to(part, shape).ravel() for part in (classes[:, None], classes[None, :]))
    costs = values(right, said).reshape(shape)
    answers: NDArray[np.generic] = classes[(labels.counts @ costs).argmin(axis=1)]
    return answers


def _number(labels: TrainingLabels, *, values: Values) -> NDArray[np.float64]:
    """The mean or the percentile of each split with the least mean loss at its percentiles."""
    percentiles = np.stack([labels.quantiles(float(one)) for one in _QUANTILES], axis=1)  # shape (S, 101)
    best = np.empty(len(percentiles))
    for split, right in enumerate(percentiles):
        answers = np.append(labels.means[split], right)
        pairs = values(np.tile(right, len(answers)), np.repeat(answers, len(right)))
        best[split] = answers[pairs.reshape(len(answers), -1).mean(axis=1).argmin()]
    return best
