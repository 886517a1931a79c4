"""Batches of consecutive rows in time whose means are nearly independent, for differences and metrics.

Source: A. M. Law, W. D. Kelton, Simulation modeling and analysis, batch means.

A batch of b rows misses a share of about L / 2b of the variance, the covariance across its two ends, with the
correlation length L of `heldout.losses.memory`: sqrt(n) rows are too few where L is of this order. Batches are
max(sqrt(n), 3 L) rows long.
"""

import math

import numpy as np
from numpy.typing import NDArray

from heldout.losses import Losses
from heldout.losses.memory import correlation_length

_LENGTHS = 3  # correlation lengths in a batch


def batches(losses: Losses) -> NDArray[np.int64]:
    """The batch of each row, 0, 1, …, for `losses`, shape (n,), in the order of time; the last may be shorter."""
    n = len(losses)
    size = max(1, round(n**0.5), math.ceil(_LENGTHS * correlation_length(losses) - 1e-9))  # rounding starts no new row
    cluster: NDArray[np.int64] = np.arange(n) // size
    return cluster
