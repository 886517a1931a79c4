"""Linear and quadratic discriminant analysis: hypotheses from the mean and the scatter of each class."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

from heldout.installed import sklearn_since
from heldout.shortcuts.class_scatter import ClassScatter, ScatterBasis
from heldout.shortcuts.class_sums import UNIT, Floats, checked_labels
from heldout.shortcuts.preconditions import Labels
from heldout.shortcuts.shortcut import Declined

_ABOVE = 1.02  # factor for a value that is surely above a limit of scikit-learn
# whether the solver "svd" divides a scatter by its n rows; before scikit-learn 1.9.1 by n less the number of its means
_BY_ALL_ROWS = sklearn_since(1, 9, 1)
_RANGE = 1e-3 / UNIT  # the largest ratio of eigenvalues where the least is surely no rounded 0


class LinearDiscriminant(ClassScatter):
    """Exact for LinearDiscriminantAnalysis without shrinkage: all solvers, with priors or not.

    The solver "svd" drops directions within and between classes below `tol`; where this may happen, this declines.
    """

    def __init__(self, learner: LinearDiscriminantAnalysis, X: Floats, labels: Labels) -> None:
        super().__init__(X, labels, learner.priors)
        if self.priors is not None and abs(self.priors.sum() - 1) > 1e-5:
            raise Declined("has priors that do not sum up to 1")
        self.solver = learner.solver
        self.by_svd = learner.solver == "svd"
        self.least = 1 if self.by_svd else 2  # the other solvers warn about a covariance of one row
        self.tol = _ABOVE * learner.tol
        self.between = min(len(self.classes) - 1, X.shape[1])
        if learner.n_components is not None and learner.n_components > self.between:
            raise Declined("has more n_components than there are")

    @classmethod
    def of(cls, learner: Any, X: Any, y: NDArray[np.generic], weights: Floats | None = None) -> Self:
        """The shortcut of `learner` on these rows. Raises Declined."""
        labels = checked_labels(learner, LinearDiscriminantAnalysis, X, y, weights, weighted=False)
        if learner.shrinkage is not None or learner.covariance_estimator is not None:
            raise Declined("has a covariance that is shrunk or estimated otherwise")
        return cls(learner, X, labels)

    def _factors(self, count: Floats) -> Floats:
        if self.by_svd or self.priors is None:
            n, less = count.sum(axis=1), count.shape[1] if self.by_svd and not _BY_ALL_ROWS else 0
            return np.broadcast_to(1 / np.maximum(n - less, 1)[:, None, None], (len(count), 1, count.shape[1]))
        factors: Floats = (self.priors / count)[:, None, :]
        return factors

    def _surely(self, basis: ScatterBasis, norm: Floats, norm_inverse: Floats) -> NDArray[np.bool_]:
        condition = (norm * norm_inverse)[:, 0]
        sure: NDArray[np.bool_] = np.isfinite(condition)
        if self.by_svd:
            sure &= basis.singular**2 > self.tol**2 * condition
        if self.solver == "lsqr":  # it drops eigenvalues below the unit of rounding times the largest
            sure &= condition < _RANGE / basis.condition[0]
        return sure

    def _refits(self, basis: ScatterBasis, far: Floats) -> Floats:
        if self.by_svd:
            return np.zeros_like(far)
        squares = (np.einsum("cp,cpq->cq", basis.means, basis.to) ** 2).sum(axis=1)
        size = far + squares  # a refit multiplies with means about 0, not about each other
        condition = 1 / basis.singular**2 + (np.sqrt(basis.condition) if self.solver == "lsqr" else 0)
        rounding: Floats = 4 * UNIT * condition * size
        return rounding

    def _spread(
        self, basis: ScatterBasis, count: Floats, shift: Floats, inverse: Floats, moved: Floats, left: Floats
    ) -> NDArray[np.bool_]:
        if not self.by_svd or self.between == 1:
            return super()._spread(basis, count, shift, inverse, moved, left)
        between = self._between_means(basis, count, shift)
        squares = np.linalg.eigvalsh(between @ inverse[:, 0] @ between.transpose(0, 2, 1))
        least, largest = (np.sqrt(np.maximum(squares[:, -rank], 0)) for rank in (self.between, 1))
        # singular values move by at most the norm of the change (Weyl), then grow by a factor of 1 to 1 / sqrt(left)
        spread: NDArray[np.bool_] = (least - moved) * np.sqrt(left) > self.tol * (largest + moved)
        return spread

    def _between_means(self, basis: ScatterBasis, count: Floats, shift: Floats) -> Floats:
        """The means about their mean, times the roots of the chances, shape (n, C, p)."""
        chances = self._chances(count)
        places = (basis.means - basis.means[0]) @ basis.to[0] + shift
        between: Floats = np.sqrt(chances)[..., None] * (places - np.einsum("nc,ncp->np", chances, places)[:, None])
        return between


class QuadraticDiscriminant(ClassScatter):
    """Exact for QuadraticDiscriminantAnalysis without shrinkage: both solvers, with priors and reg_param or not."""

    least = 2

    def __init__(self, learner: QuadraticDiscriminantAnalysis, X: Floats, labels: Labels) -> None:
        super().__init__(X, labels, learner.priors)
        self.by_svd = getattr(learner, "solver", "svd") == "svd"  # the only one before scikit-learn 1.8
        self.tol = _ABOVE * learner.tol
        if self.by_svd:
            self.ridge = float(learner.reg_param)
            self.least = max(2, X.shape[1])

    @classmethod
    def of(cls, learner: Any, X: Any, y: NDArray[np.generic], weights: Floats | None = None) -> Self:
        """The shortcut of `learner` on these rows. Raises Declined."""
        labels = checked_labels(learner, QuadraticDiscriminantAnalysis, X, y, weights, weighted=False)
        if any(getattr(learner, name, None) is not None for name in ("shrinkage", "covariance_estimator")):
            raise Declined("has a covariance that is shrunk or estimated otherwise")
        return cls(learner, X, labels)

    def _factors(self, count: Floats) -> Floats:
        rows = count if _BY_ALL_ROWS or not self.by_svd else np.maximum(count - 1, 1)
        factors: Floats = np.eye(count.shape[1]) * ((1 - self.ridge) / rows)[:, None, :]
        return factors

    def _surely(self, basis: ScatterBasis, norm: Floats, norm_inverse: Floats) -> NDArray[np.bool_]:  # noqa: ARG002
        sure: NDArray[np.bool_] = (basis.least > self.tol * norm_inverse).all(axis=1)
        return sure

    def _refits(self, basis: ScatterBasis, far: Floats) -> Floats:
        condition = np.sqrt(basis.condition) if self.by_svd else 4 * basis.condition
        rounding: Floats = UNIT * condition * (far + self.X.shape[1])
        return rounding
