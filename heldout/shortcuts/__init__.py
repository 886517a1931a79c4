"""Predictions of hypotheses that are never fitted, where mathematics gives them exactly.

Here belongs a file for each kind of learner that has a shortcut, and the preconditions that shortcuts share.
"""

import importlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout import extensions
from heldout.shortcuts.shortcut import Answers, Declined, PredictMethod, Shortcut

__all__ = ["Answers", "Declined", "PredictMethod", "Shortcut", "find", "known"]


def known(learner: Any) -> bool:
    """Whether learners of exactly this type have a shortcut for some settings and data; a subclass has none.

    A pipeline has a shortcut if its last step has one, and each step before it has a form that `pipelines` supports.
    """
    of_type = type(learner)
    if _path(of_type) in _FROM_OUTSIDE:
        return True
    if not of_type.__module__.startswith("sklearn."):
        return False
    if of_type.__name__ == "Pipeline":
        return bool(shortcut_class(learner).known(learner))
    return of_type.__name__ in _SHORTCUTS


def find(learner: Any, X: Any, y: NDArray[np.generic], weights: NDArray[np.float64] | None = None) -> Shortcut:
    """The shortcut of an unfitted `learner` for labelled rows X, shape (N, p), y and weights, shape (N,).

    Raises Declined, with the reason, where the learner has to be fitted.
    """
    if not known(learner):
        raise Declined(f"{type(learner).__name__} has no shortcut")
    try:
        shortcut: Shortcut = shortcut_class(learner).of(learner, X, y, weights)
    except Declined as reason:
        raise Declined(f"{type(learner).__name__} {reason}") from None
    return shortcut


def shortcut_class(learner: Any) -> Any:
    """The class whose `of` makes the shortcut of a known learner; for a pipeline the module `pipelines`."""
    name = type(learner).__name__
    if _path(type(learner)) in _FROM_OUTSIDE:
        return _FROM_OUTSIDE[_path(type(learner))]
    return load("pipelines") if name == "Pipeline" else load(*_SHORTCUTS[name])


def load(module: str, name: str | None = None) -> Any:
    """A module of this package, or a class in it, imported at the call."""
    imported = importlib.import_module(f"heldout.shortcuts.{module}")
    return imported if name is None else getattr(imported, name)


# the module and the class of the shortcut of each type of learner
_SHORTCUTS: Mapping[str, tuple[str, str]] = {
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


def _path(of_type: type[Any]) -> str:
    return f"{of_type.__module__}.{of_type.__qualname__}"


def _has_own(path: str) -> bool:
    return path.startswith("sklearn.") and path.rpartition(".")[2] in ("Pipeline", *_SHORTCUTS)


# those of other packages, by the import path of the learner's class: the module that defines it, and its name
_FROM_OUTSIDE: Mapping[str, Any] = extensions.classes_of("heldout.shortcuts", Shortcut, _has_own)
