"""The losses of a whole scheme without its fits."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.design import Design
from heldout.fitting import losses_of
from heldout.losses import Losses
from heldout.seeds import SchemeName
from heldout.shortcuts import Declined, Shortcut, find
from heldout.shortcuts.pipelines import on_numbers
from heldout.shortcuts.shortcut import Answers, Method


def held_out(learner: Any, X: Any, design: Design, scheme: SchemeName) -> list[Losses]:
    """The losses of each split of `scheme`, in the order of `Design.splits`, as `fit_and_test` would find them.

    X is an array or a data frame of shape (N, p). Raises Declined where the learner has to be fitted, and FitFailure
    for answers that have no loss.
    """
    if design.dependence.kind is not None:
        raise Declined("rows depend on each other, and their splits are not whole folds or steps")
    rows = _array(X)
    weights = None if design.weights is None else design.weights.values
    shortcut = find(on_numbers(learner, X), rows, design.y, weights)
    method: Method = "predict" if design.loss.classes is None else "predict_proba"
    if method == "predict_proba" and not np.array_equal(shortcut.classes, design.loss.classes):  # type: ignore[arg-type]
        raise Declined("the labelled rows lack a class of the loss")
    given = _answers(shortcut, design, scheme, method)
    return [
        losses_of(part, design.y, split.validation, design.loss, design.weights)
        for part, split in zip(given, design.splits(scheme), strict=True)
    ]


def _array(X: Any) -> NDArray[Any]:
    """The rows as they are in memory; Declined for what has to be read or turned into numbers first."""
    if isinstance(X, np.ndarray):
        return X
    kinds = getattr(X, "dtypes", [None])
    if not all(isinstance(kind, np.dtype) and kind.kind in "fiu" for kind in kinds):
        raise Declined("the rows are no table of numbers in memory")
    rows: NDArray[Any] = X.to_numpy()
    return rows


def _answers(shortcut: Shortcut, design: Design, scheme: SchemeName, method: Method) -> list[Answers]:
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
