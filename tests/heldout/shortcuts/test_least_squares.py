"""Least squares by a shortcut equal the refit, or are declined."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import Lasso, LinearRegression, Ridge, RidgeClassifier, RidgeCV

from heldout.shortcuts.least_squares import LeastSquares
from heldout.shortcuts.shortcut import Declined


def problem(rng, classes=0):
    """Rows, outcomes and weights (or None) of a small problem that determines its coefficients well."""
    p = int(rng.integers(1, 5))
    n = int(rng.integers(4 * p + 8, 30)) + 6 * classes
    X = rng.normal(size=(n, p)) * rng.choice([0.1, 1, 30], size=p) + rng.choice([0, 1, 5], size=p)
    if classes:
        y = np.array(["a", "b", "c", "d"])[rng.permutation(np.arange(n) % classes)]
    else:
        y = X @ rng.normal(size=p) + rng.normal(size=n) + rng.choice([0, 100])
    weights = [None, rng.uniform(0.5, 2, size=n), rng.integers(0, 3, size=n) + 0.0][rng.integers(3)]
    return X, y, weights


def awkward(rng, kind):
    """Rows, outcomes and weights of a problem that may determine its coefficients badly."""
    n, p = int(rng.integers(4, 30)), int(rng.integers(1, 25))
    X = rng.normal(size=(n, p)) * 10.0 ** rng.integers(-4, 5, size=p) + 10.0 ** rng.integers(-3, 7)
    if kind == 0:
        X[:, -1] = X[:, 0]
    elif kind == 1:
        X[:, -1] = X[:, 0] * (1 + 10.0 ** rng.integers(-9, 0) * rng.normal(size=n))
    elif kind == 2:
        X = (X > X.mean(axis=0)) + 0.0
    elif kind == 3:
        X[:, 0] = np.arange(n) == rng.integers(n)
    weights = [None, 10.0 ** rng.integers(-6, 3, size=n), (rng.random(n) < 0.5) + 0.0][rng.integers(3)]
    return X, X[:, 0] + rng.normal(size=n) * 10.0 ** rng.integers(-3, 3), weights


def regressor(rng):
    intercept = bool(rng.integers(2))
    if rng.integers(3) == 0:
        return LinearRegression(fit_intercept=intercept)
    return Ridge(10.0 ** rng.integers(-3, 4), fit_intercept=intercept, solver=rng.choice(["auto", "svd", "cholesky"]))


@pytest.mark.draws
def test_a_regression_equals_its_refit_and_is_not_declined(seed, equals_refit):
    rng = np.random.default_rng(seed)
    X, y, weights = problem(rng)
    learner = regressor(rng)
    assert 0 == equals_refit(learner, LeastSquares.of(learner, X, y, weights), X, y, rng, weights=weights)


@pytest.mark.draws
def test_a_regression_on_awkward_rows_equals_its_refit_or_is_declined(seed, equals_refit):
    rng = np.random.default_rng(seed)
    X, y, weights = awkward(rng, seed % 5)
    learner = regressor(rng)
    try:
        shortcut = LeastSquares.of(learner, X, y, weights)
    except Declined:
        return
    equals_refit(learner, shortcut, X, y, rng, weights=weights)


@pytest.mark.draws
def test_a_ridge_classifier_equals_its_refit(seed, equals_refit):
    rng = np.random.default_rng(seed)
    X, y, weights = problem(rng, classes=int(rng.integers(2, 5)))
    learner = RidgeClassifier(10.0 ** rng.integers(-3, 4), fit_intercept=bool(rng.integers(2)))
    assert 0 == equals_refit(learner, LeastSquares.of(learner, X, y, weights), X, y, rng, weights=weights)


@pytest.mark.parametrize("labels", [[False, True], [3, 7], [1.0, 2.0, 5.0], ["lost", "won", "drawn"]])
@pytest.mark.parametrize("kind", [None, object])
def test_labels_of_each_kind_are_those_of_the_refit(labels, kind, equals_refit):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(40, 3))
    y = np.resize(np.array(labels, dtype=kind if isinstance(labels[0], str) else None), 40)
    learner = RidgeClassifier()
    shortcut = LeastSquares.of(learner, X, y)
    np.testing.assert_array_equal(shortcut.classes, learner.fit(X, y).classes_)
    assert 0 == equals_refit(learner, shortcut, X, y, rng)


def test_whole_outcomes_are_taken_as_numbers(equals_refit):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), rng.integers(0, 9, 30)
    assert 0 == equals_refit(Ridge(), LeastSquares.of(Ridge(), X, y), X, y, rng)


def test_leave_one_out_equals_that_of_ridge_cv():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 6))
    y = X @ rng.normal(size=6) + rng.normal(size=200)
    theirs = RidgeCV(alphas=[2.0], store_cv_results=True).fit(X, y).cv_results_[:, 0]
    ours = LeastSquares.of(Ridge(2.0), X, y).folds(np.arange(200))
    np.testing.assert_allclose((y - ours) ** 2, theirs, rtol=1e-9)


def test_a_row_twice_in_a_part_counts_twice():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(30, 3)), rng.normal(size=30)
    train = rng.integers(0, 30, 40)
    wanted = LinearRegression().fit(X[train], y[train]).predict(X)
    np.testing.assert_allclose(LeastSquares.of(LinearRegression(), X, y).part(train, np.arange(30)), wanted, rtol=1e-9)


class OwnRidge(Ridge):
    """A subclass may do anything else."""


EACH = np.arange(20)
ROWS = np.random.default_rng(3).normal(size=(20, 3))
NUMBERS = ROWS @ [1.0, 2.0, 3.0] + np.random.default_rng(4).normal(size=20)
CLASSES = np.resize(["a", "b"], 20)
HOLE = np.where(EACH == 7, np.nan, 1.0)


@pytest.mark.parametrize(
    ("learner", "X", "y", "weights", "reason"),
    [
        (OwnRidge(), ROWS, NUMBERS, None, "itself"),
        (Lasso(), ROWS, NUMBERS, None, "itself"),
        (Ridge(-1), ROWS, NUMBERS, None, "InvalidParameterError"),
        (Ridge([1.0]), ROWS, NUMBERS, None, "more than one penalty|may not be fitted"),
        (Ridge(np.nan), ROWS, NUMBERS, None, "InvalidParameterError"),
        (Ridge(positive=True), ROWS, NUMBERS, None, "positive"),
        (LinearRegression(positive=True), ROWS, NUMBERS, None, "positive"),
        (Ridge(solver="lsqr"), ROWS, NUMBERS, None, "solver 'lsqr'"),
        (Ridge(), ROWS.tolist(), NUMBERS, None, "2-D array of float64"),
        (Ridge(), ROWS.astype(np.float32), NUMBERS, None, "2-D array of float64"),
        (Ridge(), csr_array(ROWS), NUMBERS, None, "2-D array of float64"),
        (Ridge(), ROWS[:, 0], NUMBERS, None, "2-D array of float64"),
        (Ridge(), ROWS[:, :0], NUMBERS, None, "without values"),
        (Ridge(), ROWS * HOLE[:, None], NUMBERS, None, "missing"),
        (Ridge(), ROWS, NUMBERS[:, None], None, "outcomes that are no 1-D array"),
        (Ridge(), ROWS, NUMBERS.astype(np.float32), None, "outcomes that are no 1-D array"),
        (Ridge(), ROWS, CLASSES, None, "outcomes that are no 1-D array"),
        (Ridge(), ROWS * 1e51, NUMBERS, None, "huge"),
        (Ridge(), ROWS, HOLE, None, "outcomes"),
        (Ridge(), ROWS, np.where(EACH % 2, -np.inf, 1.0), None, "outcomes"),
        (Ridge(), ROWS, NUMBERS, HOLE, "weights"),
        (Ridge(), ROWS, NUMBERS, -np.ones(20), "weights"),
        (Ridge(), ROWS, NUMBERS, np.ones(19), "weights"),
        (Ridge(), ROWS, NUMBERS, np.zeros(20), "no weight"),
        (RidgeClassifier(), ROWS, NUMBERS, None, "no 1-D array of classes"),
        (RidgeClassifier(), ROWS, np.resize(["a"], 20), None, "single class"),
        (RidgeClassifier(), ROWS, np.array(["a", None] * 10), None, "may not be fitted"),
        (RidgeClassifier(class_weight="balanced"), ROWS, CLASSES, None, "weighs its classes"),
        (LinearRegression(), np.ones((20, 1)), NUMBERS, None, "depend on each other"),
        (LinearRegression(), ROWS[:3], NUMBERS[:3], None, "depend on each other"),
        (LinearRegression(), ROWS[:, [0, 0]], NUMBERS, None, "depend on each other"),
        (LinearRegression(), ROWS * [1, 1, 1e-6], NUMBERS, None, "depend on each other"),
        (Ridge(0.0), ROWS[:, [0, 0]], NUMBERS, None, "depend on each other"),
        (Ridge(1e-9), ROWS[:, [0, 0]], NUMBERS, None, "depend on each other"),
        (Ridge(solver="svd"), ROWS + 1e6, NUMBERS, None, "means far from 0"),
    ],
)
def test_a_learner_or_data_without_a_shortcut_is_declined(learner, X, y, weights, reason):
    with pytest.raises(Declined, match=reason):
        LeastSquares.of(learner, X, y, weights)


LONE = np.where(EACH == 4, "b", "a")
MANY = np.arange(44) % 12
STEPS = np.where(EACH < 4, -1, EACH - 4)


@pytest.mark.parametrize(
    ("ask", "reason"),
    [
        (lambda: of(RidgeClassifier(), y=CLASSES).folds(EACH, "predict_proba"), "no probabilities"),
        (lambda: of(RidgeClassifier(), y=LONE).folds(EACH), "without a class"),
        (lambda: of(RidgeClassifier(), y=LONE).blocks(STEPS, 1), "without a class"),
        (lambda: of(RidgeClassifier(), MANY[:, None] * 1.0, MANY).folds(np.arange(44) // 22), "hardly more rows"),
        (lambda: of(RidgeClassifier(), MANY[:, None] * 1.0, MANY).part(np.arange(22), EACH), "hardly more rows"),
        (lambda: of(RidgeClassifier(), y=LONE).part(EACH[5:], EACH), "without a class"),
        (lambda: of(Ridge()).folds(np.zeros(20, int)), "on no row"),
        (lambda: of(Ridge()).blocks(EACH, 3), "on no row"),
        (lambda: of(Ridge()).part(EACH[:0], EACH), "no weight"),
        (lambda: of(Ridge(), weights=(EACH < 10) + 0.0).folds(EACH // 10), "on no row"),
        (lambda: of(Ridge(), weights=(EACH < 10) + 0.0).part(EACH[10:], EACH), "no weight"),
        (lambda: of(Ridge(), weights=(EACH > 3) + 0.0).blocks(STEPS, 2), "no weight"),
        (lambda: of(LinearRegression(), (EACH[:, None] == 4) + 0.0).folds(EACH), "hardly determines"),
        (lambda: of(LinearRegression(), (EACH[:, None] == 4) + 0.0).folds(EACH // 2), "hardly determines"),
        (lambda: of(LinearRegression(), (EACH[:, None] == 4) + 0.0).folds(EACH % 2), "hardly determines"),
        (lambda: of(LinearRegression()).blocks(np.maximum(EACH - 3, -1), 1), "hardly determines"),
        (lambda: of(LinearRegression()).part(EACH[:3], EACH), "hardly determines"),
        (
            lambda: of(RidgeClassifier(), np.tile([[1.0], [1.0], [-1.0], [-1.0]], (5, 1)), CLASSES).part(EACH, EACH),
            "score",
        ),
        (
            lambda: of(Ridge(1e-5, fit_intercept=False), (EACH[:, None] == 4) + 0.0, weights=None).folds(EACH),
            "much smaller",
        ),
    ],
)
def test_a_partition_without_a_shortcut_is_declined(ask, reason):
    with pytest.raises(Declined, match=reason):
        ask()


def test_a_row_of_no_weight_far_outside_of_the_others_is_declined():
    X = np.c_[ROWS, 1e9 * (EACH == 4)]
    with pytest.raises(Declined, match="test rows far outside"):
        of(Ridge(), X, weights=(EACH != 4) + 0.0).folds(EACH)


def of(learner, X=ROWS, y=NUMBERS, weights=None):
    return LeastSquares.of(learner, X, y, weights)


def test_a_ridge_is_not_declined_where_a_training_part_has_a_constant_feature(equals_refit):
    X, rng = np.c_[ROWS, EACH == 4], np.random.default_rng(0)
    assert 0 == equals_refit(Ridge(), of(Ridge(), X), X, NUMBERS, rng)
