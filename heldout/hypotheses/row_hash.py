"""A number in [0, 1) for each row, from the seed and the content of the row alone.

Each cell of a row is mixed with a key for its column, and the results are added modulo 2^64. The mixing is the
finalizer of SplitMix64 (Steele, Lea, Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014).
A zero adds nothing, so that a sparse row and the same dense row have the same number.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout import seeds
from heldout.rows.hashing import NUMERIC, Words, bits, mixed

_CELLS_AT_ONCE = 1 << 20  # a temporary array of 8 MB
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def uniform(X: Any, seed: int) -> NDArray[np.float64]:
    """A number in [0, 1) for each row of X, shape (n, p): an array, a data frame or a CSR matrix.

    Equal rows have equal numbers, whatever the batch, the position in it, the type (a float32 equals the
    float64 of its value, -0.0 equals 0.0) and the container. Over seeds, or over different rows, the
    numbers are uniform and independent for practical purposes, as with a good hash: this is tested, not
    proved. A cell that is no number counts by its text.
    """
    state, last = seeds.child(seed, "members").generate_state(2, np.uint64)
    keys = mixed(state + _GOLDEN * np.arange(1, X.shape[1] + 1, dtype=np.uint64))
    sums = _sparse_sums(X, keys) if hasattr(X, "indptr") else _dense_sums(_cells(X), keys)
    # the upper 53 bits are all that a float64 in [0, 1) holds
    return (mixed(sums ^ last) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _dense_sums(cells: Words, keys: Words) -> Words:
    rows = max(1, _CELLS_AT_ONCE // max(1, len(keys)))
    blocks = [_terms(cells[first : first + rows], keys).sum(axis=1) for first in range(0, len(cells), rows)]
    return np.concatenate([np.zeros(0, np.uint64), *blocks])


def _sparse_sums(X: Any, keys: Words) -> Words:
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    sums = np.zeros(len(X.data) + 1, np.uint64)
    np.cumsum(_terms(bits(X.data), keys[X.indices]), out=sums[1:])
    ends: NDArray[np.intp] = X.indptr
    return sums[ends[1:]] - sums[ends[:-1]]  # exact, as integers wrap around


def _terms(cells: Words, keys: Words) -> Words:
    return mixed(cells ^ keys) - mixed(keys)


def _cells(X: Any) -> Words:
    """A 64-bit word for each cell, shape (n, p)."""
    if not hasattr(X, "iloc"):
        return bits(X)
    words = np.empty(X.shape, np.uint64)
    numeric = np.array([dtype.kind in NUMERIC for dtype in X.dtypes], np.bool_)  # pandas' nullable types too
    some = X.iloc[:, np.flatnonzero(numeric)]
    words[:, numeric] = bits(some.to_numpy(dtype=np.float64, na_value=np.nan))
    for column in np.flatnonzero(~numeric):
        words[:, column] = bits(X.iloc[:, column].to_numpy())
    return words
