"""The confidence sequence: equal to a slow one made of the definition, and coverage at all steps at once."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.optimize import brentq

from heldout.intervals import clopper_pearson, confidence_sequence, wilson
from heldout.losses import ABSOLUTE, ZERO_ONE, Loss
from heldout.losses.tested_losses import Tested

BOUNDED = Loss("bounded", ABSOLUTE.pointwise, ABSOLUTE.constant, limit=1.0, binary=False)
HALVED = [0.5**j for j in range(12)]


def mixture(largest, planned):
    """The sizes of the bets and their weights."""
    if planned is None:
        return [(largest * half, 1 / 12) for half in HALVED]
    of_plan = [min(5.6 * times / math.sqrt(planned), largest) for times in (1, 2, 4)]
    return [(largest * half, 0.2 / 12) for half in HALVED] + [(size, 0.2) for size in (*of_plan, largest)]


def capital(reach, squares, planned=None):
    """The mean over sizes l of exp(l S - psi(l) V)."""
    return sum(
        w * math.exp(l * reach + (math.log(1 - l) + l) * squares)
        for l, w in mixture(0.9, planned)  # noqa: E741
    )


def capital_of_errors(mean, total, steps, planned=None):
    """The mean over sizes l of exp(-l sum X) / (1 - (1 - exp(-l)) m)^t."""
    return sum(
        w * math.exp(min(-l * total - steps * math.log(1 - (1 - math.exp(-l)) * mean), 700.0))
        for l, w in mixture(4.0, planned)  # noqa: E741
    )


def slow_band(losses, level, errors, planned):
    """One step after the other, each root by bisection."""
    total, squares, found, most = 0.0, 0.0, [], math.log(2 / (1 - level))

    def upper(total, t):
        def beyond(m):
            return math.log(capital_of_errors(m, total, t, planned)) - most

        return brentq(beyond, 0, 1, xtol=1e-13) if beyond(1) > 0 else 1.0

    for t, loss in enumerate(losses.tolist(), start=1):
        squares += (loss - (0.5 + total) / t) ** 2
        total += loss
        if errors:
            found.append((1 - upper(t - total, t), upper(total, t)))
            continue
        reach = brentq(lambda s, v=squares: math.log(capital(s, v, planned)) - most, 0, 400, xtol=1e-12)
        found.append((max((total - reach) / t, 0.0), min((total + reach) / t, 1.0)))
    return found


@pytest.mark.parametrize("planned", [None, 80])
@pytest.mark.parametrize("level", [0.5, 0.95])
@pytest.mark.parametrize("kind", ["zeros", "coins", "skewed", "falling"])
def test_the_band_equals_that_of_a_loop_over_steps(kind, level, planned):
    rng = np.random.default_rng(0)
    losses = {
        "zeros": np.zeros(80),
        "coins": rng.integers(2, size=80).astype(float),
        "skewed": rng.beta(0.2, 2, size=80),
        "falling": np.linspace(1, 0, 80),
    }[kind]
    for errors in (False, True):
        found = np.column_stack(confidence_sequence.band(losses, level, errors=errors, planned=planned))
        # both roots are found to about 1e-12, of numbers up to 100
        np.testing.assert_allclose(found, slow_band(losses, level, errors, planned), rtol=0, atol=1e-9)


@pytest.mark.parametrize("loss", [ZERO_ONE, BOUNDED])
def test_the_band_does_not_look_ahead_and_its_last_bounds_are_those_of_the_planned_steps(loss, monkeypatch):
    losses = np.random.default_rng(0).integers(2, size=400).astype(float)
    for planned in (None, 400):
        low, high = confidence_sequence.band(losses, 0.9, errors=loss.binary, planned=planned)
        for t in (1, 2, 50, 400):
            bounds = confidence_sequence.so_far(Tested(losses[:t], loss), 0.9, planned)
            # one root alone, or among 400: Newton's steps end at a common tolerance
            assert (low[t - 1], high[t - 1]) == pytest.approx(bounds, abs=1e-9)
    assert bounds == confidence_sequence.bounds(Tested(losses, loss), 0.9)
    monkeypatch.setattr(confidence_sequence, "_AT_ONCE", 7)
    again = confidence_sequence.band(losses, 0.9, errors=loss.binary, planned=400)
    np.testing.assert_allclose(again, (low, high), rtol=0, atol=1e-9)


def test_the_bounds_of_a_hand_golden():
    # one loss of 1/2: V = 0, so that the mean of exp(l S) is 2 / delta at S beyond 1: the band is all of [0, 1]
    half = Tested(np.array([0.5]), BOUNDED)
    assert (0.0, 1.0) == confidence_sequence.so_far(half, 0.95) == confidence_sequence.bounds(half, 0.95)
    # n losses of 0: V = (1 + 1/4 + 1/9 + ...) / 4 -> pi^2 / 24 = 0.4112, and the largest l counts most:
    # 0.9 S - 1.4026 V = ln(40 x 12), S = (6.1738 + 0.5768) / 0.9 = 7.50, a little less with the others
    low, high = confidence_sequence.so_far(Tested(np.zeros(1000), BOUNDED), 0.95)
    assert (0.0, pytest.approx(0.0075, abs=0.0002)) == (low, high)
    # of errors the l of 4 counts most: -n ln(1 - (1 - exp(-4)) m) = ln(40 x 12), m = 0.0062735 / 0.98168 at n = 1000;
    # of planned steps ln(40 / (0.2 + 0.2 / 12)), m = 0.0053146
    for bounds, expected in ((confidence_sequence.so_far, 0.00627), (confidence_sequence.bounds, 0.00530)):
        low, high = bounds(Tested(np.zeros(1000), ZERO_ONE), 0.95)
        assert 0.0 == low
        assert expected * 0.88 < high <= expected


@pytest.mark.parametrize("m", [100, 1000])
@pytest.mark.parametrize("share", [0.0, 0.02, 0.1, 0.5])
def test_planned_errors_cost_at_most_seven_tenths_more_than_the_exact_interval_of_the_last_step(m, share):
    """Before, 1.8 to 2.3 times its width."""
    losses = np.random.default_rng(0).permutation(np.repeat([1.0, 0.0], [round(m * share), m - round(m * share)]))
    low, high = confidence_sequence.bounds(Tested(losses, ZERO_ONE), 0.95)
    exact = clopper_pearson.bounds(Tested(losses, ZERO_ONE), 0.95)
    assert high - low < 1.7 * (exact[1] - exact[0])


@pytest.mark.parametrize("planned", [None, 9])
@pytest.mark.parametrize("rule", [lambda losses: 0.2, lambda losses: 0.9 - 0.8 * np.mean([*losses, 0.5])])
def test_the_capital_never_grows_on_average(rule, planned):
    """Exact: over all 2^9 paths of 0/1 losses whose error may depend on the past, with their weights."""
    total = np.zeros(4)
    for path in product([0.0, 1.0], repeat=9):
        weight, deviation, squares, errors = 1.0, 0.0, 0.0, []
        for i, loss in enumerate(path):
            error = rule(path[:i])
            weight *= error if loss else 1 - error
            deviation += loss - error
            squares += (loss - (0.5 + sum(path[:i])) / (i + 1)) ** 2
            errors.append(error)
        mean = float(np.mean(errors))
        total += weight * np.array(
            [
                capital(deviation, squares, planned),
                capital(-deviation, squares, planned),
                capital_of_errors(mean, sum(path), 9, planned),
                capital_of_errors(1 - mean, 9 - sum(path), 9, planned),
            ]
        )
    # of equal errors the capital of errors is a martingale: 1, but for rounding
    assert all(total <= 1 + 1e-12)


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
    repeats, level, m = 100, 0.8, 300
    rng = np.random.default_rng(0)
    held = []
    for _ in range(repeats):
        losses, errors = stream(rng, m)
        means = np.cumsum(errors) / np.arange(1, m + 1)
        both = [confidence_sequence.band(losses, level, errors=errors, planned=m) for errors in (False, True)]
        # a mean of equal errors is rounded
        held.append([np.all((low <= means + 1e-12) & (means - 1e-12 <= high)) for low, high in both])
    # four standard errors of a share of 100
    assert np.mean(held, axis=0).min() >= level - 4 * math.sqrt(0.16 / repeats)


def test_an_interval_for_one_step_does_not_hold_at_all_steps():
    """The control: Wilson's, read at each step, is left by the error far more often than its level says."""
    rng = np.random.default_rng(0)
    held = []
    for _ in range(60):
        losses, _ = constant(rng, 300)
        found = [wilson.bounds(Tested(losses[:t], ZERO_ONE), 0.8) for t in range(10, 301)]
        held.append(all(low <= 0.1 <= high for low, high in found))
    assert np.mean(held) < 0.6
