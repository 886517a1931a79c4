"""Wilson's interval with the effective size of a table of repeats by rows.

Target: the mean over the half models, or pairs of them, of their error or disagreement on new rows.
Kind: asymptotic, for losses and disagreements of 0 and 1.
Source: A. B. Owen, The pigeonhole bootstrap (Ann. Appl. Stat. 1, 2007), for the variance of a crossed
table; Madani, Pennock, Flake (NIPS 2004), section 4, for the two sources of noise.

A mean over R partitions and n rows varies with both: V = s_rows^2 / n + s_repeats^2 / R, s_rows^2 the
sample variance of the rows' means and s_repeats^2 the sample variance of the repeats' means. Each part also holds its
share of the interaction, so that V is on the wide side. The table then weighs as much as
n_eff = q (1 - q) / V independent rows, and n where V = 0, in Wilson's roots.
"""

import numpy as np

from heldout.intervals.method import IntervalMethod
from heldout.intervals.wilson import roots
from heldout.observed import RepeatedByRow

COVERS = {
    "E_2cv": "independent examples; noise of partitions and of rows, large n",
    "E_train": "independent examples; noise of partitions and of rows, large n",
    "disagreement": "independent unlabelled examples; noise of partitions and of rows, large n",
}


def variance(observed: RepeatedByRow) -> float:
    """V = s_rows^2 / n + s_repeats^2 / R."""
    repeats = observed.by_repeat
    of_repeats = float(np.var(repeats, ddof=1)) / len(repeats) if len(repeats) > 1 else 0.0
    return observed.row_variance / observed.n + of_repeats


def bounds(observed: RepeatedByRow, level: float) -> tuple[float, float]:
    """Wilson's roots at n_eff."""
    q, spread = observed.error, variance(observed)
    size = q * (1 - q) / spread if spread > 0 else float(observed.n)
    return roots(q, max(size, 1.0), level)


METHOD = IntervalMethod(
    name="two-way Wilson",
    covers=COVERS,
    losses="0/1",
    validity="asymptotic",
    bounds=bounds,
    keeps_width=True,
)
