"""The corrected t interval on the scale of logarithms, for losses without an upper limit.

Target: the true error of the k-fold hypothesis.
Kind: asymptotic, a heuristic correction; the default for numbers (docs/coverage.md).
Source: Nadeau, Bengio (Machine Learning 52, 2003), eq. (3.6), for the variance; the delta method for the scale.

Mean losses are skewed: a sample without the rare large loss has both a small mean and a small variance. On the
scale of logarithms the standard error of ln E_cv is sqrt(V) / E_cv, with V as in `corrected_wilson`; hence
    E_cv exp(+- t sqrt(V) / E_cv),
t with J - 1 degrees of freedom. The bounds are positive, and the upper bound is farther from E_cv.
"""

import math

from heldout.intervals import corrected_t
from heldout.intervals.log_t import about
from heldout.intervals.method import IntervalMethod, two_sided_t
from heldout.losses.tested_losses import CrossValidated


def bounds(observed: CrossValidated, level: float) -> tuple[float, float]:
    """E_cv exp(+- t sqrt(V) / E_cv)."""
    reach = two_sided_t(level, corrected_t.degrees(observed)) * math.sqrt(corrected_t.variance_or_pooled(observed))
    return about(observed.error, reach)


METHOD = IntervalMethod(
    name="corrected log t",
    covers={"E_cv": "independent examples, finite variance; correlation of subsamples taken to be their tested share"},
    losses="any",
    validity="asymptotic",
    bounds=bounds,
    with_weights=True,
    least_folds=2,
    least=4,
    needs="subsamples",
)
