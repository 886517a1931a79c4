"""Kernel machines by a shortcut equal the refit, or are declined."""

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import (
    RBF,
    CompoundKernel,
    DotProduct,
    Matern,
    PairwiseKernel,
    RationalQuadratic,
    WhiteKernel,
)
from sklearn.kernel_ridge import KernelRidge

from heldout.shortcuts.kernels import Kernels
from heldout.shortcuts.shortcut import Declined

NAMES = ["linear", "poly", "rbf", "laplacian", "cosine", "sigmoid", "chi2", "additive_chi2"]


def problem(rng, n_most=36):
    n, p = int(rng.integers(8, n_most)), int(rng.integers(1, 5))
    X = rng.normal(size=(n, p)) + rng.choice([0, 1])
    y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=n) + rng.choice([0, 10])
    return X, y, [None, rng.uniform(0.5, 2, size=n)][rng.integers(2)]


def awkward(rng):
    X, y, weights = problem(rng)
    X = X * 10.0 ** rng.integers(-3, 4) + 10.0 ** rng.integers(-3, 5)
    if rng.integers(3) == 0:
        X = np.round(X)
    return X, y, None if weights is None else weights ** rng.integers(1, 20)


def inner(a, b):
    return 1 + a @ b / (1 + np.abs(a - b).sum())


@pytest.mark.draws
def test_a_kernel_ridge_equals_its_refit_and_is_not_declined(seed, equals_refit):
    rng = np.random.default_rng(seed)
    X, y, weights = problem(rng)
    kernel = ["linear", "rbf", "laplacian", "poly", "cosine"][seed % 5]
    learner = KernelRidge(10.0 ** rng.integers(-1, 3), kernel=kernel, degree=2, gamma=rng.choice([None, 0.3]))
    assert 0 == equals_refit(learner, Kernels.of(learner, X, y, weights), X, y, rng, weights=weights)


@pytest.mark.draws
def test_a_process_equals_its_refit_and_is_not_declined(seed, equals_refit):
    rng = np.random.default_rng(seed)
    X, y, _ = problem(rng)
    kernel = [None, RBF(0.5), Matern(nu=1.5), RationalQuadratic() + WhiteKernel(0.1), 2 * RBF() + DotProduct()]
    learner = GaussianProcessRegressor(
        kernel[seed % 5], alpha=10.0 ** rng.integers(-2, 2), optimizer=None, normalize_y=bool(rng.integers(2))
    )
    assert 0 == equals_refit(learner, Kernels.of(learner, X, y), X, y, rng)


def learner_of(rng, kind):
    alpha = 10.0 ** rng.integers(-10, 1)
    if kind < len(NAMES):
        return KernelRidge(alpha, kernel=NAMES[kind], gamma=rng.choice([None, 0.01, 10]))
    kernel = [RBF(10.0 ** rng.integers(-2, 4)), Matern(), DotProduct() + WhiteKernel(), RBF() ** 2]
    return GaussianProcessRegressor(kernel[kind % 4], alpha=alpha, optimizer=None, normalize_y=bool(rng.integers(2)))


@pytest.mark.filterwarnings("ignore:Singular matrix", "ignore:Ill-conditioned")
@pytest.mark.draws(quick=12)
def test_a_kernel_machine_on_awkward_rows_equals_its_refit_or_is_declined(seed, equals_refit):
    rng = np.random.default_rng(seed)
    X, y, weights = awkward(rng)
    learner = learner_of(rng, seed % 12)
    try:
        shortcut = Kernels.of(learner, X, y, weights)
    except Declined:
        return
    equals_refit(learner, shortcut, X, y, rng, weights=weights)


def test_a_callable_kernel_equals_its_refit(equals_refit):
    rng = np.random.default_rng(0)
    X, y, _ = problem(rng, 16)
    learner = KernelRidge(1.0, kernel=inner)
    assert 0 == equals_refit(learner, Kernels.of(learner, X, y), X, y, rng)


def test_white_noise_is_that_of_a_row_to_itself_in_training_alone():
    rng = np.random.default_rng(1)
    X, y, _ = problem(rng)
    learner = GaussianProcessRegressor(RBF() + WhiteKernel(0.5), alpha=0.1, optimizer=None)
    everything = np.arange(len(y))
    wanted = learner.fit(X, y).predict(X)
    np.testing.assert_allclose(Kernels.of(learner, X, y).part(everything, everything), wanted, rtol=1e-9)


