"""Intervals of all held-out answers of k folds, each counted as three fifths of a row."""

import numpy as np
import pytest
from scipy.stats import binomtest, t

import heldout
from heldout.intervals import pooled_log_t, pooled_wilson, pooled_wilson_by_class
from heldout.losses import SQUARED, ZERO_ONE, choose_loss
from heldout.losses.cells import cells
from heldout.losses.tested_losses import CrossValidated


def test_errors_have_wilsons_interval_at_three_fifths_of_the_rows():
    fold, losses = np.arange(50) % 5, np.repeat([1.0, 0.0], [10, 40])
    oracle = binomtest(6, 30).proportion_ci(0.9, method="wilson")
    found = pooled_wilson.bounds(CrossValidated(losses, ZERO_ONE, fold=fold), 0.9)
    assert (oracle.low, oracle.high) == pytest.approx(found, abs=1e-12)


def test_numbers_have_a_t_interval_of_the_logarithm_with_the_same_factor():
    losses = np.random.default_rng(0).exponential(size=80)
    low, high = pooled_log_t.bounds(CrossValidated(losses, SQUARED, fold=np.arange(80) % 8), 0.9)
    reach = t(79).ppf(0.95) * np.sqrt(5 / 3 * losses.var(ddof=1) / 80) / losses.mean()
    assert [-reach, reach] == pytest.approx(np.log([low, high] / losses.mean()), abs=1e-12)


def test_costs_have_limits_by_class_of_as_many_rows():
    right = np.repeat([0, 1], [100, 50])
    loss = choose_loss("balanced", right)
    losses = loss.pointwise(right, np.where(np.arange(150) % 5 == 0, 1 - right, right))
    found = pooled_wilson_by_class.bounds(
        CrossValidated(losses, loss, fold=np.arange(150) % 5, cells=cells(loss, right, right)), 0.95
    )
    # 20 of 100 and 10 of 50 rows err, as 12 of 60 and 6 of 30
    ends = np.array([binomtest(errors, 5 * errors).proportion_ci(0.95, method="wilson") for errors in (12, 6)])
    away = np.sqrt(((ends - 0.2) ** 2).sum(axis=0)) / 2
    assert (0.2 - away[0], 0.2 + away[1]) == pytest.approx(found, abs=1e-12)


def test_answers_of_ten_folds_are_not_much_wider_than_pooled_ones_and_not_narrower():
    """Before, the fold errors alone gave the variance, and the interval was 1.5 to 1.9 times as wide as Wilson's."""
    rng = np.random.default_rng(0)
    ratios = []
    for _ in range(20):
        wrong = rng.random(100) < 0.2
        table = {"it": ~wrong, "fold": rng.permutation(np.arange(100) % 10)}
        [record] = heldout.from_predictions(table, correct=["it"], fold="fold").estimates
        oracle = binomtest(int(wrong.sum()), 100).proportion_ci(0.95, method="wilson")
        ratios.append((record.high - record.low) / (oracle.high - oracle.low))
    # about sqrt(5/3) = 1.29
    assert 1.2 < min(ratios) <= max(ratios) < 1.35


def nearest(X, y, Z):
    return y[((Z[:, None] - X[None]) ** 2).sum(axis=2).argmin(axis=1)]


def majority(X, y, Z):
    return np.full(len(Z), int(y.mean() > 0.5))


@pytest.mark.parametrize(("learner", "k"), [(nearest, 2), (nearest, 10), (majority, 2)])
def test_of_labels_that_depend_on_nothing_the_interval_holds_one_half(learner, k):
    rng, held, repeats = np.random.default_rng(0), 0, 250
    for _ in range(repeats):
        X, y, fold = rng.normal(size=(60, 3)), rng.integers(2, size=60), rng.permutation(np.arange(60) % k)
        losses = np.empty(60)
        for of in range(k):
            losses[fold == of] = learner(X[fold != of], y[fold != of], X[fold == of]) != y[fold == of]
        low, high = pooled_wilson.bounds(CrossValidated(losses, ZERO_ONE, fold=fold), 0.95)
        held += low <= 0.5 <= high
    # a standard error of a share of 250: .014
    assert held / repeats >= 0.92
