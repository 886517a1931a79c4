"""The corrected t interval on the k fold errors: no further fit.

Target: the true error of the k-fold hypothesis; or, for E_nested, of the k hypotheses that selection inside
each training part delivers.
Kind: asymptotic, a heuristic correction; on the wide side for k = 10 (docs/coverage.md).
Source: Nadeau, Bengio, Inference for the generalization error (Machine Learning 52, 2003), eq. (3.6);
Bouckaert, Frank (PAKDD 2004) for folds.

The fold errors are correlated, since their training sets overlap. With the correlation taken to be the
tested share rho = 1/k, Var(E_cv) = S^2 (1/k + rho / (1 - rho)) = S^2 (1/k + 1/(k - 1)), S^2 the sample
variance of the k fold errors; t has k - 1 degrees of freedom.
"""

import math

import numpy as np

from heldout.intervals.method import IntervalMethod, two_sided_t
from heldout.losses.tested_losses import CrossValidated


def bounds(observed: CrossValidated, level: float) -> tuple[float, float]:
    """E_cv +- t S sqrt(1/k + 1/(k - 1)), k >= 2."""
    reach = two_sided_t(level, observed.folds - 1) * math.sqrt(variance(observed))
    return observed.error - reach, observed.error + reach


def variance(observed: CrossValidated) -> float:
    """S^2 (1/k + 1/(k - 1))."""
    k = observed.folds
    return float(np.var(observed.fold_errors, ddof=1)) * (1 / k + 1 / (k - 1))


METHOD = IntervalMethod(
    name="corrected fold t",
    covers=dict.fromkeys(("E_cv", "E_nested"), "independent examples; correlation of the folds taken to be 1/k"),
    losses="any",
    validity="asymptotic",
    bounds=bounds,
    with_weights=True,
    least_folds=2,
    least=2,
)
