"""Wilson's score interval.

Target: the error p of one fixed hypothesis, tested on n new independent examples with 0/1 loss; or the
error of the progressive hypothesis, whose steps are a martingale (Blum et al., Thms 4 and 5).
Kind: asymptotic; its mean coverage over p is close to the level from n of about 10.
Source: E. B. Wilson, Probable inference, J. Amer. Statist. Assoc. 22 (1927).

Invert |q - p| <= z sqrt(p (1 - p) / n), q the share of errors, z the normal quantile of
(1 + level) / 2. The bounds are the roots in p:
    (q + z^2/2n  +-  z sqrt(q (1 - q) / n + z^2 / 4n^2)) / (1 + z^2/n).
They lie in [0, 1] and have a width above zero at q = 0 and q = 1. For steps with errors p_i the mean of
p_i (1 - p_i) is at most p (1 - p): the same roots are then on the wide side (Thm 5).
"""

import math

from heldout.intervals.method import IntervalMethod, two_sided_normal
from heldout.losses.tested_losses import Tested


def bounds(observed: Tested, level: float) -> tuple[float, float]:
    """The roots for `observed.losses`, shape (n,), of 0 and 1."""
    return roots(observed.error, observed.n, level)


def roots(q: float, n: float, level: float) -> tuple[float, float]:
    """The roots for a share q of errors among n examples; n need not be whole."""
    return roots_at(q, n, two_sided_normal(level))


def roots_at(q: float, n: float, z: float) -> tuple[float, float]:
    """The same for a quantile z."""
    centre = q + z * z / (2 * n)
    reach = z * math.sqrt(q * (1 - q) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    # at q = 0 and q = 1 the root is q itself; rounding would leave it a hair off
    return 0.0 if q == 0 else (centre - reach) / scale, 1.0 if q == 1 else (centre + reach) / scale


METHOD = IntervalMethod(
    name="Wilson",
    covers={
        "E_val": "independent examples, fixed hypothesis",
        "E_test": "independent examples, fixed hypothesis",
        "E_prog": "martingale of steps (Thms 4 and 5), n not tiny",
    },
    losses="0/1",
    validity="asymptotic",
    bounds=bounds,
    keeps_width=True,
)
