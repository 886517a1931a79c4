"""Batches of consecutive rows in time whose means are nearly independent, and how long they have to be.

Source: A. M. Law, W. D. Kelton, Simulation modeling and analysis, batch means; A. D. Sokal, Monte Carlo methods in
statistical mechanics: foundations and new algorithms (1997), section 3, for the length and its window.

The mean of n consecutive losses of autocorrelation rho(t) has the variance of n / L independent losses, with the
correlation length (integrated autocorrelation time)
    L = 1 + 2 sum_{t >= 1} rho(t),
about 2 / (1 - rho) for rho(t) = rho^t near 1. The sum over all lags of an estimated rho is -1/2 whatever the losses, so
it ends at the first lag of at least 5 L, with the L up to it (Sokal's window): far enough for a decay like
exp(-2t / L), and few enough terms of noise. L is at least 1. An estimate from few rows is rather too small.

A batch of b rows misses a share of about L / 2b of the variance, the covariance across its two ends: sqrt(n) rows are
too few where L is of this order. Batches are max(sqrt(n), 3 L) rows long.
"""

import math

import numpy as np
from numpy.typing import NDArray

from heldout.losses import Losses

_LENGTHS = 3  # correlation lengths in a batch
_WINDOW = 5  # correlation lengths that the sum goes to


def batches(losses: Losses) -> NDArray[np.int64]:
    """The batch of each row, 0, 1, …, for `losses`, shape (n,), in the order of time; the last may be shorter."""
    n = len(losses)
    size = max(1, round(n**0.5), math.ceil(_LENGTHS * correlation_length(losses) - 1e-9))  # rounding starts no new row
    cluster: NDArray[np.int64] = np.arange(n) // size
    return cluster


def correlation_length(losses: Losses) -> float:
    """L for `losses`, shape (n,), in the order of time; 1 where they are all equal."""
    n, centred = len(losses), losses - losses.mean()
    if n < 2 or not centred.any():
        return 1.0
    power = np.abs(np.fft.rfft(centred, 2 * n)) ** 2
    covariances = np.fft.irfft(power)[:n]  # of all lags at once, times n
    lengths = 1 + 2 * np.cumsum(covariances[1:]) / covariances[0]
    return max(float(lengths[np.argmax(np.arange(1, n) >= _WINDOW * lengths)]), 1.0)
