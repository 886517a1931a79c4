"""The empirical Bernstein interval: its formula, where it is narrow, and coverage."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from heldout.intervals import hoeffding
from heldout.intervals.method import IntervalMethod
from heldout.losses import ABSOLUTE, ZERO_ONE, Loss
from heldout.losses.tested_losses import Tested
from heldout.records import Interval
from studies.intervals import empirical_bernstein

BOUNDED = Loss("bounded", ABSOLUTE.pointwise, ABSOLUTE.constant, limit=1.0, binary=False)


def interval(losses: np.ndarray, level: float, method: IntervalMethod = empirical_bernstein.METHOD) -> Interval:
    return method.interval("E_val", Tested(losses, BOUNDED), level)


def test_the_bounds_of_a_hand_golden():
    # ln(4 / delta) = 2 for delta = 4 / e^2; s^2 = 8 x 1/4 / 7 = 2/7;
    # sqrt(2 x 2/7 x 2 / 8) = sqrt(1/7) = 0.3779645; 7 x 2 / (3 x 7) = 2/3
    seen = Tested(np.tile([0.0, 1.0], 4), ZERO_ONE)
    low, high = empirical_bernstein.bounds(seen, 1 - 4 / math.e**2)
    assert (0.5 - 1.0446311, 0.5 + 1.0446311) == pytest.approx((low, high), abs=5e-8)


def test_a_constant_loss_leaves_the_second_term_alone():
    # 7 ln 80 / (3 x 99) = 7 x 4.3820266 / 297 = 0.1032801
    found = interval(np.full(100, 0.5), 0.95)
    assert (0.3967199, 0.6032801) == pytest.approx((found.low, found.high), abs=5e-8)


def test_it_is_narrower_than_hoeffdings_where_the_variance_is_small_and_n_is_not():
    rare, even = np.repeat([1.0, 0.0], [20, 1980]), np.repeat([1.0, 0.0], [1000, 1000])
    for losses, narrower in ((rare, True), (even, False)):
        one, other = interval(losses, 0.95), interval(losses, 0.95, hoeffding.METHOD)
        assert narrower == (one.high - one.low < other.high - other.low)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
@pytest.mark.parametrize("n", [5, 20, 100])
def test_coverage_is_at_least_the_level_for_every_error(n, level):
    """Exact, for 0/1 losses: the sum of the binomial weights of the counts whose interval holds p."""
    counts = np.arange(n + 1)
    found = [interval(np.repeat([1.0, 0.0], [count, n - count]), level) for count in counts]
    low, high = np.array([[one.low, one.high] for one in found]).T
    for p in np.linspace(0, 1, 401):
        assert binom.pmf(counts, n, p)[(low <= p) & (p <= high)].sum() >= level


@pytest.mark.parametrize("n", [10, 200])
def test_coverage_is_at_least_the_level_for_skewed_losses(n):
    repeats, level = 1000, 0.8
    samples = np.random.default_rng(n).beta(0.05, 0.95, size=(repeats, n))  # most near 0, a few near 1, mean 0.05
    found = [interval(sample, level) for sample in samples]
    # four standard errors of a share of 1000
    assert np.mean([one.low <= 0.05 <= one.high for one in found]) >= level - 4 * math.sqrt(0.16 / repeats)
