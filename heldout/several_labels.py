"""Several labels a row, as one array of records, shape (N,): what takes a label for each row takes them as one label.

A record has a field for each of the q labels, all of one type. Learners, and functions of the user's, are given the
table of shape (N, q).
"""

from typing import Any

import numpy as np
from numpy.lib.recfunctions import structured_to_unstructured, unstructured_to_structured
from numpy.typing import NDArray


def as_one(table: NDArray[Any]) -> NDArray[Any]:
    """The rows of a table of labels, shape (N, q), as records, shape (N,)."""
    names = [f"label_{number}" for number in range(table.shape[1])]
    return np.asarray(unstructured_to_structured(table, names=names))


def as_given(labels: NDArray[Any]) -> NDArray[Any]:
    """The table of records, shape (N, q); labels that are no records as they are."""
    return labels if labels.dtype.names is None else np.asarray(structured_to_unstructured(labels))


def how_many(labels: NDArray[Any]) -> int:
    """The number of labels a row: q of records, else 1."""
    return len(labels.dtype.names or ("one",))
