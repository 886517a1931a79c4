"""The central limit theorem of cross-validation, with the all-pairs estimate of the variance.

Target: the true error of the k-fold hypothesis.
Kind: asymptotic, for stable learners, leave-one-out included. Below its level where a learner is
unstable or n is small (docs/coverage.md).
Source: Bayle, Bayle, Janson, Mackey, Cross-validation confidence intervals for test error (NeurIPS 2020),
Thm 1 and the estimator of eq. (4.3).

sqrt(n) (E_cv - target) / sigma -> N(0, 1), and sigma^2 is the variance of all N losses about their
common mean, divisor N.
"""

import math

import numpy as np

from heldout.intervals.method import IntervalMethod, two_sided_normal
from heldout.losses.tested_losses import CrossValidated


def bounds(observed: CrossValidated, level: float) -> tuple[float, float]:
    """E_cv +- z sigma / sqrt(N)."""
    reach = two_sided_normal(level) * float(np.std(observed.losses)) / math.sqrt(observed.n)
    return observed.error - reach, observed.error + reach


METHOD = IntervalMethod(
    name="Bayle all pairs",
    covers={"E_cv": "independent examples, stable learner, large n"},
    losses="any",
    validity="asymptotic",
    bounds=bounds,
    least=2,
)
