"""From which cutoff each row was forecast, for differences of errors of forecasts."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Origins:
    """The `cutoff` of each row, shape (n,), numbered in time from 0; `overlap` consecutive ones share times."""

    cutoff: NDArray[np.int64]
    overlap: int

    @property
    def count(self) -> int:
        """How many cutoffs there are."""
        return int(self.cutoff.max()) + 1
