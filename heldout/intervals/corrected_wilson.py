"""Wilson's interval with the effective size of cross-validated 0/1 losses.

Target: the true error of the k-fold hypothesis.
Kind: asymptotic, a heuristic correction; the default, since in docs/coverage.md it is the narrowest that keeps
its level.
Source: Nadeau, Bengio (Machine Learning 52, 2003), eq. (3.6), for the variance; Wilson (1927) for the roots.

The variance of E_cv is taken to be V = max(S^2 (1/J + n2/n1), s^2 / N): the corrected variance of J random
subsamples (`corrected_t`), and never less than the variance of N independent losses, whose sample variance is s^2. The
rows then weigh as much as n_eff = q (1 - q) / V independent rows, q = E_cv, in Wilson's roots, with the quantile
of t with J - 1 degrees of freedom in place of z. The bounds lie in [0, 1] and leave 0 where there is no error:
then n_eff is N times (n2/N) / (1/J + n2/n1), which it is when the subsamples' errors are independent.
"""

from heldout.intervals import corrected_t, wilson
from heldout.intervals.method import IntervalMethod, two_sided_t
from heldout.intervals.wilson import roots_at
from heldout.losses.tested_losses import CrossValidated


def bounds(observed: CrossValidated, level: float) -> tuple[float, float]:
    """Wilson's roots at n_eff."""
    return roots_at(observed.error, effective_size(observed), two_sided_t(level, corrected_t.degrees(observed)))


def effective_size(observed: CrossValidated) -> float:
    """n_eff, at least 1."""
    q, spread = observed.error, corrected_t.variance_or_pooled(observed) + wilson.of_one_more(observed)
    size = q * (1 - q) / spread if spread > 0 else observed.rows * corrected_t.share_of_independent(observed)
    return max(size, 1.0)


METHOD = IntervalMethod(
    name="corrected Wilson",
    covers={"E_cv": "independent examples; correlation of subsamples taken to be their tested share"},
    losses="0/1",
    validity="asymptotic",
    bounds=bounds,
    with_weights=True,
    least_folds=2,
    least=4,
    needs="subsamples",
    keeps_width=True,
)
