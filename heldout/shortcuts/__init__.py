"""Answers of hypotheses that are never fitted, where mathematics gives them exactly: one learner family a file."""

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.shortcuts.shortcut import Answers, Declined, Method, Shortcut

__all__ = ["Answers", "Declined", "Method", "Shortcut", "find", "known"]


def known(learner: Any) -> bool:
    """Whether learners of this very type have a shortcut for some settings and data; a subclass has none."""
    return type(learner) in _families()


def find(learner: Any, X: Any, y: NDArray[np.generic], weights: NDArray[np.float64] | None = None) -> Shortcut:
    """The shortcut of an unfitted `learner` for labelled rows X, shape (N, p), y and weights, shape (N,).

    Raises Declined, with the reason, where it has to be fitted.
    """
    if not known(learner):
        raise Declined(f"{type(learner).__name__} has no shortcut")
    try:
        found: Shortcut = _families()[type(learner)].of(learner, X, y, weights)
    except Declined as reason:
        raise Declined(f"{type(learner).__name__} {reason}") from None
    return found


@functools.cache
def _families() -> Mapping[type, Any]:
    """The family of each type of learner, imported when it is asked for."""
    from sklearn import discriminant_analysis, gaussian_process, kernel_ridge, linear_model, naive_bayes, neighbors

    from heldout.shortcuts import counting_naive_bayes
    from heldout.shortcuts.discriminant_analysis import LinearDiscriminant, QuadraticDiscriminant
    from heldout.shortcuts.gaussian_naive_bayes import GaussianNaiveBayes
    from heldout.shortcuts.kernels import Kernels
    from heldout.shortcuts.least_squares import LeastSquares
    from heldout.shortcuts.nearest_centroid import NearestCentroids
    from heldout.shortcuts.neighbors import Neighbors

    return {
        linear_model.LinearRegression: LeastSquares,
        linear_model.Ridge: LeastSquares,
        linear_model.RidgeClassifier: LeastSquares,
        naive_bayes.GaussianNB: GaussianNaiveBayes,
        naive_bayes.BernoulliNB: counting_naive_bayes.BernoulliNaiveBayes,
        naive_bayes.MultinomialNB: counting_naive_bayes.MultinomialNaiveBayes,
        naive_bayes.ComplementNB: counting_naive_bayes.ComplementNaiveBayes,
        naive_bayes.CategoricalNB: counting_naive_bayes.CategoricalNaiveBayes,
        neighbors.NearestCentroid: NearestCentroids,
        neighbors.KNeighborsClassifier: Neighbors,
        neighbors.KNeighborsRegressor: Neighbors,
        kernel_ridge.KernelRidge: Kernels,
        gaussian_process.GaussianProcessRegressor: Kernels,
        discriminant_analysis.LinearDiscriminantAnalysis: LinearDiscriminant,
        discriminant_analysis.QuadraticDiscriminantAnalysis: QuadraticDiscriminant,
    }
