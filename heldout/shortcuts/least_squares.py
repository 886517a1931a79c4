"""Linear and ridge regression, and the ridge classifier, on all parts of the rows from one factorisation.

Sources: D. M. Allen, The relationship between variable selection and data augmentation, Technometrics 16 (1974),
for leave-one-out (PRESS); T. Kailath, An innovations approach to least-squares estimation, IEEE Trans. Automatic
Control 13 (1968), for steps; Y. Yamamoto et al., Roundoff error analysis of the CholeskyQR2 algorithm, ETNA 44 (2015).

With rows z_i (a constant for the intercept, then the features less their means), weights w_i and penalty P, a part T
has the coefficients A_T^-1 b_T with A_T = P + sum w_i z_i z_i' and b_T = sum w_i z_i y_i, i in T. Rows are kept in
coordinates in which the matrix of all rows is the identity. With the coefficients c of all rows and their residuals e,
    c_T = c - A_T^-1 sum w_i z_i e_i, i not in T,
and for a single row i left out z_i' c_T = z_i' c - h e_i / (1 - h), h = w_i z_i' z_i. Along steps the innovations
come from Cholesky factors of I + Z A^-1 Z' over some steps at a time. No n x n matrix is made: the cost is N p^2.
"""

from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from heldout.shortcuts import preconditions
from heldout.shortcuts.preconditions import Labels, Values
from heldout.shortcuts.shortcut import Answers, Declined, PredictMethod, Shortcut
from heldout.splits.split import Rows

_LEAST = 1e-6  # least eigenvalue of a part's matrix for predictions to 1e-9: the machine's precision is 2e-16
_NORMAL = 1e6  # largest condition number of X'X where a refit that forms X'X agrees to 1e-9 on all machines
_ORTHOGONAL = 1e9  # the same limit where a refit uses an SVD
_FAR = 1e10  # largest square of mean / deviation where the intercept keeps its digits
_OUTSIDE = 3e5  # over the root of the condition: largest ratio of row length times coefficients to predictions
_CANCELLED = 1e5  # largest ratio of (a term / its eigenvalue) to predictions: larger ratios cancel digits
_WARNS = 1e14  # the condition number near which the refit may warn
_ROUNDED = 1e4  # from this condition number on, a second pass removes the rounding error of the first
_TIE = 1e-9  # scores so near, relative to the largest, may have the other order in the refit
_STEPS = 64  # least number of steps at a time


