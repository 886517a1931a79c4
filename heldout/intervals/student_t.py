"""Student's t interval.

Target: the mean loss of one fixed hypothesis on new independent examples, for unbounded losses.
Kind: asymptotic; exact only for normal losses, short of its level under heavy tails.
Source: METHOD, section 1 (variance sigma^2 / K); any text on the t distribution.

mean +- t sqrt(s^2 / n), s^2 the sample variance, t the quantile of (1 + level) / 2 with n - 1
degrees of freedom; a loss is never negative, so the lower bound is cut at 0.
"""

import math

import numpy as np

from heldout.errors import BadArgument
from heldout.intervals import check_level
from heldout.losses import Losses
from heldout.records import Interval

METHOD = "Student t"


def interval(
    losses: Losses, level: float, *, assumption: str = "independent examples, finite variance, large n"
) -> Interval:
    """The t interval of `losses`, shape (n,), n >= 2. Raises BadArgument for a single loss."""
    from scipy.special import stdtrit

    check_level(level)
    n = len(losses)
    if n < 2:
        raise BadArgument("losses", f"Student's t needs at least 2 losses, got {n}")
    mean = float(np.mean(losses))
    reach = float(stdtrit(n - 1, (1 + level) / 2)) * float(np.std(losses, ddof=1)) / math.sqrt(n)
    return Interval(max(mean - reach, 0.0), mean + reach, level, METHOD, assumption)
