"""Student's t interval: equal to scipy's, and exact for normal losses."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from heldout.losses import SQUARED
from heldout.losses.tested_losses import Tested
from heldout.records import Interval
from studies.intervals import student_t

LAWS = settings(max_examples=60, deadline=None, derandomize=True, database=None)
# two losses that differ: scipy's scale must not be 0
several = st.lists(st.floats(0, 100), min_size=2, max_size=30).filter(lambda losses: np.ptp(losses) > 1e-3)


def interval(losses: np.ndarray, level: float) -> Interval:
    return student_t.METHOD.interval("E_val", Tested(losses, SQUARED), level)


@LAWS
@given(several, st.floats(0.5, 0.999))
def test_the_bounds_equal_those_of_scipy_cut_at_zero(losses, level):
    low, high = stats.t.interval(level, len(losses) - 1, loc=np.mean(losses), scale=stats.sem(losses))
    found = interval(np.array(losses), level)
    # two implementations of the quantile; with one degree of freedom it reaches 637 at level 0.999
    assert (max(low, 0), high) == pytest.approx((found.low, found.high), rel=1e-9, abs=1e-9)


def test_the_bounds_of_a_hand_golden():
    # mean 3, s^2 = (1 + 1) / 1 = 2, s / sqrt(2) = 1; one degree of freedom at level 1/2: tan(pi / 4) = 1
    found = interval(np.array([2.0, 4.0]), 0.5)
    assert (2.0, 4.0) == pytest.approx((found.low, found.high), abs=1e-12)


def test_the_lower_bound_is_never_below_zero():
    # mean 1/2, reach 12.7 x 1/2
    assert 0.0 == interval(np.array([0.0, 1.0]), 0.95).low


@LAWS
@given(several, st.floats(0.01, 100))
def test_the_bounds_scale_with_the_losses(losses, factor):
    one, other = (interval(np.array(losses) * times, 0.9) for times in (1, factor))
    # products and sums, rounded
    assert (one.low * factor, one.high * factor) == pytest.approx((other.low, other.high), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("n", [2, 5, 30])
def test_coverage_is_the_level_for_normal_losses(n):
    repeats, level, mean = 4000, 0.9, 50.0  # so far from 0 that no bound is cut on the side of the mean
    samples = np.random.default_rng(n).normal(mean, 1.0, size=(repeats, n))
    found = [interval(sample, level) for sample in samples]
    covered = np.mean([one.low <= mean <= one.high for one in found])
    # five standard errors of a share of 4000
    assert level == pytest.approx(covered, abs=5 * math.sqrt(level * (1 - level) / repeats))
