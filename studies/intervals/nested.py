"""The nested cross-validation interval.

Target: the true error of the k-fold hypothesis. The paper's target is the error of the model trained on
all rows, for which it also estimates a bias; that shift is left out here, since E_cv is about another
hypothesis, and the interval is centred at E_cv.
Kind: asymptotic.
Source: Bates, Hastie, Tibshirani, Cross-validation: what does it estimate and how well does it do it?
(J. Amer. Statist. Assoc. 2023), Algorithm 1.

For each fold i: a_i = (e_in - e_out)^2, with e_in the cross-validated error inside the other k - 1 folds
and e_out the error on fold i; b_i = the sample variance of fold i's losses over its size. mean(a - b)
estimates the mean squared error of cross-validation with N (k - 1)/k rows, times (k - 1)/k that with N.
The root is kept between the naive standard error s / sqrt(N) and sqrt(k) times it, as the paper does.
Each hypothesis without folds i and j serves both i and j: k (k - 1) / 2 further fits, one repetition.
"""

import math

import numpy as np

from heldout.intervals.method import IntervalMethod, two_sided_normal
from heldout.losses.tested_losses import CrossValidated


def bounds(observed: CrossValidated, level: float) -> tuple[float, float]:
    """E_cv +- z rmse, from `observed.pair_losses`, shape (k, N), k >= 3."""
    k, n = observed.folds, observed.n
    sizes = np.bincount(observed.fold)
    inner = np.nanmean(np.asarray(observed.pair_losses), axis=1)
    squares = np.bincount(observed.fold, weights=(observed.losses - observed.fold_errors[observed.fold]) ** 2)
    difference = (inner - observed.fold_errors) ** 2 - squares / (sizes - 1) / sizes
    naive = float(np.std(observed.losses, ddof=1)) / math.sqrt(n)
    spread = math.sqrt(max(float(np.mean(difference)), 0.0) * (k - 1) / k)
    reach = two_sided_normal(level) * min(max(spread, naive), math.sqrt(k) * naive)
    return observed.error - reach, observed.error + reach


METHOD = IntervalMethod(
    name="nested",
    covers={"E_cv": "independent examples, large n"},
    losses="any",
    validity="asymptotic",
    bounds=bounds,
    least=6,
    needs="fold_pairs",
    least_folds=3,
    least_fold_size=2,
)
