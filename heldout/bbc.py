"""The winner's error, corrected for having won by a bootstrap of the selection: no further fit.

Tsamardinos, Greasidou, Borboudakis, Bootstrapping the out-of-sample predictions for efficient and accurate
cross-validation (Machine Learning 107, 2018), Algorithm 5 (BBC-CV).
"""

import numpy as np
from numpy.typing import NDArray

from heldout.bootstrap import draws
from heldout.losses import Losses
from heldout.records import Interval

METHOD = "bootstrap of the selection"
TARGET = "the k-fold hypothesis of the candidate that selection by E_cv takes"
ASSUMPTION = "independent examples; held-out losses of different rows nearly independent"


def corrected_error(losses: Losses, level: float, seed: int) -> tuple[float, Interval]:
    """E_bbc and its percentile interval, from the held-out `losses`, shape (M, N), of M candidates.

    Each bootstrap draws N rows with replacement, takes the candidate with the least mean loss on them
    (ties to the first), and tests it on the rows that were not drawn; E_bbc is the mean of those errors,
    and their quantiles are the bounds. Rows' losses share their training rows, which the bootstrap does
    not see: a small optimism is left (docs/coverage.md). Columns are put in a canonical order first, so
    that the order of rows does not matter.
    """
    losses = losses[:, np.lexsort(losses)]
    errors = np.concatenate([_errors(losses, drawn) for drawn in draws(losses.shape[1], seed)])
    value = float(errors.mean())
    low, high = np.quantile(errors, [(1 - level) / 2, (1 + level) / 2])
    return value, Interval(min(float(low), value), max(float(high), value), level, METHOD, ASSUMPTION)


def _errors(losses: Losses, drawn: NDArray[np.int64]) -> Losses:
    """The error of each bootstrap's winner on the rows that it did not draw, but for one that drew every row."""
    winners = np.argmin(losses @ drawn.T, axis=0)
    left = drawn == 0
    rows = left.sum(axis=1)
    sums: Losses = (left @ losses.T)[np.arange(len(drawn)), winners]
    errors: Losses = sums[rows > 0] / rows[rows > 0]
    return errors