class OwnRidge(KernelRidge):
    """A subclass may do anything else."""


class Median(RBF):
    """A kernel that is another for other rows."""

    def __call__(self, X, Y=None, eval_gradient=False):
        return RBF(np.median(np.abs(X)))(X, Y)


def lopsided(a, b):
    return a @ b + 0.01 * a[0]


EACH = np.arange(20)
ROWS = np.random.default_rng(3).normal(size=(20, 3))
NUMBERS = ROWS @ [1.0, 2.0, 3.0]
HOLE = np.where(EACH == 7, np.nan, 1.0)


def process(kernel=None, **settings):
    return GaussianProcessRegressor(kernel, **{"alpha": 0.1, "optimizer": None, **settings})


@pytest.mark.parametrize(
    ("learner", "X", "y", "weights", "reason"),
    [
        (OwnRidge(), ROWS, NUMBERS, None, "itself"),
        (KernelRidge(-1), ROWS, NUMBERS, None, "InvalidParameterError"),
        (KernelRidge([1.0]), ROWS, NUMBERS, None, "more than one value of alpha"),
        (KernelRidge(kernel="precomputed"), ROWS[:, :1] @ ROWS[:, :1].T, NUMBERS, None, "precomputed"),
        (KernelRidge(kernel="chi2"), ROWS, NUMBERS, None, "ValueError"),
        (KernelRidge(kernel=lopsided), ROWS, NUMBERS, None, "no fixed, symmetric function"),
        (KernelRidge(kernel="sigmoid", coef0=-5), ROWS, NUMBERS, None, "LinAlgError"),
        (KernelRidge(1e-9), ROWS, NUMBERS, None, "nearly singular"),
        (KernelRidge(0.01, kernel="rbf"), ROWS + 1e3, NUMBERS, None, "rounding"),
        (KernelRidge(), ROWS.tolist(), NUMBERS, None, "2-D array of float64"),
        (KernelRidge(), ROWS * HOLE[:, None], NUMBERS, None, "missing"),
        (KernelRidge(), ROWS, HOLE, None, "missing"),
        (KernelRidge(), ROWS, NUMBERS[:, None], None, "1-D"),
        (KernelRidge(), ROWS, NUMBERS, HOLE, "weights"),
        (KernelRidge(), ROWS, NUMBERS, EACH * 1.0, "weights of 0"),
        (process(optimizer="fmin_l_bfgs_b"), ROWS, NUMBERS, None, "fits the parameters"),
        (process(alpha=np.ones(20)), ROWS, NUMBERS, None, "more than one value of alpha"),
        (process(n_targets=2), ROWS, NUMBERS, None, "more than one target"),
        (process(), ROWS, NUMBERS, np.ones(20), "no weights"),
        (process(RBF(100), alpha=1e-10), ROWS, NUMBERS, None, "nearly singular"),
        (process(Median()), ROWS, NUMBERS, None, "no fixed, symmetric function"),
        (process(PairwiseKernel(metric="rbf")), ROWS, NUMBERS, None, "pairwise"),
        (process(1 * PairwiseKernel()), ROWS, NUMBERS, None, "pairwise"),
        (process(CompoundKernel([RBF(1), RBF(2)])), ROWS, NUMBERS, None, "no number"),
    ],
)
def test_a_learner_or_data_without_a_shortcut_is_declined(learner, X, y, weights, reason):
    with pytest.raises(Declined, match=reason):
        Kernels.of(learner, X, y, weights)


@pytest.mark.parametrize(
    ("ask", "reason"),
    [
        (lambda shortcut: shortcut.folds(EACH, "predict_proba"), "no probabilities"),
        (lambda shortcut: shortcut.folds(EACH * 0), "on no row"),
        (lambda shortcut: shortcut.blocks(EACH, 3), "on no row"),
        (lambda shortcut: shortcut.part(EACH[:0], EACH), "on no row"),
        (lambda shortcut: shortcut.part(np.array([1, 1, 2]), EACH), "twice"),
    ],
)
def test_a_partition_without_a_shortcut_is_declined(ask, reason):
    with pytest.raises(Declined, match=reason):
        ask(Kernels.of(KernelRidge(), ROWS, NUMBERS))


def test_answers_much_smaller_than_the_outcomes_are_declined():
    shortcut = Kernels.of(process(RBF(0.05)), ROWS, NUMBERS)
    with pytest.raises(Declined, match="much smaller"):
        shortcut.folds(EACH)
