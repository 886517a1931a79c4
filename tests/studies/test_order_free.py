"""The learners of the theorems are what they say, and their true errors are counted."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.tree import DecisionTreeClassifier

from heldout.schemes import cross_validation, holdout, progressive
from studies import order_free
from studies.order_free import EvenShare, Parity, coin, draw_plain_folds, estimate_and_truth, integers, ratio_interval

PEERS = {
    "majority": DummyClassifier(strategy="most_frequent"),
    "nearest mean": NearestCentroid(),
    "nearest row": KNeighborsClassifier(1),
}


def _samples(n, count):
    rng = np.random.default_rng(0)
    return [order_free.noisy_line().draw(n, rng) for _ in range(count)]


@pytest.mark.parametrize("name", PEERS)
def test_a_lean_learner_answers_as_that_of_scikit_learn(name):
    X, y = order_free.noisy_line().X, order_free.noisy_line().y
    for sample in _samples(15, 10):
        ours, theirs = (
            clone(learner).fit(X[sample], y[sample]) for learner in (order_free.LEARNERS[name], PEERS[name])
        )
        assert ours.predict(X).tolist() == theirs.predict(X).tolist()


def test_the_stump_has_the_training_error_of_the_best_tree_of_one_threshold():
    X, y = order_free.noisy_line().X, order_free.noisy_line().y
    for sample in _samples(15, 10):
        ours = (order_free.Stump().fit(X[sample], y[sample]).predict(X[sample]) != y[sample]).sum()
        thresholds = [(feature, value) for feature in range(X.shape[1]) for value in X[sample, feature]]
        sides = [X[sample, feature] <= value for feature, value in thresholds]
        best = min(
            sum(min(y[sample][part].sum(), (1 - y[sample][part]).sum()) for part in (side, ~side)) for side in sides
        )
        assert ours == best


@pytest.mark.parametrize("name", order_free.LEARNERS)
def test_learners_ignore_the_order_of_rows(name):
    X, y, learner = order_free.noisy_line().X, order_free.noisy_line().y, order_free.LEARNERS[name]
    for sample in _samples(15, 5):
        answers = [clone(learner).fit(X[rows], y[rows]).predict(X).tolist() for rows in (sample, sample[::-1])]
        assert answers[0] == answers[1]


def test_estimate_and_truth_equal_plain_refits_for_folds_of_unequal_size():
    population, tree = order_free.noisy_line(), DecisionTreeClassifier(random_state=0)
    X, y = population.X, population.y
    (sample,) = _samples(14, 1)
    fold = draw_plain_folds(14, 4, np.random.default_rng(1))
    estimate, truth = estimate_and_truth(tree, population, sample, cross_validation.splits(fold), state=0)
    wrong, error = [], []
    for place in range(14):
        rows = sample[fold != fold[place]]
        hypothesis = clone(tree).fit(X[rows], y[rows])
        wrong.append(hypothesis.predict(X[sample[[place]]])[0] != y[sample[place]])
        error.append((hypothesis.predict(X) != y).mean())
    assert estimate == pytest.approx(np.mean(wrong))
    assert truth == pytest.approx(np.mean(error))


def test_progressive_validation_in_one_block_is_the_holdout():
    (sample,) = _samples(12, 1)
    step = np.concatenate([np.full(5, -1), np.arange(7)])
    found = [
        estimate_and_truth(order_free.LEARNERS["ridge"], order_free.noisy_line(), sample, splits, state=0)
        for splits in (progressive.splits(step, 7), [holdout.split(step >= 0)])
    ]
    assert found[0] == found[1]


def test_leave_one_out_of_the_parity_learner_errs_in_every_row_or_in_none():
    rng = np.random.default_rng(0)
    for _ in range(10):
        sample = coin().draw(9, rng)
        estimate, truth = estimate_and_truth(Parity(), coin(), sample, cross_validation.splits(np.arange(9)), state=0)
        assert estimate == float(coin().y[sample].sum() % 2 == 0)
        assert truth == 1 / 2


def test_both_of_two_folds_of_the_even_share_learner_have_the_same_error():
    rng = np.random.default_rng(0)
    for _ in range(10):
        sample, fold = integers(10).draw(8, rng), draw_plain_folds(8, 2, rng)
        even = [(sample[fold == number] % 2 == 0).mean() for number in (0, 1)]
        splits = cross_validation.splits(fold)
        for part in (splits, splits[:1], splits[1:]):
            estimate, truth = estimate_and_truth(EvenShare(), integers(10), sample, part, state=0)
            assert estimate == pytest.approx(even[0] * even[1] + (1 - even[0]) * (1 - even[1]))
            assert truth == pytest.approx(1 / 2)


def test_the_ratio_of_equal_columns_is_one_without_width():
    assert ratio_interval([1.0, 2.0, 4.0], [1.0, 2.0, 4.0]) == (1.0, 1.0, 1.0)


def test_the_interval_of_a_ratio_covers_at_about_its_level():
    rng = np.random.default_rng(0)
    below = rng.exponential(2, size=(400, 100))
    above = below / 2 + rng.exponential(1, size=(400, 100))  # the ratio of the means is 1
    ends = [ratio_interval(*columns)[1:] for columns in zip(above, below, strict=True)]
    covered = sum(low <= 1 <= high for low, high in ends)
    assert covered >= 400 * 0.95 - 4 * (400 * 0.95 * 0.05) ** 0.5 - 8  # four standard errors, and skew at 100 repeats
