"""Wilson's score interval.

Target: the error p of one fixed hypothesis, tested on n new independent examples with 0/1 loss.
Kind: asymptotic; its mean coverage over p is close to the level from n of about 10.
Source: E. B. Wilson, Probable inference, J. Amer. Statist. Assoc. 22 (1927).

Invert |q - p| <= z sqrt(p (1 - p) / n), q the share of errors, z the normal quantile of
(1 + level) / 2. The bounds are the roots in p:
    (q + z^2/2n  +-  z sqrt(q (1 - q) / n + z^2 / 4n^2)) / (1 + z^2/n).
They lie in [0, 1] and have a width above zero at q = 0 and q = 1.
"""

import math

import numpy as np

from heldout.errors import BadArgument
from heldout.intervals import check_level
from heldout.losses import Losses
from heldout.records import Interval

METHOD = "Wilson"


def interval(losses: Losses, level: float, *, assumption: str = "independent examples, fixed hypothesis") -> Interval:
    """The Wilson interval of 0/1 `losses`, shape (n,), n >= 1. Raises BadArgument for other losses."""
    from scipy.special import ndtri

    check_level(level)
    if len(losses) < 1:
        raise BadArgument("losses", "Wilson's interval needs at least 1 loss, got 0")
    if not np.isin(losses, (0.0, 1.0)).all():
        raise BadArgument("losses", "Wilson's interval is for 0/1 losses; use Student's t or Hoeffding")
    n = len(losses)
    q = float(np.mean(losses))
    z = float(ndtri((1 + level) / 2))
    centre = q + z * z / (2 * n)
    reach = z * math.sqrt(q * (1 - q) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    # at q = 0 and q = 1 the root is q itself; rounding would leave it a hair off
    low = 0.0 if q == 0 else (centre - reach) / scale
    high = 1.0 if q == 1 else (centre + reach) / scale
    return Interval(low, high, level, METHOD, assumption)
