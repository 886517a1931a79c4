"""A confidence sequence for progressive validation: a band that holds at every step at once.

Target: at each step t, the error of the progressive hypothesis so far: the mean of mu_1 … mu_t, where mu_i
is the error of the hypothesis tested at step i and may depend on all that came before.
Kind: finite-sample, for any loss in [0, 1], simultaneous over steps: you may look at every step, and stop at any.
Source: S. R. Howard, A. Ramdas, J. McAuliffe, J. Sekhon, Time-uniform, nonparametric, nonasymptotic confidence
sequences, Ann. Statist. 49 (2021), Thm 4; X. Fan, I. Grama, Q. Liu (2015), for the inequality below.

exp(l y - psi(l) y^2) <= 1 + l y for y >= -1, 0 <= l < 1, psi(l) = -ln(1 - l) - l. With y = X_i - P_i, P_i from the
past, exp(l (X_i - mu_i) - psi(l) (X_i - P_i)^2) has conditional mean <= exp(-l (mu_i - P_i)) (1 + l (mu_i - P_i))
<= 1. So exp(l S_t - psi(l) V_t) is the capital of a bet that favours nobody (a supermartingale), S_t = sum (X_i -
mu_i), V_t = sum (X_i - P_i)^2, and so is its mean over fixed l: it ever reaches 2/delta with chance delta/2 at most
(Ville). The S_t where it does is the reach; -X bets on the other side, with the same V. The band is not
intersected over steps, for its target moves; the capital prod (1 + l (X_i - m)) would need the same m at all steps.
"""

import math

import numpy as np

from heldout.intervals.method import IntervalMethod
from heldout.losses import Losses
from heldout.losses.tested_losses import Tested

# the l of the mixture, of equal weight: about sqrt(2 ln(2/delta) / V) is best, so they serve V from 1 to 10^7
_FRACTIONS = 0.9 * 0.5 ** np.arange(12)
_PSI = -np.log1p(-_FRACTIONS) - _FRACTIONS
_AT_ONCE = 50_000  # steps solved at a time, so that memory is bounded


def band(losses: Losses, level: float) -> tuple[Losses, Losses]:
    """Bounds for the mean error up to each step, two arrays of shape (m,), for `losses` in step order."""
    steps = np.arange(1, len(losses) + 1)
    means = np.cumsum(losses) / steps
    spread = _squares(losses)
    widths = np.concatenate(
        [reach(spread[first : first + _AT_ONCE], level) for first in range(0, len(losses), _AT_ONCE)]
    )
    return np.clip(means - widths / steps, 0, 1), np.clip(means + widths / steps, 0, 1)


def bounds(observed: Tested, level: float) -> tuple[float, float]:
    """The last of the band of `observed.losses`, shape (m,), in the order of the steps."""
    width = float(reach(_squares(observed.losses)[-1:], level)[0]) / observed.n
    return max(observed.error - width, 0.0), min(observed.error + width, 1.0)


def _squares(losses: Losses) -> Losses:
    """V_t: squared distances from P_i = (1/2 + X_1 + … + X_{i-1}) / i."""
    before = np.concatenate([[0.0], np.cumsum(losses)[:-1]])
    squares: Losses = np.cumsum((losses - (0.5 + before) / np.arange(1, len(losses) + 1)) ** 2)
    return squares


def reach(squares: Losses, level: float) -> Losses:
    """The S at which the mixture is 2 / delta, for each V of `squares`, shape (n,).

    Its logarithm is convex and rises with S: Newton's steps from a point above fall to the root, and
    each of them is on the wide side. The point above is where a single term would do.
    """
    target = math.log(2 / (1 - level)) + math.log(len(_FRACTIONS))
    paid = squares[:, None] * _PSI
    found: Losses = np.min((target + paid) / _FRACTIONS, axis=1)
    for _ in range(100):
        exponents = found[:, None] * _FRACTIONS - paid
        most = exponents.max(axis=1)
        terms = np.exp(exponents - most[:, None])
        total = terms.sum(axis=1)
        step = (most + np.log(total) - target) * total / (terms @ _FRACTIONS)
        found = found - np.maximum(step, 0)
        if step.max() <= 1e-12 * (1 + found.max()):
            break
    return found


METHOD = IntervalMethod(
    name="betting confidence sequence",
    covers={"E_prog": "martingale of steps, loss of known limit; at every step at once"},
    losses="of known limit",
    validity="finite-sample",
    bounds=bounds,
    keeps_width=True,
    order_matters=True,
)
