"""Batches of consecutive rows: as long as the correlation of their losses asks for."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout.losses.memory import correlation_length
from heldout.splits.batches import batches

LAWS = settings(max_examples=60, deadline=None, derandomize=True, database=None)
losses_in_time = st.lists(st.floats(0, 100), min_size=1, max_size=60).map(np.array)


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


@pytest.mark.parametrize("n", [1, 2, 5, 100])
def test_equal_losses_are_independent_and_a_drift_leaves_three_batches_at_most(n):
    assert 1.0 == correlation_length(np.full(n, 0.3)) == correlation_length(np.zeros(n))
    if n == 100:
        assert len(np.unique(batches(np.linspace(0, 1, n)))) <= 3
