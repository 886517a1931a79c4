"""Weights of the labelled rows: how many rows of the population each stands for.

A weight goes to `fit` as `sample_weight`. Losses stay as they are, and an error is the ratio sum(w L) / sum(w) over the
rows that were tested (`heldout.losses.ratio`). Target: the error in the population that the weights describe, for
example w_i = 1 / (chance to be drawn) for rows drawn with unequal chances (Horvitz, Thompson 1952). Assumption, in
addition to the interval's: the weights are right.

Rows that were picked with known probabilities (`heldout.unlabelled.label_next`) have weights too, which do not go to
`fit`: which rows train is what the picking is for; the error of the hypothesis that they train is what the weights
correct.
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
    """The weights of N labelled rows, shape (N,): as the user gave them, or those of draws (`drawn`)."""

    values: Values
    drawn: bool = False

    @classmethod
    def of(cls, values: ArrayLike | None, *, drawn: bool = False) -> Self | None:
        """The checked weights `values`; None without weights, and for equal ones of draws, which no fit gets.

        Weights of 1 are weights: a forest draws other rows with them than without (scikit-learn 1.9).
        """
        found = None if values is None else cls(check(values), drawn)
        return None if found is None or (drawn and found.of_errors is None) else found

    @property
    def of_fit(self) -> Values | None:
        """What goes to `fit`, shape (N,); None for the weights of draws."""
        return None if self.drawn else self.values

    @property
    def must_reach_fit(self) -> bool:
        """Whether a learner whose fit takes no weights would be another one: not where each weight is 1."""
        return not self.drawn and bool((self.values != 1).any())

    @property
    def of_errors(self) -> Values | None:
        """What losses count by, shape (N,); None where all weights are equal, so that an error is a plain mean."""
        return None if np.ptp(self.values) == 0 else self.values

    @cached_property
    def relative(self) -> Values:
        """The weights with mean 1, shape (N,); exactly 1 where they are equal."""
        return self.relative_of(self.values)

    def relative_of(self, values: Values) -> Values:
        """The same for the weights of other rows: `values` by the mean of the labelled rows."""
        relative: Values = values / (self.values[0] if np.ptp(self.values) == 0 else self.values.mean())
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
    """The name of the argument of `learner.fit` for row weights; None if there is none."""
    return argument_of_fit(learner, "sample_weight")


def argument_of_fit(learner: Any, name: str) -> str | None:
    """What the argument `name` of `learner.fit` is called there; None if there is none.

    A pipeline passes it to its last step. A learner that passes arguments of `fit` on (a search over parameters) takes
    the argument of its inner learner. With scikit-learn's metadata routing a learner of others takes it by its own name
    where one of them has asked for it.
    """
    of_others = hasattr(learner, "steps") or any(
        hasattr(value, "fit") for value in learner.get_params(deep=False).values()
    )
    if of_others and _is_routing(learner):
        return name if name in learner.get_metadata_routing().consumes("fit", [name]) else None
    if hasattr(learner, "steps"):
        step, last = learner.steps[-1]
        inner = argument_of_fit(last, name)
        return None if inner is None else f"{step}__{inner}"
    parameters = inspect.signature(learner.fit).parameters
    if name in parameters:
        return name
    passes_on = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values())
    settings = learner.get_params(deep=False)
    inner = settings.get("estimator", settings.get("regressor"))
    return argument_of_fit(inner, name) if passes_on and inner is not None else None


def _is_routing(learner: Any) -> bool:
    """Whether scikit-learn's metadata routing is on, and decides what `fit` of a learner of others takes."""
    from sklearn import get_config

    return bool(get_config()["enable_metadata_routing"]) and hasattr(learner, "get_metadata_routing")
