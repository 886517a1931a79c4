"""Wilson's interval with the effective size of 0/1 losses that are dependent within groups, or along time.

Target: the mean loss of one fixed hypothesis on rows of new groups, or along the stream; or the mean loss
of the progressive hypothesis, where the errors along the steps are close to one another.
Kind: asymptotic in the effective number G* of clusters (`clustered_t`), for 0/1 losses.
Source: E. L. Korn, B. I. Graubard, Confidence intervals for proportions with small expected number of positive
counts estimated from survey data (Survey Methodology 24, 1998), for the effective size; Wilson (1927) for the roots.

V = max(V_c, q (1 - q) / (n - 1)): the variance of `clustered_t`, and never less than the variance of
n independent losses.
The rows weigh as much as n_eff = q (1 - q) / V independent rows, in Wilson's roots, with the quantile of t with
G* - 1 degrees of freedom for z. Where no row is wrong, or every row is, the losses do not show how alike the
rows of a cluster are: n_eff is G*, as if each cluster were one row.
"""

from heldout.intervals import clustered_t, wilson
from heldout.intervals.method import IntervalMethod, two_sided_t
from heldout.intervals.wilson import roots_at
from heldout.losses.tested_losses import Tested


def bounds(observed: Tested, level: float) -> tuple[float, float]:
    """Wilson's roots at n_eff, G* > 1."""
    q, clusters = observed.error, observed.units
    of_clusters = clustered_t.variance(observed.losses, observed.cluster, observed.weights)
    spread = max(of_clusters, wilson.variance(observed))
    size = q * (1 - q) / spread if spread > 0 else clusters
    return roots_at(q, max(size, 1.0), two_sided_t(level, clusters - 1))


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
)
