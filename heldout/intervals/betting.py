"""The betting interval: the means against which no bettor becomes rich.

Target: the error of one fixed hypothesis, tested on n new independent examples.
Kind: finite-sample, for any loss in [0, 1]; narrow, since the bets adapt to the variance.
Source: I. Waudby-Smith, A. Ramdas, Estimating means of bounded random variables by betting (J. R. Stat. Soc.
B 86, 2024): hedged capital, Thm 3, with the predictable plug-in bets for a fixed n.

If m is the mean, K+(m) = prod (1 + min(l_t, c/m) (X_t - m)) and K-(m) = prod (1 - min(l_t, c/(1-m)) (X_t - m))
have expectation 1 for bets l_t made from the past alone, so that max(K+, K-) / 2 reaches 1/delta with chance
delta at most (Markov). K+ falls and K- rises with m: the m below 1/delta are an interval. c = 1/2 and
l_t = sqrt(2 ln(2/delta) / (n s_{t-1}^2)),   s_t^2 = (1/4 + sum_{i<=t} (X_i - M_i)^2) / (t + 1),
M_t = (1/2 + sum_{i<=t} X_i) / (t + 1). The order is drawn from the seed, after sorting: independent examples
are as likely in any order, so that the level holds over the draw of examples and order together.
"""

import math

import numpy as np

from heldout import seeds
from heldout.intervals.method import IntervalMethod
from heldout.losses import Losses
from heldout.losses.tested_losses import Tested

_MOST_STAKED = 0.5  # c: the share of the capital that a bet may lose
_TOLERANCE = 1e-12


def bounds(observed: Tested, level: float) -> tuple[float, float]:
    """The bounds of `observed.losses`, shape (n,), all in [0, 1]."""
    each_side = (1 - level) / 2
    losses = _in_random_order(observed)
    low = _lower(losses, _bets(losses, each_side), observed.error, each_side)
    return min(low, observed.error), upper_limit(observed, each_side)


def upper_limit(observed: Tested, delta: float) -> float:
    """The one-sided upper limit for losses in [0, 1]: the error is above it with chance `delta` at most.

    K- alone, with bets for delta in place of delta / 2, reaches 1 / delta with chance delta at most.
    """
    losses, mean = _in_random_order(observed), observed.error
    # a bet that the mean loss is lower is a bet that the mean of 1 - loss is higher
    return max(1 - _lower(1 - losses, _bets(losses, delta), 1 - mean, delta), mean)


def _in_random_order(observed: Tested) -> Losses:
    rng = np.random.default_rng(seeds.child(observed.seed, "bets"))
    shuffled: Losses = rng.permutation(np.sort(observed.losses))
    return shuffled


def _bets(losses: Losses, delta: float) -> Losses:
    """l_1 … l_n, each from the losses before it, for one side that is missed with chance `delta`."""
    counts = np.arange(2, len(losses) + 2)
    means = (0.5 + np.cumsum(losses)) / counts
    variances = (0.25 + np.cumsum((losses - means) ** 2)) / counts
    before = np.concatenate([[0.25], variances[:-1]])
    bets: Losses = np.sqrt(2 * math.log(1 / delta) / (len(losses) * before))
    return bets


def _lower(losses: Losses, bets: Losses, mean: float, delta: float) -> float:
    """The m in [0, mean] where K+ falls to 1 / delta, from below; 0 if it is nowhere that high."""
    most = math.log(1 / delta)

    def rich(m: float) -> bool:
        staked = np.minimum(bets, _MOST_STAKED / m) if m > 0 else bets
        return float(np.log1p(staked * (losses - m)).sum()) >= most

    if not rich(0.0):
        return 0.0
    low, high = 0.0, mean
    while high - low > _TOLERANCE:
        middle = (low + high) / 2
        low, high = (middle, high) if rich(middle) else (low, middle)
    return low


METHOD = IntervalMethod(
    name="betting",
    covers={
        "E_val": "independent examples, loss of known limit",
        "E_test": "independent examples, loss of known limit",
    },
    losses="of known limit",
    validity="finite-sample",
    bounds=bounds,
    keeps_width=True,
    random=True,
    has_mirror=False,
)
