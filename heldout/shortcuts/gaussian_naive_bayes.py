"""Gaussian naive Bayes from the sums and sums of squares of each class, about its mean.

Chan, Golub, LeVeque, Algorithms for Computing the Sample Variance (The American Statistician 1983).
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.naive_bayes import GaussianNB

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
from heldout.shortcuts.preconditions import Labels
from heldout.shortcuts.shortcut import Declined, PredictMethod
from heldout.splits.split import Rows

_NOISE = 1e-2  # the largest error of a mean, in standard deviations, whose square is small
_WEIGHS = 1e-7  # below, scikit-learn treats the weight of a class as 0


@dataclass(frozen=True, eq=False)
class MeansBasis:
    """The origin of the classes."""

    means: Floats  # (C, p), the origin of each class
    deviation: Floats  # (C, p), from the mean of the origins


class GaussianNaiveBayes(ClassSums):
    """Exact for GaussianNB, weighted or not. A row adds 1, z and z², z = x - the mean of its class; with weights also
    w, w z and w z². `epsilon_`, `var_smoothing` times the largest variance of the training part, follows from all z.
    """

    def __init__(self, learner: GaussianNB, X: Floats, labels: Labels, weights: Floats | None) -> None:
        super().__init__(X, labels)
        self.weights = weights
        self.smoothing = learner.var_smoothing
        self.priors = None if learner.priors is None else checked_priors(learner.priors, len(self.classes))
        if self.priors is not None and not np.isclose(self.priors.sum(), 1):
            raise Declined("has priors that do not sum up to 1")

    @classmethod
    def of(cls, learner: Any, X: Any, y: NDArray[np.generic], weights: Floats | None = None) -> Self:
        """The shortcut of `learner` on these rows. Raises Declined."""
        labels = checked_labels(learner, GaussianNB, X, y, weights, weighted=True)
        return cls(learner, X, labels, weights)

    def _basis(self, rows: Rows) -> MeansBasis:
        means = class_means(self.X[rows], self.code[rows], len(self.classes))
        return MeansBasis(means, means - means.mean(axis=0))

    def _terms(self, basis: MeansBasis, rows: Rows) -> Floats:
        p = self.X.shape[1]
        terms = np.empty((len(rows), (1 + 2 * p) * (1 if self.weights is None else 2)))
        terms[:, 0] = 1
        z = terms[:, 1 : 1 + p]
        np.subtract(self.X[rows], basis.means[self.code[rows]], out=z)
        np.multiply(z, z, out=terms[:, 1 + p : 1 + 2 * p])
        if self.weights is not None:
            np.multiply(terms[:, : 1 + 2 * p], self.weights[rows, None], out=terms[:, 1 + 2 * p :])
        return terms

    def _scores(self, basis: MeansBasis, sums: Floats, of: Floats, rows: Rows, method: PredictMethod) -> Scores:  # noqa: ARG002
        p = self.X.shape[1]
        n = sums[..., 0].sum(axis=1)[:, None]
        smoothing, lost_of_smoothing = self._smoothing(basis, sums[..., : 1 + 2 * p], of[..., : 1 + 2 * p])
        weighted = slice(0 if self.weights is None else 1 + 2 * p, None)
        sums, of = sums[..., weighted], of[..., weighted]
        weight = sums[..., 0]
        if (weight < _WEIGHS).any():
            raise Declined("is trained with rows of a class that weigh nothing")
        shift = sums[..., 1 : 1 + p] / weight[..., None]
        variance = sums[..., 1 + p :] / weight[..., None]
        variance -= shift * shift
        np.maximum(variance, 0, out=variance)
        variance += smoothing[:, None, :]
        scale = 1 / variance
        shift += basis.means
        offset = np.sqrt(np.einsum("ncp,ncp,ncp->nc", shift, shift, scale))
        away = self.X[rows, None, :] - shift
        scaled = away * scale
        far = np.einsum("ncp,ncp->nc", away, scaled)
        np.log(variance, out=variance)
        values = -0.5 * (far + np.einsum("ncp->nc", variance) + p * np.log(2 * np.pi))
        values += np.log(weight / np.einsum("nc->n", weight)[:, None] if self.priors is None else self.priors)
        squares, of_all = of[..., 1 + p :], lost_of_smoothing + of[..., 0] / weight
        lost = np.einsum("ncp,ncp->nc", scale, squares) / weight + p * of_all  # of the log determinant
        lost_of_far = np.einsum("ncp,ncp,ncp->nc", scaled, scaled, squares) / weight + far * of_all
        noise = 2 * UNIT * np.sqrt(n) * offset  # the error of a refit's means, in standard deviations
        rounding = rounding_of(far + p, lost_of_far + lost, n) + noise**2 * (far + p) + noise * np.sqrt(far)
        rounding += np.where(noise > _NOISE, np.inf, 0)
        return Scores(values, rounding, np.broadcast_to(~(lost <= LOST * p).all(axis=1), len(rows)))

    def _smoothing(self, basis: MeansBasis, sums: Floats, of: Floats) -> tuple[Floats, Floats]:
        """`epsilon_` of each hypothesis, shape (n, 1), and the ratio of the sums before the subtraction to it."""
        _, variance, size = self._about_the_mean(basis, sums, of)
        largest = _highest(variance)
        return self.smoothing * largest, _highest(size) / largest

    def _about_the_mean(self, basis: MeansBasis, sums: Floats, of: Floats) -> tuple[Floats, Floats, Floats]:
        """The mean of all rows less `basis.means.mean(axis=0)`, their variance, and its size before the subtraction.

        Each has shape (n, p); the size may have a first axis of 1.
        """
        p = self.X.shape[1]
        count = sums[..., 0]
        n = count.sum(axis=1)[:, None]
        total = np.einsum("ncd->nd", sums)
        mean = (total[:, 1 : 1 + p] + count @ basis.deviation) / n
        square = total[:, 1 + p :] + 2 * np.einsum("ncp,cp->np", sums[..., 1 : 1 + p], basis.deviation)
        square += count @ basis.deviation**2
        size = np.einsum("ncp->np", of[..., 1 + p :]) + of[..., 0] @ basis.deviation**2
        return mean, square / n - mean * mean, size / n


def _highest(values: Floats) -> Floats:
    """The highest value of each row, shape (n, 1); along columns this is faster."""
    highest: Floats = np.ascontiguousarray(values.T).max(axis=0)[:, None]
    return highest
