"""The central limit theorem of cross-validation, with the within-fold estimate of the variance.

Target: the true error of the k-fold hypothesis.
Kind: asymptotic, for stable learners: changing one training row must change the loss by less than order
1/sqrt(n). Below its level where a learner is unstable or n is small (docs/coverage.md).
Source: Bayle, Bayle, Janson, Mackey, Cross-validation confidence intervals for test error (NeurIPS 2020),
Thm 1 and the estimator of eq. (4.2).

sqrt(n) (E_cv - target) / sigma -> N(0, 1), and sigma^2 is the mean over folds of the sample variance of
the losses inside each fold, so that differences between the folds' hypotheses do not enter it.
"""

import math

import numpy as np

from heldout.intervals.method import IntervalMethod, two_sided_normal
from heldout.losses.tested_losses import CrossValidated


def bounds(observed: CrossValidated, level: float) -> tuple[float, float]:
    """E_cv +- z sigma / sqrt(N), folds of at least 2 rows."""
    sizes = np.bincount(observed.fold)
    squares = np.bincount(observed.fold, weights=(observed.losses - observed.fold_errors[observed.fold]) ** 2)
    variance = float(np.mean(squares / (sizes - 1)))
    reach = two_sided_normal(level) * math.sqrt(variance / observed.n)
    return observed.error - reach, observed.error + reach


METHOD = IntervalMethod(
    name="Bayle within folds",
    covers={"E_cv": "independent examples, stable learner, large n"},
    losses="any",
    validity="asymptotic",
    bounds=bounds,
    least=4,
    least_folds=2,
    least_fold_size=2,
)
