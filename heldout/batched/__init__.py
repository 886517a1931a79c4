"""Predictions of many hypotheses of one learner at the same rows, with shared work.

Here belongs a file for each kind of learner whose hypotheses can share work, as a class that follows `Group`.
"""

import importlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.batched.group import Group, OneByOne, steps
from heldout.losses import Loss

__all__ = ["Group", "answers_together", "blocks", "together"]


def answers_together(hypotheses: Sequence[Any], X: Any, loss: Loss) -> list[NDArray[Any]]:
    """The result of `heldout.learners.fitting.answers` for each of the fitted `hypotheses`, in their order.

    X has shape (n, p); an array has shape (n,), or (n, C) for a loss of probabilities. Classes are exactly the same;
    numbers and probabilities of linear models differ by the rounding of sums in another order. Raises
    FitFailure like `answers`.
    """
    group = together(hypotheses, X, loss)
    pieces = [group.answers(rows) for rows in blocks(X.shape[0], group.rows_at_once)]
    predictions = [np.concatenate(parts) for parts in zip(*pieces, strict=True)]
    return predictions if group.classes is None else [group.classes.take(codes) for codes in predictions]


def together(hypotheses: Sequence[Any], X: Any, loss: Loss) -> Group:
    """The group that predicts for all `hypotheses` at once; `OneByOne` where they can share nothing."""
    types = {tuple(map(type, steps(hypothesis))) for hypothesis in hypotheses}
    labels_as_numbers = loss.needs == "number" and any(hasattr(steps(each)[-1], "classes_") for each in hypotheses)
    if len(types) == 1 and not labels_as_numbers and loss.labels == 1:
        (types_of_steps,) = types
        module, name = _GROUPS.get(tuple(step.__name__ for step in types_of_steps), ("", ""))
        if module and all(step.__module__.startswith("sklearn.") for step in types_of_steps):
            group_class = getattr(importlib.import_module(f"heldout.batched.{module}"), name)
            group: Group | None = group_class.of(hypotheses, X, loss)
            if group is not None:
                return group
    return OneByOne(hypotheses, X, loss)


def blocks(n: int, rows_at_once: int) -> Iterator[slice]:
    """Consecutive parts of `n` rows; for no rows a single empty part."""
    for first in range(0, max(n, 1), rows_at_once):
        yield slice(first, min(first + rows_at_once, n))


_LINEAR = (
    "LinearDiscriminantAnalysis",
    "LinearRegression",
    "LinearSVC",
    "LogisticRegression",
    "Perceptron",
    "Ridge",
    "RidgeClassifier",
    "SGDClassifier",
)
_TREES = ("DecisionTree", "ExtraTree", "RandomForest", "ExtraTrees")
# the module and the class for each type of learner, or for the types of a pipeline's steps
_GROUPS: Mapping[tuple[str, ...], tuple[str, str]] = {
    **{(name,): ("linear", "Linear") for name in _LINEAR},
    **{("StandardScaler", name): ("linear", "Linear") for name in _LINEAR},
    **{(f"{name}{kind}",): ("trees", "Trees") for name in _TREES for kind in ("Classifier", "Regressor")},
}
