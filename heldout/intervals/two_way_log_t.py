"""The t interval of a table of repeats by rows on the scale of logarithms, for losses without an upper limit.

Target: the mean over the half models, or pairs of them, of their error or squared difference on new rows.
Kind: asymptotic, for any loss; closer to its level than two-way t for skewed losses, short of it under heavy tails.
Source: as `two_way_wilson` for the variance; the delta method for the scale.

mean exp(+- t sqrt(V) / mean), with V of `two_way_wilson`, and t with n - 1 degrees of freedom: the argument of
`corrected_log_t`, for means over half models.
"""

import math

from heldout.intervals.log_t import about
from heldout.intervals.method import IntervalMethod, two_sided_t
from heldout.intervals.two_way_wilson import COVERS, variance
from heldout.losses.tested_losses import RepeatedByRow


def bounds(observed: RepeatedByRow, level: float) -> tuple[float, float]:
    """mean exp(+- t sqrt(V) / mean), n >= 2."""
    return about(observed.error, two_sided_t(level, observed.rows - 1) * math.sqrt(variance(observed)))


METHOD = IntervalMethod(
    name="two-way log t",
    covers={estimate: f"{assumption}, finite variance" for estimate, assumption in COVERS.items()},
    losses="any",
    validity="asymptotic",
    bounds=bounds,
    with_weights=True,
    least=2,
)
