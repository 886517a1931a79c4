"""The confidence sequence: equal to a slow one made of the definition, and coverage at all steps at once."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.optimize import brentq

from heldout.intervals import confidence_sequence, wilson
from heldout.losses import ABSOLUTE, ZERO_ONE, Loss
from heldout.losses.tested_losses import Tested

BOUNDED = Loss("bounded", ABSOLUTE.pointwise, ABSOLUTE.constant, limit=1.0, binary=False)
FRACTIONS = [0.9 / 2**j for j in range(12)]


def capital(reach: float, squares: float) -> float:
    """The mean over fractions l of exp(l S - psi(l) V)."""
    return sum(math.exp(l * reach + (math.log(1 - l) + l) * squares) for l in FRACTIONS) / len(FRACTIONS)  # noqa: E741


def slow_band(losses: np.ndarray, level: float) -> list[tuple[float, float]]:
    """One step after the other, each root by bisection."""
    total, squares, found = 0.0, 0.0, []
    for t, loss in enumerate(losses.tolist(), start=1):
        squares += (loss - (0.5 + total) / t) ** 2
        total += loss
        reach = brentq(lambda s, v=squares: math.log(capital(s, v)) - math.log(2 / (1 - level)), 0, 400, xtol=1e-12)
        found.append((max((total - reach) / t, 0.0), min((total + reach) / t, 1.0)))
    return found


@pytest.mark.parametrize("level", [0.5, 0.95])
@pytest.mark.parametrize("kind", ["zeros", "coins", "skewed", "falling"])
def test_the_band_equals_that_of_a_loop_over_steps(kind, level):
    rng = np.random.default_rng(0)
    losses = {
        "zeros": np.zeros(200),
        "coins": rng.integers(2, size=200).astype(float),
        "skewed": rng.beta(0.2, 2, size=200),
        "falling": np.linspace(1, 0, 200),
    }[kind]
    found = np.column_stack(confidence_sequence.band(losses, level))
    # both roots are found to about 1e-12, of numbers up to 100
    np.testing.assert_allclose(found, slow_band(losses, level), rtol=0, atol=1e-9)


def test_the_bounds_are_the_last_of_the_band_and_the_band_does_not_look_ahead(monkeypatch):
    losses = np.random.default_rng(0).beta(0.3, 0.9, size=400)
    low, high = confidence_sequence.band(losses, 0.9)
    for t in (1, 2, 50, 400):
        bounds = confidence_sequence.bounds(Tested(losses[:t], BOUNDED), 0.9)
        # one root alone, or among 400: Newton's steps end at a common tolerance
        assert (low[t - 1], high[t - 1]) == pytest.approx(bounds, abs=1e-9)
    monkeypatch.setattr(confidence_sequence, "_AT_ONCE", 7)
    np.testing.assert_allclose(confidence_sequence.band(losses, 0.9), (low, high), rtol=0, atol=1e-9)


def test_the_bounds_of_a_hand_golden():
    # one loss of 1/2: V = 0, so that the mean of exp(l S) over 12 fractions is 2 / delta at S beyond 1: the band is
    # all of [0, 1]; n losses of 0: V = (1 + 1/4 + 1/9 + ...) / 4 -> pi^2 / 24 = 0.4112, and the largest l counts
    # most: 0.9 S - 1.4026 V = ln(40 x 12), S = (6.1738 + 0.5768) / 0.9 = 7.50, a little less with the others
    assert (0.0, 1.0) == confidence_sequence.bounds(Tested(np.array([0.5]), BOUNDED), 0.95)
    low, high = confidence_sequence.bounds(Tested(np.zeros(1000), BOUNDED), 0.95)
    assert 0.0 == low
    assert 0.0075 == pytest.approx(high, abs=0.0002)


@pytest.mark.parametrize("rule", [lambda losses: 0.2, lambda losses: 0.9 - 0.8 * np.mean([*losses, 0.5])])
def test_the_capital_never_grows_on_average(rule):
    """Exact: over all 2^9 paths of 0/1 losses whose error may depend on the past, with their weights."""
    total = np.zeros(2)
    for path in product([0.0, 1.0], repeat=9):
        weight, deviation, squares = 1.0, 0.0, 0.0
        for i, loss in enumerate(path):
            error = rule(path[:i])
            weight *= error if loss else 1 - error
            deviation += loss - error
            squares += (loss - (0.5 + sum(path[:i])) / (i + 1)) ** 2
        total += weight * np.array([capital(deviation, squares), capital(-deviation, squares)])
    assert all(total <= 1)


def constant(rng, m):
    return (rng.random(m) < 0.1).astype(float), np.full(m, 0.1)


def drifts(rng, m):
    """Beta losses whose mean falls from 0.9 to 0.1."""
    errors = 0.1 + 0.8 * np.exp(-np.arange(m) / 40)
    return rng.beta(2 * errors, 2 * (1 - errors)), errors


def depends_on_the_past(rng, m):
    """The error jumps after every error, and falls after every hit."""
    losses, errors, error = np.empty(m), np.empty(m), 0.5
    for i, chance in enumerate(rng.random(m)):
        errors[i], losses[i] = error, chance < error
        error = min(error + 0.3, 0.95) if losses[i] else max(error * 0.8, 0.02)
    return losses, errors


@pytest.mark.parametrize("stream", [constant, drifts, depends_on_the_past])
def test_the_band_covers_the_mean_error_so_far_at_all_steps_at_once(stream):
    repeats, level, m = 250, 0.8, 300
    rng = np.random.default_rng(0)
    held = []
    for _ in range(repeats):
        losses, errors = stream(rng, m)
        means = np.cumsum(errors) / np.arange(1, m + 1)
        low, high = confidence_sequence.band(losses, level)
        # a mean of equal errors is rounded
        held.append(np.all((low <= means + 1e-12) & (means - 1e-12 <= high)))
    # four standard errors of a share of 250
    assert np.mean(held) >= level - 4 * math.sqrt(0.16 / repeats)


def test_an_interval_for_one_step_does_not_hold_at_all_steps():
    """The control: Wilson's, read at each step, is left by the error far more often than its level says."""
    rng = np.random.default_rng(0)
    held = []
    for _ in range(60):
        losses, _ = constant(rng, 300)
        found = [wilson.bounds(Tested(losses[:t], ZERO_ONE), 0.8) for t in range(10, 301)]
        held.append(all(low <= 0.1 <= high for low, high in found))
    assert np.mean(held) < 0.6
