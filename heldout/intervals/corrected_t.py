"""The corrected resampled t interval on J random subsamples.

Target: the true error of the k-fold hypothesis: subsamples are trained on as many rows as folds are.
Kind: asymptotic, a heuristic correction; the best cheap method in Schulz-Kuempel et al. (2024).
Source: Nadeau, Bengio, Inference for the generalization error (Machine Learning 52, 2003), eq. (3.6).

J times, n2 random rows are tested and n1 trained on. The J errors are correlated, with a correlation
taken to be n2 / (n1 + n2); hence Var = S^2 (1/J + n2/n1), S^2 their sample variance; t has J - 1 degrees
of freedom. Its centre is E_cv, whose variance is not larger than the variance of the subsamples' mean.
"""

import math

import numpy as np

from heldout.intervals.method import IntervalMethod, two_sided_t
from heldout.losses import Losses
from heldout.losses.tested_losses import CrossValidated


def bounds(observed: CrossValidated, level: float) -> tuple[float, float]:
    """E_cv +- t S sqrt(1/J + n2/n1), from `observed.subsample_errors`, shape (J,)."""
    reach = two_sided_t(level, degrees(observed)) * math.sqrt(variance(observed))
    return observed.error - reach, observed.error + reach


def variance(observed: CrossValidated) -> float:
    """S^2 (1/J + n2/n1)."""
    errors, ratio = _subsamples(observed)
    return float(np.var(errors, ddof=1)) * (1 / errors.size + ratio)


def variance_or_pooled(observed: CrossValidated) -> float:
    """The same, but never less than s^2 / N, the variance of a mean of N independent losses."""
    return max(variance(observed), float(np.var(observed.losses, ddof=1)) / observed.n)


def share_of_independent(observed: CrossValidated) -> float:
    """s^2 / N over S^2 (1/J + n2/n1) where the subsamples' errors are independent, so that S^2 = s^2 / n2."""
    errors, ratio = _subsamples(observed)
    return ratio / (1 + ratio) / (1 / errors.size + ratio)


def degrees(observed: CrossValidated) -> int:
    """J - 1 degrees of freedom."""
    return _subsamples(observed)[0].size - 1


def _subsamples(observed: CrossValidated) -> tuple[Losses, float]:
    """The J errors, and the number of rows tested for each row trained on."""
    return np.asarray(observed.subsample_errors), float(observed.tested_per_trained or 0.0)


METHOD = IntervalMethod(
    name="corrected t",
    covers={"E_cv": "independent examples; correlation of subsamples taken to be their tested share"},
    losses="any",
    validity="asymptotic",
    bounds=bounds,
    with_weights=True,
    least_folds=2,
    least=2,
    needs="subsamples",
)
