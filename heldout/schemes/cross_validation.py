"""k-fold cross-validation; leave-one-out is k = N.

METHOD, section 3; Blum, Kalai, Langford, Beating the Hold-Out (COLT 1999), Thms 1 to 3.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from heldout.splits.split import LazySplits, Rows, Split, trained_sizes

TARGET = "the k-fold hypothesis: one of the k hypotheses, drawn uniformly"


class FoldSplits(LazySplits):
    """One split for each fold 0 … k-1 of `fold`, shape (N,): train on all other rows, test on it; -1 is in no fold."""

    def __init__(self, fold: NDArray[np.int64]) -> None:
        self.fold = fold
        counts = np.bincount(fold + 1)  # the first are in no fold
        self.sizes = counts[1:]
        self.tested = np.argsort(fold, kind="stable")[counts[0] :]
        self.trained = len(fold) - self.sizes
        self._starts = np.cumsum(self.sizes) - self.sizes

    def _split(self, place: int) -> Split:
        start = self._starts[place]
        return _Fold(self.tested[start : start + self.sizes[place]], self.fold, place)


def splits(fold: NDArray[np.int64]) -> FoldSplits:
    """The splits of the folds of `fold`, shape (N,)."""
    return FoldSplits(fold)


class _Fold(Split):
    """The split of one fold, stored as its number."""

    _fold: NDArray[np.int64]
    _number: int

    def __init__(self, validation: Rows, fold: NDArray[np.int64], number: int) -> None:
        for name, value in {"validation": validation, "_fold": fold, "_number": number}.items():
            object.__setattr__(self, name, value)  # the record is frozen

    @property
    def train(self) -> Rows:
        return np.flatnonzero(self._fold != self._number)

    @property
    def n_train(self) -> int:
        return len(self._fold) - len(self.validation)


def mean_training_size(made: Sequence[Split]) -> int:
    """The mean number of training rows of the k hypotheses, rounded: N - N/k for random folds."""
    return round(int(trained_sizes(made).sum()) / len(made))
