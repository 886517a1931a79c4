"""1 - precision: the share of the rows answered with the class that are of another; of more classes the mean over all.

It is a mean over the rows that are answered so, and these are its size, of one class. Where no row of a part is
answered so, it has no value: scikit-learn takes 0 there, which says as much as 1 would.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.losses.set_metrics.set_metric import SetMetric, Values, of_mean


def of_class(inside: NDArray[np.bool_], said: NDArray[Any], weights: Values) -> tuple[float, Values]:
    """The share of the rows predicted to be of the class that are of it; NaN without such a row."""
    rows = float(weights @ said)
    if rows == 0:
        return np.nan, np.full(len(weights), np.nan)
    precision = float(weights @ (inside & said)) / rows
    return precision, said * (inside - precision) / rows


def size(sizes: Values, metric: float) -> float:  # noqa: ARG001
    """The rows answered with the class."""
    return of_mean(np.maximum(sizes, 1.0))


LOSS = SetMetric("1 - precision", "precision", ("precision_score", "ppv"), "class", of_class, False, size, by_said=True)
