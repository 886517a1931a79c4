"""The progressive hypothesis: the target of E_prog."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from heldout.hypotheses.drawn import DrawnHypothesis
from heldout.partition import Labels, can_stratify, draw_steps, part_size
from heldout.progressive import Block, splits
from heldout.records import Split


class ProgressiveHypothesis(DrawnHypothesis):
    """Answers each query with one of the hypotheses along the steps of progressive validation, drawn at random.

    Of N rows, m = `tested_fraction` N are tested in a random order, `block` at a time, and then trained on.
    Each of the hypotheses, ceil(m / block) or O(log m) for the block auto, is drawn with the share of the m rows that
    it tested (blocks may differ in length); its true error is then the mean of theirs, and `E_prog` estimates it as a
    hold-out of m would (METHOD, section 4; Blum, Kalai, Langford, COLT 1999, Thms 4 and 5). The steps are those of
    `heldout.partition` from the same seed. A classifier's tested part is stratified where one exists; `fit`
    raises BadArgument unless 0 < tested_fraction < 1 and block is auto or at least 1.
    """

    _scheme = "progressive"

    def __init__(
        self,
        learner: Any,
        *,
        tested_fraction: float = 0.5,
        block: Block = 1,
        stratify: bool = True,
        vote: bool = False,
        seed: int = 0,
    ) -> None:
        self.learner = learner
        self.tested_fraction = tested_fraction
        self.block = block
        self.stratify = stratify
        self.vote = vote
        self.seed = seed

    def _splits(self, y: Labels) -> Sequence[Split]:
        size = part_size(len(y), self.tested_fraction, "tested_fraction")
        stratify = self._stratified(_why_not_stratified(y, size))
        step = draw_steps(y, size, stratify, self.seed)
        return splits(step, self.block)


def _why_not_stratified(y: Labels, size: int) -> str | None:
    if can_stratify(y, size):
        return None
    classes = len(np.unique(y))
    return f"a tested part of {size} of {len(y)} rows cannot be divided evenly among {classes} classes"
