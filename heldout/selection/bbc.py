"""The winner's error, corrected for having won by a bootstrap of the selection: no further fit.

Tsamardinos, Greasidou, Borboudakis, Bootstrapping the out-of-sample predictions for efficient and accurate
cross-validation (Machine Learning 107, 2018), Algorithm 5 (BBC-CV).
"""

import numpy as np
from numpy.typing import NDArray

from heldout.losses import Losses
from heldout.records import Interval
from heldout.selection.bootstrap import draws

METHOD = "bootstrap of the selection"
TARGET = "the k-fold hypothesis of the candidate that selection by E_cv takes"
ASSUMPTION = "independent examples; held-out losses of different rows nearly independent"
ASSUMPTION_OF_GROUPS = "independent groups; held-out losses of different groups nearly independent"


def corrected_error(
    losses: Losses, level: float, seed: int, cluster: NDArray[np.int64] | None = None
) -> tuple[float, Interval]:
    """E_bbc and its percentile interval, from the held-out `losses`, shape (M, N), of M candidates.

    Each bootstrap draws N rows with replacement, takes the candidate with the least mean loss on them
    (ties to the first), and tests it on the rows that were not drawn; E_bbc is the mean of the errors of all
    bootstraps, and the bounds are quantiles of these errors. Rows' losses share their training rows, which the
    bootstrap does not see: a small optimism is left (docs/coverage.md). Columns are put in a canonical order first,
    so that the order of rows does not matter. Where the rows have a `cluster`, shape (N,), whole clusters are drawn.
    """
    losses, size = _sums(losses, cluster)
    errors = np.concatenate([_errors(losses, size, drawn) for drawn in draws(losses.shape[1], seed)])
    value = float(errors.mean())
    low, high = np.quantile(errors, [(1 - level) / 2, (1 + level) / 2])
    assumption = ASSUMPTION if cluster is None else ASSUMPTION_OF_GROUPS
    return value, Interval(min(float(low), value), max(float(high), value), level, METHOD, assumption)


def _sums(losses: Losses, cluster: NDArray[np.int64] | None) -> tuple[Losses, NDArray[np.int64]]:
    """The sum of each candidate's losses in each unit that is drawn, shape (M, G), and the units' rows, shape (G,)."""
    if cluster is None:
        ordered = losses[:, np.lexsort(losses)]
        return ordered, np.ones(ordered.shape[1], dtype=np.int64)
    size = np.bincount(cluster).astype(np.int64)
    sums: Losses = np.stack([np.bincount(cluster, weights=by_row) for by_row in losses]).astype(np.float64)
    order = np.lexsort((size, *sums))
    return sums[:, order], size[order]


def _errors(losses: Losses, size: NDArray[np.int64], drawn: NDArray[np.int64]) -> Losses:
    """The error of each bootstrap's winner on the rows not drawn; a bootstrap that drew every row is left out."""
    winners = np.argmin(losses @ drawn.T, axis=0)
    left = drawn == 0
    rows = left @ size
    sums: Losses = (left @ losses.T)[np.arange(len(drawn)), winners]
    errors: Losses = sums[rows > 0] / rows[rows > 0]
    return errors
