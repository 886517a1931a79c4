"""Student's t interval.

Target: the mean loss of one fixed hypothesis on new independent examples, for unbounded losses; or the
mean loss of the progressive hypothesis, where the errors along the steps are close to one another.
Kind: asymptotic; exact only for normal losses, short of its level under heavy tails.
Source: METHOD, section 1 (variance sigma^2 / K); any text on the t distribution.

mean +- t sqrt(s^2 / n), s^2 the sample variance, t the quantile of (1 + level) / 2 with n - 1
degrees of freedom; a loss is never negative, so the lower bound is cut at 0.
"""

import math

import numpy as np

from heldout.intervals.method import IntervalMethod, two_sided_t
from heldout.losses.tested_losses import Tested


def bounds(observed: Tested, level: float) -> tuple[float, float]:
    """The bounds of `observed.losses`, shape (n,), n >= 2."""
    spread = float(np.std(observed.losses, ddof=1)) / math.sqrt(observed.n)
    reach = two_sided_t(level, observed.n - 1) * spread
    return observed.error - reach, observed.error + reach


METHOD = IntervalMethod(
    name="Student t",
    covers={
        "E_val": "independent examples, finite variance, large n",
        "E_test": "independent examples, finite variance, large n",
        "E_prog": "martingale of steps, errors of the hypotheses close to one another, finite variance, large n",
    },
    losses="any",
    validity="asymptotic",
    bounds=bounds,
    least=2,
)
