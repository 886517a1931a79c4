"""Agresti and Coull's interval: Wald's, with z^2 / 2 errors and as many hits added. It contains Wilson's.

Target: the error of one fixed hypothesis on new independent examples. Asymptotic.
Source: A. Agresti, B. Coull, Approximate is better than exact (The American Statistician 52, 1998).
"""

import math

from heldout.intervals.method import IntervalMethod, two_sided_normal


def bounds(observed, level):
    """The bounds of losses of 0 and 1, shape (n,)."""
    z = two_sided_normal(level)
    size = observed.n + z**2
    share = (observed.error * observed.n + z**2 / 2) / size
    reach = z * math.sqrt(share * (1 - share) / size)
    return share - reach, share + reach


METHOD = IntervalMethod(
    name="Agresti-Coull",
    covers={
        "E_val": "independent examples, large n",
        "E_test": "independent examples, large n",
    },
    losses="0/1",
    validity="asymptotic",
    bounds=bounds,
    keeps_width=True,
)
