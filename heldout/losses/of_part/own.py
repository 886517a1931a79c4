"""1 - a metric that is a function of the user's, as those of scikit-learn are: metric(labels, answers, sample_weight).

Its terms are those of `heldout.losses.of_part.part_loss`, by difference quotients in the weights.
"""

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.losses.choice import natural_loss
from heldout.losses.loss import Loss, Losses
from heldout.losses.of_part.part_loss import Values, by_difference
from heldout.losses.zero_one import ZERO_ONE
from heldout.printable import printable
from heldout.several_labels import as_given, how_many

WEIGHTS = "sample_weight"
_TAKES = f"it must take labels, answers and {WEIGHTS}, as the metrics of scikit-learn do"
_ROUNDING = 1e-6


@dataclass(frozen=True)
class OwnMetric:
    """A `function` of labels and answers, both of shape (n,), and of weights, called `name`; the best value is 1."""

    function: Callable[..., Any]
    name: str

    @classmethod
    def of(cls, function: Callable[..., Any]) -> Self:
        """Raises BadArgument for a function that takes no weights."""
        called = getattr(function, "func", function)  # of a partial
        name = str(getattr(called, "__name__", type(called).__name__))
        name = "own" if name.startswith("<") else printable(name)
        try:
            taken = inspect.signature(function).parameters
        except (TypeError, ValueError):  # of a function that is not written in Python
            taken = {}  # type: ignore[assignment]
        if taken and WEIGHTS not in taken and not any(one.kind is one.VAR_KEYWORD for one in taken.values()):
            raise BadArgument("metric", f"metric is {name}, which takes no {WEIGHTS}; {_TAKES}")
        return cls(function, name)

    @property
    def loss(self) -> Loss:
        """A loss without a limit: 1 - a metric may be above 1."""
        return replace(
            ZERO_ONE,
            name=f"1 - {self.name}",
            limit=math.inf,
            binary=False,
            two_valued=False,
            disagreement_loss=None,
            mean_called=f"1 - {self.name}",
        )

    def terms(self, y: NDArray[Any], answers: NDArray[Any], weights: Values) -> Losses:
        """The term of each tested row, shape (n,), whose mean is 1 - the metric.

        It is called n + 2 times. Raises BadArgument for what is no metric: no finite number of at most 1, or another
        one where all weights are twice as large.
        """
        labels, said = as_given(y), as_given(answers)
        value, slope = by_difference(self._value)(labels, said, weights)
        if abs(self._value(labels, said, 2 * weights) - value) > _ROUNDING:
            raise BadArgument(
                "metric", f"metric is {self.name}, which changes if all weights are doubled; a mean over rows does not"
            )
        terms: Losses = 1 - value - len(labels) * weights * slope
        return terms

    def step(self, y: NDArray[Any], *, of_ranks: bool) -> float:
        """What one more row that is answered wrongly takes from the metric if all of y, shape (n,), is answered right.

        It is the largest over the labels of that row; of answers that rank the rows the mean, as such an answer is
        wrong by degrees. 0 where the metric has no value of 1 for right answers, or y are no classes.
        """
        if how_many(y) > 1 or not natural_loss(y).of_classes:
            return 0.0
        classes, of_row, sizes = np.unique(y, return_inverse=True, return_counts=True)
        if len(classes) < 2:
            return 0.0
        common = np.argsort(-sizes, kind="stable")
        answered: Any = classes
        if of_ranks:
            answered = np.arange(2.0) if len(classes) == 2 else np.eye(len(classes))
        ones, steps = np.ones(len(y) + 1), []
        try:
            if abs(self._value(y, answered[of_row], ones[1:]) - 1) > _ROUNDING:
                return 0.0
            for place in range(len(classes)):
                wrong = common[0] if common[0] != place else common[1]
                labels, said = np.append(of_row, place), np.append(of_row, wrong)
                steps.append(1 - self._value(classes[labels], answered[said], ones))
        except BadArgument:
            return 0.0
        return max(float(np.mean(steps) if of_ranks else np.max(steps)), 0.0)

    def _value(self, y: NDArray[Any], answers: NDArray[Any], weights: Values) -> float:
        try:
            value = float(self.function(y, answers, **{WEIGHTS: weights}))
        except Exception as error:
            raise BadArgument(
                "metric", f"metric is {self.name}, which raised {type(error).__name__}: {error}; {_TAKES}"
            ) from error
        if not math.isfinite(value) or value > 1 + _ROUNDING:
            raise BadArgument(
                "metric",
                f"metric is {self.name}, which is {value:g} on {len(y)} rows; it must be a finite number, the more the "
                "better, and 1 at best",
            )
        return value
