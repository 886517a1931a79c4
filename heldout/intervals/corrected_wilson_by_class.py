"""Wilson's limits by class of cross-validated losses, at the effective size that random subsamples imply.

Target: the true error of the k-fold hypothesis.
Kind: asymptotic, a heuristic correction (docs/decisions/0008).
Source: Nadeau, Bengio (Machine Learning 52, 2003), eq. (3.6), for the variance; `wilson_by_class` for the limits.

The limits are those of `wilson_by_class` with the quantile of t with J - 1 degrees of freedom, where each tested row
weighs as much as the share w of an independent row: w = (s^2 / N) / (S^2 (1/J + n2/n1)), the variance of a mean of N
independent losses over that of J random subsamples (`corrected_t`). But w is at most what it is where the subsamples'
errors are independent: S^2 of few rows of a rare class is too often too small.
"""

import numpy as np

from heldout.intervals import corrected_t, wilson_by_class
from heldout.intervals.method import IntervalMethod, two_sided_t
from heldout.losses.tested_losses import CrossValidated


def bounds(observed: CrossValidated, level: float) -> tuple[float, float]:
    """The limits for `observed.losses`, shape (N,), and `observed.subsample_errors`, shape (J,)."""
    return wilson_by_class.limits(observed, two_sided_t(level, corrected_t.degrees(observed)), worth(observed))


def worth(observed: CrossValidated) -> float:
    """w: as how many independent rows a tested row counts."""
    most, spread = corrected_t.share_of_independent(observed), corrected_t.variance(observed)
    alone = float(np.var(observed.losses, ddof=1)) / observed.n
    return min(alone / spread, most) if alone > 0 and spread > 0 else most


METHOD = IntervalMethod(
    name="corrected Wilson by class",
    covers={"E_cv": "independent examples; correlation of subsamples taken to be their tested share"},
    losses="of costs",
    validity="asymptotic",
    bounds=bounds,
    least=4,
    least_folds=2,
    needs="subsamples",
    keeps_width=True,
    has_mirror=False,
)
