"""Rows with equal features: which rows."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Sets = NDArray[np.int64]


def sets(X: pd.DataFrame) -> Sets | None:
    """A number for each row of X, the same for rows with equal features, shape (N,); None if no two are equal.

    Missing values are equal to one another. Rows are compared by a hash of 64 bits: among a million rows the
    chance that two different rows count as copies is below 1e-7.
    """
    if any(column.is_unique for _, column in X.select_dtypes("float").iloc[:, :1].items()):  # a hash of it says so
        return None
    numbers, distinct = pd.factorize(pd.util.hash_pandas_object(X, index=False))
    return None if len(distinct) == len(X) else numbers.astype(np.int64)
