"""The balanced error of a part: the mean over the classes of the share of wrong answers among the rows of each.

It is 1 - balanced accuracy of the part's own rows. The loss `balanced` weighs a row by the class sizes of all labelled
rows instead, and is a mean of losses (`heldout.losses.balanced`).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.losses.set_metrics.set_metric import SetMetric, Values


def of_class(inside: NDArray[np.bool_], said: NDArray[Any], weights: Values) -> tuple[float, Values]:
    """The share of the rows of the class that are predicted to be of it."""
    rows = float(weights @ inside)
    recall = float(weights @ (inside & said)) / rows
    return recall, inside * (said - recall) / rows


def size(sizes: Values, metric: float) -> float:  # noqa: ARG001
    """C^2 / sum 1/n_c: the variance is q (1 - q) / C^2 sum 1/n_c where all classes have the error q."""
    return float(len(sizes) ** 2 / np.sum(1 / sizes))


LOSS = SetMetric(
    "balanced error",
    "balanced accuracy",
    ("balanced_error", "balanced_accuracy", "balanced_accuracy_score", "recall_macro"),
    "class",
    of_class,
    True,
    size,
)
