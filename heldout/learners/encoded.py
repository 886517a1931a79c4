"""A learner that takes no classes but 0 … C-1, as XGBoost, is given these, and answers with the classes."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, is_classifier
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from heldout.learners.clones import cloned
from heldout.learners.inner_tags import with_tags_of

_OF_CODES = "xgboost"


class Encoded(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """The `estimator`, fitted to the places of labels among the ascending classes of its own rows.

    So it can also be fitted to rows that lack a class. After `fit`: `estimator_` and `classes_`, shape (C,).
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any, **further: Any) -> Self:
        """Fit a clone: X of shape (N, p), y of shape (N,), `further` arguments as they are."""
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        self.estimator_ = cloned(self.estimator).fit(X, codes, **further)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The classes of the hypothesis, shape (n,)."""
        check_is_fitted(self)
        return np.asarray(self.classes_[np.asarray(self.estimator_.predict(X)).ravel().astype(np.intp)])

    @available_if(lambda self: hasattr(self.estimator, "predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[Any]:
        """The class probabilities of the hypothesis, shape (n, C)."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict_proba(X))

    @available_if(lambda self: hasattr(self.estimator, "decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The scores of the hypothesis, which rank the rows: shape (n,) for two classes, else (n, C)."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.decision_function(X))

    def __sklearn_tags__(self) -> Any:
        return with_tags_of(self.estimator, super().__sklearn_tags__())


def takes_codes(learner: Any) -> bool:
    """Whether `learner`, or a learner inside it, is a classifier that takes no classes but 0 … C-1."""
    inner = [learner, *learner.get_params(deep=True).values()]
    return any(_OF_CODES in _packages(part) and is_classifier(part) for part in inner if hasattr(part, "get_params"))


def _packages(part: Any) -> set[str]:
    return {kind.__module__.partition(".")[0] for kind in type(part).__mro__}


def are_codes(labels: NDArray[np.generic]) -> bool:
    """Whether labels, shape (N,), are 0 … C-1 already."""
    return labels.dtype.kind in "biuf" and bool(np.array_equal(found := np.unique(labels), np.arange(len(found))))
