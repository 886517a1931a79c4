"""Progressive validation: test each example, then train on it.

METHOD, section 4; Blum, Kalai, Langford, Beating the Hold-Out (COLT 1999), Thms 4 and 5.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.intervals.method import IntervalMethod, estimate_with
from heldout.losses import Losses
from heldout.observed import Tested
from heldout.records import Estimate, Split

Block = int | Literal["auto"]  # the steps that share one fit
_GROWTH = 10
TARGET = "the progressive hypothesis: one of those along the steps, drawn uniformly"


def splits(step: NDArray[np.int64], block: Block) -> list[Split]:
    """One split for each block of steps; `step`, shape (N,), is -1 for training rows.

    The hypothesis of a block is trained on the training rows and on all steps of earlier blocks. The terms stay a
    martingale over examples for all block sizes that do not depend on a label, so Thm 4 holds.
    Raises BadArgument for a block below 1.
    """
    starts = first_steps(int((step < 0).sum()), int(step.max()) + 1, block)
    ends = [*starts[1:], int(step.max()) + 1]
    return [
        Split(train=np.flatnonzero(step < first), validation=np.flatnonzero((step >= first) & (step < end)))
        for first, end in zip(starts, ends, strict=True)
    ]


def first_steps(trained: int, tested: int, block: Block) -> list[int]:
    """The first step of each block: every `block` steps; with "auto" a block is a tenth of its training rows.

    "auto" needs O(log(1 + tested / trained)) fits, and a block has at least 1 step.
    """
    if block == "auto":
        starts = [0]
        while (following := starts[-1] + max(1, (trained + starts[-1]) // _GROWTH)) < tested:
            starts.append(following)
        return starts
    if block < 1:
        raise BadArgument("block", f"block is {block}; it must be at least 1")
    return list(range(0, tested, block))


def estimate(candidate: str, observed: Tested, n_train: int, method: IntervalMethod, level: float) -> Estimate:
    """E_prog: the mean over the m tested losses, in the order of the steps."""
    return estimate_with(candidate, "E_prog", observed, TARGET, n_train, method, level)


def mean_training_size(made: Sequence[Split]) -> int:
    """The number of training rows behind the prediction of an average tested example, rounded."""
    weights = [len(split.validation) for split in made]
    return round(float(np.average([len(split.train) for split in made], weights=weights)))


def curve(losses_by_step: Losses) -> Losses:
    """The mean loss of the first t tested examples, t = 1 … m; the last mean is E_prog."""
    means: Losses = np.cumsum(losses_by_step) / np.arange(1, len(losses_by_step) + 1)
    return means
