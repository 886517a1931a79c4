"""Support vector machines with the RBF kernel on many parts of the rows, from one matrix of distances: the same fits.

Source: C.-C. Chang, C.-J. Lin, LIBSVM: a library for support vector machines, ACM TIST 2 (2011), section 4: the solver
sees only the kernel of the rows, k(x, z) = exp(-gamma (x'x + z'z - 2 x'z)), which it keeps in single precision.

So a fit from the precomputed kernel equals the normal fit, step by step and to the last bit, if each value rounds
to the same single. One product of matrices gives all distances, which differ from libsvm's by at most a bound. A few
pairs in a million could round to another single within the bound: they are computed as in libsvm. `gamma="scale"`
differs between parts, so parts share the distances and not the kernel.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from heldout.learners import seeded
from heldout.rows.frames import take
from heldout.shortcuts import preconditions
from heldout.shortcuts.preconditions import Values
from heldout.shortcuts.shortcut import Declined
from heldout.splits.split import Rows

_MOST_ROWS = 4000  # their distances and two kernels take 0.4 GB in each worker
_TYPES = ("SVC", "NuSVC", "SVR", "NuSVR")
_LEAST_ROWS, _LEAST_WORK = 300, 8.0
_UNIT = 2.0**-53  # the largest relative rounding error of one operation
_TOO_FAR = 1e-11  # above this bound too many values would have to be computed one by one
_AT_ONCE = 32  # so many rows of the kernel stay in a core's cache


def known(learner: Any) -> bool:
    """Whether learners of exactly this type may be fitted from distances."""
    return type(learner).__name__ in _TYPES and type(learner).__module__.startswith("sklearn.svm.")


@dataclass(frozen=True, eq=False)
class Distances:
    """The squared distances between N rows, made at the first use; `table` has the rows in their original form."""

    table: Any
    rows: Values

    @classmethod
    def of(cls, table: Any) -> Self:
        """The distances in an array or a data frame of shape (N, p). Raises Declined unless float64, or if too long."""
        rows = preconditions.features(preconditions.in_memory(table))
        if len(rows) > _MOST_ROWS:
            raise Declined(f"was given more than {_MOST_ROWS} rows, whose distances take too much memory")
        return cls(table, np.ascontiguousarray(rows))

    def kernel(self, train: Rows, gamma: float) -> Values:
        """The kernel of the rows `train`, shape (m, m), with libsvm's singles; the next call overwrites the array."""
        error = self.error(gamma)
        if not error <= _TOO_FAR:
            raise Declined("is to be trained on distances that rounding moves too far")
        m = len(train)
        kernel = self._room[: m * m].reshape(m, m)
        for first in range(0, m, _AT_ONCE):
            last = first + _AT_ONCE
            some = self._values(train[first:last], train[first:], gamma)
            low, high = (_singles(some, 1 + way) for way in (-error, error))
            for place in np.flatnonzero(low != high):
                i, j = divmod(place, m - first)
                some[i, j] = self._exact(train[first + i], train[first + j], gamma)
            kernel[first:last, first:] = some
            kernel[first:, first:last] = some.T
        np.fill_diagonal(kernel, 1)
        return kernel

    def across(self, support: Rows, test_rows: Rows, gamma: float) -> Values:
        """The kernel between two sets of rows, with a relative difference from libsvm's of at most `error(gamma)`."""
        kernel = np.empty((len(support), len(test_rows)))
        for first in range(0, len(support), _AT_ONCE):
            kernel[first : first + _AT_ONCE] = self._values(support[first : first + _AT_ONCE], test_rows, gamma)
        return kernel

    def error(self, gamma: float) -> float:
        """A bound on the relative difference between two ways to compute the kernel in double precision."""
        p: int = self.rows.shape[1]
        return 16 * _UNIT + 8 * (p + 5) * _UNIT * self._largest * gamma

    @cached_property
    def _largest(self) -> float:
        return float(np.einsum("ij,ij->i", self.rows, self.rows).max())

    @cached_property
    def _between(self) -> Values:
        product = self.rows @ self.rows.T
        squares = product.diagonal()
        between: Values = np.add.outer(squares, squares)
        product *= 2
        between -= product
        return between

    def _values(self, rows: Rows, columns: Rows, gamma: float) -> Values:
        values: Values = self._between[rows].take(columns, axis=1, mode="clip")
        values *= -gamma
        return np.exp(values, out=values)

    @cached_property
    def _room(self) -> Values:
        return np.empty(len(self.rows) ** 2)

    def _exact(self, first: int, second: int, gamma: float) -> float:
        from scipy.linalg.blas import ddot  # libsvm calls it

        x, z = self.rows[first], self.rows[second]
        return math.exp(-gamma * (ddot(x, x) + ddot(z, z) - 2 * ddot(x, z)))


