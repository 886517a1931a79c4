"""The rows of the test set that a winner meets."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tasks.storage import files


@dataclass(frozen=True, eq=False)
class OpenedPart:
    """Rows of the test set: features, labels of shape (n,), and their roles and slices."""

    X: pd.DataFrame
    y: NDArray[np.generic]
    roles: Mapping[str, NDArray[Any]]
    slices: Mapping[str, NDArray[Any]]

    @classmethod
    def read(cls, rows: NDArray[np.intp]) -> "OpenedPart":
        """The rows of these numbers."""
        X, y = files.read_table(files.TEST)
        roles, slices = (
            {name: values[rows] for name, values in found.items()}
            for found in (files.read_test_roles(), files.read_test_slices())
        )
        return cls(X if len(rows) == len(X) else X.iloc[rows], y[rows], roles, slices)
