"""k-fold cross-validation and leave-one-out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from heldout.estimates import e_cv
from heldout.intervals import bayle_within, corrected_fold_t, hoeffding, k_fold_hoeffding, wilson
from heldout.intervals.method import IntervalMethod
from heldout.learners.fitting import fit_and_test
from heldout.losses import SQUARED, ZERO_ONE
from heldout.losses.tested_losses import CrossValidated, Tested
from heldout.records import Estimate
from heldout.schemes import cross_validation
from heldout.splits.partition import make_partition

LAWS = settings(max_examples=60, deadline=None, derandomize=True, database=None)
LEVEL = 0.95
X, y = make_classification(n_samples=30, n_features=4, flip_y=0.3, random_state=2)
folds_of_rows = st.integers(2, 8).flatmap(
    lambda k: st.lists(st.integers(0, k - 1), max_size=30).flatmap(lambda rest: st.permutations([*range(k), *rest]))
)


def fold_of(folds: int, n: int = 30) -> np.ndarray:
    return make_partition(y[:n], validation_fraction=0.2, folds=folds, tested_fraction=0.5, stratify=True, seed=4).fold


def held_out_losses(learner, X, y, fold) -> np.ndarray:
    losses = np.full(len(y), np.nan)
    for split in cross_validation.splits(fold):
        losses[split.validation] = fit_and_test(learner, X, y, split, ZERO_ONE, 0).losses
    return losses


def estimate(losses, fold, method: IntervalMethod = k_fold_hoeffding.METHOD, loss=ZERO_ONE) -> Estimate:
    fold = np.asarray(fold)
    n_train = cross_validation.mean_training_size(cross_validation.splits(fold))
    return e_cv.estimate("any", CrossValidated(losses, loss, fold=fold), n_train, method, LEVEL)


@LAWS
@given(folds_of_rows)
def test_every_row_is_held_out_once_and_trained_on_in_all_other_folds(fold):
    splits = cross_validation.splits(np.array(fold))
    assert max(fold) + 1 == len(splits)
    for number, split in enumerate(splits):
        assert [row for row, its in enumerate(fold) if its == number] == split.validation.tolist()
        assert [row for row, its in enumerate(fold) if its != number] == split.train.tolist()
        assert split.n_train == len(split.train)


def test_rows_in_no_fold_are_trained_on_and_splits_are_taken_as_from_a_list():
    fold = np.array([2, -1, 0, 2, -1, 1])
    splits = cross_validation.splits(fold)
    assert [[2], [5], [0, 3]] == [split.validation.tolist() for split in splits]
    assert [0, 1, 3, 4, 5] == splits[0].train.tolist()
    assert [0, 3] == splits[-1].validation.tolist()
    assert [[5], [0, 3]] == [split.validation.tolist() for split in splits[1:]]
    with pytest.raises(IndexError):
        splits[3]


def test_the_splits_of_leave_one_out_take_no_room_for_the_rows_that_they_train_on():
    n = 200_000
    assert n * (n - 1) == sum(split.n_train for split in cross_validation.splits(np.arange(n)))


@pytest.mark.parametrize("folds", [2, 5, 30])
def test_the_error_equals_that_of_cross_val_predict_with_the_same_splits(folds):
    fold = fold_of(folds)
    same = [(split.train, split.validation) for split in cross_validation.splits(fold)]
    predicted = cross_val_predict(LogisticRegression(), X, y, cv=same)
    losses = held_out_losses(LogisticRegression(), X, y, fold)
    assert (predicted != y).astype(float).tolist() == losses.tolist()
    # one count over 30
    assert np.mean(predicted != y) == pytest.approx(estimate(losses, fold).value, abs=1e-15)


def test_leave_one_out_equals_k_fold_with_k_equal_n():
    predicted = cross_val_predict(LogisticRegression(), X, y, cv=LeaveOneOut())
    losses = held_out_losses(LogisticRegression(), X, y, fold_of(len(y)))
    assert (predicted != y).astype(float).tolist() == losses.tolist()


@LAWS
@given(
    st.integers(1, 6).flatmap(
        lambda size: st.lists(st.lists(st.floats(0, 1), min_size=size, max_size=size), min_size=2, max_size=6)
    )
)
def test_the_mean_of_the_fold_errors_equals_the_error_for_equal_folds(blocks):
    losses, fold = np.ravel(blocks), np.repeat(np.arange(len(blocks)), len(blocks[0]))
    seen = CrossValidated(losses, ZERO_ONE, fold=fold)
    assert len(blocks) == seen.folds
    # the same sum in another order: at most 36 terms of at most 1
    assert [np.mean(block) for block in blocks] == pytest.approx(seen.fold_errors.tolist(), abs=1e-14)
    assert estimate(losses, fold).value == pytest.approx(seen.fold_errors.mean(), abs=1e-14)


def test_the_error_of_unequal_folds_is_the_mean_over_rows():
    losses, fold = np.array([1.0, 0.0, 1.0]), np.array([0, 0, 1])
    # folds: (1 + 0) / 2 = 1/2 and 1 / 1 = 1; rows: 2/3, not (1/2 + 1) / 2 = 3/4
    assert [0.5, 1.0] == CrossValidated(losses, ZERO_ONE, fold=fold).fold_errors.tolist()
    assert 2 / 3 == pytest.approx(estimate(losses, fold).value, abs=1e-15)


@pytest.mark.parametrize("folds", [2, 5, 10, 30])
def test_the_interval_equals_hoeffding_with_n_over_k(folds):
    losses = np.tile([1.0, 0.0, 0.0], 10)
    found = estimate(losses, np.arange(30) % folds)
    reach = hoeffding.two_sided_reach(30 / folds, LEVEL)
    # 1/3 of so many rows is no whole count, so the reach is put about 1/3 itself and cut to [0, 1]
    assert (max(found.value - reach, 0), min(found.value + reach, 1), LEVEL) == (found.low, found.high, found.level)
    assert ("E_cv", cross_validation.TARGET, 30) == (found.estimate, found.target, found.n_tested)


@pytest.mark.parametrize(("n", "folds", "n_train"), [(30, 10, 27), (30, 30, 29), (11, 3, 7)])
def test_each_hypothesis_trains_on_n_minus_n_over_k_rows(n, folds, n_train):
    # 30 - 3 = 27; 30 - 1 = 29; 11 - 3.67 = 7.33, rounded 7
    assert n_train == estimate(np.zeros(n), np.arange(n) % folds).n_train


def test_the_bounds_of_an_unbounded_loss_are_those_of_the_method():
    losses, fold = np.array([0.0, 9.0, 1.0, 2.0]), np.array([0, 0, 1, 1])
    found = estimate(losses, fold, corrected_fold_t.METHOD, SQUARED)
    expected = corrected_fold_t.METHOD.interval("E_cv", CrossValidated(losses, SQUARED, fold=fold), LEVEL)
    assert (3.0, expected.low, expected.high) == (found.value, found.low, found.high)  # 12 / 4
    assert (expected.method, expected.assumption) == (found.interval, found.assumption)


def test_rows_too_few_for_the_method_leave_the_estimate_without_an_interval():
    found = estimate(np.array([3.0]), [0], bayle_within.METHOD, SQUARED)
    assert (3.0, None, None, None) == (found.value, found.low, found.high, found.interval)


class Parity(BaseEstimator):
    """Predicts, for every row, the parity of its training labels."""

    def fit(self, X, y):
        self.parity_ = int(y.sum()) % 2
        return self

    def predict(self, X):
        return np.full(len(X), self.parity_)


def test_leave_one_out_of_a_parity_learner_is_a_single_test_and_theorem_3_still_holds():
    """Blum et al.: labels are fair coins, so every hypothesis errs with chance 1/2, but E_loo is 0 or 1."""
    values = set()
    for seed in range(8):
        coins = np.random.default_rng(seed).integers(0, 2, size=20)
        losses = held_out_losses(Parity(), np.zeros((20, 1)), coins, np.arange(20))
        # without row i the parity is that of all labels less y_i: it hits y_i exactly if the sum is even
        assert [float(coins.sum() % 2)] * 20 == losses.tolist()
        found = estimate(losses, range(20))
        assert found.low <= 0.5 <= found.high
        as_if_independent = wilson.METHOD.interval("E_val", Tested(losses, ZERO_ONE), LEVEL)
        assert not as_if_independent.low <= 0.5 <= as_if_independent.high
        values.add(found.value)
    assert {0.0, 1.0} == values