class SupportVectors:
    """The hypotheses of `SVC`, `NuSVC`, `SVR` or `NuSVR` with the RBF kernel on parts of N rows, and predictions."""

    def __init__(self, learner: Any, distances: Distances, y: NDArray[np.generic], weights: Values | None) -> None:
        self._learner, self._distances, self._y, self._weights = learner, distances, y, weights

    @classmethod
    def of(
        cls, learner: Any, distances: Distances, y: NDArray[np.generic], weights: NDArray[np.float64] | None = None
    ) -> Self:
        """Fits of an unfitted learner, with labels or outcomes y and weights of shape (N,). Raises Declined."""
        from sklearn import svm
        from sklearn.utils import assert_all_finite

        preconditions.exactly(learner, *(getattr(svm, name) for name in _TYPES))
        if learner.kernel != "rbf":
            raise Declined("has another kernel than rbf")
        if getattr(learner, "break_ties", False):
            raise Declined("breaks ties by decision values")
        unset = type(learner)().get_params().get("probability")  # its default depends on the version of scikit-learn
        if learner.get_params().get("probability") != unset:
            raise Declined("has probability set")
        if learner.verbose:
            raise Declined("has verbose set")
        with preconditions.decline_on_error():
            assert_all_finite(y)
        counted = preconditions.row_weights(weights, len(distances.rows))
        if counted is not None and not counted.min() > 0:
            raise Declined("was given weights of 0")
        return cls(learner, distances, y, counted)

    def fitted(self, train: Rows, state: int) -> Any:
        """The hypothesis of the learner, with `state` as its open `random_state`, on the rows `train`, to the bit.

        Raises Declined for a fit that fails or warns, and for rows where rounding could decide.
        """
        from sklearn import config_context
        from sklearn.utils.validation import validate_data

        distances = self._distances
        rows = distances.rows[train]
        further = {} if self._weights is None else {"sample_weight": self._weights[train]}
        gamma = self._gamma_of(rows)
        kernel = distances.kernel(train, gamma)
        hypothesis = seeded(self._learner, state).set_params(kernel="precomputed")
        with preconditions.decline_on_error(), config_context(assume_finite=True):
            hypothesis.fit(kernel, self._y[train], **further)
            validate_data(
                hypothesis, distances.table[:1], skip_check_array=True
            )  # sets the number and names of features
        hypothesis.set_params(kernel="rbf")
        hypothesis.support_vectors_ = rows[hypothesis.support_]
        hypothesis.shape_fit_ = rows.shape
        hypothesis._gamma = gamma  # which its predict reads
        return hypothesis

    def predictions(self, hypothesis: Any, train: Rows, test_rows: Rows) -> NDArray[Any]:
        """The predictions of `hypothesis`, trained on the rows `train`, at `test_rows`, shape (n,), to the bit.

        Classes follow from the distances; numbers, and rows where rounding could decide, need its `predict`.
        """
        if not hasattr(hypothesis, "classes_"):
            return self._predicted(hypothesis, test_rows)
        votes, doubtful = self._votes(hypothesis, train, test_rows)
        labels: NDArray[Any] = hypothesis.classes_[votes.argmax(axis=1)]
        if doubtful.any():
            labels[doubtful] = self._predicted(hypothesis, test_rows[doubtful])
        return labels

    def pays(self, hypothesis: Any) -> bool:
        """Whether fits like `hypothesis` are faster here than by `fit`: a limit found by trial, with a margin.

        Here a whole kernel is made; libsvm makes it for its support vectors, at a cost that grows with the features.
        """
        m, p = hypothesis.shape_fit_
        return bool(m >= _LEAST_ROWS and len(hypothesis.support_) / m * (p + 30) >= _LEAST_WORK)

    def _votes(self, hypothesis: Any, train: Rows, test_rows: Rows) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The votes of all pairs of classes, shape (n, C), and the rows where rounding could decide a vote, (n,)."""
        classes, coefficients = len(hypothesis.classes_), hypothesis.dual_coef_
        # with two classes scikit-learn reverses the sign
        toward_first = -1 if classes == 2 else 1
        gamma = hypothesis._gamma
        kernel = self._distances.across(train[hypothesis.support_], test_rows, gamma)
        error = 2 * self._distances.error(gamma) + 4 * (coefficients.shape[1] + 4) * _UNIT
        ends = np.cumsum(hypothesis.n_support_)
        of_class = [slice(end - size, end) for end, size in zip(ends, hypothesis.n_support_, strict=True)]
        votes, doubtful = np.zeros((len(test_rows), classes), dtype=np.int64), np.zeros(len(test_rows), dtype=np.bool_)
        for (i, j), intercept in zip(combinations(range(classes), 2), hypothesis.intercept_, strict=True):
            of_i, of_j = coefficients[j - 1, of_class[i]], coefficients[i, of_class[j]]
            decisions = of_i @ kernel[of_class[i]] + of_j @ kernel[of_class[j]] + intercept
            doubtful |= np.abs(decisions) <= error * (np.abs(of_i).sum() + np.abs(of_j).sum() + abs(intercept))
            won = toward_first * decisions > 0
            votes[:, i] += won
            votes[:, j] += ~won
        return votes, doubtful

    def _predicted(self, hypothesis: Any, test_rows: Rows) -> NDArray[Any]:
        predicted: NDArray[Any] = hypothesis.predict(take(self._distances.table, test_rows))
        return predicted

    def _gamma_of(self, rows: Values) -> float:
        """The number that scikit-learn computes from the training rows."""
        gamma: float | str = self._learner.gamma
        if not isinstance(gamma, str):
            return gamma
        p, variance = rows.shape[1], rows.var() if gamma == "scale" else 1.0
        return 1.0 / (p * variance) if variance != 0 else 1.0


def _singles(values: Values, factor: float) -> NDArray[np.float32]:
    """values * factor, rounded at the end, without a copy in double precision."""
    return np.multiply(values, factor, out=np.empty(values.shape, dtype=np.float32), casting="same_kind")
