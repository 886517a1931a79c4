"""Answers of hypotheses that are never fitted, where mathematics gives them exactly: one learner family a file."""

import importlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.shortcuts.shortcut import Answers, Declined, PredictMethod, Shortcut

__all__ = ["Answers", "Declined", "PredictMethod", "Shortcut", "find", "known"]


def known(learner: Any) -> bool:
    """Whether learners of this very type have a shortcut for some settings and data; a subclass has none.

    A pipeline has where its last step has, and each step before it may be seen through.
    """
    kind = type(learner)
    if not kind.__module__.startswith("sklearn."):
        return False
    return family_of(learner).known(learner) if kind.__name__ == "Pipeline" else kind.__name__ in _FAMILIES


def find(learner: Any, X: Any, y: NDArray[np.generic], weights: NDArray[np.float64] | None = None) -> Shortcut:
    """The shortcut of an unfitted `learner` for labelled rows X, shape (N, p), y and weights, shape (N,).

    Raises Declined, with the reason, where it has to be fitted.
    """
    if not known(learner):
        raise Declined(f"{type(learner).__name__} has no shortcut")
    try:
        found: Shortcut = family_of(learner).of(learner, X, y, weights)
    except Declined as reason:
        raise Declined(f"{type(learner).__name__} {reason}") from None
    return found


def family_of(learner: Any) -> Any:
    """What makes, by `of`, the shortcut of a learner that is known: a class, or the module of pipelines."""
    kind = type(learner).__name__
    return load("pipelines") if kind == "Pipeline" else load(*_FAMILIES[kind])


def load(module: str, name: str | None = None) -> Any:
    """A module of this package, imported when it is asked for, or a class in it."""
    found = importlib.import_module(f"heldout.shortcuts.{module}")
    return found if name is None else getattr(found, name)


# the module and the class of each learner's family
_FAMILIES: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(("LinearRegression", "Ridge", "RidgeClassifier"), ("least_squares", "LeastSquares")),
    **dict.fromkeys(("KernelRidge", "GaussianProcessRegressor"), ("kernels", "Kernels")),
    **dict.fromkeys(("KNeighborsClassifier", "KNeighborsRegressor"), ("neighbors", "Neighbors")),
    "GaussianNB": ("gaussian_naive_bayes", "GaussianNaiveBayes"),
    "BernoulliNB": ("counting_naive_bayes", "BernoulliNaiveBayes"),
    "MultinomialNB": ("counting_naive_bayes", "MultinomialNaiveBayes"),
    "ComplementNB": ("counting_naive_bayes", "ComplementNaiveBayes"),
    "CategoricalNB": ("counting_naive_bayes", "CategoricalNaiveBayes"),
    "NearestCentroid": ("nearest_centroid", "NearestCentroids"),
    "LinearDiscriminantAnalysis": ("discriminant_analysis", "LinearDiscriminant"),
    "QuadraticDiscriminantAnalysis": ("discriminant_analysis", "QuadraticDiscriminant"),
}
