"""Intervals by the jackknife, for a smooth metric: no draws, and no assumption about the shape of the answers.

Source: B. Efron, C. Stein, The jackknife estimate of variance (Annals of Statistics 9, 1981); for AUC it is DeLong's
variance up to terms of order 1/n (E. R. DeLong and others, Biometrics 44, 1988). J. G. MacKinnon, M. Nielsen, M. D.
Webb (Journal of Applied Econometrics 38, 2023) for whole clusters left out.

theta_g is the metric without unit g of G: a row, a group, a batch of rows in time, or for many rows one of 200 random
parts of equal size. V = (G - 1) / G sum_g (theta_g - theta)^2.

A share, between 0 and 1, has Wilson's roots at n_eff = theta (1 - theta) / V rows: the score interval, symmetric on the
logit scale. Near 0 and 1 few rows decide V, and it is 0 for a metric of 1, so n_eff is at most what the metric weighs
for answers of no particular kind (`largest`). 1 - R^2 is positive and skewed: its logarithm has the t interval.
Quantiles are those of t with one degree less than there are units.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from heldout import seeds
from heldout.intervals.method import two_sided_t
from heldout.intervals.wilson import roots_at
from heldout.metrics.metric import Answered, Values

MOST_PARTS = 200
_CELLS = 4_000_000  # of weights at a time: 32 MB

At = Callable[[Answered, Values], Values]


def share(answered: Answered, value: float, at: At, largest: float, level: float) -> tuple[float, float]:
    """The bounds of a metric between 0 and 1 whose n_eff is at most `largest`."""
    spread = variance(answered, value, at)
    if answered.units <= 1 or not math.isfinite(spread):
        return math.nan, math.nan
    within = value * (1 - value)
    size = within / spread if 0 < within < largest * spread else largest
    return roots_at(value, size, two_sided_t(level, answered.units - 1))


def below_one(answered: Answered, value: float, at: At, level: float) -> tuple[float, float]:
    """The bounds of a metric of at most 1."""
    if value >= 1 or answered.units <= 1:
        return math.nan, math.nan
    reach = two_sided_t(level, answered.units - 1) * math.sqrt(variance(answered, value, at)) / (1 - value)
    return 1 - (1 - value) * math.exp(min(reach, 700.0)), 1 - (1 - value) * math.exp(-reach)


def variance(answered: Answered, value: float, at: At) -> float:
    """V of the metric `at`; NaN where a part left out takes the last row of a class with it."""
    part = parts(answered)
    count = int(part.max()) + 1
    at_once = max(1, _CELLS // answered.n)
    without = [
        at(answered, answered.weights * (part != np.arange(first, min(first + at_once, count))[:, None]))
        for first in range(0, count, at_once)
    ]
    return float((count - 1) / count * ((np.concatenate(without) - value) ** 2).sum())


def parts(answered: Answered, most: int = MOST_PARTS) -> NDArray[np.int64]:
    """The part of each row, 0 … G-1, G at most `most`: the rows or clusters themselves, or random sets of them.

    At random, since parts that are alike, as of rows in the order of their labels, would make V too small.
    """
    unit = np.arange(answered.n) if answered.cluster is None else answered.cluster
    count = int(unit.max()) + 1
    if count <= most:
        return unit
    order = np.random.default_rng(seeds.child(answered.seed, "bootstrap", 2)).permutation(count)
    of_rows: NDArray[np.int64] = (order % most)[unit]
    return of_rows


def units(answered: Answered, of_classes: Sequence[NDArray[np.bool_]]) -> float:
    """The units among the rows that a metric is about, a mask for each class: the limit for the mean over classes."""
    return of_mean([answered.units_of(rows) for rows in of_classes])


def of_mean(limits: Sequence[float]) -> float:
    """The limit of n_eff for a mean of metrics of these limits, as if they were independent and equal."""
    return float(len(limits) ** 2 / np.sum(1 / np.array(limits)))
