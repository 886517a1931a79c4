"""A learner that is updated once with each row, in place of a `fit` that may read rows many times.

For learners of sums and counts (most of naive Bayes) both give the same hypothesis. Where updates depend on their order
(stochastic gradients), the updated learner differs from the refitted learner, and so do their errors.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, is_classifier
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from heldout.errors import BadArgument
from heldout.learners.clones import cloned
from heldout.learners.inner_tags import with_tags_of
from heldout.learners.tree_cv import classes_of, update


class OnePass(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """The `estimator` after one pass of its `partial_fit` over the rows, in order, `tree_cv.BLOCK` rows in each call.

    A learner that shuffles the rows of a call (SGDClassifier does) shuffles them within such a block. After `fit`:
    `hypothesis_`, and for a classifier `classes_`, the classes of all rows, which the first call passes on.
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any, **further: Any) -> Self:
        """Update a clone once with each row: X of shape (N, p), y and each further argument (weights) of shape (N,).

        Raises BadArgument for an estimator without `partial_fit`.
        """
        if not hasattr(self.estimator, "partial_fit"):
            name = type(self.estimator).__name__
            raise BadArgument("update", f"update is partial_fit, but {name} has no partial_fit")
        y = np.asarray(y)
        return self.hold(update(cloned(self.estimator), X, y, classes_of(self.estimator, y), **further))

    def hold(self, hypothesis: Any) -> Self:
        """This learner, fitted, with a `hypothesis` that was updated elsewhere."""
        self.hypothesis_ = hypothesis
        if is_classifier(self.estimator):
            self.classes_ = hypothesis.classes_
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The predictions of the hypothesis, shape (n,)."""
        check_is_fitted(self)
        return np.asarray(self.hypothesis_.predict(X))

    @available_if(lambda self: hasattr(self.estimator, "predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The class probabilities of the hypothesis, shape (n, classes)."""
        check_is_fitted(self)
        return np.asarray(self.hypothesis_.predict_proba(X))

    @available_if(lambda self: hasattr(self.estimator, "decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The scores of the hypothesis, which rank the rows: shape (n,) for two classes, else (n, classes)."""
        check_is_fitted(self)
        return np.asarray(self.hypothesis_.decision_function(X))

    def __sklearn_tags__(self) -> Any:
        return with_tags_of(self.estimator, super().__sklearn_tags__())
