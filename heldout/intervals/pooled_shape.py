"""The interval whose shape comes from the candidate's cross-validated losses, for losses in few rows.

Target: the mean loss of one fixed hypothesis on new independent examples; or the mean loss of the progressive
hypothesis, where the errors along the steps are close to one another.
Kind: asymptotic in the number of cross-validated losses; closer to its level than log t for skewed losses in few rows.
Source: the percentile bootstrap, B. Efron, R. J. Tibshirani, An introduction to the bootstrap (1993), chapter 13; its
expanded quantiles, T. C. Hesterberg, What teachers should know about the bootstrap (Amer. Statistician 69, 2015).

K tested rows seldom hold the rare large losses, and then have both a small mean and a small variance. The N losses of
cross-validation hold more of them, and are there anyway: B = 2000 resamples of K of them give r = mean* / mean, which
stands for the estimate over its target. With the quantiles of r at a and 1 - a the bounds are
    estimate / r_upper,   estimate / r_lower,   a = Phi(-t sqrt(N / (N - 1))),
t with N - 1 degrees of freedom: for normal losses a = (1 - level) / 2 would give their spread the divisor N and the
normal quantile, as if N losses knew their spread exactly. More than 5000 tested rows have the quantiles of the normal
limit of ln r in place of resamples.

Where most losses are near 0, r_lower is, or is 0, and the upper bound has no limit. Nothing that was seen says that a
mean is larger than the largest loss, so that the upper bound is at most
    largest max(1, estimate / mean),
of the N losses, in the unit of the tested ones where these are larger. Where all K losses are 0, and some of the N are
not, the upper bound is the mean of these times the largest share of such losses that K rows miss with probability
(1 - level) / 2, which is 1 - ((1 - level) / 2)^(1/K).
"""

import math

import numpy as np

from heldout import seeds
from heldout.intervals import log_t
from heldout.intervals.method import IntervalMethod, two_sided_t
from heldout.losses import Losses
from heldout.losses.tested_losses import Tested

RESAMPLES = 2000
_MOST_DRAWN = 5000  # rows in a resample
_AT_ONCE = 100_000  # losses drawn at a time: as much as stays in a cache of the processor


def bounds(observed: Tested, level: float) -> tuple[float, float]:
    """The bounds of `observed.losses`, shape (n,), by the losses `observed.pool` of cross-validation, shape (N,)."""
    error, pool = observed.error, np.sort(observed.pool)  # type: ignore[arg-type]  # checked: `needs_cv`
    if pool[-1] == 0:
        return log_t.bounds(observed, level)
    if error == 0:
        return 0.0, (1 - ((1 - level) / 2) ** (1 / observed.n)) * float(pool[pool > 0].mean())
    largest = float(pool[-1])
    pool = pool / largest  # a sum of large losses might overflow
    if observed.n > _MOST_DRAWN:
        reach = two_sided_t(level, len(pool) - 1) * float(np.std(pool, ddof=1)) / math.sqrt(observed.n)
        return log_t.about(error, reach / float(pool.mean()) * error)
    ratios = _ratios(pool, observed.n, np.random.default_rng(seeds.child(observed.seed, "pooled")))
    beyond = _expanded(level, len(pool))
    lower, upper = np.quantile(ratios, [beyond, 1 - beyond]).tolist()
    most = max(error / float(pool.mean()), largest)
    # quantiles on the same side of 1 would leave the estimate outside
    return error / max(upper, 1.0), min(error / min(lower, 1.0), most) if lower > 0 else most


def _expanded(level: float, n: int) -> float:
    """The share beyond each quantile: (1 - level) / 2, less what the spread of n losses leaves uncertain."""
    from scipy.special import ndtr

    return float(ndtr(-two_sided_t(level, n - 1) * math.sqrt(n / (n - 1))))


def _ratios(pool: Losses, n: int, rng: np.random.Generator) -> Losses:
    """The mean of each resample of n of the losses, over their mean, shape (RESAMPLES,)."""
    chunk = max(1, _AT_ONCE // n)
    parts = [
        pool[rng.integers(len(pool), size=(min(chunk, RESAMPLES - first), n))].mean(axis=1)
        for first in range(0, RESAMPLES, chunk)
    ]
    ratios: Losses = np.concatenate(parts) / pool.mean()
    return ratios


_LIKE = "{}, losses distributed like those of cross-validation but for a factor, large N"
METHOD = IntervalMethod(
    name="pooled shape",
    covers={
        "E_val": _LIKE.format("independent examples"),
        "E_test": _LIKE.format("independent examples"),
        "E_prog": _LIKE.format("martingale of steps, errors of the hypotheses close to one another"),
    },
    losses="any",
    validity="asymptotic",
    bounds=bounds,
    least=2,
    needs_cv=True,
    random=True,
)
