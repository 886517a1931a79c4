"""The error of the whole selection procedure: selection repeated inside each fold's training rows.

METHOD, section 2; Varma, Simon, Bias in error estimation when using cross-validation for model selection
(BMC Bioinformatics 7, 2006).
"""

import numpy as np
from numpy.typing import NDArray

from heldout.losses import Losses

TARGET = "the hypotheses that selection by E_cv inside each fold's training rows delivers"


def inner_winners(pair_losses: Losses, weights: Losses | None = None) -> list[int]:
    """The place of the candidate that wins inside each fold's training rows, a number for each fold.

    `pair_losses`, shape (M, k, N), hold in [c, i, row] the loss of a row outside fold i by candidate c
    trained without fold i and without the row's own fold; NaN for the rows of fold i. Ties go to the
    first candidate. With `weights`, shape (N,), each mean is the ratio of weighted losses.
    """
    if weights is None:
        errors = np.nanmean(pair_losses, axis=2)
    else:
        counted = np.where(np.isnan(pair_losses), 0.0, weights)
        errors = np.nansum(pair_losses * weights, axis=2) / counted.sum(axis=2)
    inner: list[int] = np.argmin(errors, axis=0).tolist()
    return inner


def outer_losses(losses: Losses, winners: list[int], fold: NDArray[np.int64]) -> Losses:
    """The held-out losses, shape (N,), of the hypotheses that won: from `losses`, shape (M, N)."""
    chosen: Losses = losses[np.asarray(winners)[fold], np.arange(len(fold))]
    return chosen
