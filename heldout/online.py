"""A learner that is updated once with each row, in place of a fit that may look at rows as often as it likes.

For learners of sums and counts (most of naive Bayes) both are one; one whose updates depend on their order (stochastic
gradients) is another learner than its refit, and no estimate of the one is about the other.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from heldout.errors import BadArgument
from heldout.fitting import take

BLOCK = 10_000  # rows of one call of partial_fit
_TOLD = "updated once with each of its rows"


class OnePass(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """The `estimator` after one pass of its `partial_fit` over the rows, in their order, `BLOCK` rows a call.

    A learner that shuffles the rows of a call (SGDClassifier does) shuffles them within such a block. After `fit`:
    `hypothesis_`, and of a classifier `classes_`, those of the rows given, which it is told in the first call.
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any, **further: Any) -> Self:
        """Update a clone once with each row: X of shape (N, p), y and each further argument (weights) of shape (N,).

        Raises BadArgument for an estimator without `partial_fit`.
        """
        check(self.estimator)
        y = np.asarray(y)
        self.hypothesis_ = update(clone(self.estimator), X, y, classes_of(self.estimator, y), **further)
        if is_classifier(self.estimator):
            self.classes_ = self.hypothesis_.classes_
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The answers of the hypothesis, shape (n,)."""
        check_is_fitted(self)
        return np.asarray(self.hypothesis_.predict(X))

    @available_if(lambda self: hasattr(self.estimator, "predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The class probabilities of the hypothesis, shape (n, classes)."""
        check_is_fitted(self)
        return np.asarray(self.hypothesis_.predict_proba(X))

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
        tags.input_tags, tags.target_tags = inner.input_tags, inner.target_tags
        return tags


def check(estimator: Any) -> None:
    """Raise BadArgument for an estimator that cannot be updated."""
    if not hasattr(estimator, "partial_fit"):
        raise BadArgument("update", f"update is partial_fit, but {type(estimator).__name__} has no partial_fit")


def classes_of(estimator: Any, y: NDArray[np.generic]) -> NDArray[np.generic] | None:
    """The classes that a classifier is told before its first row, ascending; None for numbers."""
    return np.unique(y) if is_classifier(estimator) else None


def update(hypothesis: Any, X: Any, y: NDArray[np.generic], classes: Any, **further: Any) -> Any:
    """Update `hypothesis` itself once with each row, in their order, and return it.

    X has shape (n, p), y and each of `further` (n,); `classes` are those of `classes_of`.
    """
    for first in range(0, X.shape[0], BLOCK):
        rows = slice(first, first + BLOCK)
        told = {} if classes is None or hasattr(hypothesis, "classes_") else {"classes": classes}
        hypothesis.partial_fit(
            take(X, rows), y[rows], **told, **{name: values[rows] for name, values in further.items()}
        )
    return hypothesis


def updated_once(target: str) -> str:
    """The target of an estimate, where its hypotheses are updated once."""
    return f"{target}; {_TOLD}"
