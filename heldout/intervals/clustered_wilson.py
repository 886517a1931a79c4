"""Wilson's interval with the effective size of 0/1 losses that are dependent within groups, or along time.

Target and kind: those of `heldout.intervals.clustered_t`, for 0/1 losses.
Source: E. L. Korn, B. I. Graubard, Confidence intervals for proportions with small expected number of positive
counts estimated from survey data (Survey Methodology 24, 1998), for the effective size; Wilson (1927) for the roots.

V = max(V_c, q (1 - q) / (n - 1)): the variance of `clustered_t`, and never less than that of n independent losses.
The rows weigh as much as n_eff = q (1 - q) / V independent rows, in Wilson's roots, with the degrees of freedom of
`clustered_t` for t in place of z. Where no row is wrong, or every row is, the losses do not show how alike the
rows of a cluster are: n_eff is G*, as if each cluster were one row, over the factor that `clustered_t` has for folds of
groups.
"""

from heldout.intervals import clustered_t, wilson
from heldout.intervals.method import IntervalMethod, two_sided_t
from heldout.intervals.wilson import roots_at
from heldout.losses.tested_losses import Tested


def bounds(observed: Tested, level: float) -> tuple[float, float]:
    """Wilson's roots at n_eff, G* > 1."""
    q = observed.error
    spread = max(clustered_t.variance_of(observed), wilson.variance(observed))
    size = q * (1 - q) / spread if spread > 0 else observed.units / clustered_t.factor(observed)
    return roots_at(q, max(size, 1.0), two_sided_t(level, clustered_t.degrees(observed)))


METHOD = IntervalMethod(
    name="clustered Wilson",
    covers=clustered_t.COVERS,
    losses="0/1",
    validity="asymptotic",
    bounds=bounds,
    with_weights=True,
    least=2,
    units_above=2,
    keeps_width=True,
    of_row_means=True,
)
