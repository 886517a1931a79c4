"""The common level of limits that hold together: between delta / m and delta, by the correlation of the losses."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import bdtr
from scipy.stats import multivariate_normal, norm

from heldout.selection.joint_level import joint_level

LAWS = settings(max_examples=30, deadline=None, derandomize=True, database=None)


def alike(k: int, m: int, share: float, error: float, seed: int) -> np.ndarray:
    """K losses of 0 and 1 of each of m candidates, whose losses on a row are one draw with the chance `share` each."""
    rng = np.random.default_rng(seed)
    shared = rng.random((k, m)) < share
    return (np.where(shared, rng.random((k, 1)), rng.random((k, m))) < error).astype(float)


@LAWS
@given(st.integers(2, 80), st.integers(1, 6), st.floats(0, 1), st.floats(0, 0.6), st.floats(0.01, 0.5), st.integers())
def test_it_lies_between_the_union_bound_and_a_single_limit_whatever_the_order(k, m, share, error, delta, draw):
    losses = alike(k, m, share, error, abs(draw))
    level = joint_level(losses, delta, 3, draws=500)
    assert delta / m <= level <= delta
    assert level == joint_level(losses[:, np.random.default_rng(draw % 99).permutation(m)], delta, 3, draws=500)
    if m == 1:
        assert delta == level


def test_candidates_without_an_error_and_with_nothing_in_common_are_independent():
    independent = 1 - 0.95 ** (1 / 8)
    assert independent == pytest.approx(joint_level(np.zeros((30, 8)), 0.05), rel=2e-3)
    one_each = np.zeros((400, 8))
    one_each[np.arange(8), np.arange(8)] = 1
    assert independent == pytest.approx(joint_level(one_each, 0.05), rel=5e-3)


def test_copies_are_nearly_one_candidate_where_many_errors_were_seen_and_not_where_few_were():
    few, many = (np.tile(alike(k, 1, 0, 0.3, 0), 8) for k in (20, 20_000))
    assert joint_level(few, 0.05) < 0.025
    assert joint_level(many, 0.05) > 0.04
    assert 0.05 == joint_level(few, 0.05, own_errors=0)


@pytest.mark.parametrize("share", [0.3, 0.9])
def test_all_limits_of_the_normal_approximation_hold_together_with_the_level(share):
    losses = alike(300, 3, share, 0.2, 1)
    level = joint_level(losses, 0.05)
    scale = np.sqrt(losses.var(axis=0) + 1 / 300)
    correlation = np.cov(losses.T, bias=True) / np.outer(scale, scale)
    np.fill_diagonal(correlation, 1)
    held = multivariate_normal.cdf(np.full(3, norm.isf(level)), cov=correlation, abseps=1e-6)
    assert 0.05 == pytest.approx(1 - held, rel=0.03)
    assert level == pytest.approx(joint_level(losses, 0.05, seed=1), rel=0.03)


def missed(k: int, m: int, share: float, error: float, samples: int) -> float:
    """How often the error of any of m candidates lies above its limit at the joint level of .05."""
    count = 0
    for sample in range(samples):
        losses = alike(k, m, share, error, 1000 * sample + k)
        least = bdtr(losses.sum(axis=0), k, error).min()  # above the limit if this chance is below the level
        count += least < 0.05 and least < joint_level(losses, 0.05, sample, draws=500)
    return count / samples


@pytest.mark.parametrize(("k", "error"), [(30, 0.16), (60, 0.4)])
def test_errors_pass_their_joint_limits_no_more_often_than_the_level(k, error):
    assert missed(k, 8, 0.95, error, 400) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 400)


@pytest.mark.long
@pytest.mark.parametrize("share", [0, 0.7, 0.95, 0.99])
@pytest.mark.parametrize("k", [30, 200])
def test_errors_pass_their_joint_limits_no_more_often_than_the_level_whatever_they_are(k, share):
    for error in (0.02, 0.05, 0.1, 0.16, 0.2, 0.3, 0.4, 0.5):
        assert missed(k, 8, share, error, 1000) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 1000)
