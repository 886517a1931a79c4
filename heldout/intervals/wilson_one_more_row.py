"""Wilson's interval at the variance of the losses and one more row: for partial credit, and any loss of known limit.

Target: the mean loss of one fixed hypothesis on new independent examples; or of the progressive hypothesis, where the
errors along the steps are close to one another.
Kind: asymptotic; close to its level also where a loss near the limit is rare (docs/decisions/0008).
Source: E. B. Wilson (1927) for the roots; E. L. Korn, B. I. Graubard (Survey Methodology 24, 1998) for the effective
size; A. Agresti, B. Caffo (The American Statistician 54, 2000) for the idea of rows that were not seen.

With losses over their limit, in [0, 1], n rows of the mean q and the variance v weigh as much as q (1 - q) n / v rows
of 0/1 losses, and that is n at least. Few rows may lack the one that is the farthest from the others. So v is the
variance of the n losses and one more, which is 1 for the upper bound and 0 for the lower one; but the size is not below
n, since no losses in [0, 1] vary more than 0/1 losses. The bounds are Wilson's roots at this size, with the quantile of
t with n - 1 degrees of freedom.
"""

import numpy as np

from heldout.intervals.method import IntervalMethod, two_sided_t
from heldout.intervals.wilson import roots_at
from heldout.losses.tested_losses import Tested


def bounds(observed: Tested, level: float) -> tuple[float, float]:
    """The roots for `observed.losses`, shape (n,), all in [0, 1], n >= 2."""
    return about(observed, observed.error, 1.0, level)


def about(observed: Tested, value: float, worth: float, level: float) -> tuple[float, float]:
    """The roots at a `value`, where each row is `worth` some of the rows."""
    quantile = two_sided_t(level, observed.n - 1)
    sizes = [worth * _size(observed, end) for end in (0.0, 1.0)]
    return roots_at(value, sizes[0], quantile)[0], roots_at(value, sizes[1], quantile)[1]


def _size(observed: Tested, end: float) -> float:
    """As how many rows of 0/1 losses the losses weigh, with one more that is `end`."""
    n, q = observed.n, observed.error
    variance = float(np.var(np.append(observed.losses, end), ddof=1))
    return max(n * q * (1 - q) / variance, n) if variance > 0 else n


METHOD = IntervalMethod(
    name="Wilson with one more row",
    covers={
        "E_val": "independent examples, loss of known limit, large n",
        "E_test": "independent examples, loss of known limit, large n",
        "E_prog": "martingale of steps, errors of the hypotheses close to one another, loss of known limit, large n",
    },
    losses="of known limit",
    validity="asymptotic",
    bounds=bounds,
    least=2,
    keeps_width=True,
)
