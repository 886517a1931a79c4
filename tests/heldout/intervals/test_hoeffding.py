"""Hoeffding's interval, for a hold-out and for folds (Thm 3): formula, limits, coverage."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from heldout.errors import BadArgument
from heldout.intervals import hoeffding, k_fold_hoeffding
from heldout.losses import ABSOLUTE, ZERO_ONE, Loss
from heldout.losses.tested_losses import CrossValidated, Tested
from heldout.records import Interval

LAWS = settings(max_examples=60, deadline=None, derandomize=True, database=None)
BOUNDED = Loss("bounded", ABSOLUTE.pointwise, ABSOLUTE.constant, limit=1.0, binary=False)
levels = st.floats(0.5, 0.999)


def interval(losses: np.ndarray, level: float) -> Interval:
    return hoeffding.METHOD.interval("E_val", Tested(losses, BOUNDED), level)


def interval_of_folds(losses: np.ndarray, folds: int, level: float) -> Interval:
    fold = np.sort(np.arange(len(losses)) % folds)
    return k_fold_hoeffding.METHOD.interval("E_cv", CrossValidated(losses, BOUNDED, fold=fold), level)


def test_the_bounds_of_a_hand_golden():
    # ln(2 / 0.05) = ln 40 = 3.688879454; / (2 x 200) = 0.009222199; root 0.0960323
    found = interval(np.repeat([1.0, 0.0], [60, 140]), 0.95)
    assert (0.3 - 0.0960323, 0.3 + 0.0960323) == pytest.approx((found.low, found.high), abs=5e-8)


@LAWS
@given(st.integers(1, 10_000), levels)
def test_the_reach_inverts_the_inequality(n, level):
    reach = hoeffding.upper_reach(n, (1 - level) / 2)
    # Pr(|E_val - E_out| > a) <= 2 exp(-2 a^2 n) = 1 - level, and exp magnifies rounding at most ten times
    assert 1 - level == pytest.approx(2 * math.exp(-2 * reach**2 * n), rel=1e-13)
    found = interval(np.full(n, 0.5), level)
    assert max(0.5 - reach, 0) == pytest.approx(found.low, abs=1e-12)


@LAWS
@given(st.floats(0, 1), st.integers(2, 500), levels, st.data())
def test_the_interval_of_theorem_3_equals_hoeffdings_with_the_smallest_fold(error, n, level, data):
    folds = data.draw(st.integers(1, n))
    smallest = min(len(fold) for fold in np.array_split(np.arange(n), folds))
    one, other = interval_of_folds(np.full(n, error), folds, level), interval(np.full(smallest, error), level)
    # the mean of n equal losses is rounded
    assert (other.low, other.high) == pytest.approx((one.low, one.high), abs=1e-12)
    assert one.method != other.method


def test_the_bounds_of_a_hand_golden_for_folds():
    # 4 folds of 10: ln 40 / 20 = 0.1844440; root 0.4294694
    found = interval_of_folds(np.repeat([1.0, 0.0], [20, 20]), 4, 0.95)
    assert (0.0705306, 0.9294694) == pytest.approx((found.low, found.high), abs=5e-8)


def test_more_folds_widen_and_leave_one_out_is_as_wide_as_a_single_example():
    losses = np.full(1000, 0.5)
    widths = [found.high - found.low for found in (interval_of_folds(losses, k, 0.95) for k in (2, 5, 10))]
    assert sorted(set(widths)) == widths
    # one example: reach sqrt(ln 40 / 2) = 1.36, past both ends
    loo = interval_of_folds(losses, 1000, 0.95)
    assert (0.0, 1.0) == (loo.low, loo.high)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99])
@pytest.mark.parametrize("n", [1, 5, 20, 100])
def test_coverage_is_at_least_the_level_for_every_error(n, level):
    """Exact: the sum of the binomial weights of the counts whose interval holds p."""
    counts = np.arange(n + 1)
    found = [interval(np.repeat([1.0, 0.0], [count, n - count]), level) for count in counts]
    low, high = np.array([[one.low, one.high] for one in found]).T
    for p in np.linspace(0, 1, 401):
        coverage = binom.pmf(counts, n, p)[(low <= p) & (p <= high)].sum()
        assert coverage >= level


@pytest.mark.parametrize("models", [1, 3])
def test_the_upper_reach_covers_all_models_at_once(models):
    """Exact for independent models of error p: the chance that one of them lies past the reach."""
    n, delta = 30, 0.1
    reach = hoeffding.upper_reach(n, delta, models)
    for p in np.linspace(0, 1, 101):
        miss = binom.pmf(np.arange(n + 1), n, p)[p - np.arange(n + 1) / n > reach].sum()
        assert 1 - (1 - miss) ** models <= delta


def test_the_same_bounds_serve_the_steps_of_progressive_validation():
    seen = Tested(np.repeat([1.0, 0.0], [60, 140]), ZERO_ONE)
    one, other = (hoeffding.METHOD.interval(estimate, seen, 0.95) for estimate in ("E_val", "E_prog"))
    assert (one.low, one.high) == (other.low, other.high)
    assert "martingale of steps (Thm 4), loss of known limit" == other.assumption


@pytest.mark.parametrize(
    ("argument", "value"),
    [("n", 0), ("n", -1), ("delta", 0.0), ("delta", 1.0), ("delta", math.nan), ("models", 0)],
)
def test_the_upper_reach_refuses_values_outside_its_limits(argument, value):
    message = f"^{argument} is {value}; needs 0 < delta < 1, models >= 1 and n > 0$"
    with pytest.raises(BadArgument, match=message) as caught:
        hoeffding.upper_reach(**{"n": 9, "delta": 0.1, "models": 1, argument: value})
    assert argument == caught.value.argument
