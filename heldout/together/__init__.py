"""The answers of many hypotheses of one learner at the same rows, where they share their work: one family a file."""

import importlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.losses import Loss
from heldout.together.group import Group, OneByOne, steps

__all__ = ["Group", "answers_together", "blocks", "together"]


def answers_together(hypotheses: Sequence[Any], X: Any, loss: Loss) -> list[NDArray[Any]]:
    """What `heldout.fitting.answers` gives for each of the fitted `hypotheses`, in their order.

    X has shape (n, p); an answer has shape (n,), or (n, C) for a loss of probabilities. Classes are the same ones;
    numbers and probabilities of linear models are equal but for the rounding of sums in another order. Raises
    FitFailure as `answers`.
    """
    group = together(hypotheses, X, loss)
    pieces = [group.answers(rows) for rows in blocks(X.shape[0], group.rows_at_once)]
    given = [np.concatenate(parts) for parts in zip(*pieces, strict=True)]
    return given if group.classes is None else [group.classes.take(codes) for codes in given]


def together(hypotheses: Sequence[Any], X: Any, loss: Loss) -> Group:
    """The family that answers for all `hypotheses` at once; where none speaks for them, each by itself."""
    kinds = {tuple(map(type, steps(hypothesis))) for hypothesis in hypotheses}
    labels_as_numbers = loss.needs == "number" and any(hasattr(steps(one)[-1], "classes_") for one in hypotheses)
    if len(kinds) == 1 and not labels_as_numbers:
        (kind,) = kinds
        module, name = _FAMILIES.get(tuple(part.__name__ for part in kind), ("", ""))
        if module and all(part.__module__.startswith("sklearn.") for part in kind):
            family = getattr(importlib.import_module(f"heldout.together.{module}"), name)
            found: Group | None = family.of(hypotheses, X, loss)
            if found is not None:
                return found
    return OneByOne(hypotheses, X, loss)


def blocks(n: int, rows_at_once: int) -> Iterator[slice]:
    """Consecutive parts of `n` rows, one for no rows."""
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
# the module and the class of each family, by the type of the learner, or of a pipeline's steps
_FAMILIES: Mapping[tuple[str, ...], tuple[str, str]] = {
    **{(name,): ("linear", "Linear") for name in _LINEAR},
    **{("StandardScaler", name): ("linear", "Linear") for name in _LINEAR},
    **{(f"{name}{kind}",): ("trees", "Trees") for name in _TREES for kind in ("Classifier", "Regressor")},
}
