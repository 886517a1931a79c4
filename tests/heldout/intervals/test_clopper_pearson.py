"""Clopper and Pearson's interval: equal to scipy's, and never below its level."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

from heldout.intervals import clopper_pearson, wilson
from heldout.intervals.method import IntervalMethod
from heldout.losses import ZERO_ONE
from heldout.losses.tested_losses import Tested
from heldout.records import Interval

LAWS = settings(max_examples=80, deadline=None, derandomize=True, database=None)


def interval(count: int, n: int, level: float, method: IntervalMethod = clopper_pearson.METHOD) -> Interval:
    """The interval of `count` errors among n."""
    return method.interval("E_val", Tested(np.repeat([1.0, 0.0], [count, n - count]), ZERO_ONE), level)


@LAWS
@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.01, 0.999))
def test_the_bounds_equal_those_of_scipy(case, level):
    count, n = case
    expected = binomtest(count, n).proportion_ci(level, method="exact")
    found = interval(count, n, level)
    # scipy finds them by another inverse of the same function
    assert (expected.low, expected.high) == pytest.approx((found.low, found.high), abs=1e-10)


def test_the_bounds_of_a_hand_golden():
    # no error in n = 3 at level 3/4: (1 - high)^3 = 1/8, high = 1/2
    found = interval(0, 3, 0.75)
    assert 0.0 == found.low
    assert 1 / 2 == pytest.approx(found.high, abs=1e-12)


def lowest_coverage(n: int, level: float, method: IntervalMethod) -> float:
    """Exact: the least, over errors p, of the binomial weights of the counts whose interval holds p."""
    counts = np.arange(n + 1)
    low, high = np.array([(one.low, one.high) for one in (interval(c, n, level, method) for c in counts)]).T
    return min(
        binom.pmf(counts, n, p)[(low <= p) & (p <= high)].sum() for p in [*np.linspace(0, 1, 401), *(low + 1e-9)]
    )


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99])
@pytest.mark.parametrize("n", [5, 20, 50])
def test_coverage_is_at_least_the_level_for_every_error(n, level):
    """As a control, Wilson's interval is somewhere below it."""
    # sums of at most 51 weights, each rounded
    assert lowest_coverage(n, level, clopper_pearson.METHOD) >= level - 1e-12
    assert lowest_coverage(n, level, wilson.METHOD) < level


def test_neither_side_is_missed_more_often_than_half_of_delta():
    n, level = 20, 0.9
    counts = np.arange(n + 1)
    low, high = np.array([(one.low, one.high) for one in (interval(c, n, level) for c in counts)]).T
    for p in np.linspace(0, 1, 401):
        weights = binom.pmf(counts, n, p)
        assert max(weights[p < low].sum(), weights[p > high].sum()) <= 0.05 + 1e-12
