"""The model confidence set: who cannot be told from the best."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, norm

from heldout.selection.confidence_set import confidence_set, variance_factor

LAWS = settings(max_examples=40, deadline=None, derandomize=True, database=None)
LEVEL = 0.9
levels = st.floats(0.05, 0.99)


@st.composite
def tables(draw):
    """Losses of 0, 1/2 and 1 of one to five candidates on 2 to 15 rows, many of them tied."""
    m, n = draw(st.integers(1, 5)), draw(st.integers(2, 15))
    values = st.sampled_from([0.0, 0.5, 1.0])
    return np.array(draw(st.lists(st.lists(values, min_size=n, max_size=n), min_size=m, max_size=m)))


def found(losses: np.ndarray, level: float = LEVEL, factor: float = 1.0, seed: int = 0) -> list[int]:
    return confidence_set(losses, level, factor, seed)


def gap_of(t: float, n: int = 400) -> np.ndarray:
    """Losses of two candidates: the second one's are less by t standard errors of the paired difference."""
    first = np.arange(n) % 2 + 1.0
    difference = np.where(np.arange(n) // 2 % 2 == 0, 1.0, -1.0)  # mean 0, variance 1
    return np.array([first, first + difference - t / math.sqrt(n)])


@pytest.mark.parametrize(("folds", "factor"), [(None, 1.0), (2, 3.0), (3, 2.5), (10, 1 + 10 / 9)])
def test_the_variance_factor_by_hand(folds, factor):
    # (1/k + 1/(k - 1)) / (1/k): 2 (1/2 + 1) = 3; 3 (1/3 + 1/2) = 2.5
    assert factor == pytest.approx(variance_factor(folds), rel=1e-15)


def test_one_candidate_is_its_own_set_and_a_single_row_tells_nobody_apart():
    assert [0] == found(np.array([[1.0, 0.0, 1.0]]))
    assert [0, 1, 2] == found(np.array([[1.0], [0.0], [5.0]]))


@pytest.mark.parametrize(("t", "alike"), [(0.0, True), (1.5, True), (-1.5, True), (2.5, False), (-2.5, False)])
def test_two_candidates_are_told_apart_by_their_paired_t(t, alike):
    # the bootstrap of |t| reaches 1.645 at level 0.9, and 1.96 at 0.95
    for level in (0.9, 0.95):
        assert ([0, 1] if alike else [int(t > 0)]) == found(gap_of(t), level)


@pytest.mark.parametrize(("level", "quantile"), [(0.8, 1.2816), (0.9, 1.6449), (0.95, 1.9600), (0.99, 2.5758)])
def test_for_two_candidates_the_limit_is_the_two_sided_normal_quantile(level, quantile):
    # a quantile of 1000 draws of |t|: five standard errors sqrt(level (1 - level) / 1000) / (2 phi(quantile))
    density = 2 * math.exp(-(quantile**2) / 2) / math.sqrt(2 * math.pi)
    reach = 5 * math.sqrt(level * (1 - level) / 1000) / density
    assert [0, 1] == found(gap_of(quantile - reach), level)
    assert [1] == found(gap_of(quantile + reach), level)


def test_shared_training_rows_divide_t_by_the_root_of_the_factor():
    assert [1] == found(gap_of(2.5))
    assert [0, 1] == found(gap_of(2.5), factor=3.0)
    assert [1] == found(gap_of(2.5 * math.sqrt(3)), factor=3.0)


@LAWS
@given(tables(), levels, st.integers(0, 2**40))
def test_the_set_holds_every_candidate_of_least_error_in_ascending_places(losses, level, seed):
    places = found(losses, level, seed=seed)
    assert sorted(set(places)) == places
    assert int(np.argmin(losses.mean(axis=1))) in places


@LAWS
@given(tables(), levels, st.data())
def test_candidates_with_equal_losses_on_every_row_are_never_told_apart(losses, level, data):
    copied = data.draw(st.integers(0, len(losses) - 1))
    places = found(np.vstack([losses, losses[copied]]), level)
    assert (copied in places) == (len(losses) in places)


@LAWS
@given(st.integers(2, 8), st.integers(2, 30), levels)
def test_equal_candidates_are_all_in_the_set(m, n, level):
    losses = np.tile(np.random.default_rng(n).random(n), (m, 1))
    assert list(range(m)) == found(losses, level)


@pytest.mark.parametrize("best", [0, 2, 4])
def test_a_far_better_candidate_alone_is_the_set(best):
    losses = np.random.default_rng(0).random((5, 50)) + 1
    losses[best] -= 1
    assert [best] == found(losses, 0.99)


def test_the_same_difference_on_every_row_tells_apart_however_small():
    base = np.random.default_rng(0).random(20)
    assert [1] == found(np.array([base + 0.001, base, base + 0.5]))


@LAWS
@given(tables(), st.tuples(levels, levels), st.floats(1, 3), st.integers(0, 2**40))
def test_a_higher_level_gives_a_superset(losses, pair, factor, seed):
    smaller, larger = (set(found(losses, level, factor, seed)) for level in sorted(pair))
    assert smaller <= larger


@LAWS
@given(tables(), levels, st.tuples(st.floats(1, 3), st.floats(1, 3)))
def test_a_larger_factor_gives_a_superset(losses, level, pair):
    smaller, larger = (set(found(losses, level, factor)) for factor in sorted(pair))
    assert smaller <= larger


@LAWS
@given(tables(), levels, st.data())
def test_the_order_of_rows_does_not_matter(losses, level, data):
    order = data.draw(st.permutations(range(losses.shape[1])))
    assert found(losses, level) == found(losses[:, order], level)


@LAWS
@given(st.permutations(range(5)), st.integers(0, 100))
def test_the_order_of_candidates_does_not_matter_where_the_noise_of_the_draws_does_not_decide(order, seed):
    # errors 0 and 0.02, which 60 rows of spread 0.3 cannot tell apart, and 1, which they can
    rng = np.random.default_rng(seed)
    losses = 0.3 * rng.standard_normal((5, 60))
    losses += np.array([0.0, 0.02, 1.0, 1.0, 1.0])[:, None] - losses.mean(axis=1, keepdims=True)
    assert [0, 1] == found(losses, 0.99)
    assert [0, 1] == sorted(order[place] for place in found(losses[order], 0.99))


@pytest.mark.parametrize(
    "unit",
    [
        1e-6,
        1e3,
        1e9,
        1e-13,
    ],
)
def test_the_unit_of_the_losses_does_not_matter(unit):
    losses = np.random.default_rng(0).random((4, 30)) + np.array([0.0, 0.05, 0.3, 0.6])[:, None]
    assert len(found(losses)) in (1, 2, 3)
    assert found(losses) == found(unit * losses)


def test_the_same_seed_gives_the_same_set():
    losses = np.random.default_rng(0).random((6, 30)) + np.linspace(0, 0.3, 6)[:, None]
    assert found(losses, seed=4) == found(losses, seed=4)


def test_the_given_losses_are_left_as_they_were():
    losses = np.random.default_rng(3).random((3, 25))
    before = losses.tobytes()
    found(losses)
    assert before == losses.tobytes()


def zero_one(rng: np.random.Generator, errors: list[float], n: int = 100) -> np.ndarray:
    """Losses of 0 and 1 with these true errors; rows that are hard for one are hard for all."""
    hardness = (rng.standard_normal(n) + rng.standard_normal((len(errors), n))) / math.sqrt(2)
    return (hardness < norm.ppf(errors)[:, None]).astype(float)


def normal(rng: np.random.Generator, errors: list[float], n: int = 100) -> np.ndarray:
    """Losses about these means with a part that all candidates share."""
    return np.array(errors)[:, None] + rng.standard_normal(n) + rng.standard_normal((len(errors), n))


@pytest.mark.slow
@pytest.mark.parametrize("draw", [zero_one, pytest.param(normal, marks=pytest.mark.long)])
@pytest.mark.parametrize("errors", [[0.3] * 5, [0.25, 0.3, 0.3, 0.4, 0.5]], ids=["equal", "different"])
def test_the_set_holds_the_best_at_least_as_often_as_its_level(draw, errors):
    """Of equal ones each is the best; that all of them are held is asymptotic: 0.88 for these 100 normal losses."""
    repeats, rng = 300, np.random.default_rng(7)
    places = [found(draw(rng, errors), LEVEL, seed=seed) for seed in range(repeats)]
    # the count that a chance of LEVEL reaches in all but one of a thousand such tests
    least = binom.ppf(1e-3, repeats, LEVEL)
    assert least <= sum(0 in one for one in places)
    equal = errors.count(min(errors))
    assert least <= sum(set(range(equal)) <= set(one) for one in places)


def test_worse_candidates_leave_the_set_as_rows_grow():
    sizes = [
        np.mean([len(found(zero_one(np.random.default_rng(seed), [0.2, 0.3, 0.4], n))) for seed in range(20)])
        for n in (20, 80, 320)
    ]
    assert sizes[0] > sizes[1] > sizes[2]
    # 320 rows: a difference of 0.1 is about 3.5 standard errors of the paired difference
    assert sizes[2] < 1.3
