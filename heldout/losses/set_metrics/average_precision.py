"""1 - average precision: the mean, over the rows of the class, of the share of others among the rows ranked so high.

Unlike AUC it depends on how frequent the class is. Its size is the rows of the class (K. Boyd, K. H. Eng, C. D. Page,
Area under the precision-recall curve: point estimates and confidence intervals, ECML 2013).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.losses.set_metrics.set_metric import SetMetric, Values, of_mean, twice


def of_class(inside: NDArray[np.bool_], ranks: NDArray[Any], weights: Values) -> tuple[float, Values]:
    """The mean of the precisions p at the ranks of the rows of the class.

    A row ranked at least as high as a row j of the class changes its p_j too, by (1 - p_j) or -p_j over the weight of
    the rows ranked so high.
    """
    rank = np.unique(-ranks, return_inverse=True)[1]  # 0 is the highest
    of_class, every = (np.bincount(rank, weights=rows) for rows in (weights * inside, weights))
    so_high = np.maximum(np.cumsum(every), np.finfo(float).tiny)  # rows of weight 0 alone have no precision
    precision = np.cumsum(of_class) / so_high
    total = of_class.sum()
    mean = float(of_class @ precision / total)
    gained, lost = (np.cumsum((of_class * part / so_high)[::-1])[::-1] for part in (1 - precision, -precision))
    slope = np.where(inside, precision[rank] - mean + gained[rank], lost[rank]) / total
    return mean, slope


def size(sizes: Values, metric: float) -> float:  # noqa: ARG001
    """The rows of the class; of more classes as of a mean over independent classes."""
    return of_mean(sizes)


def chance(rows: int, inside: int) -> float:
    """The expected average precision of a random order: at rank j, (1 + (m - 1) (j - 1) / (n - 1)) / j, over n ranks.

    It is above m / n, that of ranks that all tie: .19 for 3 of 30 rows.
    """
    ranks = np.arange(1, rows + 1)
    return float(np.mean((1 + (inside - 1) * (ranks - 1) / max(rows - 1, 1)) / ranks))


LOSS = SetMetric(
    "1 - average precision",
    "average precision",
    ("average_precision", "average_precision_score", "AP", "PR AUC"),
    "ranks",
    of_class,
    False,
    size,
    chance,
    twice,
)
