"""The identity of a row, a word for its content and its number among equal rows, and the test set drawn by it.

Equal rows are interchangeable: which of them has which number has no meaning. So neither the order of rows or columns
nor the type that a column is read as changes the identities of a table, and further rows leave those of the others as
they were. A row is in the test set or not, for good, and no seed brings a test row back into training. Given the
table, membership is as random as a draw, whatever repeats in it.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from heldout import seeds
from heldout.rows.hashing import bits, digest, mixed

Words = NDArray[np.uint64]
GAP = bits(np.array([np.nan]))[0]  # the word of a missing value


def contents(columns: Mapping[str, Words]) -> Words:
    """A word for the content of each row, shape (n,), from a word for each cell, by the name of its column.

    A missing value adds nothing: a column that is new, and empty in the earlier rows, leaves them as they were.
    """
    sums = np.zeros(len(next(iter(columns.values()))), np.uint64)
    for name, words in columns.items():
        sums += np.where(words == GAP, np.uint64(0), mixed(words ^ mixed(np.array([digest(name)], np.uint64))))
    return mixed(sums)


def numbers(content: Words) -> NDArray[np.uint32]:
    """The number of each row among the rows of equal content, 0, 1, …, in the order of the rows. Shape (n,)."""
    order = np.argsort(content, kind="stable")
    place = np.arange(len(content))
    first = np.r_[True, content[order][1:] != content[order][:-1]][: len(content)]
    number = np.empty(len(content), np.uint32)
    number[order] = place - np.maximum.accumulate(np.where(first, place, 0))
    return number


def identities(content: Words, number: NDArray[np.uint32]) -> Words:
    """The identity of each row from its content and its `numbers`, shape (n,): the content itself at number 0."""
    further = mixed(content ^ mixed(number.astype(np.uint64)))
    return np.where(number == 0, content, further)


def of_groups(content: Words, group: NDArray[np.int64]) -> Words:
    """The least word of each row's group: rows of a group, 0 … G-1, share one. Shape (n,)."""
    least = np.full(int(group.max()) + 1, np.iinfo(np.uint64).max, np.uint64)
    np.minimum.at(least, group, content)
    return least[group]


def drawn(identity: Words, key: int, fraction: float) -> NDArray[np.bool_]:
    """A mask over the rows whose keyed identity lies below `fraction`: each identity with that probability."""
    first, second = seeds.child(key, "test").generate_state(2, np.uint64)
    keyed = mixed(mixed(identity ^ first) + second)
    mask: NDArray[np.bool_] = (keyed >> np.uint64(11)).astype(np.float64) * 2.0**-53 < fraction
    return mask
