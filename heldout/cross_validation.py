"""k-fold cross-validation; leave-one-out is k = N.

METHOD, section 3; Blum, Kalai, Langford, Beating the Hold-Out (COLT 1999), Thms 1 to 3.
"""

import numpy as np
from numpy.typing import NDArray

from heldout.intervals import k_fold_hoeffding
from heldout.losses import Loss, Losses
from heldout.records import Estimate, Split, estimate_with

TARGET = "the k-fold hypothesis: one of the k hypotheses, drawn uniformly"


def splits(fold: NDArray[np.int64]) -> list[Split]:
    """One split for each fold 0 … k-1 of `fold`, shape (N,): train on the others, test on it."""
    return [
        Split(train=np.flatnonzero(fold != number), validation=np.flatnonzero(fold == number))
        for number in range(int(fold.max()) + 1)
    ]


def estimate(candidate: str, losses: Losses, folds: int, loss: Loss, level: float) -> Estimate:
    """E_cv: the mean over all N held-out `losses`, shape (N,).

    With folds of unequal size the hypothesis of each fold counts by the fold's share of the rows.
    """
    n = len(losses)
    error = float(np.mean(losses))
    return estimate_with(
        k_fold_hoeffding.interval(error, n, folds, level) if loss.bounded else None,
        candidate=candidate,
        estimate="E_cv",
        value=error,
        target=TARGET,
        n_train=round(n - n / folds),
        n_tested=n,
    )


def fold_errors(losses: Losses, fold: NDArray[np.int64]) -> Losses:
    """The k held-out errors E_i, shape (k,), of `losses` and `fold`, both of shape (N,)."""
    return np.bincount(fold, weights=losses) / np.bincount(fold)
