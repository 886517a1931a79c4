"""The nearest centroid from the sums and sums of squares of each class.

Hastie, Tibshirani, Friedman, The Elements of Statistical Learning (2nd ed. 2009), eq. 18.2, for priors.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestCentroid

from heldout.shortcuts.class_sums import (
    LOST,
    UNIT,
    ClassSums,
    Floats,
    Scores,
    checked_labels,
    checked_priors,
    class_means,
    rounding_of,
)
from heldout.shortcuts.preconditions import Labels, enough
from heldout.shortcuts.shortcut import Declined, PredictMethod
from heldout.splits.split import Rows

_VARIES = 1e-9  # times the size of a feature: the least standard deviation that is surely no rounded 0


class NearestCentroids(ClassSums):
    """Exact for NearestCentroid with the Euclidean metric and without shrinking. A row adds 1, z and z², z = x - the
    mean of its class.

    With equal priors the label belongs to the nearest centroid; with other priors, and for probabilities, features are
    first divided by the standard deviations within classes.
    """

    def __init__(self, learner: NearestCentroid, X: Floats, labels: Labels) -> None:
        super().__init__(X, labels)
        self.priors = learner.priors
        if isinstance(learner.priors, np.ndarray):  # scikit-learn compares it to a name, and raises
            raise Declined("has priors that are an array; a list will do")
        if not isinstance(learner.priors, str):
            self.priors = checked_priors(learner.priors, len(self.classes))
            if not np.isclose(self.priors.sum(), 1):
                raise Declined("has priors that do not sum up to 1")
        self.size = np.abs(X).max(axis=0)

    @classmethod
    def of(cls, learner: Any, X: Any, y: NDArray[np.generic], weights: Floats | None = None) -> Self:
        """The shortcut of `learner` on these rows. Raises Declined."""
        labels = checked_labels(learner, NearestCentroid, X, y, weights, weighted=False)
        if learner.metric != "euclidean":
            raise Declined(f"has metric={learner.metric!r}, whose medians are no sums")
        if learner.shrink_threshold is not None:
            raise Declined("has a shrink_threshold")
        return cls(learner, X, labels)

    def _basis(self, rows: Rows) -> Floats:
        return class_means(self.X[rows], self.code[rows], len(self.classes))

    def _terms(self, basis: Floats, rows: Rows) -> Floats:
        z = self.X[rows] - basis[self.code[rows]]
        return np.hstack([np.ones((len(rows), 1)), z, z * z])

    def _scores(self, basis: Floats, sums: Floats, of: Floats, rows: Rows, method: PredictMethod) -> Scores:
        p = self.X.shape[1]
        count = sums[..., 0]
        enough(count.T)
        n = count.sum(axis=1, keepdims=True)
        if (n <= len(self.classes)).any():
            raise Declined("is trained with one row of each class, which shows no variance")
        shift = sums[..., 1 : 1 + p] / count[..., None]
        within = sums[..., 1 + p :].sum(axis=1) - np.einsum("ncp,nc->np", shift**2, count)
        within = np.maximum(within, 0)
        whole = of[..., 1 + p :].sum(axis=1)
        lost = np.where(whole > 0, whole / within, 0).max(axis=1)
        loose = lost > LOST
        deviation = np.sqrt(within / (n - len(self.classes)))
        if (deviation <= _VARIES * self.size)[~loose].any():
            raise Declined("has a feature that is constant within every class")
        priors = self._priors(count / n)
        equal = np.isclose(priors, 1 / len(self.classes)).all(axis=1, keepdims=True) & (method == "predict")
        scale = np.where(equal, 1.0, 1 / deviation)[:, None, :]
        x = self.X[rows, None, :] * scale
        centroids = (basis + shift) * scale
        away = x - centroids
        far = np.einsum("ncp,ncp->nc", away, away)
        lengths = np.einsum("ncp,ncp->nc", x, x) + np.einsum("ncp,ncp->nc", centroids, centroids)
        values = np.where(equal, 0.0, 2 * np.log(priors)) - far
        # a refit subtracts products from squared lengths, and divides by deviations from means of n rounded sums
        rounding = 8 * UNIT * lengths + 2 * UNIT * np.sqrt(n * lengths * far) + rounding_of(far, lost[:, None] * far, n)
        return Scores(values, rounding, np.broadcast_to(loose, len(rows)))

    def _priors(self, shares: Floats) -> Floats:
        """The chances of the classes, shape (n, C) or (1, C)."""
        if isinstance(self.priors, str):
            return shares if self.priors == "empirical" else np.full((1, shares.shape[1]), 1 / shares.shape[1])
        priors: Floats = self.priors[None]
        return priors
