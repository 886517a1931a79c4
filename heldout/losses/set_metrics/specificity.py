"""1 - specificity: the share of the rows of other classes that are answered with the class, by class as for recall.

Of two classes it is 1 - the recall of the first one, the false positive rate. Its size is the rows of other classes.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.losses.set_metrics import balanced_error
from heldout.losses.set_metrics.set_metric import SetMetric, Values, of_mean


def of_class(inside: NDArray[np.bool_], said: NDArray[Any], weights: Values) -> tuple[float, Values]:
    """The share of the other rows that are not predicted to be of the class."""
    return balanced_error.of_class(~inside, ~said, weights)


def others(sizes: Values) -> Values:
    """The rows of all other classes, by class."""
    found: Values = sizes.sum() - sizes
    return found


def size(sizes: Values, metric: float) -> float:  # noqa: ARG001
    """The rows of other classes."""
    return of_mean(others(sizes))


LOSS = SetMetric(
    "1 - specificity", "specificity", ("true_negative_rate", "tnr"), "class", of_class, False, size, steps=others
)
