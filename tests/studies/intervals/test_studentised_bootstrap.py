"""The studentised bootstrap: its definition, its exact distribution for three losses, skewness and coverage."""

import math

import numpy as np
import pytest
from scipy import stats

from heldout import seeds
from heldout.losses import SQUARED
from heldout.losses.tested_losses import Tested
from studies.intervals import student_t, studentised_bootstrap


def observe(losses, seed: int = 0) -> Tested:
    return Tested(np.array(losses, dtype=float), SQUARED, seed)


def test_the_bounds_of_a_hand_golden():
    # 0, 1, 5: mean 2, s^2 = (4 + 1 + 9) / 2 = 7, s / sqrt(3) = 1.5275252. Of 27 resamples, t* is -5 in the 3 of
    # 0, 0, 1 (mean 1/3, s* / sqrt(3) = 1/3), -4 in the 3 of 0, 1, 1 (mean 2/3), more in all others: the quantile
    # at 1/8 is -4, from 3/27 = 0.111 to 6/27 = 0.222. It is 1.964 in the one of 5, 5, 5, which takes the sample's
    # spread (3 / 1.5275), 1.25 in the 3 of 1, 5, 5 (5/3 over 4/3), less in all others: at 7/8 it is 1.25, from
    # 23/27 = 0.852 to 26/27 = 0.963. The bounds: 2 - 1.25 x 1.5275252 and 2 + 4 x 1.5275252
    low, high = studentised_bootstrap.bounds(observe([5, 0, 1]), 0.75)
    assert (0.0905935, 8.1101009) == pytest.approx((low, high), abs=5e-8)


@pytest.mark.parametrize("n", [10, 33])
def test_the_bounds_equal_those_of_a_loop_over_resamples(n):
    losses = np.sort(np.random.default_rng(n).exponential(size=n))
    rng = np.random.default_rng(seeds.child(7, "bootstrap"))
    ratios = []
    for _ in range(2000):
        drawn = losses[rng.integers(n, size=n)]
        ratios.append((drawn.mean() - losses.mean()) / stats.sem(drawn))
    low, high = (losses.mean() - np.quantile(ratios, q) * stats.sem(losses) for q in (0.95, 0.05))
    # the same operations in another order
    assert (low, high) == pytest.approx(studentised_bootstrap.bounds(observe(losses, 7), 0.9), abs=1e-9)


def test_the_bounds_do_not_depend_on_how_many_are_drawn_at_once(monkeypatch):
    seen = observe(np.random.default_rng(0).exponential(size=50))
    expected = studentised_bootstrap.bounds(seen, 0.9)
    for at_once in (1, 50 * 7, 50 * 1999):
        monkeypatch.setattr(studentised_bootstrap, "_AT_ONCE", at_once)
        assert expected == studentised_bootstrap.bounds(seen, 0.9)


def test_it_agrees_with_students_t_for_normal_losses():
    seen = observe(np.random.default_rng(0).normal(50, 1, size=500))
    one, other = (method.bounds(seen, 0.9) for method in (studentised_bootstrap, student_t))
    unit = (other[1] - other[0]) / 2 / 1.648  # the quantile of t at 0.95 with 499 degrees of freedom
    # four standard errors of a quantile of 2000 at 0.05: 4 sqrt(0.05 x 0.95 / 2000) / 0.103 = 0.19,
    # and 0.06 for the skewness of 500 normal losses (a standard deviation of 0.11, times (1 + 2 z^2) / (6 sqrt(500)))
    assert other == pytest.approx(one, abs=0.25 * unit)


def test_it_reaches_further_to_the_side_of_the_longer_tail():
    losses = np.random.default_rng(0).exponential(size=60)
    low, high = studentised_bootstrap.bounds(observe(losses), 0.9)
    assert high - losses.mean() > 1.2 * (losses.mean() - low)


@pytest.mark.parametrize("odd", [1.0, 1e-160, 1e-200])
def test_a_single_odd_loss_among_equal_ones_gives_finite_bounds(odd):
    # a third of the resamples have no spread; the square of 1e-160 is not a normal number, that of 1e-200 is 0
    losses = np.append(np.zeros(19), odd)
    low, high = studentised_bootstrap.bounds(observe(losses), 0.95)
    assert low <= losses.mean() <= high
    assert math.isfinite(low + high)


def test_coverage_is_near_the_level_for_skewed_losses():
    repeats, level, n = 500, 0.9, 40
    samples = np.random.default_rng(0).exponential(size=(repeats, n))
    bounds = np.array([studentised_bootstrap.bounds(observe(x, seed), level) for seed, x in enumerate(samples)])
    # asymptotic: 2 % for n = 40, and four standard errors of a share of 500
    allowed = 0.02 + 4 * math.sqrt(level * (1 - level) / repeats)
    assert level == pytest.approx(np.mean((bounds[:, 0] <= 1) & (bounds[:, 1] >= 1)), abs=allowed)
