"""The k-fold hypothesis: the target of E_cv."""

from collections.abc import Sequence
from typing import Any

from heldout import seeds
from heldout.cross_validation import splits
from heldout.hypotheses.drawn import DrawnHypothesis
from heldout.partition import Labels, draw_folds, rarest_class
from heldout.records import Split


class KFoldHypothesis(DrawnHypothesis):
    """Answers each query with one of the k hypotheses trained without one fold, drawn at random.

    Its true error is the mean of theirs, by fold size where the folds are unequal, and `E_cv` estimates it
    at least as well as one hold-out of N/k would (METHOD, section 3; Blum, Kalai, Langford, COLT 1999, Thms
    1 to 3). `folds = N` is leave-one-out. The folds are those of `heldout.partition` from the same seed, and
    the members those of cross-validation. A classifier's folds are stratified where each class has at least
    as many rows as there are folds; `fit` raises BadArgument unless 2 <= folds <= N.
    """

    _scheme = "cross_validation"

    def __init__(
        self, learner: Any, *, folds: int = 10, stratify: bool = True, vote: bool = False, seed: int = 0
    ) -> None:
        self.learner = learner
        self.folds = folds
        self.stratify = stratify
        self.vote = vote
        self.seed = seed

    def _splits(self, y: Labels) -> Sequence[Split]:
        stratify = self.folds != len(y) and self._stratified(self._why_not_stratified(y))
        return splits(draw_folds(y, self.folds, stratify, seeds.random_state(self.seed, "folds")))

    def _why_not_stratified(self, y: Labels) -> str | None:
        rarest, rows = rarest_class(y)
        return f"folds is {self.folds}, but class {rarest} has {rows} rows" if rows < self.folds else None