class LeastSquares(Shortcut):
    """`LinearRegression`, `Ridge` by a Cholesky factor or an SVD, and `predict` of such a `RidgeClassifier`."""

    def __init__(self, coordinates: "_Coordinates", Y: Values, weights: Values, labels: Labels | None) -> None:
        self._at, self._Y, self._weights, self._labels = coordinates, Y, weights, labels
        self.classes = None if labels is None else labels.classes

    @classmethod
    def of(cls, learner: Any, X: Any, y: Any, weights: NDArray[np.float64] | None = None) -> Self:
        """The shortcut of `learner` for rows X of shape (N, p), y and weights of shape (N,). Raises Declined."""
        rows, Y, counted, labels = checked(learner, X, y, weights)
        return cls(_coordinates(learner, rows, counted), Y, np.ones(len(rows)) if counted is None else counted, labels)

    def folds(self, fold: NDArray[np.int64], method: PredictMethod = "predict") -> Answers:
        """As Shortcut.folds."""
        only_predicts(method)
        groups = preconditions.rows_of_folds(fold)
        if not self._weights.all():  # rows of positive weight must not all be in one fold
            preconditions.rows_of_folds(fold[self._weights > 0])
        if self._labels is not None:
            self._labels.in_each_fold(fold)
        Z = self._at.Z
        c = Z.T @ (self._weights[:, None] * self._Y)
        scores = Z @ c
        residuals = self._Y - scores
        lost, largest = 0.0, float(np.abs(self._Y).max())
        for rows in groups:
            pull, least = self._pull(rows, residuals)
            lost = max(lost, float((np.maximum(np.abs(pull).max(axis=(1, 2)), largest) / least).max()))
            scores[rows] -= pull
        if lost > _CANCELLED * np.abs(scores).max():
            raise Declined("predicts values much smaller than the terms that they are computed from")
        return self._answers(scores[fold >= 0], c)

    def _pull(self, rows: NDArray[np.intp], residuals: Values) -> tuple[Values, Values]:
        """The effect of each fold's rows, shape (m, b), on predictions at the same rows, shape (m, b, targets).

        And the least eigenvalue of each fold's training part, shape (m,).
        """
        b = rows.shape[1]
        n, q = self._at.Z.shape
        Z, w, e = self._at.Z[rows], self._weights[rows], residuals[rows]
        if b == 1:
            h = np.einsum("mbq,mbq->mb", Z, Z)
            least = 1 - (w * h)[:, 0]
            self._at.rely(least, n - b)
            return (h * w / least[:, None])[..., None] * e, least
        turned = Z.transpose(0, 2, 1)
        if b < q:  # of two equivalent matrices the smaller
            root = np.sqrt(w)[..., None]
            leverage = Z @ turned
            matrix = np.eye(b) - leverage * root * root.transpose(0, 2, 1)
            least = self._at.rely(np.linalg.eigvalsh(matrix)[:, 0], n - b)
            return leverage @ (root * np.linalg.solve(matrix, root * e)), least
        weighted = turned * w[:, None, :]
        matrix = np.eye(q) - weighted @ Z
        least = self._at.rely(np.linalg.eigvalsh(matrix)[:, 0], n - b)
        return Z @ np.linalg.solve(matrix, weighted @ e), least

    def blocks(self, step: NDArray[np.int64], block: int, method: PredictMethod = "predict") -> Answers:
        """As Shortcut.blocks."""
        only_predicts(method)
        order, always = preconditions.rows_in_steps(step), np.flatnonzero(step < 0)
        if self._labels is not None:
            self._labels.in_part(always)
        matrix, moment = self._normal(always)
        self._at.rely(np.linalg.eigvalsh(matrix), len(always))  # later parts contain these rows too
        scores = np.empty((len(order), self._Y.shape[1]))
        at_once = max(1, max(_STEPS, len(matrix)) // block) * block
        for first in range(0, len(order), at_once):
            rows = order[first : first + at_once]
            factor = linalg.cho_factor(matrix)
            Z, Y, root = self._at.Z[rows], self._Y[rows], np.sqrt(self._weights[rows])[:, None]
            c = linalg.cho_solve(factor, moment)
            scores[first : first + at_once] = Z @ c
            if at_once > block:
                number = np.arange(len(rows)) // block
                covariance = Z @ linalg.cho_solve(factor, Z.T)
                lower = linalg.cholesky(np.eye(len(rows)) + root * covariance * root.T, lower=True)
                innovations = linalg.solve_triangular(lower, root * (Y - scores[first : first + at_once]), lower=True)
                gain = linalg.solve_triangular(lower, root * covariance, lower=True).T
                scores[first : first + at_once] += (gain * (number[:, None] > number)) @ innovations
            added, further = self._sums(rows)
            matrix, moment = matrix + added, moment + further
        return self._answers(scores, c)

    def part(self, train: Rows, test_rows: Rows, method: PredictMethod = "predict") -> Answers:
        """As Shortcut.part."""
        only_predicts(method)
        if self._labels is not None:
            self._labels.in_part(train)
        matrix, moment = self._normal(train)
        values = np.linalg.eigvalsh(matrix)
        self._at.rely(values / max(1.0, values[-1]), len(train))  # `train` may have a row twice
        c: Values = np.linalg.solve(matrix, moment).astype(np.float64, copy=False)
        return self._answers(self._at.Z[test_rows] @ c, c)

    def _normal(self, rows: Rows) -> tuple[Values, Values]:
        """The matrix and the moments of a part of the rows, shapes (q, q) and (q, targets)."""
        if not self._weights[rows].any():
            raise Declined("is to be trained on rows of no weight")
        matrix, moment = self._sums(rows)
        return matrix + self._at.penalty, moment

    def _sums(self, rows: Rows) -> tuple[Values, Values]:
        Z, w = self._at.Z[rows], self._weights[rows, None]
        return (Z * w).T @ Z, Z.T @ (w * self._Y[rows])

    def _answers(self, scores: Values, c: Values) -> Answers:
        """The predictions, shape (n,), from scores, shape (n, targets), by coefficients of the size of c."""
        largest = np.abs(scores).max(initial=0)
        if self._at.farthest * np.linalg.norm(c, axis=0).max() > _OUTSIDE / np.sqrt(self._at.condition) * largest:
            raise Declined("has test rows far outside of its training rows")
        return answers_of(scores, self._labels)


@dataclass(frozen=True, eq=False)
class _Coordinates:
    """N rows Z, shape (N, q), in coordinates in which penalty + sum w z z' is the identity.

    `least` are the smallest eigenvalues for which a part is used: for parts of at least p rows, and of fewer.
    """

    Z: Values
    penalty: Values
    n_features: int
    condition: float
    least: tuple[float, float]

    @cached_property
    def farthest(self) -> float:
        """The largest length of a row."""
        return float(np.sqrt(np.einsum("nq,nq->n", self.Z, self.Z).max()))

    def rely(self, eigenvalues: NDArray[Any], n_train: int) -> Values:
        """The `eigenvalues` of matrices of `n_train` rows, if each is large enough. Raises Declined."""
        if not eigenvalues.min() >= self.least[n_train < self.n_features]:
            raise Declined("is to be trained on a part that hardly determines it")
        return eigenvalues


def _coordinates(learner: Any, X: Values, weights: Values | None) -> _Coordinates:
    """The rows of X, shape (N, p), in coordinates for the penalty of `learner`. Raises Declined."""
    (n, p), alpha = X.shape, penalty_of(learner)
    total = float(n if weights is None else weights.sum())
    offset = np.zeros(p)
    if learner.fit_intercept:
        if not total > 0:
            raise Declined("is to be trained on rows of no weight")
        offset = (X.sum(axis=0) if weights is None else weights @ X) / total
        X = X - offset
    if p > n:
        X = linalg.qr(X.T, mode="economic")[1].T  # a rotation of the features to n features
    rooted = X if weights is None else X * np.sqrt(weights)[:, None]
    matrix = rooted.T @ rooted
    matrix.flat[:: len(matrix) + 1] += alpha
    # where the refit forms X'X, not XX', its Cholesky factor is as exact as with the best unit of each feature
    unit = np.sqrt(matrix.diagonal()) if p <= n else np.ones(n)
    if not unit.min() > 0:
        raise Declined("has features that depend on each other")
    scaled = matrix / unit / unit[:, None]
    extremes, of_scaled = np.linalg.eigvalsh(matrix)[[0, -1]], np.linalg.eigvalsh(scaled)[[0, -1]]
    if not min(extremes[0], of_scaled[0]) > 0:
        raise Declined("has features that depend on each other")
    condition, scaled_condition = extremes[1] / extremes[0], of_scaled[1] / of_scaled[0]
    far = total * ((offset / (unit if p <= n else 1.0)) ** 2).sum() / of_scaled[0]  # digits lost to means far from 0
    least = _least(learner, condition, scaled_condition, far)
    if min(least) >= 1:
        raise Declined("has features that nearly depend on each other, or means far from 0")
    turn = _inverse_factor(scaled) / unit[:, None]
    Z = X @ turn
    if scaled_condition > _ROUNDED:
        rooted = Z if weights is None else Z * np.sqrt(weights)[:, None]
        again = _inverse_factor(rooted.T @ rooted + alpha * turn.T @ turn)
        Z, turn = Z @ again, turn @ again
    first = int(learner.fit_intercept)  # the constant has no penalty
    penalty = np.zeros((turn.shape[1] + first,) * 2)
    penalty[first:, first:] = alpha * turn.T @ turn
    if first:
        Z = np.hstack([np.full((n, 1), 1 / np.sqrt(total)), Z])
    by_svd = getattr(learner, "solver", "svd") == "svd"
    return _Coordinates(Z, penalty, p, condition if by_svd else scaled_condition, least)


def _inverse_factor(matrix: Values) -> Values:
    """The upper triangular U with U' matrix U = 1. Declined for a matrix without U."""
    with preconditions.decline_on_error():
        lower = linalg.cholesky(matrix, lower=True)
        inverse: Values = linalg.solve_triangular(lower, np.eye(len(matrix)), lower=True).T
    return inverse


def penalty_of(learner: Any) -> float:
    """The penalty; 0 for LinearRegression. Declined unless it is one number and the solver a direct one."""
    if not hasattr(learner, "alpha"):
        return 0.0
    if learner.solver not in ("auto", "svd", "cholesky"):
        raise Declined(f"has the solver {learner.solver!r}, which stops at a tolerance")
    if not isinstance(learner.alpha, Real):
        raise Declined("has more than one penalty")
    return float(learner.alpha)


def tolerance_of(learner: Any) -> float:
    """The share of the largest singular value below which LinearRegression surely drops none; 0 for the others.

    Before scikit-learn 1.7 it has no `tol` and drops less than by its default.
    """
    return 0.0 if hasattr(learner, "alpha") else 10 * float(getattr(learner, "tol", 1e-6))


def _least(learner: Any, condition: float, scaled_condition: float, far: float) -> tuple[float, float]:
    """The smallest eigenvalues for which a part is used, for parts of at least p rows, and of fewer.

    An eigenvalue of at least l makes the part's condition number at most 1 / l times the number of all rows.
    """
    always = max(_LEAST, far / _FAR)
    if not hasattr(learner, "solver"):  # LinearRegression drops singular values below its tolerance
        return (max(always, condition / _ORTHOGONAL, condition * tolerance_of(learner) ** 2),) * 2
    if learner.solver == "svd":
        return (max(always, condition / _ORTHOGONAL),) * 2
    return max(always, scaled_condition / _NORMAL, condition / _WARNS), max(always, condition / _NORMAL)


def checked(
    learner: Any, X: Any, y: Any, weights: NDArray[np.float64] | None
) -> tuple[Values, Values, Values | None, Labels | None]:
    """The checked rows, targets, shape (N, targets), weights and labels. Raises Declined."""
    from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier

    preconditions.exactly(learner, LinearRegression, Ridge, RidgeClassifier)
    if learner.positive:
        raise Declined("keeps its coefficients positive")
    rows = preconditions.features(X)
    n = len(rows)
    counted = preconditions.row_weights(weights, n)
    if type(learner) is not RidgeClassifier:
        return rows, preconditions.numbers(y, n)[:, None], counted, None
    if learner.class_weight is not None:
        raise Declined("weighs its classes")
    labels = Labels.of(y, n)
    return rows, _signs(labels), counted, labels


def answers_of(scores: Values, labels: Labels | None) -> Answers:
    """The numbers or labels, shape (n,), from scores of shape (n, targets). Raises Declined for a tie."""
    if labels is None:
        return scores[:, 0]
    if scores.shape[1] == 1:
        margin, place = np.abs(scores[:, 0]), (scores[:, 0] > 0).astype(np.intp)
    else:
        top = np.partition(scores, -2, axis=1)[:, -2:]
        margin, place = top[:, 1] - top[:, 0], scores.argmax(axis=1)
    if (margin <= _TIE * np.abs(scores).max(initial=0)).any():
        raise Declined("gives two classes the same score")
    return labels.classes[place]


def _signs(labels: Labels) -> Values:
    """1 for the class of a row and -1 for other classes, shape (N, C); of two classes the second alone."""
    wanted = np.arange(1 if len(labels.classes) == 2 else 0, len(labels.classes))
    return np.where(labels.codes[:, None] == wanted, 1.0, -1.0)


def only_predicts(method: PredictMethod) -> None:
    """Declined where probabilities are requested."""
    if method != "predict":
        raise Declined("has no probabilities")
