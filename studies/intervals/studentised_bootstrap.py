"""The studentised bootstrap interval (bootstrap-t).

Target: the mean loss of one fixed hypothesis on new independent examples, for any loss.
Kind: asymptotic; follows the skewness of the losses, which Student's t does not.
Source: B. Efron, R. J. Tibshirani, An introduction to the bootstrap (1993), section 12.5.

B = 2000 resamples of n losses with replacement give t* = (mean* - mean) / (s* / sqrt(n)), s the sample
standard deviation. With the quantiles of t* at (1 - level) / 2 and (1 + level) / 2:
    mean - t*_upper s / sqrt(n),   mean - t*_lower s / sqrt(n).
A resample of equal losses has no spread, and takes the spread of the sample; losses that are all
equal give a width of 0. The losses are sorted first, so that the order of rows does not matter.
"""

import math

import numpy as np

from heldout import seeds
from heldout.intervals.method import IntervalMethod
from heldout.losses import Losses
from heldout.losses.tested_losses import Tested

RESAMPLES = 2000
_AT_ONCE = 1_000_000  # losses drawn at a time, so that memory is bounded
_ROUNDING = 1e-9  # a spread below this share of the sample's spread is 0, but for rounding


def bounds(observed: Tested, level: float) -> tuple[float, float]:
    """The bounds of `observed.losses`, shape (n,)."""
    losses = np.sort(observed.losses)
    mean, n = observed.error, observed.n
    spread = float(np.std(losses, ddof=1))
    if losses[0] == losses[-1] or spread == 0:  # a spread near 1e-200 is 0 when squared
        return mean, mean
    ratios = _ratios(losses - mean, spread, np.random.default_rng(seeds.child(observed.seed, "bootstrap")))
    lower, upper = np.quantile(ratios, [(1 - level) / 2, (1 + level) / 2])
    unit = spread / math.sqrt(n)
    # quantiles of the same sign would leave the estimate outside
    return mean - max(float(upper), 0.0) * unit, mean - min(float(lower), 0.0) * unit


def _ratios(centred: Losses, spread: float, rng: np.random.Generator) -> Losses:
    """t* of every resample of losses of this spread from which their mean is taken, shape (RESAMPLES,)."""
    n = len(centred)
    chunk = max(1, _AT_ONCE // n)
    parts = []
    for first in range(0, RESAMPLES, chunk):
        drawn = centred[rng.integers(n, size=(min(chunk, RESAMPLES - first), n))]
        spreads = np.std(drawn, axis=1, ddof=1)
        spreads = np.where(spreads > _ROUNDING * spread, spreads, spread)
        parts.append(drawn.mean(axis=1) / spreads)
    return np.concatenate(parts) * math.sqrt(n)


METHOD = IntervalMethod(
    name="studentised bootstrap",
    covers={
        "E_val": "independent examples, finite variance, large n",
        "E_test": "independent examples, finite variance, large n",
    },
    losses="any",
    validity="asymptotic",
    bounds=bounds,
    least=10,
    random=True,
)
