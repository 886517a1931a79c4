"""How far each row is from the nearest of some known rows: it grows where columns go together otherwise than before.

Every column counts alike: a number by the share of the known rows that lie below it (those with the same value half),
other values by whether they are the same, a gap as a value of its own. Two rows that differ in everything are at the
distance sqrt(p), for p columns.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from heldout.losses import Losses
from heldout.unlabelled.plain_values import Values

_MOST = 10  # values of a column of categories that are told apart, the most frequent of the known rows
_AT_ONCE = 4096  # rows
_DIGITS = 9  # of a squared distance: copies are at the distance 0 on every processor


@dataclass(frozen=True, eq=False)
class KnownRows:
    """Rows with which others are compared: `points`, shape (m, q), and what makes points of further rows.

    `scales` has for each column its sorted numbers, or the names that are told apart.
    """

    scales: Sequence[NDArray[Any]]
    points: Losses

    @classmethod
    def of(cls, columns: Sequence[Values]) -> Self:
        """From the columns of the known rows, as `plain_columns` has them."""
        scales = []
        for values, gap in columns:
            there = values[~gap]
            if values.dtype.kind == "f":
                scales.append(np.sort(there))
            else:
                names, counts = np.unique(there, return_counts=True)
                scales.append(names[np.argsort(-counts, kind="stable")[:_MOST]])
        return cls(scales, _points(columns, scales))

    def distances(self, columns: Sequence[Values]) -> Losses:
        """The distance of each of n rows, given by their columns, to the nearest known row, shape (n,)."""
        points = _points(columns, self.scales)
        blocks = [self._squares(points[start : start + _AT_ONCE]) for start in range(0, len(points), _AT_ONCE)]
        return np.concatenate([np.sqrt(squares.min(axis=1)) for squares in blocks]) if blocks else np.zeros(0)

    def own_distances(self) -> Losses:
        """The distance of each known row to the nearest other, shape (m,); at least two."""
        squares = self._squares(self.points)
        np.fill_diagonal(squares, np.inf)
        return np.asarray(np.sqrt(squares.min(axis=1)))

    def _squares(self, points: Losses) -> Losses:
        lengths = (points**2).sum(axis=1)[:, None] + (self.points**2).sum(axis=1)
        return np.asarray(np.round(np.maximum(lengths - 2 * points @ self.points.T, 0), _DIGITS))


def _points(columns: Sequence[Values], scales: Sequence[NDArray[Any]]) -> Losses:
    parts = []
    for (values, gap), scale in zip(columns, scales, strict=True):
        if values.dtype.kind == "f":
            filled = np.where(gap, 0.0, values)
            below = [np.searchsorted(scale, filled, side) for side in ("left", "right")]
            share = np.where(gap, 0.5, (below[0] + below[1]) / (2 * max(len(scale), 1)))
            parts.append(np.column_stack([share, gap]))
        else:
            known = (values[:, None] == scale) & ~gap[:, None]
            other = ~known.any(axis=1) & ~gap
            parts.append(np.column_stack([known, other, gap]) * np.sqrt(0.5))
    return np.concatenate(parts, axis=1, dtype=np.float64)
