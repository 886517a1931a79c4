"""The intervals of a table of repeats by rows: by hand, and coverage over both sources of noise."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout import observed
from heldout.intervals import two_way_t, two_way_wilson, wilson
from heldout.losses import SQUARED, ZERO_ONE

LAWS = settings(max_examples=40, deadline=None, derandomize=True, database=None)
TWO = 0.954499736103642  # the level at which z = 2


def test_the_margins_of_a_table_by_hand():
    seen = observed.repeated_by_row(np.array([[0.0, 1.0, 1.0], [0.0, 0.0, 1.0]]), ZERO_ONE)
    # the rows' means are 0, 1/2, 1: variance (1/4 + 1/4) / 2
    assert (2 / 3, 1 / 3) == pytest.approx(tuple(seen.by_repeat))
    assert (1 / 4, 3, 1 / 2) == pytest.approx((seen.row_variance, seen.n, seen.error))


# by rows 1/4 / 4 = 1/16; by repeats ((1/4)^2 + (1/4)^2) / 2 = 1/16; V = 1/8
HAND = observed.RepeatedByRow(np.array([0.25, 0.75]), 0.25, 4, ZERO_ONE)


def test_the_two_way_wilson_by_hand():
    # n_eff = 1/4 / (1/8) = 2; z = 2: 1/2 +- 2 sqrt(1/8 + 1/4) / (1 + 2) = 1/2 +- 0.4082483
    assert (0.0917517, 0.9082483) == pytest.approx(two_way_wilson.bounds(HAND, TWO), abs=5e-8)


def test_the_two_way_t_by_hand():
    # t with 3 degrees at 3/4 is 0.7648923; times sqrt(1/8) is 0.2704303
    assert (0.2295697, 0.7704303) == pytest.approx(two_way_t.bounds(HAND, 0.5), abs=5e-8)


# each row is missed once and each repeat misses one of two rows: neither margin varies, but the losses do
LEVEL_MARGINS = np.array([[0.0, 1.0], [1.0, 0.0]])


@pytest.mark.parametrize("method", [two_way_wilson, two_way_t], ids=lambda method: method.METHOD.name)
def test_rows_that_train_each_other_vary_at_least_as_independent_losses(method):
    floored = observed.repeated_by_row(LEVEL_MARGINS, ZERO_ONE, tested_and_trained=True)
    assert (0.0, 0.5) == (floored.row_variance, floored.loss_variance)  # 2/1 of q (1 - q)
    assert 1 / 4 == two_way_wilson.variance(floored)  # q (1 - q) / (n - 1)
    single = observed.repeated_by_row(np.array([[0.0, 1.0]]), ZERO_ONE)  # one repeat, whose margin shows it all
    assert method.bounds(single, 0.9) == pytest.approx(method.bounds(floored, 0.9), abs=1e-12)


def test_rows_that_train_nothing_have_no_floor():
    seen = observed.repeated_by_row(LEVEL_MARGINS, ZERO_ONE)
    assert (0.0, (0.5, 0.5)) == (seen.loss_variance, two_way_t.bounds(seen, 0.9))


@LAWS
@given(st.lists(st.lists(st.floats(0, 100), min_size=4, max_size=4), min_size=1, max_size=6))
def test_the_floor_is_that_of_the_losses_alone_and_what_a_single_repeat_shows(lines):
    table = np.array(lines)
    seen = observed.repeated_by_row(table, SQUARED, tested_and_trained=True)
    q = table.mean()
    floor = float(((table - q) ** 2).mean()) / 3  # n - 1
    # sums of at most 24 numbers below 1e4
    assert floor <= two_way_wilson.variance(seen) + 1e-9
    if len(table) == 1:
        assert floor == pytest.approx(two_way_wilson.variance(seen), abs=1e-9)


def test_a_table_never_weighs_less_than_a_single_row():
    # V = 1/4 / 4 + 1/2 / 2 = 5/16, so that n_eff would be 4/5
    seen = observed.RepeatedByRow(np.array([0.0, 1.0]), 0.25, 4, ZERO_ONE)
    assert wilson.roots(0.5, 1, 0.9) == two_way_wilson.bounds(seen, 0.9)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_a_constant_table_is_as_wide_as_its_rows_alone(value):
    table = observed.repeated_by_row(np.full((5, 40), value), ZERO_ONE)
    rows = observed.Tested(np.full(40, value), ZERO_ONE)
    assert wilson.bounds(rows, 0.95) == two_way_wilson.bounds(table, 0.95)


def test_repeats_that_agree_with_one_another_count_as_one():
    losses = np.repeat([0.0, 1.0], [30, 10])
    found = [
        two_way_wilson.bounds(observed.repeated_by_row(np.tile(losses, (r, 1)), ZERO_ONE), 0.95) for r in (1, 2, 50)
    ]
    assert found[0] == pytest.approx(found[1], abs=1e-12)
    assert found[0] == pytest.approx(found[2], abs=1e-12)


@pytest.mark.parametrize("method", [two_way_wilson, two_way_t], ids=lambda method: method.METHOD.name)
def test_coverage_is_at_least_near_the_level_with_noise_of_rows_and_of_repeats(method):
    """Row x is missed with chance 0.4 or 0.05, and repeat r shifts both: the mean over both is the target."""
    repeats, level, rows, runs = 10, 0.9, 200, 600
    rng = np.random.default_rng(0)
    hard = rng.random((runs, rows)) < 0.3
    shift = rng.choice([-0.04, 0.04], size=(runs, repeats))
    chance = np.where(hard, 0.4, 0.05)[:, None, :] + shift[:, :, None]
    tables = (rng.random(chance.shape) < chance).astype(float)
    loss = ZERO_ONE if method is two_way_wilson else SQUARED
    bounds = np.array([method.bounds(observed.repeated_by_row(table, loss), level) for table in tables])
    target = 0.3 * 0.4 + 0.7 * 0.05
    # on the wide side; 2 % for the normal quantile with 10 repeats, and four standard errors of a share of 600
    covered = np.mean((bounds[:, 0] <= target) & (target <= bounds[:, 1]))
    assert covered >= level - 0.02 - 4 * math.sqrt(level * (1 - level) / runs)
