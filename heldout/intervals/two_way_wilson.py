"""Wilson's interval with the effective size of a table of repeats by rows.

Target: the mean over the half models, or pairs of them, of their error or disagreement on new rows.
Kind: asymptotic, for losses and disagreements of 0 and 1.
Source: A. B. Owen, The pigeonhole bootstrap (Ann. Appl. Stat. 1, 2007), for the variance of a crossed
table; Madani, Pennock, Flake (NIPS 2004), section 4, for the two sources of noise.

A mean over R partitions and n rows varies with both: V = s_rows^2 / n + s_repeats^2 / R, s_rows^2 the
sample variance of the rows' means and s_repeats^2 the sample variance of the repeats' means. Each part also holds its
share of the interaction, so that V is on the wide side for rows that train no repeat (unlabelled rows): given the half
models, the n rows' means are independent, and s_rows^2 / n is the variance of their mean.

A labelled row, however, is tested in some repeats and trains in the others: its label moves the losses of the other
rows, and theirs move its loss. The margins do not show this covariance, while the mean over many repeats makes s_rows^2
small. For E_2cv it is estimated from the table and the halves (`heldout.losses.tested_losses.training_covariance`) and
added:
    V = V_margins + max(c, 0), but at most max(V_margins, s^2 / n),
V_margins the variance above, s^2 = n / (n - 1) mean (loss - q)^2 over all cells: s^2 / n, for 0/1 losses
q (1 - q) / (n - 1), is the variance of n independent losses, and what V_margins is for R = 1. It is also the corrected
variance of Nadeau, Bengio (Machine Learning 52, 2003), eq. (3.6), for halves: with S^2 the variance of the errors of
2R halves, S^2 (1/2R + n2/n1) for n1 = n2, and S^2 = (s^2 / n2) (1 - n2/n) = s^2 / n for halves drawn from the same n
losses. As V itself it would be far too wide for unstable learners, whose repeats average much noise away; as a
limit it holds back a c that few repeats show badly.

The table weighs as much as n_eff = q (1 - q) / V independent rows, and n where V = 0, in Wilson's roots.
"""

import numpy as np

from heldout.intervals.method import IntervalMethod
from heldout.intervals.wilson import of_one_more, roots
from heldout.losses.tested_losses import RepeatedByRow

COVERS = {
    "E_2cv": "independent examples; noise of partitions and of rows, large n",
    "E_train": "independent examples; noise of partitions and of rows, large n",
    "disagreement": "independent unlabelled examples; noise of partitions and of rows, large n",
}


def variance(observed: RepeatedByRow) -> float:
    """V, from the margins, and from the covariance of rows that train each other's hypotheses."""
    repeats = observed.by_repeat
    of_repeats = float(np.var(repeats, ddof=1)) / len(repeats) if len(repeats) > 1 else 0.0
    of_margins = observed.row_variance / observed.n + of_repeats
    return min(of_margins + max(observed.covariance, 0.0), max(of_margins, observed.loss_variance / observed.n))


def bounds(observed: RepeatedByRow, level: float) -> tuple[float, float]:
    """Wilson's roots at n_eff."""
    q, spread = observed.error, variance(observed) + of_one_more(observed)
    size = q * (1 - q) / spread if spread > 0 else float(observed.rows)
    return roots(q, max(size, 1.0), level)


METHOD = IntervalMethod(
    name="two-way Wilson",
    covers=COVERS,
    losses="0/1",
    validity="asymptotic",
    bounds=bounds,
    with_weights=True,
    keeps_width=True,
)
