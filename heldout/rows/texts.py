"""A text for each row, as a list, an array or a series: rows that have one column, and learners that take texts alone.

A learner as `make_pipeline(TfidfVectorizer(), …)` is given an array of shape (n,), not a column of shape (n, 1).
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Texts:
    """The texts of N rows; `shape` is that of the one column which they are."""

    def __init__(self, values: NDArray[np.object_]) -> None:
        self.values = values
        self.shape = (len(values), 1)

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.values, dtype=dtype, copy=bool(copy))


def texts_of_rows(X: Any) -> Texts | None:
    """Rows that are a text each; None for others, and where one is missing."""
    if isinstance(X, Texts):
        return X
    if hasattr(X, "tocsr") or len(getattr(X, "shape", (0,))) != 1 or not hasattr(X, "__len__") or not len(X):
        return None
    values = np.empty(len(X), dtype=object)
    values[:] = X.to_list() if hasattr(X, "to_list") else list(X)
    return Texts(values) if all(isinstance(value, str) for value in values) else None
