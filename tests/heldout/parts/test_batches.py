"""Batches of consecutive rows: as long as the correlation of their losses asks for."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.signal import lfilter

from heldout.parts.batches import batches, correlation_length

LAWS = settings(max_examples=60, deadline=None, derandomize=True, database=None)
losses_in_time = st.lists(st.floats(0, 100), min_size=1, max_size=60).map(np.array)


def by_a_loop(losses: np.ndarray) -> float:
    """The sum of autocorrelations up to the first lag of five lengths: a plain loop."""
    centred, length = losses - losses.mean(), 1.0
    for lag in range(1, len(losses)):
        length += 2 * (centred[lag:] @ centred[:-lag]) / (centred @ centred)
        if lag >= 5 * length:
            break
    return max(length, 1.0)


def autoregressive(correlation: float, n: int, seed: int) -> np.ndarray:
    noise = np.random.default_rng(seed).normal(size=n) * np.sqrt(1 - correlation**2)
    return lfilter([1], [1, -correlation], noise)


@pytest.mark.parametrize("seed", range(5))
def test_the_length_is_that_of_a_plain_loop(seed):
    losses = autoregressive(0.8, 200, seed) ** 2
    assert by_a_loop(losses) == pytest.approx(correlation_length(losses), rel=1e-9)


@pytest.mark.parametrize(("correlation", "expected"), [(0.0, 1), (0.5, 3), (0.9, 19), (0.97, 65.7)])
def test_the_length_of_an_autoregression_is_known(correlation, expected):
    # (1 + r) / (1 - r); an estimate from n rows strays by sqrt(2 (2 x 5 + 1) L / n) (Sokal, eq. 3.19), and ends early
    found = correlation_length(autoregressive(correlation, 200_000, 1))
    assert found == pytest.approx(expected, rel=0.05 + 3 * np.sqrt(22 * expected / 200_000))


@LAWS
@given(losses_in_time)
def test_batches_are_consecutive_of_equal_size_and_never_shorter_than_sqrt_n(losses):
    cluster = batches(losses)
    sizes = np.bincount(cluster)
    assert (np.diff(cluster) >= 0).all()
    assert set(sizes[:-1]) <= {sizes[0]}
    assert sizes[-1] <= sizes[0]
    assert sizes[0] >= min(round(len(losses) ** 0.5), len(losses))
    if len(sizes) > 1:
        assert sizes[0] >= 3 * correlation_length(losses) - 1e-6


@LAWS
@given(losses_in_time, st.floats(0.01, 100))
def test_the_unit_and_the_direction_of_time_do_not_matter(losses, unit):
    # sums of at most 60 numbers below 1e8, but for a variance near their rounding
    if np.ptp(losses) > 1e-3:
        assert correlation_length(losses) == pytest.approx(correlation_length(unit * losses), rel=1e-6)
        assert correlation_length(losses) == pytest.approx(correlation_length(losses[::-1]), rel=1e-6)


@pytest.mark.parametrize("n", [1, 2, 5, 100])
def test_equal_losses_are_independent_and_a_drift_leaves_three_batches_at_most(n):
    assert 1.0 == correlation_length(np.full(n, 0.3)) == correlation_length(np.zeros(n))
    if n == 100:
        assert len(np.unique(batches(np.linspace(0, 1, n)))) <= 3
