"""One seed, with a child for each purpose and unit of work.

A child depends on the seed, its purpose and its unit alone. So results do not depend on the order, the runner or the
number of workers, and a larger count leaves the earlier units unchanged.
"""

import hashlib
import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, get_args

import numpy as np
from numpy.random import SeedSequence

# the place of a purpose is part of every seed: append, never reorder
Purpose = Literal[
    "test",
    "labeled",
    "shards",
    "validation",
    "folds",
    "tested",
    "order",
    "halves",
    "fit",
    "subsamples",
    "repeated_folds",
    "half_subsamples",
    "bootstrap",
    "bets",
    "members",
    "path",
    "shuffled",
    "rows",
    "redrawn",
    "pooled",
    "labels",
]


def child(seed: int, purpose: Purpose, *unit: int) -> SeedSequence:
    """The child of `seed` for one unit of one purpose."""
    return SeedSequence(seed, spawn_key=(get_args(Purpose).index(purpose), *unit))


def random_state(seed: int, purpose: Purpose, *unit: int) -> int:
    """The same child as the 32-bit integer that scikit-learn's `random_state` takes."""
    return int(child(seed, purpose, *unit).generate_state(1)[0])


@contextmanager
def same_global_draws() -> Iterator[None]:
    """Begin the global generators of numpy and Python at one state, and give them back as they were.

    For code of others that draws from them inside of the block: it draws the same each time.
    """
    of_numpy, of_python = np.random.get_state(), random.getstate()
    np.random.seed(0)
    random.seed(0)
    try:
        yield
    finally:
        np.random.set_state(of_numpy)
        random.setstate(of_python)


def named(seed: int, name: str, *unit: int) -> SeedSequence:
    """The child of `seed` for one unit of something that has a name of its own, such as a scheme of one estimate."""
    return SeedSequence(seed, spawn_key=(int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big"), *unit))
