"""Hold-out: a hypothesis is tested on rows that it never saw; then the learner is retrained on all rows.

METHOD, section 1; Abu-Mostafa, Learning From Data, lecture 13; Gruber, Validierung.
"""

import numpy as np
from numpy.typing import NDArray

from heldout.splits.split import Split

TARGET = "g-: trained without the held-out rows"
TARGET_FINAL = "g: trained on all labelled rows"


def split(validation: NDArray[np.bool_]) -> Split:
    """Train g- on the rows outside the mask `validation`, shape (N,), and test it on the rows inside."""
    return Split(train=np.flatnonzero(~validation), validation=np.flatnonzero(validation))


def final_split(n: int) -> Split:
    """Retrain g on all n rows. Its error on the same rows is E_in."""
    rows = np.arange(n)
    return Split(train=rows, validation=rows)
