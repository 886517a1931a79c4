"""What the studies of the lecture compute exactly, next to the same by hand."""

from fractions import Fraction

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, Ridge

from studies.digit_features import terms
from studies.exact_problems import FLIPPED, PROBLEMS
from studies.noisy_polynomials import SETTINGS, Polynomial
from studies.shrunken import Classes, Directions
from studies.three_points import CHANCE, E_cv, X

POINTS = [("11/10", "9/10", "13/10"), ("0", "1", "0"), ("1", "2", "3"), ("-1/2", "1/3", "5/7")]


@pytest.mark.parametrize("points", POINTS)
def test_leave_one_out_on_three_points_equals_fractions_by_hand(points):
    a, b, c = map(Fraction, points)
    constant = ((a - (b + c) / 2) ** 2 + (b - (a + c) / 2) ** 2 + (c - (a + b) / 2) ** 2) / 3
    line = ((a - (2 * b - c)) ** 2 + (b - (a + c) / 2) ** 2 + (c - (2 * b - a)) ** 2) / 3
    found = E_cv(np.array([float(a), float(b), float(c)]))
    assert found == pytest.approx({"constant": float(constant), "line": float(line)})


def test_the_constant_wins_where_b_squared_is_below_five_q_squared():
    rng = np.random.default_rng(0)
    b, q = rng.normal(size=(2, 200_000))
    assert abs((b**2 < 5 * q**2).mean() - CHANCE) < 4 * (CHANCE * (1 - CHANCE) / 200_000) ** 0.5
    slope, bend = X / np.sqrt(2), np.array([1, -2, 1]) / np.sqrt(6)
    for one_b, one_q in zip(b[:20], q[:20], strict=True):
        found = E_cv(1 + one_b * slope + one_q * bend)
        assert found == pytest.approx({"constant": 0.75 * (one_b**2 + one_q**2), "line": 4.5 * one_q**2})


@pytest.mark.parametrize("number", [1, 2, 4, 7, 12, 20])
def test_the_first_terms_span_the_first_products_of_powers(number):
    rng = np.random.default_rng(1)
    x, y = rng.uniform(-1, 1, (80, 2)), rng.normal(size=80)
    of = [(order - second, second) for order in range(1, 6) for second in range(order + 1)]
    powers = np.column_stack([x[:, 0] ** first * x[:, 1] ** second for first, second in of])
    found = [LinearRegression().fit(Z[:, :number], y).predict(Z[:, :number]) for Z in (terms(x, 5), powers)]
    assert found[0] == pytest.approx(found[1], abs=1e-8)


def test_penalties_are_those_of_ridge_regression_and_epochs_those_of_gradient_descent():
    rng = np.random.default_rng(2)
    classes = Classes(np.full(4, 0.5), np.geomspace(2, 0.5, 4))
    X, y = classes.draw(rng, 30)
    directions = Directions.of(X, y)
    penalized = directions.penalized(np.array([0.1, 10.0]))
    for column, penalty in zip(penalized.T, (0.1, 10.0), strict=True):
        assert column == pytest.approx(Ridge(alpha=penalty, fit_intercept=False).fit(X, y).coef_)
    weights = np.zeros(4)
    for _ in range(7):
        weights += X.T @ (y - X @ weights) / directions.squares.max()
    assert directions.stopped(np.array([7.0]))[:, 0] == pytest.approx(weights)


def test_the_errors_of_shrunken_classifiers_are_exact():
    rng = np.random.default_rng(3)
    classes = Classes(np.array([0.5, 0.1]), np.array([1.0, 2.0]))
    weights = np.array([[1.0, 1.0], [0.5, -1.0]])
    X, y = classes.draw(rng, 100_000)
    wrong = (np.sign(X @ weights) != y[:, None]).mean(axis=0)
    assert wrong == pytest.approx(classes.E_out(weights), abs=4 * 0.5 / 100_000**0.5)


@pytest.mark.parametrize("name", ["least-squares-100", "discriminant-100", "tree-100"])
def test_exact_errors_equal_those_on_many_new_rows(name):
    rng = np.random.default_rng(4)
    problem = PROBLEMS[name]
    hypothesis = problem.learner.fit(*problem.draw(rng, 100))
    X, y = problem.draw(rng, 50_000)
    losses = problem.loss.pointwise(y, hypothesis.predict(X))
    assert problem.E_out(hypothesis) == pytest.approx(losses.mean(), abs=4 * losses.std() / 50_000**0.5)


def test_the_best_answers_to_switches_err_where_the_class_is_flipped():
    class Majority:
        def predict(self, X):
            return X[:, :5].sum(axis=1) > 2

    assert PROBLEMS["tree-100"].E_out(Majority()) == pytest.approx(FLIPPED)


@pytest.mark.parametrize("name", ["as assumed", "target of order 10", "inputs in the middle"])
def test_the_errors_of_polynomials_equal_those_on_many_new_points(name):
    rng = np.random.default_rng(5)
    setting = SETTINGS[name]
    function = setting.function(rng)
    hypothesis = Polynomial(2, setting.reach).fit(*setting.draw(function, rng))
    x = 2 * rng.beta(setting.beta, setting.beta, 100_000) - 1
    losses = (hypothesis.predict(x[:, None]) - function(x)) ** 2
    error = setting.E_out(function, hypothesis) - setting.noise
    assert error == pytest.approx(losses.mean(), abs=4 * losses.std() / 100_000**0.5)
