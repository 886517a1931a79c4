"""Wilson's limits by class of all held-out losses of k folds, each counted as 3/5 of a row: no further fit.

Target, kind and source: those of `pooled_wilson` and `wilson_by_class`.

The limits of each share are Wilson's at 3/5 of the tested rows of a class, put together as in `wilson_by_class`.
"""

from heldout.intervals import pooled_wilson, wilson_by_class
from heldout.intervals.method import IntervalMethod, two_sided_normal
from heldout.losses.tested_losses import CrossValidated


def bounds(observed: CrossValidated, level: float) -> tuple[float, float]:
    """The limits for `observed.losses`, shape (N,)."""
    return wilson_by_class.limits(observed, two_sided_normal(level), 1 / pooled_wilson.FACTOR)


METHOD = IntervalMethod(
    name="pooled Wilson by class",
    covers=pooled_wilson.COVERS,
    losses="of costs",
    validity="asymptotic",
    bounds=bounds,
    least_folds=2,
    least=4,
    keeps_width=True,
    has_mirror=False,
)
