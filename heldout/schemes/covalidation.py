"""Co-validation: estimates from the halves of the rows, and the error that a disagreement implies.

METHOD, section 5; Madani, Pennock, Flake, Co-Validation (NIPS 2004).
"""

import numpy as np
from numpy.typing import NDArray

from heldout.splits.split import Split


def splits(half: NDArray[np.int8]) -> tuple[Split, Split]:
    """The two splits of one repeat's `half`, shape (N,): each half trains once, and the other half tests."""
    rows = np.flatnonzero(half == 0), np.flatnonzero(half == 1)
    return Split(train=rows[0], validation=rows[1]), Split(train=rows[1], validation=rows[0])
