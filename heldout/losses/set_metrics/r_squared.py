"""1 - R^2: the sum of squared errors over that of the labels about their own mean, in each tested part.

With q = 1 - R^2, a row of error e and of distance c from the mean changes q by (e^2 - q c^2) over the sum of squares.
"""

import numpy as np

from heldout.losses.set_metrics.own import OwnMetric
from heldout.losses.set_metrics.set_metric import Values


def slopes(y: Values, answers: Values, weights: Values) -> tuple[float, Values]:
    """R^2 and its derivatives by the weights; NaN where all labels are equal."""
    centred = y - float(weights @ y) / float(weights.sum())
    squares, errors = centred**2, (y - answers) ** 2
    total = float(weights @ squares)
    if total == 0:
        return np.nan, np.full(len(y), np.nan)
    q = float(weights @ errors) / total
    return 1 - q, (q * squares - errors) / total


def value(y: Values, answers: Values, sample_weight: Values) -> float:
    """scikit-learn's."""
    from sklearn.metrics import r2_score

    return float(r2_score(y, answers, sample_weight=sample_weight))


LOSS = OwnMetric(value, "r2", less_is_better=False, slopes=slopes)
