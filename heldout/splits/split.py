"""Lists of splits, and of their losses, that may be as long as the rows: nothing here lists N splits of N rows."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.losses import Losses

Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Split:
    """Rows to train on and rows to test on, both in ascending order.

    `labels` are the rows whose labels the answers to `validation` are compared with; None for the same rows.
    """

    train: Rows
    validation: Rows
    labels: Rows | None = None

    @property
    def n_train(self) -> int:
        """The number of rows to train on."""
        return len(self.train)


class SplitLosses(Sequence[Losses]):
    """One array of losses for each split, as slices of `values`: leave-one-out has N splits of one row.

    The `values` may be stored as bytes, if none is a fraction.
    """

    def __init__(self, values: Losses | NDArray[np.uint8], sizes: Sequence[int] | NDArray[np.int64]) -> None:
        self._values = values
        self._ends = np.cumsum(sizes)

    @property
    def values(self) -> Losses:
        """The losses of all splits, split after split."""
        return self._values.astype(np.float64, copy=False)

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, number: Any) -> Any:
        """The losses of a split, or a list of the losses of several."""
        if isinstance(number, slice):
            return [self[place] for place in range(len(self))[number]]
        place = range(len(self))[number]
        of_split = self._values[self._ends[place - 1] if place else 0 : self._ends[place]]
        return of_split.astype(np.float64, copy=False)


class LazySplits(Sequence[Split]):
    """Splits that are made when they are asked for: the training rows of N splits are up to N² numbers.

    `tested` are the tested rows of all splits, split after split, and `sizes`, shape (splits,), how many each tests;
    `trained`, shape (splits,), is the number of rows that each trains on.
    """

    tested: Rows
    sizes: NDArray[np.int64]
    trained: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.sizes)

    def __getitem__(self, number: Any) -> Any:
        """The split of this number, or a list of several."""
        if isinstance(number, slice):
            return [self[place] for place in range(len(self))[number]]
        return self._split(range(len(self))[number])

    @abstractmethod
    def _split(self, place: int) -> Split:
        """The split at a place, 0 … splits - 1."""


def tested_rows(splits: Sequence[Split]) -> Rows:
    """The rows that the splits test, split after split."""
    if isinstance(splits, LazySplits):
        return splits.tested
    return np.concatenate([split.validation for split in splits])


def tested_sizes(splits: Sequence[Split]) -> NDArray[np.int64]:
    """How many rows each split tests, shape (splits,)."""
    if isinstance(splits, LazySplits):
        return splits.sizes
    return np.array([len(split.validation) for split in splits], dtype=np.int64)


def trained_sizes(splits: Sequence[Split]) -> NDArray[np.int64]:
    """How many rows each split trains on, shape (splits,)."""
    if isinstance(splits, LazySplits):
        return splits.trained
    return np.array([split.n_train for split in splits], dtype=np.int64)


def joined_losses(losses: Sequence[Losses]) -> Losses:
    """The losses of all splits, split after split."""
    return losses.values if isinstance(losses, SplitLosses) else np.concatenate([*losses])
