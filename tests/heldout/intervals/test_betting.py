"""The betting interval: equal to a slow one made of the definition, and coverage."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom

from heldout import seeds
from heldout.intervals import betting, hoeffding
from heldout.losses import ABSOLUTE, Loss
from heldout.losses.tested_losses import Tested
from heldout.records import Interval

BOUNDED = Loss("bounded", ABSOLUTE.pointwise, ABSOLUTE.constant, limit=1.0, binary=False)


def interval(losses: np.ndarray, level: float, seed: int = 0) -> Interval:
    return betting.METHOD.interval("E_val", Tested(losses, BOUNDED, seed), level)


def capitals(losses: list[float], m: float, level: float) -> tuple[float, float]:
    """K+ and K- against the mean m, one loss at a time."""
    delta, n = 1 - level, len(losses)
    mean, variance, up, down = 0.5, 0.25, 1.0, 1.0
    seen, squares = 0.5, 0.25
    for t, loss in enumerate(losses, start=1):
        bet = math.sqrt(2 * math.log(2 / delta) / (n * variance))
        up *= 1 + min(bet, 0.5 / m if m > 0 else math.inf) * (loss - m)
        down *= 1 - min(bet, 0.5 / (1 - m) if m < 1 else math.inf) * (loss - m)
        seen += loss
        mean = seen / (t + 1)
        squares += (loss - mean) ** 2
        variance = squares / (t + 1)
    return up, down


@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
@pytest.mark.parametrize("n", [1, 2, 7, 40, 150])
def test_the_bounds_are_those_of_the_grid_of_means_that_are_not_refuted(n, level):
    for kind, losses in enumerate([np.random.default_rng(n).beta(0.3, 0.9, n), np.arange(n) % 3 % 2 * 1.0]):
        order = np.random.default_rng(seeds.child(kind, "bets")).permutation(np.sort(losses))
        grid = np.linspace(0, 1, 501)
        kept = [m for m in grid if max(capitals(order.tolist(), m, level)) / 2 < 1 / (1 - level)]
        found = interval(losses, level, seed=kind)
        # the ends are between the last point kept and the next
        assert found.low <= kept[0] <= found.low + 1 / 500
        assert found.high - 1 / 500 <= kept[-1] <= found.high


def test_the_bounds_of_a_hand_golden():
    # one loss of 1, level 1/2: bet sqrt(2 ln 4 / (1/4)) = 3.3302184, not cut for m below 1/2 / 3.33 = 0.150, where
    # K+ = 1 + 3.3302184 (1 - m); it is 2 / delta = 4 at m = 1 - 3 / 3.3302184 = 0.0991582
    found = interval(np.ones(1), 0.5)
    assert (0.0991582, 1.0) == pytest.approx((found.low, found.high), abs=5e-8)


@pytest.mark.parametrize("mean", [0.1, 0.5])
def test_the_capital_against_the_true_mean_stays_the_same_on_average(mean):
    """Exact: over all 2^8 sequences of 0/1 losses, with their weights."""
    total = np.zeros(2)
    for losses in product([0.0, 1.0], repeat=8):
        total += math.prod(mean if loss else 1 - mean for loss in losses) * np.array(capitals(losses, mean, 0.9))
    # 256 products, rounded
    assert (1.0, 1.0) == pytest.approx(tuple(total), abs=1e-12)


def test_it_is_narrower_than_hoeffdings_where_the_variance_is_small():
    seen = Tested(np.random.default_rng(0).beta(2, 40, 300), BOUNDED)
    one, other = (method.interval("E_val", seen, 0.95) for method in (betting.METHOD, hoeffding.METHOD))
    assert one.high - one.low < (other.high - other.low) / 2


def test_coverage_is_at_least_the_level_for_every_error():
    """For 0/1 losses the bounds depend on count and seed alone: the counts by weight, the seeds by simulation."""
    n, orders, level = 20, 60, 0.8
    counts = np.arange(n + 1)
    found = [
        [interval(np.repeat([1.0, 0.0], [count, n - count]), level, seed) for seed in range(orders)] for count in counts
    ]
    bounds = np.array([[(one.low, one.high) for one in row] for row in found])
    for p in np.linspace(0, 1, 101):
        held = ((bounds[..., 0] <= p) & (p <= bounds[..., 1])).mean(axis=1)
        weights = binom.pmf(counts, n, p)
        # four standard errors of the weighted sum of shares of 60 orders
        error = math.sqrt(weights**2 @ (held * (1 - held)) / orders)
        assert weights @ held >= level - 4 * error


@pytest.mark.parametrize("shape", [(0.05, 0.95), (0.3, 0.3), (3.0, 2.0)])
def test_coverage_is_at_least_the_level_for_losses_in_0_and_1(shape):
    repeats, level, n, mean = 400, 0.8, 40, shape[0] / sum(shape)
    samples = np.random.default_rng(1).beta(*shape, size=(repeats, n))
    found = [interval(sample, level, seed) for seed, sample in enumerate(samples)]
    # four standard errors of a share of 400
    assert np.mean([one.low <= mean <= one.high for one in found]) >= level - 4 * math.sqrt(0.16 / repeats)
