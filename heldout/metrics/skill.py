"""What a hypothesis is shown to know that a constant answer does not, whatever the loss says.

With 15 % positives a good ranking may leave "never" the best answer for each row: the error of a constant is not
beaten, and AUC is well above 1/2. Of classes the metric is AUC, where any constant has 1/2; of numbers R^2, where the
best constant has 0.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from heldout.metrics import auc, r_squared
from heldout.metrics.measure import NO_PROBABILITIES, undefined
from heldout.metrics.metric import Answered


@dataclass(frozen=True)
class Skill:
    """A metric that a constant does not reach: its name, value and bounds, what a constant has, and on which rows."""

    metric: str
    value: float
    low: float
    high: float
    of_constant: float
    part: str

    @property
    def shown(self) -> str:
        """The metric with its interval, and the constant's."""
        return (
            f"{self.metric} {self.value:.3g} [{self.low:.3g}–{self.high:.3g}] on the {self.part}, where a constant has "
            f"{self.of_constant:g}"
        )

    def sentence(self, whose: str) -> str:
        """What people read."""
        return f"{whose} has learned something all the same: {self.shown}"

    @classmethod
    def read(cls, entry: Mapping[str, Any] | None) -> "Skill | None":
        """The entry of selection.json."""
        return None if entry is None else cls(**entry)


def shown_skill(answered: Answered, level: float, part: str) -> Skill | None:
    """AUC, or R^2, of what was `answered` on a `part` of the rows, if its interval lies above that of a constant.

    None where it does not, or cannot be computed.
    """
    metric, of_constant = (r_squared.METRIC, 0.0) if answered.classes is None else (auc.METRIC, 0.5)
    if undefined(metric, answered, NO_PROBABILITIES):
        return None
    value = metric.value(answered)
    low, high = metric.interval(answered, value, level)
    if not math.isfinite(low) or not math.isfinite(high) or low <= of_constant:
        return None
    return Skill(metric.label, value, low, high, of_constant, part)
