"""A confidence sequence for progressive validation: a band that holds at every step at once.

Target: at each step t, the error of the progressive hypothesis so far: the mean of mu_1 … mu_t, where mu_i
is the error of the hypothesis tested at step i and may depend on all that came before.
Kind: finite-sample, for any loss in [0, 1], simultaneous over steps: you may look at every step, and stop at any.
Source: S. R. Howard, A. Ramdas, J. McAuliffe, J. Sekhon, Time-uniform, nonparametric, nonasymptotic confidence
sequences, Ann. Statist. 49 (2021), Thms 1 and 4; X. Fan, I. Grama, Q. Liu (2015), for the second inequality below.

With q = 1 - exp(-l), exp(-l x) <= 1 - q x for x in [0, 1], so that exp(-l X_i) / (1 - q mu_i) has conditional mean
<= 1, and the product over the steps is the capital of a bet that favours nobody (a supermartingale). ln(1 - q mu) is
concave: the product is at least exp(-l sum X_i - t ln(1 - q m)), m the mean of mu_1 … mu_t. So is a mean of such
capitals over fixed l > 0, which ever reaches 2 / delta with chance delta / 2 at most (Ville). The m where it does is
the upper limit; 1 - X gives the lower one. For 0/1 losses nothing is lost in the first step.

Other losses vary less than 0/1 losses of the same mean: exp(l y - psi(l) y^2) <= 1 + l y for y >= -1, 0 <= l < 1,
psi(l) = -ln(1 - l) - l. With y = X_i - P_i, P_i from the past, exp(l (X_i - mu_i) - psi(l) (X_i - P_i)^2) has
conditional mean <= exp(-l (mu_i - P_i)) (1 + l (mu_i - P_i)) <= 1. So exp(l S_t - psi(l) V_t) is such a capital,
S_t = sum (X_i - mu_i), V_t = sum (X_i - P_i)^2; the S_t where the mean over l is 2 / delta is the reach on each side.

The l are fixed before the first step; about sqrt(2 ln(2 / delta) / V) is best. For a sequence without an end they serve
V from 1 to 10^6, with equal weights. Where m steps were planned, four fifths of the weight are for V from m / 64 to
m / 4, and for no error at all: of 0/1 losses the last step's bounds are then 1.2 to 1.65 times as far apart as those of
Clopper and Pearson, which hold for that step alone; a single l, the best one, would have 1.4. The band is not
intersected over steps, for its target moves; the capital prod (1 + l (X_i - m)) would need the same m at all steps.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heldout.intervals.method import IntervalMethod
from heldout.losses import Losses
from heldout.losses.tested_losses import Tested

_HALVED = np.array([0.5**half for half in range(12)], dtype=np.float64)
_LARGEST = 0.9  # l below 1, for losses of any values
_LARGEST_OF_ERRORS = 4.0
_PLANNED = 5.6 * np.array([1.0, 2.0, 4.0])  # l sqrt(m), best for V = m / 4, m / 16 and m / 64
_UNPLANNED_SHARE = 0.2
_AT_ONCE = 50_000  # steps solved at a time, so that memory is bounded
Values = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Bets:
    """The `sizes` l of the mixture, shape (J,), and the logarithms of their `weights`."""

    sizes: Values
    weights: Values

    @classmethod
    def of(cls, largest: float, planned: int | None) -> "_Bets":
        sizes: Values = largest * _HALVED
        shares: Values = np.full(len(_HALVED), 1 / len(_HALVED))
        if planned is not None:
            of_plan = np.append(np.minimum(_PLANNED / math.sqrt(planned), largest), largest)
            shares = np.append(_UNPLANNED_SHARE * shares, np.full(len(of_plan), (1 - _UNPLANNED_SHARE) / len(of_plan)))
            sizes = np.append(sizes, of_plan)
        return cls(sizes, np.log(shares))


def band(losses: Losses, level: float, *, errors: bool = False, planned: int | None = None) -> tuple[Losses, Losses]:
    """Bounds for the mean error up to each step, two arrays of shape (m,), for `losses` in step order.

    `errors` says that the loss is 0 or 1, `planned` how many steps were planned before the first one; None for a stream
    that may go on for as long as it likes.
    """
    steps, totals = np.arange(1, len(losses) + 1), np.cumsum(losses)
    pieces = [slice(first, first + _AT_ONCE) for first in range(0, len(losses), _AT_ONCE)]
    spread = _squares(losses)
    found = [_limits(totals[one], steps[one], spread[one], level, errors, planned) for one in pieces]
    low, high = (np.concatenate(side) for side in zip(*found, strict=True))
    return low, high


def so_far(observed: Tested, level: float, planned: int | None = None) -> tuple[float, float]:
    """The last of the band of `observed.losses`, shape (t,), in the order of the steps."""
    errors = observed.loss.binary or observed.loss.two_valued
    total, spread = observed.losses.sum(keepdims=True), _squares(observed.losses)[-1:]
    low, high = _limits(total, np.array([observed.n]), spread, level, errors, planned)
    return float(low[0]), float(high[0])


def bounds(observed: Tested, level: float) -> tuple[float, float]:
    """The same for the steps that were planned, shape (m,)."""
    return so_far(observed, level, observed.n)


def _limits(
    totals: Values, steps: NDArray[np.intp], squares: Values, level: float, errors: bool, planned: int | None
) -> tuple[Values, Values]:
    if errors:
        bets = _Bets.of(_LARGEST_OF_ERRORS, planned)
        return 1 - _upper(steps - totals, steps, level, bets), _upper(totals, steps, level, bets)
    width = _reach(squares, level, _Bets.of(_LARGEST, planned))
    return np.clip((totals - width) / steps, 0, 1), np.clip((totals + width) / steps, 0, 1)


def _squares(losses: Losses) -> Losses:
    """V_t: squared distances from P_i = (1/2 + X_1 + … + X_{i-1}) / i."""
    before = np.concatenate([[0.0], np.cumsum(losses)[:-1]])
    squares: Losses = np.cumsum((losses - (0.5 + before) / np.arange(1, len(losses) + 1)) ** 2)
    return squares


def _upper(totals: Values, steps: NDArray[np.intp], level: float, bets: _Bets) -> Values:
    """The m at which the mixture is 2 / delta, 1 if it is nowhere so large, for each sum of losses of so many steps."""
    target, lost = math.log(2 / (1 - level)), -np.expm1(-bets.sizes)
    paid, t = totals[:, None] * bets.sizes - bets.weights, steps[:, None]

    def logarithms(m: Values) -> tuple[Values, Values]:
        left = 1 - lost * m[:, None]
        return -paid - t * np.log(left), t * lost / left

    above = np.min(-np.expm1(-(target + paid) / t) / lost, axis=1)
    return _root(np.minimum(above, 1.0), logarithms, target)


def reach(squares: Losses, level: float) -> Losses:
    """The S at which the mixture of a sequence with no end is 2 / delta, for each V of `squares`, shape (n,)."""
    return _reach(squares, level, _Bets.of(_LARGEST, None))


def _reach(squares: Values, level: float, bets: _Bets) -> Values:
    target, sizes = math.log(2 / (1 - level)), bets.sizes
    paid = squares[:, None] * (-np.log1p(-sizes) - sizes) - bets.weights
    above = np.min((target + paid) / sizes, axis=1)
    return _root(above, lambda s: (s[:, None] * sizes - paid, np.broadcast_to(sizes, paid.shape)), target)


def _root(above: Values, logarithms: Callable[[Values], tuple[Values, Values]], target: float) -> Values:
    """Where the sum of exponentials, by their logarithms and slopes of shape (n, J), is exp(target), for each of n.

    The logarithm of the sum is convex and rises: Newton's steps from a point above fall to the root, and each of them
    is on the wide side. The point above is where a single term would do.
    """
    found = above
    for _ in range(100):
        exponents, slopes = logarithms(found)
        most = exponents.max(axis=1)
        terms = np.exp(exponents - most[:, None])
        total = terms.sum(axis=1)
        step = (most + np.log(total) - target) * total / (terms * slopes).sum(axis=1)
        found = found - np.maximum(step, 0)
        if step.max() <= 1e-12 * (1 + found.max()):
            break
    return found


METHOD = IntervalMethod(
    name="betting confidence sequence",
    covers={"E_prog": "martingale of steps, as many as were planned, loss of known limit; at every step at once"},
    losses="of known limit",
    validity="finite-sample",
    bounds=bounds,
    keeps_width=True,
    order_matters=True,
)
