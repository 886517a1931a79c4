"""The winner's error, corrected by a bootstrap of the selection."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout.selection.bbc import ASSUMPTION, METHOD, corrected_error
from heldout.selection.bootstrap import BOOTSTRAPS

LAWS = settings(max_examples=40, deadline=None, derandomize=True, database=None)
LEVEL = 0.9
NOISE = 5 / math.sqrt(BOOTSTRAPS)  # five standard errors of a mean over the bootstraps, in standard deviations


@st.composite
def tables(draw, most: int = 4):
    """Losses of 0 and 1 of up to `most` candidates on 2 to 12 rows."""
    m, n = draw(st.integers(1, most)), draw(st.integers(2, 12))
    return np.array(
        draw(st.lists(st.lists(st.sampled_from([0.0, 1.0]), min_size=n, max_size=n), min_size=m, max_size=m))
    )


def every_draw(losses: np.ndarray) -> np.ndarray:
    """The winner's error on the rows left, for each of the n^n draws that leave any: a plain loop."""
    n, errors = losses.shape[1], []
    for drawn in product(range(n), repeat=n):
        left = [row for row in range(n) if row not in drawn]
        if left:
            winner = min(range(len(losses)), key=lambda c: sum(losses[c][row] for row in drawn))
            errors.append(sum(losses[winner][row] for row in left) / len(left))
    return np.array(errors)


def test_two_candidates_that_err_on_the_other_row_each_are_always_wrong_where_they_were_not_chosen():
    # a draw of row 0 alone chooses the candidate that is right there, and wrong on row 1; likewise for row 1
    value, interval = corrected_error(np.array([[0.0, 1.0], [1.0, 0.0]]), LEVEL, 0)
    assert (1.0, 1.0, 1.0) == (value, interval.low, interval.high)


def test_constant_losses_have_their_own_value():
    value, interval = corrected_error(np.array([[0.25] * 6, [0.5] * 6]), LEVEL, 0)
    assert (0.25, 0.25, 0.25) == (value, interval.low, interval.high)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("candidates", [1, 2, 4])
def test_the_value_is_the_mean_over_all_draws_and_the_bounds_their_quantiles(candidates, seed):
    losses = np.random.default_rng(seed).integers(0, 3, (candidates, 5)) / 2
    errors = every_draw(losses)  # of 5^5 = 3125 draws
    value, interval = corrected_error(losses, LEVEL, seed)
    assert errors.mean() == pytest.approx(value, abs=NOISE * errors.std())
    # so many of all draws lie below a bound, but for five standard errors of a share near 5 %
    reach = NOISE * math.sqrt(0.05 * 0.95)
    assert (errors < interval.low).mean() <= 0.05 + reach
    assert 0.05 - reach <= (errors <= interval.low).mean()
    assert (errors < interval.high).mean() <= 0.95 + reach
    assert 0.95 - reach <= (errors <= interval.high).mean()


def test_the_bounds_leave_half_of_what_the_level_leaves_on_each_side():
    rng = np.random.default_rng(0)
    losses, errors = rng.random((3, 30)), []
    for _ in range(4000):
        drawn = rng.integers(0, 30, 30)
        left = sorted(set(range(30)) - set(drawn.tolist()))
        errors.append(losses[np.argmin(losses[:, drawn].sum(axis=1)), left].mean())
    _, interval = corrected_error(losses, LEVEL, 0)
    # five standard errors of a share of 5 % in one draw of 1000 and another of 4000
    reach = 5 * math.sqrt(0.05 * 0.95 * (1 / BOOTSTRAPS + 1 / 4000))
    assert 0.05 == pytest.approx(np.mean(np.array(errors) < interval.low), abs=reach)
    assert 0.05 == pytest.approx(np.mean(np.array(errors) > interval.high), abs=reach)


