"""Hashes of many rows, for the contamination ledger."""

import hashlib

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from heldout.rows.hashing import EXACT

_ROWS_AT_ONCE = 100_000


def content_hash(rows: pd.DataFrame) -> str:
    """The hash of the labelled data before any cut."""
    digest = hashlib.sha256("\n".join(map(str, rows.columns)).encode())
    digest.update(_row_hashes(rows).tobytes())
    return digest.hexdigest()


def row_hashes(*parts: pd.DataFrame) -> NDArray[np.uint64]:
    """A hash of each row of tables next to each other, shape (n,), without the names of their columns."""
    hashes = np.zeros(len(parts[0]), np.uint64)
    for part in (part for part in parts if part.shape[1]):
        hashes = hashes * np.uint64(0x9E3779B97F4A7C15) + _row_hashes(part)
    return hashes


def sets_hash(description: str, *sets: NDArray[np.uint64]) -> str:
    """The hash of a description and of sets of rows, each in any order."""
    digest = hashlib.sha256(description.encode())
    for rows in sets:
        digest.update(np.sort(rows).tobytes() + b"|")
    return digest.hexdigest()


def _row_hashes(rows: pd.DataFrame) -> NDArray[np.uint64]:
    """A hash of each row, shape (n,)."""
    whole = rows.select_dtypes("integer", "timedelta")  # pandas counts durations among the whole numbers
    long = [*whole.columns[(whole.max() >= EXACT) | (whole.min() <= -EXACT)]]
    numbers = rows.drop(columns=long).select_dtypes("number", "timedelta")
    short = [*numbers.columns[numbers.dtypes != "float64"]]  # floats, also where no value is missing
    pieces = []
    for first in range(0, max(len(rows), 1), _ROWS_AT_ONCE):
        piece = rows.iloc[first : first + _ROWS_AT_ONCE]
        if long or short:  # together: thousands of columns one by one take seconds
            others = piece.drop(columns=[*long, *short])
            piece = pd.concat([others, piece[short].astype("float64"), piece[long].astype("str")], axis=1)[rows.columns]
        pieces.append(pd.util.hash_pandas_object(piece, index=False).to_numpy())
    return np.concatenate(pieces)
