"""How long the losses of rows in time depend on one another, and so how many independent rows they weigh as.

Source: A. D. Sokal, Monte Carlo methods in statistical mechanics: foundations and new algorithms (1997), section 3, for
the length and its window; D. W. K. Andrews, Econometrica 59 (1991), for the length by a first autoregression, with the
correction of its coefficient by M. G. Kendall (Biometrika 41, 1954).

The mean of n consecutive losses of autocorrelation rho(t) has the variance of n / L independent losses, with the
correlation length (integrated autocorrelation time)
    L = 1 + 2 sum_{t >= 1} rho(t),
about 2 / (1 - rho) for rho(t) = rho^t near 1. The sum over all lags of an estimated rho is -1/2 whatever the losses, so
it ends at the first lag of at least 5 L, with the L up to it (Sokal's window): far enough for a decay like
exp(-2t / L), and few enough terms of noise. Few rows make it too short, so that it is not taken to be less than
(1 + r) / (1 - r), r = rho(1) + (1 + 3 rho(1)) / n: what a decay from the first lag on would have.
"""

import math
from dataclasses import dataclass

import numpy as np

from heldout.losses.loss import Losses

IN_TIME = "losses in time"  # with which the reason of a mark begins
_WINDOW = 5  # correlation lengths that the sum goes to
_LARGEST = 0.99  # of r
_NOISE = 2 * (2 * _WINDOW + 1)  # the squared relative error of L from n rows is this times L / n (Sokal, eq. 3.19)
_ENOUGH, _KNOWN = 24, 48  # correlation lengths in the tested rows, and in the stream that shows the length


@dataclass(frozen=True)
class Memory:
    """The correlation `length` of losses in time, from a stream of so many `rows`; None where they are all equal."""

    length: float | None
    rows: int

    def independent(self, n: float) -> float:
        """How many independent rows n consecutive ones weigh as; sqrt(n) where nothing shows their length."""
        return math.sqrt(n) if self.length is None else n / self.length

    def degrees(self, n: float) -> float:
        """The degrees of freedom of a variance that L gives, 2 / (22 L / rows), for n tested rows; at least 2."""
        of_length = 2 * self.rows / (_NOISE * (self.length or 1.0))
        return max(min(of_length, n - 1), 2.0)

    def doubt(self, n: int) -> str | None:
        """Why an interval from n consecutive rows is not credible: they, or all rows, hold few lengths; None where it
        may be.

        A length that is within two standard errors of that of independent rows, 1, says nothing.
        """
        if self.length is None or self.length <= 1 + 2 * math.sqrt(_NOISE / self.rows):
            return None
        if n >= _ENOUGH * self.length and self.rows >= _KNOWN * self.length:
            return None
        return f"{IN_TIME} depend on those of about {self.length:.0f} rows before, and {n} rows were tested"


def memory_of(losses: Losses) -> Memory:
    """From `losses`, shape (n,), in the order of time: of all rows that are known, also where fewer are tested."""
    return Memory(correlation_length(losses) if len(losses) and np.ptp(losses) > 0 else None, len(losses))


def correlation_length(losses: Losses) -> float:
    """L for `losses`, shape (n,), in the order of time; 1 where they are all equal."""
    n, centred = len(losses), losses - losses.mean()
    if n < 2 or not centred.any():
        return 1.0
    power = np.abs(np.fft.rfft(centred, 2 * n)) ** 2
    covariances = np.fft.irfft(power)[:n]  # of all lags at once, times n
    lengths = 1 + 2 * np.cumsum(covariances[1:]) / covariances[0]
    summed = float(lengths[np.argmax(np.arange(1, n) >= _WINDOW * lengths)])
    first = float(covariances[1] / covariances[0])
    decay = min(first + (1 + 3 * first) / n, _LARGEST)
    return max(summed, (1 + decay) / (1 - decay), 1.0)
