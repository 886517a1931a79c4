"""Kernel ridge regression and Gaussian processes of a fixed kernel, on all parts of the rows from one Gram matrix.

Source: S. Sundararajan, S. S. Keerthi, Predictive approaches for choosing hyperparameters in Gaussian processes,
Neural Computation 13 (2001), for leave-one-out; a fold takes a block in place of a row.

With K the kernel of all pairs of rows and M = K + alpha, rows T predict K_BT M_TT^-1 y_T at rows B. If B and T
together are all rows, and C is the inverse of M, then
    K_BT M_TT^-1 y_T = y_B - C_BB^-1 (C y)_B.
With M = L L' in the order of the steps, the leading blocks of L are the factors of the leading blocks of M: the
predictions at a block of steps are its rows of L, left of its columns, times L^-1 y. With weights w, sqrt(w) K
sqrt(w) replaces K, and sqrt(w) y replaces y. A Gaussian process that normalises y predicts
m + K_BT M_TT^-1 (y_T - m), m the mean of y_T; its deviation cancels.
"""

from collections.abc import Callable
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from heldout.shortcuts import preconditions
from heldout.shortcuts.preconditions import Values
from heldout.shortcuts.shortcut import Answers, Declined, PredictMethod, Shortcut
from heldout.splits.split import Rows

_CONDITION = 1e6  # largest condition number of M where the refit agrees to 1e-9 on all machines (precision 2e-16)
_CANCELLED = 1e6  # largest ratio of outcomes to predictions, times the condition: larger ratios cancel digits
_FIXED = 1e-8  # largest difference, relative to the largest value, between two calls of a kernel
_ROUNDED = 1e-10  # largest such difference times condition**0.75, which bounds its effect: by trial, a third at most


class Kernels(Shortcut):
    """`KernelRidge`, and `GaussianProcessRegressor` without an optimizer."""

    def __init__(
        self, M: Values, between: Callable[[Rows, Rows], Values], y: Values, root: Values, normalises: bool
    ) -> None:
        self._M, self._between, self._y, self._root, self._normalises = M, between, y, root, normalises
        self._factor, self._condition = _factor(M)
        # y less any mean is a combination of these columns
        self._Y = root[:, None] * (np.stack([y - y.mean(), np.ones(len(y))], axis=1) if normalises else y[:, None])

    @classmethod
    def of(cls, learner: Any, X: Any, y: Any, weights: NDArray[np.float64] | None = None) -> Self:
        """The shortcut of `learner` for rows X of shape (N, p), y and weights of shape (N,). Raises Declined."""
        from sklearn.gaussian_process import GaussianProcessRegressor
        from sklearn.kernel_ridge import KernelRidge

        preconditions.exactly(learner, KernelRidge, GaussianProcessRegressor)
        if not isinstance(learner.alpha, Real):
            raise Declined("has more than one value of alpha")
        rows = preconditions.features(X)
        n = len(rows)
        outcomes, counted = preconditions.numbers(y, n), preconditions.row_weights(weights, n)
        process = type(learner) is GaussianProcessRegressor
        kernel = _of_process(learner, counted) if process else _of_ridge(learner)
        if counted is not None and not counted.min() > 0:
            raise Declined("was given weights of 0")
        with preconditions.decline_on_error():
            M = np.array(kernel(rows, None), dtype=np.float64, order="C")
            again = np.asarray(kernel(rows[::2], rows[1::2]))
        if M.shape != (n, n) or again.shape != M[::2, 1::2].shape:
            raise Declined("has a kernel that gives no number for a pair of rows")
        difference = np.abs(M[::2, 1::2] - again).max(initial=0)
        if not difference <= _FIXED * np.abs(M).max():
            raise Declined("has a kernel that is no fixed, symmetric function of two rows")
        if not process and learner.kernel == "rbf":  # it computes distances as |x|^2 - 2 x y + |y|^2
            gamma = 1 / rows.shape[1] if learner.gamma is None else learner.gamma
            difference = max(difference, np.finfo(float).eps * gamma * (rows**2).sum(axis=1).max())
        root = np.ones(n) if counted is None else np.sqrt(counted)
        if counted is not None:
            M *= root[:, None] * root
        M.flat[:: n + 1] += float(learner.alpha)

        def between(test_rows: Rows, train: Rows) -> Values:
            return np.asarray(kernel(rows[test_rows], rows[train]), dtype=np.float64)

        made = cls(M, between, outcomes, root, process and learner.normalize_y)
        if difference * root.max() ** 2 * made._condition**0.75 > _ROUNDED * np.abs(M).max():
            raise Declined("has a kernel that rounding moves too far")
        return made

    def folds(self, fold: NDArray[np.int64], method: PredictMethod = "predict") -> Answers:
        """As Shortcut.folds."""
        _predicts(method)
        inverse = linalg.lapack.dpotri(self._factor, lower=1)[0]  # its lower triangle
        solved = linalg.cho_solve((self._factor, True), self._Y)
        pulled = np.zeros_like(solved)
        left_out = np.zeros_like(self._y)
        for rows in preconditions.rows_of_folds(fold):  # ascending in each fold
            b = rows.shape[1]
            left_out[rows] = ((self._y.sum() - self._y[rows].sum(axis=1)) / (len(fold) - b))[:, None]
            if b == 1:
                pulled[rows[:, 0]] = solved[rows[:, 0]] / inverse.diagonal()[rows]
            else:
                lower = np.tril(inverse[rows[:, :, None], rows[:, None, :]])
                pulled[rows] = np.linalg.solve(lower + np.tril(lower, -1).transpose(0, 2, 1), solved[rows])
        test_rows = fold >= 0
        answers = self._answers((self._Y - pulled)[test_rows] / self._root[test_rows, None], left_out[test_rows])
        if np.abs(self._y).max() * self._condition > _CANCELLED * np.abs(answers).max():
            raise Declined("predicts values much smaller than the terms that they are computed from")
        return answers

    def blocks(self, step: NDArray[np.int64], block: int, method: PredictMethod = "predict") -> Answers:
        """As Shortcut.blocks."""
        _predicts(method)
        tested, always = preconditions.rows_in_steps(step), np.flatnonzero(step < 0)
        order = np.concatenate([always, tested])
        lower = linalg.cholesky(self._M[np.ix_(order, order)], lower=True, overwrite_a=True)
        solved = linalg.solve_triangular(lower, self._Y[order], lower=True)
        starts = np.arange(len(always), len(order), block)
        values = np.concatenate([lower[first : first + block, :first] @ solved[:first] for first in starts])
        means = (np.cumsum(self._y[order])[starts - 1] / starts).repeat(block)[: len(tested)]
        return self._answers(values / self._root[tested, None], means)

    def part(self, train: Rows, test_rows: Rows, method: PredictMethod = "predict") -> Answers:
        """As Shortcut.part."""
        _predicts(method)
        if not len(train) or len(np.unique(train)) < len(train):
            raise Declined("is to be trained on no row, or on a row twice")
        factor, _ = _factor(self._M[np.ix_(train, train)])
        dual = linalg.cho_solve((factor, True), self._Y[train]) * self._root[train, None]
        return self._answers(self._between(test_rows, train) @ dual, np.full(len(test_rows), self._y[train].mean()))

    def _answers(self, values: Values, means: Values) -> Answers:
        """The predictions, shape (n,), from values for the columns of Y; `means`: of y in each training part."""
        if not self._normalises:
            return values[:, 0]
        answers: Answers = means + values[:, 0] - (means - self._y.mean()) * values[:, 1]
        return answers


