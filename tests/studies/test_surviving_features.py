"""The exact errors of the learner that crosses off features equal those of all rows, and of all samples, of few."""

from itertools import product

import numpy as np
import pytest

from heldout.learners.fitting import fit_and_test
from heldout.losses import ZERO_ONE
from heldout.schemes import holdout, progressive
from studies import surviving_features
from studies.surviving_features import CrossOff

FEATURES, TRAINED, TESTED = 3, 1, 2
EVERY_ROW = np.array([*product([False, True], repeat=FEATURES)])


def vote(survivors: int) -> float:
    """The share of all rows of that many features that their vote gets wrong, if the first is the label."""
    rows = np.array([*product([False, True], repeat=survivors)])
    learner = CrossOff().fit(rows[:0], rows[:0, 0])
    return float((learner.predict(rows) != rows[:, 0]).mean())


@pytest.mark.parametrize("survivors", range(1, 10))
def test_the_error_of_a_vote_is_the_share_of_all_rows_that_it_gets_wrong(survivors):
    assert surviving_features.errors(survivors)[survivors] == pytest.approx(vote(survivors), abs=1e-12)


def over_every_sample(splits) -> tuple[float, float]:
    """The mean true error and discrepancy over all samples of three features and rows."""
    found = []
    for rows in product(EVERY_ROW, repeat=TRAINED + TESTED):
        X = np.array(rows)
        fits = [fit_and_test(CrossOff(), X, X[:, 1], split, ZERO_ONE, 0) for split in splits]
        true_error = np.mean([(fit.hypothesis.predict(EVERY_ROW) != EVERY_ROW[:, 1]).mean() for fit in fits])
        estimate = np.concatenate([fit.losses for fit in fits]).mean()
        found.append((true_error, abs(true_error - estimate)))
    return tuple(np.mean(found, axis=0))


def test_the_chain_of_survivors_gives_the_mean_over_every_sample():
    step = np.arange(TRAINED + TESTED) - TRAINED
    by_holdout = over_every_sample([holdout.split(step >= 0)])
    exact = surviving_features.holdout(FEATURES, TRAINED, TESTED)
    assert by_holdout == pytest.approx((exact.true_error, exact.discrepancy), abs=1e-12)
    by_steps = over_every_sample(progressive.splits(step, block=1))
    exact = surviving_features.progressive(FEATURES, TRAINED, TESTED)  # errors of 0 and 1/4 are points of its grid
    assert by_steps == pytest.approx((exact.true_error, exact.discrepancy), abs=1e-12)


def test_progressive_validation_of_a_single_row_is_the_hold_out():
    by_steps, held_out = (of(200, 4, 1) for of in (surviving_features.progressive, surviving_features.holdout))
    assert by_steps.true_error == pytest.approx(held_out.true_error, abs=1e-12)
    assert by_steps.discrepancy == pytest.approx(held_out.discrepancy, abs=1e-4)  # of a grid of 1/64


def test_of_rules_for_ties_half_of_them_wrong_is_the_mean_of_the_extremes():
    wrong, right, blind = (surviving_features.true_error(50, 3, tie) for tie in (1.0, 0.0, surviving_features.BLIND))
    assert blind == pytest.approx((wrong + right) / 2)
    assert right < blind < wrong
