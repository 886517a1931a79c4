"""How many rows have equal features, or equal features and another label."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from heldout.checks.equal_rows import Sets


def count(numbers: Sets, y: NDArray[Any]) -> tuple[int, int]:
    """How many rows have a copy, and how many have a copy with another label."""
    size = np.bincount(numbers)[numbers]
    labels = pd.Series(y).groupby(numbers).transform("nunique").to_numpy()
    return int((size > 1).sum()), int((labels > 1).sum())
