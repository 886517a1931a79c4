"""Weights of the labelled rows: how often each stands for rows of the population that the error is about.

A weight goes to `fit` as `sample_weight`, and the loss of row i counts w_i / mean(w) times, with the mean over all
labelled rows. So the mean over a part is, to first order, the part's weighted mean of losses, and over all rows it
is exactly that; every estimate and interval is made of these losses as of any others. Target: the error in the
population that weights w_i correct for, as 1 / (chance to be drawn) does for rows drawn with unequal chances
(Horvitz, Thompson 1952). Assumption, beyond that of the interval: the weights are right, and their mean over the
labelled rows is that of the population; its own noise is not counted.
"""

import inspect
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from heldout.errors import BadArgument

Values = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Weights:
    """The weights of N labelled rows as they were given, shape (N,)."""

    values: Values

    @classmethod
    def of(cls, values: ArrayLike | None) -> Self | None:
        """The weights `values`, checked; None for none, or where each is 1, which is the same."""
        if values is None:
            return None
        checked = check(values)
        return None if (checked == 1).all() else cls(checked)

    @cached_property
    def relative(self) -> Values:
        """How many times the loss of each row counts, shape (N,): mean 1, and exactly 1 where weights are equal."""
        return self.relative_of(self.values)

    def relative_of(self, values: Values) -> Values:
        """The same for other rows' weights, which are divided by the same mean."""
        equal = np.ptp(self.values) == 0
        relative: Values = values / (self.values[0] if equal else self.values.mean())
        return relative


def check(values: ArrayLike) -> Values:
    """The weights as floats. Raises BadArgument for one that is no number, missing, infinite or negative, or all 0."""
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
    """The name under which `learner.fit` takes the weights of rows; None where it takes none.

    Those of a pipeline go to its last step. A learner that hands further arguments of `fit` on (a search over
    parameters) takes what the learner inside of it takes.
    """
    if hasattr(learner, "steps"):
        name, last = learner.steps[-1]
        inner = fit_argument(last)
        return None if inner is None else f"{name}__{inner}"
    parameters = inspect.signature(learner.fit).parameters
    if "sample_weight" in parameters:
        return "sample_weight"
    hands_on = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values())
    own = learner.get_params(deep=False)
    inner = own.get("estimator", own.get("regressor"))
    return fit_argument(inner) if hands_on and inner is not None else None
