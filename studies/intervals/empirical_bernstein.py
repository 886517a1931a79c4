"""The empirical Bernstein interval.

Target: the error of one fixed hypothesis, tested on n new independent examples.
Kind: finite-sample, for any loss in [0, 1]; narrower than Hoeffding's where the variance is small and n
is not.
Source: A. Maurer, M. Pontil, Empirical Bernstein bounds and sample variance penalization (COLT 2009), Thm 4.

With probability at least 1 - d,   E_out - E_val <= sqrt(2 s^2 ln(2/d) / n) + 7 ln(2/d) / (3 (n - 1)),
s^2 the sample variance (divisor n - 1). The same holds for 1 - loss, hence for the other side; each side
takes d = (1 - level) / 2.
"""

import math

import numpy as np

from heldout.intervals.method import IntervalMethod
from heldout.losses.tested_losses import Tested


def bounds(observed: Tested, level: float) -> tuple[float, float]:
    """The bounds of `observed.losses`, shape (n,), n >= 2, all in [0, 1]."""
    n = observed.n
    cost = math.log(4 / (1 - level))
    variance = float(np.var(observed.losses, ddof=1))
    reach = math.sqrt(2 * variance * cost / n) + 7 * cost / (3 * (n - 1))
    return observed.error - reach, observed.error + reach


METHOD = IntervalMethod(
    name="empirical Bernstein",
    covers={
        "E_val": "independent examples, loss of known limit",
        "E_test": "independent examples, loss of known limit",
    },
    losses="of known limit",
    validity="finite-sample",
    bounds=bounds,
    least=2,
    keeps_width=True,
)
