"""The t interval of a table of repeats by rows.

Target: the mean over the half models, or pairs of them, of their error or squared difference on new rows.
Kind: asymptotic, for any loss.
Source: as `two_way_wilson`: A. B. Owen, The pigeonhole bootstrap (Ann. Appl. Stat. 1, 2007).

mean +- t sqrt(V), with V of `two_way_wilson`, and t with n - 1 degrees of freedom: the part of
the rows is by far the larger, since repeats share their rows.
"""

import math

from heldout.intervals.method import IntervalMethod, two_sided_t
from heldout.intervals.two_way_wilson import COVERS, variance
from heldout.losses.tested_losses import RepeatedByRow


def bounds(observed: RepeatedByRow, level: float) -> tuple[float, float]:
    """mean +- t sqrt(V), n >= 2."""
    reach = two_sided_t(level, observed.n - 1) * math.sqrt(variance(observed))
    return observed.error - reach, observed.error + reach


METHOD = IntervalMethod(name="two-way t", covers=COVERS, losses="any", validity="asymptotic", bounds=bounds, least=2)
