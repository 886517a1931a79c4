"""Wilson's interval with the effective size that the k fold errors imply: no further fit.

Target: the true error of the k-fold hypothesis; or, for E_nested, of the k hypotheses that selection inside
each training part delivers.
Kind: asymptotic, a heuristic correction; the conservative choice for classes (docs/coverage.md).
Source: Nadeau, Bengio (Machine Learning 52, 2003), eq. (3.6), for the variance; Wilson (1927) for the roots.

V = max(S^2 (1/k + 1/(k - 1)), s^2 / N): the corrected variance of the fold errors (`corrected_fold_t`), and never
less than the variance of N independent losses, since stratified folds of a rare class may all err alike. Then as
`corrected_wilson`: n_eff = q (1 - q) / V in Wilson's roots, with the quantile of t with k - 1 degrees of freedom;
where there is no error n_eff is N / (1 + k / (k - 1)), as when the fold errors are independent; of dependent rows
the number of groups, or of the independent rows that rows in time weigh as, stands for N.
"""

from heldout.intervals import corrected_fold_t, wilson
from heldout.intervals.method import IntervalMethod, two_sided_t
from heldout.intervals.wilson import roots_at
from heldout.losses.tested_losses import CrossValidated


def bounds(observed: CrossValidated, level: float) -> tuple[float, float]:
    """Wilson's roots at n_eff, k >= 2."""
    return roots_at(observed.error, effective_size(observed), two_sided_t(level, observed.folds - 1))


def effective_size(observed: CrossValidated) -> float:
    """n_eff, at least 1."""
    q, k = observed.error, observed.folds
    spread = max(corrected_fold_t.variance(observed), wilson.variance(observed))
    size = q * (1 - q) / spread if spread > 0 else observed.units / (1 + k / (k - 1))
    return max(size, 1.0)


METHOD = IntervalMethod(
    name="corrected fold Wilson",
    covers=corrected_fold_t.METHOD.covers,
    losses="0/1",
    validity="asymptotic",
    bounds=bounds,
    with_weights=True,
    least=4,
    least_folds=2,
    keeps_width=True,
)
