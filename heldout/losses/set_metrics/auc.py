"""1 - AUC: the chance that a row of the class is ranked below another row. Half a tie counts.

Its size is 4 m n / (m + n) for m rows of the class and n others: the mean of the variances A (1 - A) / 2m and
A (1 - A) / 2n that J. A. Hanley, B. J. McNeil (Radiology 143, 1982) give near A = 1, one way and the other.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.losses.set_metrics.set_metric import SetMetric, Values, of_mean


def of_class(inside: NDArray[np.bool_], ranks: NDArray[Any], weights: Values) -> tuple[float, Values]:
    """The weight of the pairs in the right order over that of all pairs."""
    rank = np.unique(ranks, return_inverse=True)[1]
    of_class, others = (np.bincount(rank, weights=weights * rows) for rows in (inside, ~inside))
    lower, higher = np.cumsum(others) - others / 2, of_class.sum() - (np.cumsum(of_class) - of_class / 2)
    placement = np.where(inside, lower[rank] / others.sum(), higher[rank] / of_class.sum())
    area = float(weights[inside] @ placement[inside] / of_class.sum())
    return area, (placement - area) / np.where(inside, of_class.sum(), others.sum())


def steps(sizes: Values) -> Values:
    """4 m n / (m + n) of each class."""
    found: Values = 4 * sizes * (sizes.sum() - sizes) / sizes.sum()
    return found


def size(sizes: Values, metric: float) -> float:  # noqa: ARG001
    """The same, as of a mean over independent classes."""
    return of_mean(steps(sizes))


LOSS = SetMetric("1 - AUC", "AUC", ("roc_auc", "roc_auc_score", "ROC AUC"), "ranks", of_class, False, size, steps=steps)
