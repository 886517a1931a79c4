"""Progressive validation: test each block, then train on it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

from heldout.errors import BadArgument
from heldout.estimates import e_prog
from heldout.intervals import log_t, wilson
from heldout.learners.fitting import fit_and_test
from heldout.losses import SQUARED, ZERO_ONE
from heldout.losses.tested_losses import Tested
from heldout.schemes import progressive
from heldout.splits.partition import make_partition

LAWS = settings(max_examples=60, deadline=None, derandomize=True, database=None)
LEVEL = 0.95


@st.composite
def steps(draw):
    """Up to 8 training rows and 1 to 15 tested ones, in any order."""
    return np.array(draw(st.permutations([-1] * draw(st.integers(0, 8)) + list(range(draw(st.integers(1, 15)))))))


@LAWS
@given(steps(), st.integers(1, 20))
def test_block_j_tests_b_steps_and_trains_on_exactly_the_earlier_rows(step, block):
    splits = progressive.splits(step, block)
    for j, split in enumerate(splits):
        assert [row for row, its in enumerate(step) if its < j * block] == split.train.tolist()
        assert [row for row, its in enumerate(step) if j * block <= its < (j + 1) * block] == split.validation.tolist()
    tested = [row for split in splits for row in split.validation.tolist()]
    assert np.flatnonzero(step >= 0).tolist() == sorted(tested)
    assert all(len(split.validation) > 0 for split in splits)


@LAWS
@given(steps(), st.integers(1, 20))
def test_the_mean_training_size_is_the_mean_over_tested_rows(step, block):
    n_train = (step == -1).sum()
    sizes = [n_train + its // block * block for its in step.tolist() if its >= 0]
    # halves go to the even number, as Python rounds; sizes are whole, so the mean is exact enough
    assert round(float(np.mean(sizes))) == progressive.mean_training_size(progressive.splits(step, block))


def test_single_steps_train_on_m_minus_1_halves_more_rows_on_average():
    # 10 training rows and m = 5 steps: (10 + 11 + 12 + 13 + 14) / 5 = 12 = 10 + (5 - 1) / 2
    assert 12 == progressive.mean_training_size(progressive.splits(np.array([-1] * 10 + [4, 2, 0, 1, 3]), 1))


def test_blocks_of_one_step_equal_the_hand_written_loop():
    X, y = make_classification(n_samples=40, n_features=4, flip_y=0.3, random_state=3)
    step = make_partition(y, validation_fraction=0.2, folds=2, tested_fraction=0.4, stratify=True, seed=1).step
    learner = LogisticRegression()

    expected, known = [], set(np.flatnonzero(step == -1).tolist())
    for t in range(step.max() + 1):
        (row,) = np.flatnonzero(step == t)
        rows = sorted(known)
        hypothesis = clone(learner).fit(X[rows], y[rows])
        expected.append(float(hypothesis.predict(X[[row]])[0] != y[row]))
        known.add(int(row))

    losses = [fit_and_test(learner, X, y, split, ZERO_ONE, 0).losses for split in progressive.splits(step, 1)]
    assert expected == np.concatenate(losses).tolist()
    assert 0 < sum(expected) < len(expected)  # neither all right nor all wrong: the equality says something


@LAWS
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_the_curve_is_the_running_mean_and_ends_in_the_error(losses):
    curve = progressive.curve(np.array(losses))
    # the same sums in another order: at most 30 terms of at most 1
    assert [np.mean(losses[: t + 1]) for t in range(len(losses))] == pytest.approx(curve.tolist(), abs=1e-14)
    found = e_prog.estimate("any", Tested(np.array(losses), SQUARED), 1, log_t.METHOD, LEVEL)
    assert found.value == pytest.approx(curve[-1], abs=1e-14)


def test_the_curve_of_a_hand_golden():
    # 1/1, 1/2, 2/3, 2/4
    assert [1.0, 0.5, 2 / 3, 0.5] == progressive.curve(np.array([1.0, 0.0, 1.0, 0.0])).tolist()


def test_the_error_does_not_depend_on_the_order_of_the_losses():
    losses = np.random.default_rng(0).integers(0, 2, 25).astype(float)
    one, other = (
        e_prog.estimate("a", Tested(order, ZERO_ONE), 9, wilson.METHOD, LEVEL) for order in (losses, losses[::-1])
    )
    assert one == other


def test_the_record_names_its_target_and_its_method():
    losses = np.array([1.0, 0.0, 0.0, 1.0])
    for loss, method in [(ZERO_ONE, wilson.METHOD), (SQUARED, log_t.METHOD)]:
        found = e_prog.estimate("tree", Tested(losses, loss), 9, method, LEVEL)
        interval = method.interval("E_prog", Tested(losses, loss), LEVEL)
        assert ("E_prog", 0.5, 9, 4) == (found.estimate, found.value, found.n_train, found.n_tested)
        assert (interval.low, interval.high, interval.method) == (found.low, found.high, found.interval)
        assert progressive.TARGET == found.target
        in_time = e_prog.estimate("tree", Tested(losses, loss), 9, method, LEVEL, along_stream=True)
        assert replace(found, target=e_prog.ALONG_STREAM) == in_time
        assert in_time.target.startswith("the error along the stream")
    single = Tested(losses[:1], SQUARED)
    assert e_prog.estimate("tree", single, 9, log_t.METHOD, LEVEL).interval is None


@LAWS
@given(trained=st.integers(1, 500), tested=st.integers(1, 2000))
def test_auto_blocks_test_each_step_once_a_tenth_of_the_rows_trained_on_at_a_time(trained, tested):
    starts = progressive.first_steps(trained, tested, "auto")
    sizes = np.diff([*starts, tested])
    assert 0 == starts[0]
    assert (sizes > 0).all()
    for start, size in zip(starts[:-1], sizes[:-1], strict=True):
        assert max(1, (trained + start) // 10) == size
    assert sizes[-1] <= max(1, (trained + starts[-1]) // 10)
    # a row at a time below 20 rows, then by a factor of at least 1 + 1/10 - 1/20
    assert len(starts) <= 20 + np.log((trained + tested) / trained) / np.log(1.05) + 1
    splits = progressive.splits(np.concatenate([np.full(trained, -1), np.arange(tested)]), "auto")
    assert [trained + start for start in starts] == [len(split.train) for split in splits]
    assert np.arange(trained, trained + tested).tolist() == np.concatenate([s.validation for s in splits]).tolist()


@pytest.mark.parametrize("block", [0, -3])
def test_no_block_below_1_is_accepted(block):
    with pytest.raises(BadArgument, match=f"^block is {block}; it must be at least 1$") as caught:
        progressive.splits(np.array([-1, 0, 1]), block)
    assert "block" == caught.value.argument


class Majority(BaseEstimator):
    """Predicts the more frequent training label, 0 on a tie."""

    def fit(self, X, y):
        self.label_ = int(2 * y.sum() > len(y))
        return self

    def predict(self, X):
        return np.full(len(X), self.label_)


@pytest.mark.parametrize("block", [1, 4])
def test_the_error_is_unbiased_for_the_progressive_hypothesis_with_at_most_the_variance_of_a_hold_out(block):
    """Labels are 1 with chance 0.4, so that a hypothesis errs with chance 0.4 or 0.6 (Blum et al., Thm 5)."""
    share, m, repeats = 0.4, 12, 300
    step = np.array([-1] * 3 + list(range(m)))
    rng = np.random.default_rng(5)
    differences = []
    for _ in range(repeats):
        y = (rng.random(len(step)) < share).astype(int)
        fits = [
            fit_and_test(Majority(), y[:, None], y, split, ZERO_ONE, 0) for split in progressive.splits(step, block)
        ]
        true = np.mean([1 - share if fit.hypothesis.label_ else share for fit in fits for _ in fit.losses])
        differences.append(np.concatenate([fit.losses for fit in fits]).mean() - true)
    # both chances have sigma^2 = 0.4 x 0.6 = 0.24: variance 0.24 / 12 = 0.02; five standard errors
    limit = share * (1 - share) / m
    assert 0 == pytest.approx(np.mean(differences), abs=5 * np.sqrt(limit / repeats))
    assert np.var(differences) <= limit * (1 + 5 * np.sqrt(2 / repeats))
