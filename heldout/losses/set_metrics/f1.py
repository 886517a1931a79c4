"""1 - F1: with the harmonic mean of precision and recall, 2 tp / (2 tp + fp + fn).

Of the u rows that are of the class, or predicted to be, the share J = tp / u is binomial, and F1 = 2 J / (1 + J). So F1
has the variance F1 (1 - F1) (2 - F1)^2 / 2u; its size has for u the rows of the class, which are u at most.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.losses.set_metrics.set_metric import SetMetric, Values, of_mean, twice


def of_class(inside: NDArray[np.bool_], said: NDArray[Any], weights: Values) -> tuple[float, Values]:
    """2 tp over the rows of the class and the rows predicted to be of it."""
    counted = inside.astype(np.float64) + said
    both = (weights @ counted).item()
    metric = 2 * float(weights @ (inside & said)) / both
    return metric, (2 * (inside & said) - metric * counted) / both


def size(sizes: Values, metric: float) -> float:
    """2u / (2 - F1)^2; of more classes as of a mean over independent classes."""
    return 2 * of_mean(sizes) / (2 - metric) ** 2


LOSS = SetMetric("1 - F1", "F1", ("f1", "f1_score", "f1_macro"), "class", of_class, False, size, steps=twice)
