"""The candidates that the data cannot tell from the best.

A candidate is left out if it is shown to err more than another: if the difference of their errors exceeds t sqrt(V),
with V as in `heldout.selection.paired_differences` and the one-sided t at the level 1 - (1 - level) / (M - 1). The
candidate of least true error is then left out with probability 1 - level at most, since each of the M - 1 comparisons
leaves it out with (1 - level) / (M - 1) at most (Bonferroni). Of the M (M - 1) / 2 pairs these are enough:
S. S. Gupta (Technometrics 7, 1965), J. C. Hsu (Annals of Statistics 9, 1981).
"""

from collections.abc import Sequence

import numpy as np

from heldout.observed import Tested
from heldout.selection.paired_differences import paired_differences


def confidence_set(observed: Sequence[Tested], level: float, folds: int | None) -> list[int]:
    """The places of the candidates in the set, ascending, from what was `observed` of each on the same rows.

    With probability `level`, for many rows, it holds the candidate of least true error. `folds` is the number of folds
    whose hypotheses share training rows, None for none. Candidates with equal losses on every row are never separated,
    nor any by a single row or cluster.
    """
    m = len(observed)
    if m == 1:
        return [0]
    differences = paired_differences(observed, folds)
    one_sided = 1 - 2 * (1 - level) / (m - 1)
    shown_worse = differences.error > differences.reach(one_sided)
    return np.flatnonzero(~shown_worse.any(axis=1)).tolist()
