"""1 - a metric that is a function of the user's, as those of scikit-learn are: metric(labels, answers, sample_weight).

Its terms are those of `heldout.losses.of_part.part_loss`, by difference quotients in the weights.
"""

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.losses.loss import Loss, Losses
from heldout.losses.of_part.part_loss import Values, by_difference
from heldout.losses.zero_one import ZERO_ONE
from heldout.printable import printable
from heldout.several_labels import as_given

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
