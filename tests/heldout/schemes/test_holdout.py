"""Hold-out: split, retrained hypothesis, and what is claimed about either."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from heldout.estimates import e_in, e_test, e_val
from heldout.intervals import log_t, wilson
from heldout.learners.fitting import fit_and_test
from heldout.losses import SQUARED, ZERO_ONE
from heldout.losses.tested_losses import Tested
from heldout.schemes import holdout
from heldout.splits.partition import make_partition

LEVEL = 0.9
ERRORS = Tested(np.array([1.0, 0.0, 0.0, 0.0]), ZERO_ONE)  # E_val = 1/4
SQUARES = Tested(np.array([4.0, 0.0, 1.0, 3.0]), SQUARED)  # E_val = 8/4 = 2


def test_the_split_tests_the_marked_rows_and_trains_on_all_others():
    split = holdout.split(np.array([False, True, False, True, True]))
    assert [0, 2] == split.train.tolist()
    assert [1, 3, 4] == split.validation.tolist()


def test_the_final_split_trains_and_tests_on_every_row():
    split = holdout.final_split(3)
    assert [0, 1, 2] == split.train.tolist() == split.validation.tolist()


def test_the_value_is_the_mean_loss_and_the_bounds_are_those_of_the_method():
    for seen, value, method in [(ERRORS, 0.25, wilson.METHOD), (SQUARES, 2.0, log_t.METHOD)]:
        found = e_val.estimate("tree", seen, 16, method, LEVEL)
        interval = method.interval("E_val", seen, LEVEL)
        assert ("tree", "E_val", value, 16, 4) == (
            found.candidate,
            found.estimate,
            found.value,
            found.n_train,
            found.n_tested,
        )
        assert (interval.low, interval.high, LEVEL, interval.method, interval.assumption) == (
            found.low,
            found.high,
            found.level,
            found.interval,
            found.assumption,
        )


def test_the_held_out_error_is_about_g_minus_and_the_test_error_about_g():
    assert holdout.TARGET == e_val.estimate("tree", ERRORS, 16, wilson.METHOD, LEVEL).target
    final = e_test.final_estimate("tree", ERRORS, 20, wilson.METHOD, LEVEL)
    assert ("E_test", 0.25, holdout.TARGET_FINAL) == (final.estimate, final.value, final.target)
    assert holdout.TARGET != holdout.TARGET_FINAL


def test_the_training_error_claims_no_interval():
    found = e_in.training_estimate("tree", ERRORS)
    assert ("E_in", 0.25, 4, 4) == (found.estimate, found.value, found.n_train, found.n_tested)
    assert (None, None, None, None) == (found.low, found.high, found.level, found.interval)


def test_a_single_loss_has_an_interval_only_where_the_method_admits_one():
    one_error, one_square = (
        Tested(ERRORS.losses[:1], ZERO_ONE),
        Tested(SQUARES.losses[:1], SQUARED),
    )
    assert "Wilson" == e_val.estimate("tree", one_error, 3, wilson.METHOD, LEVEL).interval
    assert e_val.estimate("line", one_square, 3, log_t.METHOD, LEVEL).interval is None


def test_the_error_in_the_sample_equals_one_minus_the_accuracy_on_all_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
    losses = fit_and_test(LogisticRegression(), X, y, holdout.final_split(60), ZERO_ONE, 0).losses
    # both are a count over 60
    expected = 1 - LogisticRegression().fit(X, y).score(X, y)
    assert expected == pytest.approx(e_in.training_estimate("line", Tested(losses, ZERO_ONE)).value, abs=1e-15)


def test_the_held_out_error_is_unbiased_with_variance_sigma_squared_over_k():
    """A fixed hypothesis with error 0.3, tested on K = 20 rows, 4000 times (METHOD, section 1)."""
    error, k, repeats = 0.3, 20, 4000
    wrong = np.random.default_rng(1).random((repeats, k)) < error
    values = np.array(
        [e_val.estimate("h", Tested(row.astype(float), ZERO_ONE), 1, wilson.METHOD, LEVEL).value for row in wrong]
    )
    variance = error * (1 - error) / k  # sigma^2 / K = 0.0105
    # five standard errors: of a mean sqrt(v / n), of a variance of nearly normal values v sqrt(2 / n)
    assert error == pytest.approx(values.mean(), abs=5 * np.sqrt(variance / repeats))
    assert variance == pytest.approx(values.var(ddof=1), abs=5 * variance * np.sqrt(2 / repeats))


def test_the_rows_held_out_are_never_trained_on():
    partition = make_partition(
        np.repeat([0, 1], 20), validation_fraction=0.2, folds=2, tested_fraction=0.5, stratify=True, seed=0
    )
    split = holdout.split(partition.validation)
    assert list(range(40)) == sorted([*split.train.tolist(), *split.validation.tolist()])
    assert 8 == len(split.validation)  # 40 x 0.2
