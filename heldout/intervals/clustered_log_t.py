"""The t interval of clustered losses on the scale of logarithms, for losses without an upper limit.

Target and kind: those of `heldout.intervals.clustered_t`, whose V and degrees of freedom it has; closer to its level
for skewed losses, short of it under heavy tails.
Source: the delta method; any text on the t distribution.

A sample of groups or stretches without a large loss has both a small mean and a small variance. On the scale of
logarithms the standard error of ln q is sqrt(V) / q; hence q exp(+- t sqrt(V) / q). The bounds are positive, and the
upper bound is farther from q.
"""

import math

from heldout.intervals import clustered_t
from heldout.intervals.log_t import about
from heldout.intervals.method import IntervalMethod, two_sided_t
from heldout.losses.tested_losses import Tested


def bounds(observed: Tested, level: float) -> tuple[float, float]:
    """q exp(+- t sqrt(V) / q), G* > 1."""
    reach = two_sided_t(level, clustered_t.degrees(observed)) * math.sqrt(clustered_t.variance_of(observed))
    return about(observed.error, reach)


METHOD = IntervalMethod(
    name="clustered log t",
    covers=clustered_t.COVERS,
    losses="any",
    validity="asymptotic",
    bounds=bounds,
    with_weights=True,
    least=2,
    units_above=2,
    of_row_means=True,
)
