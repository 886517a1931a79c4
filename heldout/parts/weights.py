"""Weights of the labelled rows: how many rows of the population each stands for.

A weight goes to `fit` as `sample_weight`, and the loss of row i counts w_i / mean(w) times, with the mean over all
labelled rows. So the mean over a part is, to first order, the part's weighted mean of losses, and the mean over all
rows is exactly the weighted mean. Estimates and intervals use these losses like any others. Target: the error in the
population that the weights describe, for example w_i = 1 / (chance to be drawn) for rows drawn with unequal chances
(Horvitz, Thompson 1952). Assumption, in addition to the interval's: the weights are right, and their mean over the
labelled rows equals their mean in the population; the noise of this mean is not counted.

Rows that were picked with known probabilities (`heldout.unlabelled.label_next`) have weights too, of another kind:
their mean is 1 in expectation, so that the loss of row i counts w_i times, and they do not go to `fit`. Which rows
train is what the picking is for; the error of the hypothesis that they train is what the weights correct.
"""

import inspect
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from heldout.errors import BadArgument

Values = NDArray[np.float64]
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Weights:
    """The weights of N labelled rows, shape (N,): as the user gave them, or those of draws.

    `most`, of draws alone, is what no weight of a draw can pass, infinity where that is not known.
    """

    values: Values
    most: float | None = None

    @classmethod
    def of(cls, values: ArrayLike | None, largest: ArrayLike | None = None) -> Self | None:
        """The checked weights `values`; None without weights, or where each is 1, which is the same.

        `largest`, shape (N,), are the largest weights that draws can have: with them the weights are those of draws.
        """
        if values is None:
            return None
        checked = check(values)
        if (checked == 1).all():
            return None
        if largest is None:
            return cls(checked)
        limits = np.asarray(largest, dtype=np.float64)
        return cls(checked, float(limits.max()) if (checked <= limits * (1 + _ROUNDING)).all() else np.inf)

    @property
    def of_fit(self) -> Values | None:
        """What goes to `fit`, shape (N,); None for the weights of draws."""
        return self.values if self.most is None else None

    @cached_property
    def relative(self) -> Values:
        """How many times the loss of each row counts, shape (N,): mean 1, and exactly 1 where weights are equal.

        The weights of draws as they are: their mean is 1 in expectation, which a division would make a ratio.
        """
        return self.relative_of(self.values)

    def relative_of(self, values: Values) -> Values:
        """The same for the weights of other rows: `values` by the mean of the labelled rows; of draws as they are."""
        if self.most is not None:
            return values
        equal = np.ptp(self.values) == 0
        relative: Values = values / (self.values[0] if equal else self.values.mean())
        return relative


def check(values: ArrayLike) -> Values:
    """The weights as floats. Raises BadArgument unless all are finite and at least 0, and one is above 0."""
    try:
        weights = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadArgument("weights", "weights holds values that are no numbers; each row needs a number") from None
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise BadArgument(
            "weights", f"weights of row {row} is {weights[row]:g}; a weight must be a finite number of at least 0"
        )
    if not (weights > 0).any():
        raise BadArgument("weights", "weights is 0 in every row; at least one row must count")
    return weights


def fit_argument(learner: Any) -> str | None:
    """The name of the argument of `learner.fit` for row weights; None if there is none.

    A pipeline passes the weights to its last step. A learner that passes arguments of `fit` on (a search over
    parameters) takes the argument of its inner learner.
    """
    if hasattr(learner, "steps"):
        name, last = learner.steps[-1]
        inner = fit_argument(last)
        return None if inner is None else f"{name}__{inner}"
    parameters = inspect.signature(learner.fit).parameters
    if "sample_weight" in parameters:
        return "sample_weight"
    passes_on = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values())
    settings = learner.get_params(deep=False)
    inner = settings.get("estimator", settings.get("regressor"))
    return fit_argument(inner) if passes_on and inner is not None else None
