"""How alike the rows of a shard are, against the analysis of variance done by hand."""

import numpy as np
import pytest

from heldout.monitoring.alike_rows import design_effect, size_and_correlation


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


def test_the_upper_limit_is_that_of_a_variance_with_three_degrees_of_freedom_by_hand():
    # four means of 10 rows, variance .09: between = 10 x .01 x 4 / 3, 1.4815 times; 3 / chi2(.2, 3) = 3 / 1.00517
    means = np.array([[0.2], [0.4], [0.2], [0.4]])
    ratio = 10 * 0.01 * 4 / 3 / 0.09
    estimate = size_and_correlation(np.full((4, 1), 10), means, [0.09])[1]
    limit = size_and_correlation(np.full((4, 1), 10), means, [0.09], level=0.8)[1]
    assert [(ratio - 1) / 9] == pytest.approx(estimate, rel=1e-9)
    assert [(ratio * 3 / 1.0051740 - 1) / 9] == pytest.approx(limit, rel=1e-6)


def test_the_upper_limit_holds_as_often_as_it_says():
    """Half of a row is the effect of its shard; 4 shards. 1000 references: three standard errors of .8 are .04."""
    rng, held = np.random.default_rng(1), 0
    for _ in range(1000):
        rows = rng.normal(size=(4, 1)) + rng.normal(size=(4, 50))
        spread = 1 + 1  # the variance of all rows, as if it were known
        limit = size_and_correlation(np.full((4, 1), 50), rows.mean(axis=1)[:, None], [spread], level=0.8)[1]
        held += limit[0] >= 0.5
    assert held / 1000 >= 0.8 - 0.04
