"""The error of one hypothesis on a test set that grows night after night.

Target: the mean loss of the hypothesis, on rows that neither trained nor chose it.
Kind: the interval is finite-sample and holds in all nights at once, where rows (or units of rows) are independent, are
appended to the table, and stay in it: `heldout.intervals.confidence_sequence`. It takes a limit of the loss.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.intervals import confidence_sequence
from heldout.losses import Loss, Losses
from heldout.losses.ratio import error_of
from heldout.losses.tested_losses import Tested, in_units_of_limit


@dataclass(frozen=True)
class GrowingError:
    """The mean loss of `observations` rows, or units of rows; `low` and `high` are None without a limit of the loss."""

    observations: int
    value: float
    low: float | None
    high: float | None


def error_so_far(
    losses: Losses,
    loss: Loss,
    level: float,
    seed: int,
    weights: Losses | None = None,
    units: NDArray[Any] | None = None,
) -> GrowingError:
    """The error of the rows so far, `losses` of shape (n,) in the order in which they came.

    With `units`, shape (n,), the rows of a unit are one observation: their mean by `weights`.
    """
    of_units = weights
    if units is not None:
        _, first, place = np.unique(units, return_index=True, return_inverse=True)
        order, sizes = np.argsort(first), np.bincount(place, weights)
        losses = (np.bincount(place, losses if weights is None else weights * losses) / sizes)[order]
        of_units = None if weights is None else (sizes / np.bincount(place))[order]
        loss = replace(loss, binary=False, two_valued=False)  # means of several rows are between 0 and 1
    low = high = None
    if loss.bounded:
        ends = confidence_sequence.so_far(in_units_of_limit(Tested(losses, loss, seed)), level)
        low, high = (end * loss.limit for end in ends)
    return GrowingError(len(losses), error_of(losses, of_units), low, high)
