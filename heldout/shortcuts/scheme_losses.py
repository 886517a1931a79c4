"""The losses of a whole scheme without its fits, or the same fits, accelerated."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from heldout.learners.fitting import Fitted, losses_of, recorded
from heldout.losses import Losses
from heldout.parts.splits import Rows, Split, SplitLosses, tested_rows, tested_sizes
from heldout.schemes import SchemeName
from heldout.schemes.design import Design
from heldout.shortcuts import Declined, Shortcut, find, support_vectors
from heldout.shortcuts.pipelines import on_numbers
from heldout.shortcuts.preconditions import decline_on_error, in_memory
from heldout.shortcuts.shortcut import Answers, PredictMethod
from heldout.shortcuts.support_vectors import Distances, SupportVectors


def exact_losses(learner: Any, X: Any, design: Design, scheme: SchemeName) -> tuple[SplitLosses, Sequence[Losses]]:
    """The losses of each split of `scheme`, in the order of `Design.splits`, as `fit_and_test` would find them.

    Of half models also the losses on the rows that each is trained on; of other schemes nothing more. X is an array or
    a data frame of shape (N, p). Raises Declined where the learner has to be fitted, and FitFailure for answers that
    have no loss.
    """
    return ExactLosses.of(learner, X, design).of_scheme(scheme)


@dataclass(frozen=True, eq=False)
class ExactLosses:
    """The losses of a learner in every scheme: what its `shortcut` makes of all rows is made once.

    `method` is what the loss asks the learner for.
    """

    shortcut: Shortcut
    method: PredictMethod
    design: Design

    @classmethod
    def of(cls, learner: Any, X: Any, design: Design) -> Self:
        """From the rows X, an array or a data frame of shape (N, p). Raises Declined as `exact_losses`."""
        if design.dependence.kind is not None:
            raise Declined("rows depend on each other, and their splits are not whole folds or steps")
        rows = in_memory(X)
        weights = None if design.weights is None else design.weights.of_fit
        with decline_on_error():
            learner = on_numbers(learner, X)
        shortcut = find(learner, rows, design.y, weights)
        method: PredictMethod = "predict" if design.loss.classes is None else "predict_proba"
        if method == "predict_proba" and not np.array_equal(shortcut.classes, design.loss.classes):  # type: ignore[arg-type]
            raise Declined("the labelled rows lack a class of the loss")
        return cls(shortcut, method, design)

    def of_scheme(self, scheme: SchemeName) -> tuple[SplitLosses, Sequence[Losses]]:
        """As `exact_losses`, and with its exceptions."""
        design = self.design
        if scheme == "covalidation":
            return _of_halves(self.shortcut, design, self.method)
        answers, splits = _answers(self.shortcut, design, scheme, self.method), design.splits(scheme)
        losses = losses_of(answers, design.y, tested_rows(splits), design.loss)
        return SplitLosses(losses, tested_sizes(splits)), ()


def accelerated(learner: Any, X: Any, design: Design, fits: int) -> SupportVectors | None:
    """What accelerates `fits` fits of `learner` to parts of X, shape (N, p), and leaves them the same; or None.

    Raises Declined where each has to be made alone.
    """
    weights = None if design.weights is None else design.weights.of_fit
    if fits > 1 and support_vectors.known(learner):  # a single fit shares no distances
        return SupportVectors.of(learner, Distances.of(X), design.y, weights)
    return None


def fit_and_test_accelerated(
    machines: SupportVectors, design: Design, split: Split, state: int, *, training: bool
) -> tuple[Fitted, Losses | None]:
    """A fit, and if `training` its losses on the rows that it was trained on: as `fit_and_test` finds them.

    Raises Declined, and FitFailure for predictions that have no loss.
    """

    def on(rows: Rows) -> Losses:
        if not len(rows):
            return np.empty(0)
        predictions = machines.predictions(hypothesis, split.train, rows)
        return losses_of(predictions, design.y, rows, design.loss)

    with recorded() as warned:
        hypothesis = machines.fitted(split.train, state)
        losses = on(split.validation)
    return Fitted(hypothesis, losses, tuple(dict.fromkeys(warned))), on(split.train) if training else None


def _of_halves(shortcut: Shortcut, design: Design, method: PredictMethod) -> tuple[SplitLosses, Sequence[Losses]]:
    """The losses of each half model on the other half, and on its own."""
    splits = design.splits("covalidation")

    def on(split: Split, rows: Rows) -> Losses:
        return losses_of(shortcut.part(split.train, rows, method), design.y, rows, design.loss)

    tested = np.concatenate([on(split, split.validation) for split in splits])
    return SplitLosses(tested, tested_sizes(splits)), [on(split, split.train) for split in splits]


def _answers(shortcut: Shortcut, design: Design, scheme: SchemeName, method: PredictMethod) -> Answers:
    """The answers at the rows that the splits test, split after split."""
    splits = design.splits(scheme)
    if scheme == "cross_validation":
        by_row = [shortcut.folds(fold, method) for fold in design.folds]
        rows = np.split(tested_rows(splits), len(by_row))  # each partition tests all N rows
        return np.concatenate([answers[some] for answers, some in zip(by_row, rows, strict=True)])
    if scheme == "progressive" and design.block != "auto":
        step = design.partition.step
        return shortcut.blocks(step, design.block, method)[step[tested_rows(splits)]]
    return np.concatenate([shortcut.part(split.train, split.validation, method) for split in splits])
