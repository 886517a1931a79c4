"""R^2: 1 - sum (y - predicted)^2 / sum (y - mean y)^2, with the mean of the tested rows themselves.

It may be below 0. Kind of the interval: asymptotic, finite fourth moments; docs/losses.md has its measured coverage.
"""

import numpy as np

from heldout.metrics import jackknife
from heldout.metrics.metric import Answered, Metric, Values


def value(answered: Answered) -> float:
    """scikit-learn's."""
    from sklearn.metrics import r2_score

    return float(r2_score(answered.y, answered.predicted, sample_weight=answered.weights))


def at(answered: Answered, weights: Values) -> Values:
    """The same at each weighting, shape (B, n)."""
    y = answered.y.astype(np.float64)
    centred, error = y - y.mean(), y - answered.predicted.astype(np.float64)
    sums = weights @ np.column_stack([np.ones_like(y), centred, centred**2, error**2])
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio: Values = 1 - sums[:, 3] / (sums[:, 2] - sums[:, 1] ** 2 / sums[:, 0])
    return ratio


def interval(answered: Answered, value: float, level: float) -> tuple[float, float]:
    """The t interval of ln(1 - R^2) with the jackknife's variance."""
    return jackknife.below_one(answered, value, at, level)


METRIC = Metric("r_squared", "R^2", "number", value, at, interval, "jackknife log t")
