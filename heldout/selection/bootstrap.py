"""Resampling rows with replacement, as the number of times that each row is drawn."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from heldout import seeds

BOOTSTRAPS = 1000
_CELLS = 8_000_000  # of one block: 64 MB, however many rows there are


def draws(n: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """How often each of n rows is drawn in each of `BOOTSTRAPS` bootstraps: blocks of shape (b, n), in order.

    The draws do not depend on the size of the blocks.
    """
    rng = np.random.default_rng(seeds.child(seed, "bootstrap"))
    block = min(max(_CELLS // n, 1), BOOTSTRAPS)
    for first in range(0, BOOTSTRAPS, block):
        yield rng.multinomial(n, np.full(n, 1 / n), size=min(block, BOOTSTRAPS - first))