def _of_ridge(learner: Any) -> Callable[[Values, Values | None], Values]:
    """The kernel of a `KernelRidge`."""
    if learner.kernel == "precomputed":
        raise Declined("was given a precomputed kernel")
    from sklearn.metrics.pairwise import pairwise_kernels

    if callable(learner.kernel):
        settings = learner.kernel_params or {}
    else:
        settings = {name: getattr(learner, name) for name in ("gamma", "degree", "coef0")}

    def kernel(first: Values, second: Values | None) -> Values:
        values: Values = pairwise_kernels(first, second, metric=learner.kernel, filter_params=True, **settings)
        return values

    return kernel


def _of_process(learner: Any, weights: Values | None) -> Callable[[Values, Values | None], Values]:
    """The kernel of a `GaussianProcessRegressor` that fits no parameter of the kernel."""
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, PairwiseKernel

    if weights is not None:
        raise Declined("takes no weights")
    if learner.optimizer is not None:
        raise Declined("fits the parameters of its kernel")
    if learner.n_targets not in (None, 1):
        raise Declined("has more than one target")
    kernel = ConstantKernel() * RBF() if learner.kernel is None else learner.kernel  # the default of its fit
    if not kernel.requires_vector_input:
        raise Declined("has a kernel that is not for rows of numbers")
    if isinstance(kernel, PairwiseKernel) or any(isinstance(v, PairwiseKernel) for v in kernel.get_params().values()):
        raise Declined("has a kernel of pairwise metrics, whose rounding is not known")
    return kernel  # type: ignore[no-any-return]


def _factor(M: Values) -> tuple[Values, float]:
    """The lower Cholesky factor of M and the condition number of M. Declined where the number is too large."""
    with preconditions.decline_on_error():
        factor = linalg.cholesky(M, lower=True)
    largest = least = np.random.default_rng(0).normal(size=len(M))
    for _ in range(10):  # power iterations, right to a factor of about 2
        largest, least = largest / np.linalg.norm(largest), least / np.linalg.norm(least)
        largest, least = M @ largest, linalg.cho_solve((factor, True), least)
    condition = float(np.linalg.norm(largest) * np.linalg.norm(least))
    if not condition <= _CONDITION:
        raise Declined("has a kernel matrix that is nearly singular")
    return factor, condition


def _predicts(method: PredictMethod) -> None:
    if method != "predict":
        raise Declined("has no probabilities")
