"""Progressive validation: test each example, then train on it.

METHOD, section 4; Blum, Kalai, Langford, Beating the Hold-Out (COLT 1999), Thms 4 and 5.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.intervals.method import Method, estimate_with
from heldout.losses import Losses
from heldout.observed import Tested
from heldout.records import Estimate, Split

TARGET = "the progressive hypothesis: one of those along the steps, drawn uniformly"


def splits(step: NDArray[np.int64], block: int) -> list[Split]:
    """One split for each block of `block` steps; `step`, shape (N,), is -1 for training rows.

    Block j tests steps j b … (j+1) b - 1 of a hypothesis trained on the training rows and on all
    steps of earlier blocks. The terms stay a martingale over examples, so Thm 4 is unchanged.
    Raises BadArgument for a block below 1.
    """
    if block < 1:
        raise BadArgument("block", f"block is {block}; it must be at least 1")
    tested = int(step.max()) + 1
    return [
        Split(
            train=np.flatnonzero(step < first),
            validation=np.flatnonzero((step >= first) & (step < first + block)),
        )
        for first in range(0, tested, block)
    ]


def estimate(candidate: str, observed: Tested, n_train: int, method: Method, level: float) -> Estimate:
    """E_prog: the mean over the m tested losses, in the order of the steps."""
    return estimate_with(candidate, "E_prog", observed, TARGET, n_train, method, level)


def mean_training_size(made: Sequence[Split]) -> int:
    """The number of rows that the hypothesis of an average tested example was trained on, rounded."""
    weights = [len(split.validation) for split in made]
    return round(float(np.average([len(split.train) for split in made], weights=weights)))


def curve(losses_by_step: Losses) -> Losses:
    """The mean loss of the first t tested examples, t = 1 … m; the last one equals E_prog."""
    means: Losses = np.cumsum(losses_by_step) / np.arange(1, len(losses_by_step) + 1)
    return means
