"""The losses of a whole scheme without its fits, or the same fits, accelerated."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from heldout.learners.fitting import Fitted, losses_of, recorded
from heldout.losses import Loss, Losses
from heldout.schemes.design import SchemeSplits
from heldout.shortcuts import Declined, Shortcut, find, support_vectors
from heldout.shortcuts.pipelines import on_numbers
from heldout.shortcuts.preconditions import decline_on_error, in_memory
from heldout.shortcuts.shortcut import Answers, PredictMethod
from heldout.shortcuts.support_vectors import Distances, SupportVectors
from heldout.splits.split import Rows, Split, SplitLosses, tested_rows, tested_sizes
from heldout.splits.weights import Weights


@dataclass(frozen=True, eq=False)
class ExactLosses:
    """The losses of a learner in every scheme: what its `shortcut` makes of all rows is made once.

    `method` is what the `loss` asks the learner for.
    """

    shortcut: Shortcut
    method: PredictMethod
    y: NDArray[np.generic]
    loss: Loss

    @classmethod
    def of(cls, learner: Any, X: Any, y: NDArray[np.generic], loss: Loss, weights: Weights | None = None) -> Self:
        """From the rows X, an array or a data frame of shape (N, p), y of shape (N,).

        Raises Declined where the learner has to be fitted.
        """
        rows = in_memory(X)
        of_fit = None if weights is None else weights.of_fit
        with decline_on_error():
            learner = on_numbers(learner, X)
        shortcut = find(learner, rows, y, of_fit)
        method: PredictMethod = "predict" if loss.classes is None else "predict_proba"
        if method == "predict_proba" and not np.array_equal(shortcut.classes, loss.classes):  # type: ignore[arg-type]
            raise Declined("the labelled rows lack a class of the loss")
        return cls(shortcut, method, y, loss)

    def on(self, of: SchemeSplits) -> tuple[SplitLosses, Sequence[Losses]]:
        """The losses of each split, in their order, as `fit_and_test` would find them.

        Of half models also the losses on the rows that each is trained on; of other schemes nothing more. The rows do
        not depend on each other (`check_independent`). Raises FitFailure for answers that have no loss.
        """
        if of.scheme == "covalidation":
            return self._of_halves(of.splits)
        rows = tested_rows(of.splits)
        return SplitLosses(losses_of(self._answers(of), self.y, rows, self.loss), tested_sizes(of.splits)), ()

    def _of_halves(self, splits: Sequence[Split]) -> tuple[SplitLosses, Sequence[Losses]]:
        """The losses of each half model on the other half, and on its own."""

        def on(split: Split, rows: Rows) -> Losses:
            return losses_of(self.shortcut.part(split.train, rows, self.method), self.y, rows, self.loss)

        tested = np.concatenate([on(split, split.validation) for split in splits])
        return SplitLosses(tested, tested_sizes(splits)), [on(split, split.train) for split in splits]

    def _answers(self, of: SchemeSplits) -> Answers:
        """The answers at the rows that the splits test, split after split."""
        tested = tested_rows(of.splits)
        if of.folds:
            by_row = [self.shortcut.folds(fold, self.method) for fold in of.folds]
            rows = np.split(tested, len(by_row))  # each partition tests all N rows
            return np.concatenate([answers[some] for answers, some in zip(by_row, rows, strict=True)])
        if of.scheme == "progressive" and of.block != "auto":
            return self.shortcut.blocks(of.step, of.block, self.method)[of.step[tested]]
        return np.concatenate([self.shortcut.part(split.train, split.validation, self.method) for split in of.splits])


def check_independent(of: SchemeSplits) -> None:
    """Raise Declined for splits of rows that depend on each other, which leave rows out."""
    if of.dependence is not None:
        raise Declined(f"rows depend on each other by {of.dependence}, and their splits are not whole folds or steps")


def accelerated(
    learner: Any, X: Any, y: NDArray[np.generic], weights: Weights | None, fits: int
) -> SupportVectors | None:
    """What accelerates `fits` fits of `learner` to parts of X, shape (N, p), and leaves them the same; or None.

    Raises Declined where each has to be made alone.
    """
    if fits > 1 and support_vectors.known(learner):  # a single fit shares no distances
        return SupportVectors.of(learner, Distances.of(X), y, None if weights is None else weights.of_fit)
    return None


def fit_and_test_accelerated(
    machines: SupportVectors, y: NDArray[np.generic], loss: Loss, split: Split, state: int, *, own: bool
) -> tuple[Fitted, Losses | None]:
    """A fit, and if `own` its losses on the rows that it was trained on: as `fit_and_test` finds them.

    Raises Declined, and FitFailure for predictions that have no loss.
    """

    def on(rows: Rows) -> Losses:
        if not len(rows):
            return np.empty(0)
        return losses_of(machines.predictions(hypothesis, split.train, rows), y, rows, loss)

    with recorded() as warned:
        hypothesis = machines.fitted(split.train, state)
        losses = on(split.validation)
    return Fitted(hypothesis, losses, tuple(dict.fromkeys(warned))), on(split.train) if own else None
