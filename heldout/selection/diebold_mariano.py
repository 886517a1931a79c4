"""The difference of two errors of forecasts that were made from C cutoffs, one after another.

Let u_c be the mean difference of losses over the rows of cutoff c, of which H consecutive ones overlap (H = h for
forecasts up to h steps ahead from each time). With gamma_k the autocovariances of u, divisor C,

    V = (gamma_0 + 2 sum_{k=1}^{H-1} gamma_k) / C,    V / ((C + 1 - 2H + H (H - 1) / C) / C)

are the variance of F. X. Diebold and R. S. Mariano (J. Business and Economic Statistics 13, 1995) and its correction
by D. I. Harvey, S. J. Leybourne and P. Newbold (Int. J. Forecasting 13, 1997), with t of C - 1 degrees of freedom.
Where V is not above 0, lag k has the weight 1 - k/H (Bartlett). With H = 1 it is the paired t.

It supposes that the errors of forecasts further apart than H share nothing: those of optimal forecasts. Others do. Of
naive forecasts against the mean of the last four values of a random walk, its intervals at 95 % cover .76 to .92. So
the interval is not narrower than that of fixed smoothing (L. Coroneo, F. Iacone, J. Applied Econometrics 35, 2020): the
mean of the periodogram at the first m frequencies, with t of 2m degrees of freedom; m is the third root of C, and at
most C / 32 M, where M is H, or the correlation length of u if it is longer (`heldout.losses.memory`). Fewer than 40
cutoffs, than 10 H, or than 100 without overlap, have no such interval. docs/studies/given_answers.md has the measured
coverage. It falls short
where a difference of losses remembers for much longer than the cutoffs show, as of a constant against a series that
seldom comes back to its mean.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from heldout.losses import Losses
from heldout.losses.memory import correlation_length
from heldout.losses.origins import Origins

LEAST, LEAST_ALONE = 40, 100  # cutoffs that overlap, and that do not
LEAST_OVERLAPS = 10  # cutoffs for each of those that overlap
_CUTOFFS_OF = 32  # correlation lengths for each frequency
Values = NDArray[np.float64]


def enough(origins: Origins) -> bool:
    """Whether there are enough cutoffs for an interval."""
    least = LEAST if origins.overlap > 1 else LEAST_ALONE
    return origins.count >= max(least, LEAST_OVERLAPS * origins.overlap)


def by_cutoff(different: Losses, origins: Origins) -> Values:
    """u, shape (C,): terms whose mean is that of the differences, shape (n,), also of cutoffs with unlike many rows."""
    mean = float(different.mean())
    sums = np.bincount(origins.cutoff, weights=different - mean, minlength=origins.count)
    terms: Values = mean + sums * origins.count / len(different)
    return terms


def harvey_leybourne_newbold(terms: Values, overlap: int) -> float:
    """The variance of the mean of u, shape (C,), with the correction of small samples."""
    count, centred = len(terms), terms - terms.mean()
    covariances = [float(centred[lag:] @ centred[: count - lag]) / count for lag in range(min(overlap, count))]
    variance = _weighted(covariances, [1.0] * len(covariances))
    if variance <= 0:
        variance = _weighted(covariances, [1 - lag / overlap for lag in range(len(covariances))])
    share = (count + 1 - 2 * overlap + overlap * (overlap - 1) / count) / count
    return variance / count / share


def fixed_smoothing(terms: Values, overlap: int) -> tuple[float, float]:
    """The variance of the mean of u by the first frequencies of its periodogram, and its degrees of freedom."""
    count, centred = len(terms), terms - terms.mean()
    memory = max(float(overlap), correlation_length(terms))
    most = math.floor(count ** (1 / 3) + 1e-9)
    m = max(1, min(most, int(count / (_CUTOFFS_OF * memory))))
    power = np.abs(np.fft.rfft(centred)[1 : m + 1]) ** 2 / count
    return float(power.mean()) / count, 2.0 * m


def _weighted(covariances: Sequence[float], weights: Sequence[float]) -> float:
    return covariances[0] + 2 * sum(w * of for w, of in zip(weights[1:], covariances[1:], strict=True))
