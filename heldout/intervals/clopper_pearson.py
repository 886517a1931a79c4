"""Clopper and Pearson's interval.

Target: the error p of one fixed hypothesis, tested on n new independent examples with 0/1 loss.
Kind: exact: its coverage is at least the level for every n and p; wide, above all for few examples. The rows of a
stratified part are not independent examples (`heldout.class_shares`).
Source: C. J. Clopper, E. S. Pearson, The use of confidence or fiducial limits illustrated in the case of
the binomial, Biometrika 26 (1934).

Of c errors among n, the bounds are the p at which so many errors, or so few, are as rare as delta / 2:
    Pr(Bin(n, low) >= c) = delta / 2,   Pr(Bin(n, high) <= c) = delta / 2,   delta = 1 - level,
which are quantiles of Beta(c, n - c + 1) and Beta(c + 1, n - c). Low is 0 for c = 0, high is 1 for c = n.
"""

from heldout.intervals.method import IntervalMethod
from heldout.observed import Tested


def bounds(observed: Tested, level: float) -> tuple[float, float]:
    """The bounds for `observed.losses`, shape (n,), of 0 and 1."""
    from scipy.special import betainccinv, betaincinv

    n, each_side = observed.n, (1 - level) / 2
    count = int(observed.losses.sum())
    low = float(betaincinv(count, n - count + 1, each_side)) if count > 0 else 0.0
    high = float(betainccinv(count + 1, n - count, each_side)) if count < n else 1.0
    # at a level near 0 the bounds lie so close to the estimate that rounding may put them past it
    return min(low, observed.error), max(high, observed.error)


METHOD = IntervalMethod(
    name="Clopper-Pearson",
    covers={
        "E_val": "independent examples, fixed hypothesis",
        "E_test": "independent examples, fixed hypothesis",
    },
    losses="0/1",
    validity="exact",
    bounds=bounds,
    keeps_width=True,
)
