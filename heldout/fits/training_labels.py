"""What constant answers are made of: the labels of the training rows of many splits, summed without a loop over folds.

The training rows of a fold are all rows but the fold's, so that sums over them are the sums over all rows less the
fold's: leave-one-out of N rows takes the time of a few passes over them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from heldout.schemes.cross_validation import FoldSplits
from heldout.several_labels import as_given
from heldout.splits.split import Split

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SplitLabels:
    """The training labels of S `splits` of N rows: `heldout.losses.constant.TrainingLabels`.

    `y` has shape (N,), and so has `weights`, by which the rows count.
    """

    y: NDArray[np.generic]
    weights: Numbers
    splits: Sequence[Split]

    @property
    def classes(self) -> NDArray[np.generic]:
        """The C classes of all rows, ascending."""
        return self._coded[0]

    @cached_property
    def counts(self) -> Numbers:
        """The sum of weights of each class, shape (S, C)."""
        return self._sums(self._coded[1], self.weights, len(self.classes))

    @cached_property
    def means(self) -> Numbers:
        """The weighted mean label, shape (S,)."""
        one = np.zeros(len(self.y), dtype=np.intp)
        sums = self._sums(one, self.weights * self.y.astype(np.float64), 1)
        return (sums / self._sums(one, self.weights, 1))[:, 0]

    def quantiles(self, quantile: float) -> Numbers:
        """The weighted quantile, shape (S,): the middle of the labels that leave a share `quantile` below.

        It is the mean of the least label up to which the weights reach the share, and the least up to which they
        exceed it: for the median, and equal weights, the mean of the two labels in the middle.
        """
        y = self.y.astype(np.float64)
        order = np.argsort(y, kind="stable")
        if isinstance(self.splits, FoldSplits):
            return _quantiles_without_folds(y[order], self.weights[order], self.splits.fold[order], quantile)
        found = []
        for split in self.splits:
            trained = np.zeros(len(y), dtype=np.bool_)
            trained[split.train] = True
            rows = order[trained[order]]
            one_fold = np.full(len(rows), -1)
            found.append(_quantiles_without_folds(y[rows], self.weights[rows], one_fold, quantile)[0])
        return np.array(found)

    @property
    def each(self) -> "list[SplitLabels]":
        """The same of each label by itself, where a row has several."""
        return [replace(self, y=of_label) for of_label in as_given(self.y).T]

    @cached_property
    def _coded(self) -> tuple[NDArray[np.generic], NDArray[np.intp]]:
        classes, place = np.unique(self.y, return_inverse=True)
        return classes, place

    def _sums(self, place: NDArray[np.intp], values: Numbers, size: int) -> Numbers:
        """The sum of `values`, shape (N,), over the training rows of each `place`, 0 … size - 1: shape (S, size)."""
        if not isinstance(self.splits, FoldSplits):
            parts = [np.bincount(place[rows], values[rows], size) for rows in (split.train for split in self.splits)]
            return np.stack(parts).astype(np.float64)
        fold, folds = self.splits.fold, len(self.splits)
        tested = fold >= 0
        of_fold = np.bincount(fold[tested] * size + place[tested], values[tested], folds * size)
        sums: Numbers = (np.bincount(place, values, size) - of_fold.reshape(folds, size)).astype(np.float64)
        return sums


def _quantiles_without_folds(y: Numbers, weights: Numbers, fold: NDArray[np.int64], quantile: float) -> Numbers:
    """The quantile of the rows outside each fold 0 … k-1, shape (k,), of ascending `y`; of all rows without a fold.

    A row of a fold lies before the fold's quantile if the weights of the other rows, up to that row, do not reach the
    share. So the quantile is where the weights of all rows reach the share and the weights of these rows.
    """
    reached = np.cumsum(weights)
    total = reached[-1]
    folds = max(int(fold.max()) + 1, 1)
    by_fold = np.argsort(fold, kind="stable")  # ascending inside each fold
    by_fold = by_fold[fold[by_fold] >= 0]
    number = fold[by_fold]
    own = np.cumsum(weights[by_fold])
    of_fold = np.bincount(number, weights[by_fold], folds)
    own -= (np.cumsum(of_fold) - of_fold)[number]  # the weights of the fold, up to each of its rows
    others = reached[by_fold] - own
    share = quantile * (total - of_fold)
    ends = []
    for before, side in ((others < share[number], "left"), (others <= share[number], "right")):
        weights_before = np.bincount(number, weights[by_fold] * before, folds)
        place = np.searchsorted(reached, share + weights_before, side=side)  # type: ignore[call-overload]
        ends.append(y[np.minimum(place, len(y) - 1)])
    middle: Numbers = (ends[0] + ends[1]) / 2
    return middle
