"""Hoeffding's interval.

Target: the error of one fixed hypothesis, tested on n new independent examples; or, by the same
inequality for martingales (Blum et al., Thm 4), the error of the progressive hypothesis after n steps.
Kind: finite-sample, for any loss in [0, 1]; wide, since it ignores the variance.
Source: METHOD, sections 1 and 4; W. Hoeffding, J. Amer. Statist. Assoc. 58 (1963).

Pr(|E_val - E_out| > a) <= 2 exp(-2 a^2 n) = 1 - level   gives   a = sqrt(ln(2 / (1 - level)) / 2n).
"""

import math

from heldout.errors import BadArgument
from heldout.intervals.method import IntervalMethod
from heldout.losses.tested_losses import Tested


def bounds(observed: Tested, level: float) -> tuple[float, float]:
    """The bounds of `observed.losses`, shape (n,), all in [0, 1]."""
    reach = two_sided_reach(observed.n, level)
    return observed.error - reach, observed.error + reach


def two_sided_reach(n: float, level: float) -> float:
    """The `a` with Pr(|E_val - E_out| > a) <= 1 - level for n examples."""
    return math.sqrt(math.log(2 / (1 - level)) / (2 * n))


def upper_reach(n: float, delta: float, models: float = 1) -> float:
    """The `a` with Pr(E_out - E_val > a for any of `models`) <= delta (union bound, METHOD, section 2)."""
    for argument, value, allowed in (
        ("delta", delta, 0 < delta < 1),
        ("models", models, models >= 1),
        ("n", n, n > 0),
    ):
        if not allowed:
            raise BadArgument(argument, f"{argument} is {value}; needs 0 < delta < 1, models >= 1 and n > 0")
    return math.sqrt(math.log(models / delta) / (2 * n))


METHOD = IntervalMethod(
    name="Hoeffding",
    covers={
        "E_val": "independent examples, loss of known limit",
        "E_test": "independent examples, loss of known limit",
        "E_prog": "martingale of steps (Thm 4), loss of known limit",
    },
    losses="of known limit",
    validity="finite-sample",
    bounds=bounds,
    keeps_width=True,
)
