"""Wilson's interval: equal to scipy's, and near its level on average."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, binomtest, norm

from heldout.errors import BadArgument
from heldout.intervals import wilson

LAWS = settings(max_examples=80, deadline=None, derandomize=True, database=None)


def losses_of(count: int, n: int) -> np.ndarray:
    return np.repeat([1.0, 0.0], [count, n - count])


@LAWS
@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.5, 0.999))
def test_the_bounds_equal_those_of_scipy(case, level):
    count, n = case
    expected = binomtest(count, n).proportion_ci(level, method="wilson")
    found = wilson.interval(losses_of(count, n), level)
    assert (expected.low, expected.high) == pytest.approx((found.low, found.high), abs=1e-12)


@LAWS
@given(st.integers(2, 300).flatmap(lambda n: st.tuples(st.integers(1, n - 1), st.just(n))), st.floats(0.5, 0.999))
def test_the_bounds_are_the_errors_that_the_score_test_just_accepts(case, level):
    count, n = case
    found = wilson.interval(losses_of(count, n), level)
    z = norm.ppf((1 + level) / 2)
    for p in (found.low, found.high):
        assert abs(count / n - p) == pytest.approx(z * np.sqrt(p * (1 - p) / n), abs=1e-12)


def test_the_bounds_of_a_hand_golden():
    # no error in n = 8 at z = 2 (level 0.954499736):
    # low 0, high (z^2/2n + z^2/2n) / (1 + z^2/n) = (1/4 + 1/4) / (1 + 1/2) = 1/3
    found = wilson.interval(np.zeros(8), 0.954499736103642)
    assert 0.0 == found.low
    assert 1 / 3 == pytest.approx(found.high, abs=1e-12)


@pytest.mark.parametrize("n", [1, 2, 7, 1000])
def test_no_error_and_nothing_but_errors_keep_a_width_and_end_exactly_at_the_edge(n):
    none, all_ = wilson.interval(np.zeros(n), 0.95), wilson.interval(np.ones(n), 0.95)
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
    found = [wilson.interval(losses_of(count, n), level) for count in range(n + 1)]
    assert level == pytest.approx(mean_coverage(*np.array([(one.low, one.high) for one in found]).T), abs=0.5 / n)
    q = np.arange(n + 1) / n
    reach = norm.ppf((1 + level) / 2) * np.sqrt(q * (1 - q) / n)
    assert mean_coverage(q - reach, q + reach) < level - 1 / n


@LAWS
@given(st.lists(st.floats(-2, 2), min_size=1, max_size=5).filter(lambda losses: not set(losses) <= {0.0, 1.0}))
def test_losses_other_than_0_and_1_are_refused(losses):
    with pytest.raises(BadArgument, match="^Wilson's interval is for 0/1 losses; use Student's t or H.*$") as caught:
        wilson.interval(np.array(losses), 0.95)
    assert "losses" == caught.value.argument


def test_a_loss_that_is_no_number_is_refused():
    with pytest.raises(BadArgument):
        wilson.interval(np.array([0.0, np.nan]), 0.95)


def test_no_losses_are_refused():
    with pytest.raises(BadArgument, match="^Wilson's interval needs at least 1 loss, got 0$") as caught:
        wilson.interval(np.array([]), 0.95)
    assert "losses" == caught.value.argument


def test_the_caller_may_state_another_assumption():
    assert "martingale" == wilson.interval(np.zeros(3), 0.95, assumption="martingale").assumption
