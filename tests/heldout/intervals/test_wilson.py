"""Wilson's interval: equal to scipy's, and near its level on average."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, binomtest, norm

from heldout.intervals import wilson
from heldout.losses import ZERO_ONE
from heldout.losses.tested_losses import Tested
from heldout.records import Interval

LAWS = settings(max_examples=80, deadline=None, derandomize=True, database=None)


def interval(count: int, n: int, level: float) -> Interval:
    """The interval of `count` errors among n."""
    return wilson.METHOD.interval("E_val", Tested(np.repeat([1.0, 0.0], [count, n - count]), ZERO_ONE), level)


@LAWS
@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.5, 0.999))
def test_the_bounds_equal_those_of_scipy(case, level):
    count, n = case
    expected = binomtest(count, n).proportion_ci(level, method="wilson")
    found = interval(count, n, level)
    # a few operations on numbers near 1
    assert (expected.low, expected.high) == pytest.approx((found.low, found.high), abs=1e-12)


@LAWS
@given(st.integers(2, 300).flatmap(lambda n: st.tuples(st.integers(1, n - 1), st.just(n))), st.floats(0.5, 0.999))
def test_the_bounds_are_the_errors_at_which_the_share_is_z_standard_errors_away(case, level):
    count, n = case
    found = interval(count, n, level)
    z = norm.ppf((1 + level) / 2)
    for p in (found.low, found.high):
        assert abs(count / n - p) == pytest.approx(z * np.sqrt(p * (1 - p) / n), abs=1e-12)


def test_the_bounds_of_a_hand_golden():
    # no error in n = 8 at z = 2 (level 0.954499736):
    # low 0, high (z^2/2n + z^2/2n) / (1 + z^2/n) = (1/4 + 1/4) / (1 + 1/2) = 1/3
    found = interval(0, 8, 0.954499736103642)
    assert 0.0 == found.low
    assert 1 / 3 == pytest.approx(found.high, abs=1e-12)


def test_the_number_of_examples_need_not_be_whole():
    # q = 1/2, n = 5/2, z = 2: 1/2 +- 2 sqrt(1/10 + 4/25) / (1 + 8/5) = 1/2 +- 0.3922323
    low, high = wilson.roots(0.5, 2.5, 0.954499736103642)
    assert (0.1077677, 0.8922323) == pytest.approx((low, high), abs=5e-8)


@pytest.mark.parametrize("n", [1, 2, 7, 1000])
def test_no_error_and_nothing_but_errors_keep_a_width_and_end_exactly_at_the_edge(n):
    none, all_ = interval(0, n, 0.95), interval(n, n, 0.95)
    assert 0.0 == none.low < none.high
    assert all_.low < all_.high == 1.0


def mean_coverage(low: np.ndarray, high: np.ndarray) -> float:
    """The coverage averaged over errors p uniform on [0, 1], exactly; the bounds are those of counts 0 ... n.

    The integral over p of C(n, c) p^c (1-p)^(n-c) from low_c to high_c is the mass that Beta(c + 1, n - c + 1)
    has there, over n + 1.
    """
    n = len(low) - 1
    masses = [beta(c + 1, n - c + 1).cdf(bounds) for c, bounds in enumerate(np.column_stack([low, high]))]
    return float(np.diff(masses).mean())


@pytest.mark.parametrize("level", [0.8, 0.9, 0.95, 0.99])
@pytest.mark.parametrize("n", [10, 30, 100])
def test_the_mean_coverage_over_all_errors_is_within_half_an_example_of_the_level(n, level):
    """An estimate from n examples moves in jumps of 1/n; half a jump is the tolerance.

    As a control, q +- z sqrt(q (1 - q) / n), which Wilson's interval replaces, misses by more than a whole one.
    """
    found = [interval(count, n, level) for count in range(n + 1)]
    assert level == pytest.approx(mean_coverage(*np.array([(one.low, one.high) for one in found]).T), abs=0.5 / n)
    q = np.arange(n + 1) / n
    reach = norm.ppf((1 + level) / 2) * np.sqrt(q * (1 - q) / n)
    assert mean_coverage(q - reach, q + reach) < level - 1 / n
