"""Clopper and Pearson's limits with the effective size of a table of repeats by rows.

Target: the mean over the half models, or pairs of them, of their error or disagreement on new rows.
Kind: asymptotic, for losses and disagreements of 0 and 1; on the wide side where few rows differ from the others.
Source: E. L. Korn, B. I. Graubard, Confidence intervals for proportions with small expected number of positive counts
estimated from survey data (Survey Methodology 24, 1998).

With V of `two_way_wilson` the table weighs as much as q (1 - q) / V independent rows. V is an estimate from n rows; so
    n_eff = q (1 - q) / V (z / t)^2,
z the normal quantile and t that of n - 1 degrees of freedom, and n where V = 0. The bounds are Clopper and Pearson's
for q n_eff of n_eff rows; neither number need be whole. Half models of a stable learner differ on a few rows alone:
then q is near 0, and a normal limit, also Wilson's, ends too near to q on both sides.
"""

from heldout.intervals.clopper_pearson import lower_limit
from heldout.intervals.method import IntervalMethod, two_sided_normal, two_sided_t
from heldout.intervals.two_way_wilson import COVERS, variance
from heldout.losses.tested_losses import RepeatedByRow


def bounds(observed: RepeatedByRow, level: float) -> tuple[float, float]:
    """The limits at n_eff, n >= 2."""
    q, spread, size = observed.error, variance(observed), float(observed.n)
    if spread > 0:
        size = q * (1 - q) / spread * (two_sided_normal(level) / two_sided_t(level, observed.n - 1)) ** 2
    size, each_side = max(size, 1.0), (1 - level) / 2
    low = lower_limit(q * size, size, each_side)
    # the mirror of the lower limit; rounding would leave it a hair below q
    return low, max(1 - lower_limit((1 - q) * size, size, each_side), q)


METHOD = IntervalMethod(
    name="two-way Clopper-Pearson",
    covers=COVERS,
    losses="0/1",
    validity="asymptotic",
    bounds=bounds,
    least=2,
    keeps_width=True,
)
