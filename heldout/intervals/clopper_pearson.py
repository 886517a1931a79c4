"""Clopper and Pearson's interval.

Target: the error p of one fixed hypothesis, tested on n new independent examples with 0/1 loss; or the
error of the progressive hypothesis, whose steps are a martingale (Blum et al., Thms 4 and 5).
Kind: exact for a fixed hypothesis: its coverage is at least the level for every n and p; wide, above all for few
examples. The rows of a stratified part are not independent examples (`heldout.splits.class_shares`).
Source: C. J. Clopper, E. S. Pearson, The use of confidence or fiducial limits illustrated in the case of
the binomial, Biometrika 26 (1934).

Of c errors among n, the bounds are the p at which so many errors, or so few, are as rare as delta / 2:
    Pr(Bin(n, low) >= c) = delta / 2,   Pr(Bin(n, high) <= c) = delta / 2,   delta = 1 - level,
which are quantiles of Beta(c, n - c + 1) and Beta(c + 1, n - c). Low is 0 for c = 0, high is 1 for c = n. One of
the two alone, with delta in place of delta / 2, is a one-sided limit: the error lies beyond it with chance delta at
most.

Steps of a stream: step i errs with a chance p_i of its own, given all steps before, and p is their mean. If the p_i do
not depend on which earlier steps were errors, the limits hold as for n equal chances: no other chances with the same
mean make a count so far from n p more likely (W. Hoeffding, On the distribution of the number of successes in
independent trials, Ann. Math. Statist. 27, 1956, for counts one or more away from n p). Where they do depend on them
the limits are asymptotic, as Wilson's: the variance of the count about sum p_i is at most n p (1 - p). A learner that
stops to err as soon as a limit is passed would break them. The coverage study measures those that do not aim at this;
`Hoeffding` and `betting confidence sequence` hold for any.
"""

from heldout.intervals.method import IntervalMethod
from heldout.losses.tested_losses import Tested


def bounds(observed: Tested, level: float) -> tuple[float, float]:
    """The bounds for `observed.losses`, shape (n,), of 0 and 1."""
    each_side = (1 - level) / 2
    return lower_limit(float(observed.losses.sum()), observed.n, each_side), upper_limit(observed, each_side)


def upper_limit(observed: Tested, delta: float) -> float:
    """The one-sided upper limit for losses of 0 and 1: the error is above it with chance `delta` at most."""
    from scipy.special import betainccinv

    count = int(observed.losses.sum())
    high = float(betainccinv(count + 1, observed.n - count, delta)) if count < observed.n else 1.0
    # for a delta near 1/2 the limit lies so close to the estimate that rounding may put it past it
    return max(high, observed.error)


def lower_limit(count: float, n: float, delta: float) -> float:
    """The one-sided lower limit for `count` losses of 1 among n: the error is below it with chance `delta` at most.

    For losses that weigh as much as n independent ones neither number need be whole, and the level is approximate
    (Korn, Graubard, Survey Methodology 24, 1998).
    """
    from scipy.special import betaincinv

    low = float(betaincinv(count, n - count + 1, delta)) if count > 0 else 0.0
    return min(low, count / n)


METHOD = IntervalMethod(
    name="Clopper-Pearson",
    covers={
        "E_val": "independent examples, fixed hypothesis",
        "E_test": "independent examples, fixed hypothesis",
        "E_prog": "martingale of steps (Thms 4 and 5); exact if no chance of an error depends on which steps erred",
    },
    losses="0/1",
    validity="exact",
    bounds=bounds,
    keeps_width=True,
)
