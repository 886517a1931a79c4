"""The intervals of a table of repeats by rows: by hand, and coverage over both sources of noise."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.stats import beta

from heldout.estimates.methods import default_method
from heldout.intervals import clopper_pearson, two_way_clopper_pearson, two_way_log_t, two_way_wilson, wilson
from heldout.losses import SQUARED, ZERO_ONE
from heldout.losses.tested_losses import RepeatedByRow, Tested, repeated_by_row, training_covariance
from studies.intervals import two_way_t

EVERY = (two_way_wilson, two_way_clopper_pearson, two_way_log_t, two_way_t)
TWO = 0.954499736103642  # the level at which z = 2


def names(method) -> str:
    return str(method.METHOD.name)


def test_the_margins_of_a_table_by_hand():
    seen = repeated_by_row(np.array([[0.0, 1.0, 1.0], [0.0, 0.0, 1.0]]), ZERO_ONE)
    # the rows' means are 0, 1/2, 1: variance (1/4 + 1/4) / 2
    assert (2 / 3, 1 / 3) == pytest.approx(tuple(seen.by_repeat))
    assert (1 / 4, 3, 1 / 2) == pytest.approx((seen.row_variance, seen.n, seen.error))


# by rows 1/4 / 4 = 1/16; by repeats ((1/4)^2 + (1/4)^2) / 2 = 1/16; V = 1/8
HAND = RepeatedByRow(np.array([0.25, 0.75]), 0.25, 4, ZERO_ONE)


def test_the_two_way_wilson_by_hand():
    # n_eff = 1/4 / (1/8) = 2; z = 2: 1/2 +- 2 sqrt(1/8 + 1/4) / (1 + 2) = 1/2 +- 0.4082483
    assert (0.0917517, 0.9082483) == pytest.approx(two_way_wilson.bounds(HAND, TWO), abs=5e-8)


def test_the_two_way_log_t_by_hand():
    # t with 3 degrees at 3/4 is 0.7648923; times sqrt(1/8), over 1/2, is 0.5408606: 1/2 exp(-0.5408606) and
    # 1/2 exp(0.5408606)
    assert (0.2911235, 0.8587421) == pytest.approx(two_way_log_t.bounds(HAND, 0.5), abs=5e-8)


def test_the_two_way_clopper_pearson_by_hand():
    # t with 3 degrees at 3/4 is 0.7648923, z is 0.6744898: n_eff = 2 (z / t)^2 = 1.5551780, a share of 1/2
    each_side, half = 0.25, (0.6744898 / 0.7648923) ** 2
    low, high = beta.ppf(each_side, half, half + 1), beta.ppf(1 - each_side, half + 1, half)
    assert (low, high) == pytest.approx(two_way_clopper_pearson.bounds(HAND, 0.5), abs=5e-8)


# each row is missed once and each repeat misses one of its rows: neither margin varies, but the losses do
LEVEL_MARGINS = np.array([[0.0, 1.0, 1.0, 0.0], [1.0, 0.0, 0.0, 1.0]])
HALVES = np.array([[0, 0, 1, 1], [0, 1, 0, 1]], dtype=np.int8)


@pytest.mark.parametrize("method", [of for of in EVERY if of is not two_way_clopper_pearson], ids=names)
def test_the_covariance_of_rows_that_train_each_other_widens_by_hand(method):
    # rows 0, 3 and rows 1, 2 lie in different halves in both repeats; of the deviations -1/2, 1/2, 1/2, -1/2 and their
    # negatives, the products across repeats are -1/4 in these 8 ordered pairs (r, i), (s, j), and 1/4 in the other 16;
    # 8 of 64 pairs in each repeat are such pairs too
    assert -1 / 2 * 24 / 64 == pytest.approx(training_covariance(LEVEL_MARGINS, HALVES), abs=1e-15)
    # the same row of losses twice: 1/4 in the 8, -1/4 in the 16
    alike = np.array([LEVEL_MARGINS[0], LEVEL_MARGINS[0]])
    seen = repeated_by_row(alike, ZERO_ONE, half=HALVES)
    assert (1 / 3, 1 / 3, 3 / 16) == pytest.approx((seen.row_variance, seen.loss_variance, seen.covariance))
    assert 1 / 12 == pytest.approx(two_way_wilson.variance(seen))  # the margins show n independent losses: the limit
    wide = RepeatedByRow(np.array([0.5, 0.5]), 0.1, 10, ZERO_ONE, 0, 0.25, 0.005)
    assert 0.015 == pytest.approx(two_way_wilson.variance(wide))
    plain = RepeatedByRow(np.array([0.5, 0.5]), 0.15, 10, ZERO_ONE)
    assert method.bounds(plain, 0.9) == pytest.approx(method.bounds(wide, 0.9), abs=1e-12)


@pytest.mark.parametrize(("covariance", "variance"), [(-1.0, 0.01), (0.0, 0.01), (0.004, 0.014), (1.0, 0.025)])
def test_the_variance_lies_between_that_of_the_margins_and_that_of_independent_losses(covariance, variance):
    seen = RepeatedByRow(np.array([0.5, 0.5]), 0.1, 10, ZERO_ONE, 0, 0.25, covariance)
    assert variance == pytest.approx(two_way_wilson.variance(seen))


def by_loops(table: np.ndarray, half: np.ndarray) -> float:
    """The covariance of rows in different halves of both repeats, less that of other rows: plain loops."""
    repeats, n = table.shape
    off = table - table.mean()
    apart, others, every = [], [], 0
    for r, s, i, j in product(range(repeats), range(repeats), range(n), range(n)):
        if i == j:
            continue
        opposite = half[r, i] != half[r, j] and half[s, i] != half[s, j]
        every += opposite
        if r != s:
            (apart if opposite else others).append(off[r, i] * off[s, j])
    return every / (repeats * n) ** 2 * (np.mean(apart) - np.mean(others))


@pytest.mark.parametrize("seed", range(4))
def test_the_covariance_is_that_of_plain_loops(seed):
    rng = np.random.default_rng(seed)
    table, half = rng.random((4, 7)), np.array([rng.permutation([0, 0, 0, 0, 1, 1, 1]) for _ in range(4)])
    # a few hundred products of numbers below 1
    assert by_loops(table, half) == pytest.approx(training_covariance(table, half), abs=1e-12)
    assert by_loops(table, half) == pytest.approx(training_covariance(table, 1 - half), abs=1e-12)


@pytest.mark.parametrize("shape", [(1, 8), (3, 2)])
def test_what_cannot_be_seen_adds_nothing(shape):
    half = np.arange(np.prod(shape)).reshape(shape) % 2
    assert 0 == training_covariance(np.random.default_rng(0).random(shape), half)


def test_rows_that_train_nothing_have_no_such_variance():
    seen = repeated_by_row(LEVEL_MARGINS, ZERO_ONE)
    assert (0.0, 0.0, (0.5, 0.5)) == (seen.loss_variance, seen.covariance, two_way_t.bounds(seen, 0.9))


def test_a_table_never_weighs_less_than_a_single_row():
    # V = 1/4 / 4 + 1/2 / 2 = 5/16, so that n_eff would be 4/5
    seen = RepeatedByRow(np.array([0.0, 1.0]), 0.25, 4, ZERO_ONE)
    assert wilson.roots(0.5, 1, 0.9) == two_way_wilson.bounds(seen, 0.9)


@pytest.mark.parametrize("value", [0.0, 1.0])
@pytest.mark.parametrize(("of_rows", "method"), [(wilson, two_way_wilson), (clopper_pearson, two_way_clopper_pearson)])
def test_a_constant_table_is_as_wide_as_its_rows_alone(of_rows, method, value):
    table = repeated_by_row(np.full((5, 40), value), ZERO_ONE)
    rows = Tested(np.full(40, value), ZERO_ONE)
    assert of_rows.bounds(rows, 0.95) == pytest.approx(method.bounds(table, 0.95), abs=1e-12)


@pytest.mark.parametrize("method", [two_way_log_t, two_way_t], ids=names)
def test_the_unit_of_the_losses_scales_the_bounds(method):
    table = np.random.default_rng(4).exponential(size=(5, 40))
    bounds = np.array(method.bounds(repeated_by_row(table, SQUARED), 0.95))
    scaled = method.bounds(repeated_by_row(1e9 * table, SQUARED), 0.95)
    assert 1e9 * bounds == pytest.approx(scaled, rel=1e-12)


def test_the_defaults_cover_where_the_earlier_ones_fell_short():
    """Skewed losses of numbers; half models that differ on few rows, and there in a share of the repeats."""
    rng = np.random.default_rng(5)
    cases = {
        (two_way_log_t, two_way_t): (lambda: rng.standard_exponential((1, 40)) ** 2, SQUARED, 2.0),
        (two_way_clopper_pearson, two_way_wilson): (
            lambda: (rng.random((30, 100)) < 0.4 * (rng.random(100) < 0.03)).astype(float),
            ZERO_ONE,
            0.4 * 0.03,
        ),
    }
    for (default, earlier), (draw, loss, target) in cases.items():
        tables = [repeated_by_row(draw(), loss) for _ in range(500)]
        shares = []
        for method in (default, earlier):
            bounds = np.array([method.bounds(table, 0.95) for table in tables])
            shares.append(np.mean((bounds[:, 0] <= target) & (target <= bounds[:, 1])))
        # the same tables: a share of 500 strays by 0.01, their difference by less
        assert shares[0] > shares[1] + 0.015, (default.METHOD.name, shares)


@pytest.mark.parametrize("loss", [ZERO_ONE, SQUARED], ids=lambda loss: loss.name)
def test_the_default_intervals_of_the_half_models(loss):
    found = {estimate: default_method(estimate, loss) for estimate in ("E_2cv", "E_train", "disagreement")}
    of_classes = dict.fromkeys(found, two_way_wilson.METHOD) | {"disagreement": two_way_clopper_pearson.METHOD}
    assert (of_classes if loss.binary else dict.fromkeys(found, two_way_log_t.METHOD)) == found


def test_repeats_that_agree_with_one_another_count_as_one():
    losses = np.repeat([0.0, 1.0], [30, 10])
    found = [two_way_wilson.bounds(repeated_by_row(np.tile(losses, (r, 1)), ZERO_ONE), 0.95) for r in (1, 2, 50)]
    assert found[0] == pytest.approx(found[1], abs=1e-12)
    assert found[0] == pytest.approx(found[2], abs=1e-12)


@pytest.mark.parametrize("method", EVERY, ids=names)
def test_coverage_is_at_least_near_the_level_with_noise_of_rows_and_of_repeats(method):
    """Row x is missed with chance 0.4 or 0.05, and repeat r shifts both: the mean over both is the target."""
    repeats, level, rows, runs = 10, 0.9, 200, 600
    rng = np.random.default_rng(0)
    hard = rng.random((runs, rows)) < 0.3
    shift = rng.choice([-0.04, 0.04], size=(runs, repeats))
    chance = np.where(hard, 0.4, 0.05)[:, None, :] + shift[:, :, None]
    tables = (rng.random(chance.shape) < chance).astype(float)
    loss = ZERO_ONE if method.METHOD.losses == "0/1" else SQUARED
    bounds = np.array([method.bounds(repeated_by_row(table, loss), level) for table in tables])
    target = 0.3 * 0.4 + 0.7 * 0.05
    # on the wide side; 2 % for the normal quantile with 10 repeats, and four standard errors of a share of 600
    covered = np.mean((bounds[:, 0] <= target) & (target <= bounds[:, 1]))
    assert covered >= level - 0.02 - 4 * math.sqrt(level * (1 - level) / runs)
