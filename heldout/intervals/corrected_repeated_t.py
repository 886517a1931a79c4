"""The corrected t interval on the fold errors of R partitions into k folds.

Target: the true error of the k-fold hypothesis.
Kind: asymptotic, a heuristic correction.
Source: Bouckaert, Frank, Evaluating the replicability of significance tests for comparing learning
algorithms (PAKDD 2004); Nadeau, Bengio (Machine Learning 52, 2003), eq. (3.6).

Var = S^2 (1/(R k) + 1/(k - 1)), S^2 the sample variance of all R k fold errors; t has R k - 1 degrees of
freedom. Its centre is the E_cv that is reported: of the first partition, or the mean over all where folds are drawn
repeatedly (`Design.fold_repeats`). There it is no default: for numbers in few rows it falls short of its level
(`studies/repeated_folds.py`).
"""

import math

import numpy as np

from heldout.intervals.method import IntervalMethod, two_sided_t
from heldout.losses.tested_losses import CrossValidated


def bounds(observed: CrossValidated, level: float) -> tuple[float, float]:
    """E_cv +- t S sqrt(1/(R k) + 1/(k - 1)), from `observed.repeated_errors`, shape (R - 1, k)."""
    k = observed.folds
    errors = np.concatenate([observed.fold_errors, np.asarray(observed.repeated_errors).ravel()])
    spread = float(np.std(errors, ddof=1)) * math.sqrt(1 / len(errors) + 1 / (k - 1))
    reach = two_sided_t(level, len(errors) - 1) * spread
    return observed.error - reach, observed.error + reach


METHOD = IntervalMethod(
    name="corrected repeated t",
    covers={"E_cv": "independent examples; correlation of the folds taken to be 1/k"},
    losses="any",
    validity="asymptotic",
    bounds=bounds,
    with_weights=True,
    least_folds=2,
    least=2,
    needs="repeated_folds",
)
