"""Student's t interval on the scale of logarithms, for losses without an upper limit.

Target: the mean loss of one fixed hypothesis on new independent examples; or the mean loss of
the progressive hypothesis, where the errors along the steps are close to one another.
Kind: asymptotic; closer to its level than Student's t for skewed losses, short of it under heavy tails.
Source: the delta method; any text on the t distribution.

The standard error of ln(mean) is s / (sqrt(n) mean), s^2 the sample variance; hence mean exp(+- t s / (sqrt(n)
mean)), t with n - 1 degrees of freedom. The bounds are positive, and the upper bound is
farther from the mean. Of rows with weights the losses are the terms of their ratio (`heldout.losses.ratio`), and n in
the degrees of freedom is their effective number.
"""

import math

import numpy as np

from heldout.intervals.method import IntervalMethod, two_sided_t
from heldout.losses.tested_losses import Tested


def bounds(observed: Tested, level: float) -> tuple[float, float]:
    """The bounds of `observed.losses`, shape (n,), n >= 2."""
    spread = float(np.std(observed.losses, ddof=1)) / math.sqrt(observed.n)
    return about(observed.error, two_sided_t(level, observed.rows - 1) * spread)


def about(mean: float, reach: float) -> tuple[float, float]:
    """mean exp(+- reach / mean); 0 and 0 for a mean of 0, whose losses are all 0."""
    if mean == 0:
        return 0.0, 0.0
    factor = math.exp(min(reach / mean, 700.0))  # a larger exponent overflows
    return mean / factor, mean * factor


METHOD = IntervalMethod(
    name="log t",
    covers={
        "E_val": "independent examples, finite variance, large n",
        "E_test": "independent examples, finite variance, large n",
        "E_prog": "martingale of steps, errors of the hypotheses close to one another, finite variance, large n",
    },
    losses="any",
    validity="asymptotic",
    bounds=bounds,
    least=2,
    with_weights=True,
)
