"""Progressive validation: test each example, then train on it.

METHOD, section 4; Blum, Kalai, Langford, Beating the Hold-Out (COLT 1999), Thms 4 and 5.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.losses import Losses
from heldout.splits.split import LazySplits, Rows, Split, tested_sizes, trained_sizes

Block = int | Literal["auto"]  # the steps that share one fit
_GROWTH = 10
TARGET = "the progressive hypothesis: that of one of the steps, drawn uniformly; the steps of a block share one"


class BlockSplits(LazySplits):
    """One split for each block of steps of `step`, shape (N,), from each of `starts` to the next."""

    def __init__(self, step: NDArray[np.int64], starts: Sequence[int]) -> None:
        self.step = step
        always = int((step < 0).sum())
        self._starts = np.array([*starts, len(step) - always])
        self.sizes = np.diff(self._starts)
        self.trained = always + self._starts[:-1]
        in_steps = np.argsort(step, kind="stable")[always:]
        block = np.repeat(np.arange(len(starts)), self.sizes)
        self.tested = in_steps[np.lexsort((in_steps, block))]

    def _split(self, place: int) -> Split:
        first, end = self._starts[place : place + 2]
        return _Block(self.tested[first:end], self.step, int(first), int(self.trained[place]))


def splits(step: NDArray[np.int64], block: Block) -> BlockSplits:
    """One split for each block of steps; `step`, shape (N,), is -1 for training rows.

    The hypothesis of a block is trained on the training rows and on all steps of earlier blocks. The terms stay a
    martingale over examples for all block sizes that do not depend on a label, so Thm 4 holds.
    Raises BadArgument for a block below 1.
    """
    return BlockSplits(step, first_steps(int((step < 0).sum()), int(step.max()) + 1, block))


class _Block(Split):
    """The split of one block, as its first step."""

    _step: NDArray[np.int64]
    _first: int
    _trained: int

    def __init__(self, validation: Rows, step: NDArray[np.int64], first: int, trained: int) -> None:
        for name, value in {"validation": validation, "_step": step, "_first": first, "_trained": trained}.items():
            object.__setattr__(self, name, value)  # of a frozen record

    @property
    def train(self) -> Rows:
        return np.flatnonzero(self._step < self._first)

    @property
    def n_train(self) -> int:
        return self._trained


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


def mean_training_size(made: Sequence[Split]) -> int:
    """The number of training rows behind the prediction of an average tested example, rounded."""
    return round(float(np.average(trained_sizes(made), weights=tested_sizes(made))))


def curve(losses_by_step: Losses, weights: Losses | None = None) -> Losses:
    """The mean loss of the first t tested examples, t = 1 … m, by their `weights`, shape (m,); the last is E_prog.

    Examples of weight 0 before all others have the loss of the first one that counts.
    """
    if weights is None:
        weights = np.ones(len(losses_by_step))
    first = int(np.argmax(weights > 0))
    means: Losses = np.cumsum(weights * losses_by_step) / np.maximum(np.cumsum(weights), weights[first])
    means[:first] = losses_by_step[first]
    return means
