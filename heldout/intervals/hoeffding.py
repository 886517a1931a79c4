"""Hoeffding's interval.

Target: the error of one fixed hypothesis, tested on n new independent examples; or, by the same
inequality for martingales (Blum et al., Thm 4), the error of the progressive hypothesis after n
steps.
Kind: finite-sample, for any loss in [0, 1]; wide, since it ignores the variance.
Source: METHOD, section 1; W. Hoeffding, J. Amer. Statist. Assoc. 58 (1963).

Pr(|E_val - E_out| > a) <= 2 exp(-2 a^2 n) = 1 - level   gives   a = sqrt(ln(2 / (1 - level)) / 2n).
"""

import math

from heldout.errors import BadArgument
from heldout.intervals import check_level
from heldout.records import Interval

METHOD = "Hoeffding"


def interval(
    error: float,
    n: float,
    level: float,
    *,
    method: str = METHOD,
    assumption: str = "independent examples, loss in [0, 1]",
) -> Interval:
    """The interval about a mean loss `error` over n examples, cut to [0, 1].

    Raises BadArgument if `error` is outside [0, 1] or n is not positive.
    """
    check_level(level)
    if not 0 <= error <= 1:
        raise BadArgument("error", f"error is {error}; Hoeffding's interval needs a loss in [0, 1]")
    if not n > 0:
        raise BadArgument("n", f"n is {n}; at least one tested example is needed")
    reach = math.sqrt(math.log(2 / (1 - level)) / (2 * n))
    return Interval(max(error - reach, 0.0), min(error + reach, 1.0), level, method, assumption)


def upper_reach(n: float, delta: float, models: int = 1) -> float:
    """The `a` with Pr(E_out - E_val > a for any of `models`) <= delta (union bound, METHOD, section 2)."""
    for argument, value, allowed in (
        ("delta", delta, 0 < delta < 1),
        ("models", models, models >= 1),
        ("n", n, n > 0),
    ):
        if not allowed:
            raise BadArgument(argument, f"{argument} is {value}; needs 0 < delta < 1, models >= 1 and n > 0")
    return math.sqrt(math.log(models / delta) / (2 * n))