@LAWS
@given(tables(most=1), st.integers(0, 2**40))
def test_a_single_candidate_keeps_about_its_own_error(losses, seed):
    """No choice, no optimism: each row is as likely to be left as any other."""
    value, _ = corrected_error(losses, LEVEL, seed)
    # errors lie in [0, 1] and spread by 1/2 at most
    assert losses.mean() == pytest.approx(value, abs=NOISE / 2)


@LAWS
@given(tables(), st.integers(0, 2**40))
def test_a_candidate_listed_twice_changes_nothing(losses, seed):
    assert corrected_error(losses, LEVEL, seed) == corrected_error(np.vstack([losses, losses]), LEVEL, seed)


@LAWS
@given(tables(), st.data())
def test_the_order_of_rows_does_not_matter(losses, data):
    order = data.draw(st.permutations(range(losses.shape[1])))
    assert corrected_error(losses, LEVEL, 3) == corrected_error(losses[:, order], LEVEL, 3)


@LAWS
@given(st.integers(2, 6), st.integers(0, 100), st.data())
def test_the_order_of_candidates_does_not_matter_but_for_ties_and_the_noise_of_the_draws(m, seed, data):
    losses = np.random.default_rng(seed).random((m, 30))  # no ties
    order = data.draw(st.permutations(range(m)))
    one, other = (corrected_error(table, LEVEL, 3)[0] for table in (losses, losses[order]))
    # the difference of two means over bootstraps of errors that spread by less than 0.2
    assert one == pytest.approx(other, abs=NOISE * math.sqrt(2) * 0.2)


@LAWS
@given(tables(), st.tuples(st.floats(0.01, 0.99), st.floats(0.01, 0.99)), st.integers(0, 2**40))
def test_a_higher_level_never_narrows_and_the_bounds_bracket_the_value(losses, pair, seed):
    (value, inner), (same, outer) = (corrected_error(losses, level, seed) for level in sorted(pair))
    assert value == same
    assert 0 <= outer.low <= inner.low <= value <= inner.high <= outer.high <= 1
    assert (max(pair), METHOD, ASSUMPTION) == (outer.level, outer.method, outer.assumption)


def test_the_same_seed_gives_the_same_value_and_another_seed_another():
    losses = np.random.default_rng(0).random((3, 20))
    assert corrected_error(losses, LEVEL, 1) == corrected_error(losses, LEVEL, 1)
    assert corrected_error(losses, LEVEL, 1) != corrected_error(losses, LEVEL, 2)


def test_a_far_better_candidate_has_nothing_to_correct():
    rng = np.random.default_rng(0)
    best = (rng.random(100) < 0.1).astype(float)
    losses = np.vstack([np.ones(100), best, np.ones(100)])
    value, _ = corrected_error(losses, LEVEL, 0)
    # it wins every draw; 37 rows are left: its error on them spreads by about sqrt(0.1 x 0.9 x 0.63 / 37) = 0.04
    assert best.mean() == pytest.approx(value, abs=NOISE * 0.04)


def test_the_correction_raises_the_least_of_many_equal_errors():
    losses = np.random.default_rng(1).integers(0, 2, (50, 60)).astype(float)
    assert losses.mean(axis=1).min() < 0.4
    value, interval = corrected_error(losses, LEVEL, 0)
    assert losses.mean(axis=1).min() + 0.05 < value
    assert interval.low < 0.5 < interval.high


def test_losses_of_any_size_are_corrected_in_their_own_unit():
    losses = np.random.default_rng(2).random((3, 25))
    small, large = corrected_error(losses, LEVEL, 0), corrected_error(1e6 * losses, LEVEL, 0)
    # the same sums, scaled
    assert 1e6 * small[0] == pytest.approx(large[0], rel=1e-12)
    assert 1e6 * small[1].high == pytest.approx(large[1].high, rel=1e-12)


def test_the_given_losses_are_left_as_they_were():
    losses = np.random.default_rng(3).random((3, 25))
    before = losses.tobytes()
    corrected_error(losses, LEVEL, 0)
    assert before == losses.tobytes()
