"""The martingale interval: its formula, and coverage where the error falls along the steps."""

import math

import numpy as np
import pytest

from heldout.losses import SQUARED, ZERO_ONE
from heldout.losses.tested_losses import Tested
from studies.intervals import martingale_clt, student_t

TWO = 0.954499736103642  # the level at which z = 2


def test_the_bounds_of_a_hand_golden():
    # 1, 3, 2, 2: mean 2; differences 2, -1, 0: squares 4, 1, 0, their mean 5/3, half of it 5/6;
    # 2 sqrt(5/6 / 4) = 0.9128709
    seen = Tested(np.array([1.0, 3.0, 2.0, 2.0]), SQUARED)
    assert (1.0871291, 2.9128709) == pytest.approx(martingale_clt.bounds(seen, TWO), abs=5e-8)


def test_a_level_that_moves_adds_half_the_square_of_its_steps_alone():
    # 0, 1/100, ..., 1: no noise, so that v = (1/100)^2 / 2, where the sample variance is about 1/12
    falling = Tested(np.linspace(1, 0, 101), SQUARED)
    low, high = martingale_clt.bounds(falling, TWO)
    assert 4 * 0.01 / math.sqrt(2 * 101) == pytest.approx(high - low, abs=1e-12)


def falls(rng, m):
    """Errors that fall from 0.9 to 0.05, whatever was seen."""
    errors = 0.05 + 0.85 * np.exp(-np.arange(m) / 60)
    return (rng.random(m) < errors).astype(float), errors


def feeds_back(rng, m):
    """Errors that depend on the losses so far: each lifts those that follow by a little."""
    losses, errors, error = np.empty(m), np.empty(m), 0.3
    for i, chance in enumerate(rng.random(m)):
        errors[i], losses[i] = error, chance < error
        error = 0.98 * error + 0.02 * (0.1 + 0.6 * losses[i])
    return losses, errors


@pytest.mark.parametrize("stream", [falls, feeds_back])
def test_coverage_of_the_mean_error_along_the_steps_is_near_the_level(stream):
    repeats, level, m = 600, 0.9, 300
    rng = np.random.default_rng(0)
    held, narrower = [], []
    for _ in range(repeats):
        losses, errors = stream(rng, m)
        seen = Tested(losses, ZERO_ONE)
        low, high = martingale_clt.bounds(seen, level)
        held.append(low <= errors.mean() <= high)
        other = student_t.bounds(seen, level)
        narrower.append((high - low) / (other[1] - other[0]))
    # asymptotic: 1 % for 300 steps of 0/1 losses, and four standard errors of a share of 600
    assert level == pytest.approx(np.mean(held), abs=0.01 + 4 * math.sqrt(level * (1 - level) / repeats))
    if stream is falls:
        assert np.mean(narrower) < 0.95
