"""k-fold cross-validation; leave-one-out is k = N.

METHOD, section 3; Blum, Kalai, Langford, Beating the Hold-Out (COLT 1999), Thms 1 to 3.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from heldout.intervals.method import Method, estimate_with
from heldout.observed import CrossValidated
from heldout.records import Estimate, Split

TARGET = "the k-fold hypothesis: one of the k hypotheses, drawn uniformly"


def splits(fold: NDArray[np.int64]) -> list[Split]:
    """One split for each fold 0 … k-1 of `fold`, shape (N,): train on all other rows, test on it; -1 is in no fold."""
    return [
        Split(train=np.flatnonzero(fold != number), validation=np.flatnonzero(fold == number))
        for number in range(int(fold.max()) + 1)
    ]


def mean_training_size(made: Sequence[Split]) -> int:
    """The mean number of rows that the k hypotheses were trained on, rounded: N - N/k where folds are drawn."""
    return round(sum(len(split.train) for split in made) / len(made))


def estimate(
    candidate: str, observed: CrossValidated, n_train: int, method: Method, level: float, repeats: int = 1
) -> Estimate:
    """E_cv: the mean over all held-out losses, of one partition or of `repeats`.

    With folds of unequal size the hypothesis of each fold counts by the fold's share of the rows. The mean over
    several partitions has the same expectation, and less of the noise that comes from drawing folds.
    """
    target = TARGET if repeats == 1 else TARGET.replace("the k hypotheses", f"the {repeats} k hypotheses")
    return estimate_with(candidate, "E_cv", observed, target, n_train, method, level)
