"""The wealth of a promotion: a fair game under the null hypothesis, and one that is won where there is a gain."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from heldout.monitoring.promotion import FRACTIONS, EProcess, differences, needed

D = arrays(np.float64, st.integers(0, 60), elements=st.floats(-1, 1))


@given(D, st.randoms(use_true_random=False))
def test_the_order_of_the_rows_and_how_nights_divide_them_change_nothing(of_rows, random):
    order = [*range(len(of_rows))]
    random.shuffle(order)
    cut = random.randint(0, len(of_rows))
    once, twice = EProcess().after(of_rows), EProcess().after(of_rows[order][:cut]).after(of_rows[order][cut:])
    assert once.logs == pytest.approx(twice.logs, abs=1e-9)
    assert (once.rows, once.total) == (twice.rows, pytest.approx(twice.total, abs=1e-9))


@given(st.integers(0, 500))
def test_rows_without_a_difference_leave_the_wealth_at_one(rows):
    process = EProcess().after(np.zeros(rows))
    assert (1.0, 0.0, None) == (process.wealth, process.mean, process.rows_needed(0.95))


@given(D)
def test_the_wealth_is_positive_and_the_mean_of_that_of_the_bets(of_rows):
    process = EProcess().after(of_rows)
    expected = np.mean([np.prod(1 + bet * of_rows) for bet in FRACTIONS])
    assert 0 < process.wealth == pytest.approx(expected, rel=1e-9)


LAWS = {
    "rarely apart": {-1.0: 0.05, 0.0: 0.9, 1.0: 0.05},
    "always apart": {-1.0: 0.5, 1.0: 0.5},
    "by steps": {-1.0: 0.25, -0.5: 0.25, 0.5: 0.25, 1.0: 0.25},
    "seldom much, often little": {-1.0: 0.1, 0.125: 0.8, 0.0: 0.1},
}


@pytest.mark.parametrize("law", LAWS)
def test_the_expected_wealth_is_exactly_one_where_the_errors_are_equal(law):
    """Over all sequences of four rows."""
    expected = sum(
        math.prod(share for _, share in sequence) * EProcess().after(np.array([d for d, _ in sequence])).wealth
        for sequence in itertools.product(LAWS[law].items(), repeat=4)
    )
    assert 1.0 == pytest.approx(expected, rel=1e-12)


def test_the_mean_wealth_over_many_nights_is_one_within_four_standard_errors():
    """Losses that take every value in [0, 1], hypotheses of equal error: each night another pair of Beta laws."""
    rng = np.random.default_rng(0)
    finals = []
    for _ in range(4000):
        process = EProcess()
        for spread in (0.5, 5.0, 1.0):
            process = process.after(rng.beta(spread, spread, 4) - rng.beta(1 / spread, 1 / spread, 4))
        finals.append(process.wealth)
    assert 1.0 == pytest.approx(np.mean(finals), abs=4 * np.std(finals) / 4000**0.5)


def test_a_gain_is_shown_at_one_over_delta_and_the_rows_needed_lead_there():
    process = EProcess().after(np.tile([1.0, 0.0, 0.0, -0.5], 20))
    assert process.rows_needed(0.95) > 0
    assert not process.shown(0.95)
    more = process.rows_needed(0.95) // 4 + 1
    there = process.after(np.tile([1.0, 0.0, 0.0, -0.5], more))
    assert there.shown(0.95)
    assert (0, True) == (there.rows_needed(0.95), there.wealth >= 20)
    assert needed(0.95) == pytest.approx(math.log(20))
    assert process.after(np.full(10**5, 1.0)).wealth == pytest.approx(1e300)  # no overflow


def test_a_loss_above_the_limit_counts_as_the_limit_and_a_cluster_as_one_observation():
    champion, challenger = np.array([0.5, 9.0, 2.0, 0.0]), np.array([0.0, 1.0, 7.0, 4.0])
    assert [0.125, 0.75, -0.5, -1.0] == differences(champion, challenger, 4.0).tolist()
    assert [0.4375, -0.75] == differences(champion, challenger, 4.0, np.array([3, 3, 8, 8])).tolist()
