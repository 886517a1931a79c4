"""How alike the rows of a shard are, against the analysis of variance done by hand."""

import numpy as np
import pytest

from heldout.over_time.alike_rows import design_effect, size_and_correlation


def test_the_correlation_of_rows_with_an_effect_of_their_shard_is_found():
    """Half of a row is the effect of its shard; 400 shards estimate it within four standard errors, 4 / sqrt(400)."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(400, 1)) + rng.normal(size=(400, 20))
    size, correlation = size_and_correlation(np.full((400, 1), 20), rows.mean(axis=1)[:, None], [rows.var()])
    assert size == pytest.approx([20])
    assert correlation == pytest.approx([0.5], abs=0.2)


def test_equal_means_and_a_single_shard_show_no_likeness():
    for means in ([[0.5]], [[0.5], [0.5], [0.5]]):
        assert size_and_correlation(np.full_like(means, 10.0), means, [0.25])[1] == [0.0]
    assert (1.0, 5.5) == (design_effect(1, 0.5), design_effect(10, 0.5))
