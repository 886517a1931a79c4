"""The conservative z interval on M random halvings.

Target: the true error of the k-fold hypothesis.
Kind: asymptotic; conservative, since it estimates the variance on half of the rows.
Source: Nadeau, Bengio, Inference for the generalization error (Machine Learning 52, 2003), section 3.2.

M times, the rows are cut into two halves at random, and inside each half J subsamples give a mean error:
mu_m and mu'_m, independent given the halving. sigma^2 = (1 / 2M) sum (mu_m - mu'_m)^2 is unbiased for the
variance of the mean error on N/2 rows, which is not smaller than that on N. It takes 2 M J further fits.
"""

import math

import numpy as np

from heldout.intervals.method import IntervalMethod, two_sided_normal
from studies.intervals.half_subsamples import NAME, Halved


def bounds(observed: Halved, level: float) -> tuple[float, float]:
    """E_cv +- z sigma, from `observed.half_errors`, shape (M, 2)."""
    first, second = np.asarray(observed.half_errors).T
    reach = two_sided_normal(level) * math.sqrt(float(np.mean((first - second) ** 2)) / 2)
    return observed.error - reach, observed.error + reach


METHOD = IntervalMethod(
    name="conservative z",
    covers={"E_cv": "independent examples; the variance on half of the rows is not below that on all"},
    losses="any",
    validity="asymptotic",
    bounds=bounds,
    least=8,
    needs=NAME,
)
