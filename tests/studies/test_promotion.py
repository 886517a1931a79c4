"""The study of promotions, in its quick form: false promotions at most the level, and the nights of a real gain."""

import numpy as np
import pytest

from heldout.monitoring.promotion import EProcess
from studies.promotion import GAINS, LEVEL, NIGHTS, NULLS, Case, by_sets, counts, log_wealth, simulate


def test_the_capital_of_counts_is_that_of_the_rows():
    won, lost = counts(Case(0.3, 0.2, rows=7), 1, np.random.default_rng(0))
    rows = np.repeat([1.0, -1.0, 0.0], [won[0, 9], lost[0, 9], 70 - won[0, 9] - lost[0, 9]])
    assert EProcess().after(rows).log == pytest.approx(log_wealth(won, lost)[0, 9])


@pytest.mark.parametrize("case", NULLS, ids=str)
def test_equal_learners_are_promoted_at_most_as_often_as_the_level_allows(case):
    found = simulate(case, 500)
    assert found.promoted <= 1 - LEVEL + 2 * (LEVEL * (1 - LEVEL) / 500) ** 0.5
    assert (found.t <= NIGHTS).mean() > 0.25  # a t-test that is read every night


def test_a_model_confidence_set_keeps_one_level_for_four_challengers_and_takes_longer():
    pair, of_set = by_sets(NULLS[1], 500)
    assert (of_set <= NIGHTS).mean() <= 1 - LEVEL
    assert (of_set <= NIGHTS).mean() <= (pair <= NIGHTS).mean()
    assert (of_set >= pair).all()


@pytest.mark.parametrize("case", GAINS, ids=str)
def test_a_gain_of_one_point_takes_at_most_one_and_a_half_times_the_nights_of_one_test_at_its_best_night(case):
    found = simulate(case, 500)
    assert found.wealth.mean() <= 1.5 * found.best_night
