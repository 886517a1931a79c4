"""The identity of a row, a 64-bit number from its content alone, and the test part that is drawn by it.

Neither the other rows, nor the order of rows or columns, nor the type that a column is read as changes an identity. So
a row is in the test part or not, for good: a table may grow, and no seed brings a test row back into training.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from heldout import seeds
from heldout.hashing import bits, digest, mixed

Words = NDArray[np.uint64]
GAP = bits(np.array([np.nan]))[0]  # the word of a missing value


def identities(columns: Mapping[str, Words]) -> Words:
    """The identity of each row, shape (n,), from a word for each cell, by the name of its column.

    A missing value adds nothing: a column that is new, and empty in the rows of before, leaves them as they were.
    """
    sums = np.zeros(len(next(iter(columns.values()))), np.uint64)
    for name, words in columns.items():
        sums += np.where(words == GAP, np.uint64(0), mixed(words ^ mixed(np.array([digest(name)], np.uint64))))
    return mixed(sums)


def of_groups(identity: Words, group: NDArray[np.int64]) -> Words:
    """The least identity of each row's group: rows of a group, 0 … G-1, share an identity. Shape (n,)."""
    least = np.full(int(group.max()) + 1, np.iinfo(np.uint64).max, np.uint64)
    np.minimum.at(least, group, identity)
    return least[group]


def drawn(identity: Words, key: int, fraction: float) -> NDArray[np.bool_]:
    """A mask over the rows whose keyed identity lies below `fraction`: each identity with that probability."""
    first, second = seeds.child(key, "test").generate_state(2, np.uint64)
    keyed = mixed(mixed(identity ^ first) + second)
    mask: NDArray[np.bool_] = (keyed >> np.uint64(11)).astype(np.float64) * 2.0**-53 < fraction
    return mask
