"""The losses of a whole scheme without its fits, or of the same fits, made sooner."""

from typing import Any

import numpy as np

from heldout.design import Design
from heldout.fitting import Fitted, losses_of, recorded
from heldout.losses import Losses
from heldout.records import Rows, Split
from heldout.schemes import SchemeName
from heldout.shortcuts import Declined, Shortcut, find, support_vectors
from heldout.shortcuts.pipelines import on_numbers
from heldout.shortcuts.preconditions import in_memory
from heldout.shortcuts.shortcut import Answers, PredictMethod
from heldout.shortcuts.support_vectors import Distances, SupportVectors


def held_out(learner: Any, X: Any, design: Design, scheme: SchemeName) -> list[Losses]:
    """The losses of each split of `scheme`, in the order of `Design.splits`, as `fit_and_test` would find them.

    X is an array or a data frame of shape (N, p). Raises Declined where the learner has to be fitted, and FitFailure
    for answers that have no loss.
    """
    if design.dependence.kind is not None:
        raise Declined("rows depend on each other, and their splits are not whole folds or steps")
    rows = in_memory(X)
    weights = None if design.weights is None else design.weights.values
    shortcut = find(on_numbers(learner, X), rows, design.y, weights)
    method: PredictMethod = "predict" if design.loss.classes is None else "predict_proba"
    if method == "predict_proba" and not np.array_equal(shortcut.classes, design.loss.classes):  # type: ignore[arg-type]
        raise Declined("the labelled rows lack a class of the loss")
    given = _answers(shortcut, design, scheme, method)
    return [
        losses_of(part, design.y, split.validation, design.loss, design.weights)
        for part, split in zip(given, design.splits(scheme), strict=True)
    ]


def accelerated(learner: Any, X: Any, design: Design, fits: int) -> SupportVectors | None:
    """What makes `fits` fits of `learner` to parts of X, shape (N, p), sooner and the same ones; None for nothing.

    Raises Declined where they are to be made by themselves.
    """
    weights = None if design.weights is None else design.weights.values
    if fits > 1 and support_vectors.known(learner):  # a single fit shares no distances
        return SupportVectors.of(learner, Distances.of(X), design.y, weights)
    return None


def fit_and_test_accelerated(
    made: SupportVectors, design: Design, split: Split, state: int, *, training: bool
) -> tuple[Fitted, Losses | None]:
    """A fit, and if `training` its losses on the rows that it was trained on: as `fit_and_test` finds them.

    Raises Declined, and FitFailure for predictions that have no loss.
    """

    def on(rows: Rows) -> Losses:
        if not len(rows):
            return np.empty(0)
        given = made.predictions(hypothesis, split.train, rows)
        return losses_of(given, design.y, rows, design.loss, design.weights)

    with recorded() as warned:
        hypothesis = made.fitted(split.train, state)
        losses = on(split.validation)
    return Fitted(hypothesis, losses, tuple(dict.fromkeys(warned))), on(split.train) if training else None


def _answers(shortcut: Shortcut, design: Design, scheme: SchemeName, method: PredictMethod) -> list[Answers]:
    """The answers at the rows that each split tests."""
    splits = design.splits(scheme)
    if scheme == "cross_validation":
        by_row = [shortcut.folds(fold, method) for fold in design.folds]
        k = len(splits) // len(by_row)
        return [by_row[number // k][split.validation] for number, split in enumerate(splits)]
    if scheme == "progressive" and design.block != "auto":
        step = design.partition.step
        by_step = shortcut.blocks(step, design.block, method)
        return [by_step[step[split.validation]] for split in splits]
    return [shortcut.part(split.train, split.validation, method) for split in splits]
