"""Student's t interval on the scale of logarithms of all held-out losses of k folds: no further fit.

Target: the true error of the k-fold hypothesis.
Kind: asymptotic, a heuristic correction (docs/decisions/0008); short of its level under heavy tails.
Source: the delta method; `pooled_wilson` for the variance V = 5/3 s^2 / N.

E_cv exp(+- t sqrt(V) / E_cv), t with N - 1 degrees of freedom.
"""

import math

import numpy as np

from heldout.intervals import log_t, pooled_wilson
from heldout.intervals.method import IntervalMethod, two_sided_t
from heldout.losses.tested_losses import CrossValidated


def bounds(observed: CrossValidated, level: float) -> tuple[float, float]:
    """The bounds of `observed.losses`, shape (N,), N >= 2."""
    spread = math.sqrt(pooled_wilson.FACTOR * float(np.var(observed.losses, ddof=1)) / observed.n)
    return log_t.about(observed.error, two_sided_t(level, observed.n - 1) * spread)


METHOD = IntervalMethod(
    name="pooled log t",
    covers=pooled_wilson.COVERS,
    losses="any",
    validity="asymptotic",
    bounds=bounds,
    least_folds=2,
    least=2,
)
