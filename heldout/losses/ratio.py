"""The error of rows with weights: a ratio of two sums, and the terms that it varies as the mean of.

q = sum(w L) / sum(w) over n tested rows varies, up to terms of order 1/n, as the mean of
    t_i = q + n w_i (L_i - q) / sum(w),
which is q itself. So the sample variance of the t_i over n is V = n / (n - 1) sum (w_i (L_i - q))^2 / (sum w)^2, that
of J. Hajek (in Foundations of statistical inference, 1971; C.-E. Sarndal, B. Swensson, J. Wretman, Model assisted
survey sampling, 1992, section 5.6), and the terms of two candidates on the same rows differ by the terms of the
difference of their errors. They take the place of losses in intervals and in comparisons, by row and by cluster. A term
may be below 0, or above the limit of the loss: methods that need losses in a range are not for them
(`heldout.intervals.method.IntervalMethod.admits`).
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from heldout.errors import BadArgument
from heldout.losses.loss import Losses


@dataclass(frozen=True)
class Ratio:
    """The `error` sum(w L) / sum(w) of some tested rows, and their mean `weight`."""

    error: float
    weight: float

    @classmethod
    def of(cls, losses: Losses, weights: Losses) -> Self:
        """Of the `losses` and `weights` of n rows, both of shape (n,). Raises BadArgument where all weights are 0."""
        total = float(np.sum(weights))
        if total <= 0:
            raise BadArgument("weights", f"weights is 0 in all of the {len(losses)} tested rows; they have no error")
        least = float(losses.min())  # equal losses have their own value as the error, to the last bit
        return cls(least + float(np.sum(weights * (losses - least))) / total, total / len(losses))

    def terms(self, losses: Losses, weights: Losses) -> Losses:
        """t_i of `losses`, of a shape that `weights` broadcasts to; of other rows by the same error and mean weight."""
        terms: Losses = self.error + weights / self.weight * (losses - self.error)
        return terms


def error_of(losses: Losses, weights: Losses | None) -> float:
    """The mean of `losses`, shape (n,), or their ratio by `weights`. Raises BadArgument as `Ratio.of`."""
    return float(np.mean(losses)) if weights is None else Ratio.of(losses, weights).error


def weighed(losses: Losses, weights: Losses | None) -> Losses:
    """The terms of `losses` by `weights`, both of shape (n,); the losses themselves without. Raises as `Ratio.of`."""
    return losses if weights is None else Ratio.of(losses, weights).terms(losses, weights)
