"""1 - recall: the share of the rows of the class that are not answered so; of more classes the mean over all.

Also called sensitivity. Its size is the rows of the class: of these it is a mean of losses of 0 and 1.
"""

from heldout.losses.set_metrics.balanced_error import of_class
from heldout.losses.set_metrics.set_metric import SetMetric, Values, of_mean


def size(sizes: Values, metric: float) -> float:  # noqa: ARG001
    """The rows of the class."""
    return of_mean(sizes)


LOSS = SetMetric("1 - recall", "recall", ("recall_score", "sensitivity"), "class", of_class, False, size)
