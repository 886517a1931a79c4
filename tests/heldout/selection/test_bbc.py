"""The winner's error, corrected by a bootstrap of the selection."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

import heldout
from heldout.errors import BadArgument
from heldout.estimates.methods import assumption_of
from heldout.intervals import corrected_fold_t, corrected_fold_wilson, corrected_log_t, corrected_wilson, wilson
from heldout.losses import SQUARED, ZERO_ONE
from heldout.losses.tested_losses import CrossValidated, Tested
from heldout.selection import bbc
from heldout.selection.bbc import corrected
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
    assert 1.0 == corrected(np.array([[0.0, 1.0], [1.0, 0.0]]), 0).error


def test_constant_losses_have_their_own_value():
    assert 0.25 == corrected(np.array([[0.25] * 6, [0.5] * 6]), 0).error


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("candidates", [1, 2, 4])
def test_the_value_is_the_mean_over_all_draws(candidates, seed):
    losses = np.random.default_rng(seed).integers(0, 3, (candidates, 5)) / 2
    errors = every_draw(losses)  # of 5^5 = 3125 draws
    assert errors.mean() == pytest.approx(corrected(losses, seed).error, abs=NOISE * errors.std())


@LAWS
@given(tables(most=1), st.integers(0, 2**40))
def test_a_single_candidate_keeps_about_its_own_error(losses, seed):
    """No choice, no optimism: each row is as likely to be left as any other."""
    value = corrected(losses, seed).error
    # errors lie in [0, 1] and spread by 1/2 at most
    assert losses.mean() == pytest.approx(value, abs=NOISE / 2)


@LAWS
@given(tables(), st.integers(0, 2**40))
def test_a_candidate_listed_twice_changes_nothing(losses, seed):
    assert corrected(losses, seed).error == corrected(np.vstack([losses, losses]), seed).error


@LAWS
@given(tables(), st.data())
def test_the_order_of_rows_does_not_matter(losses, data):
    order = data.draw(st.permutations(range(losses.shape[1])))
    assert corrected(losses, 3).error == corrected(losses[:, order], 3).error
    fold = np.arange(losses.shape[1]) % 2
    found = [corrected(losses[:, one], 3, None, "one_standard_error", fold[one]).error for one in (slice(None), order)]
    assert found[0] == found[1]


@LAWS
@given(st.integers(2, 6), st.integers(0, 100), st.data())
def test_the_order_of_candidates_does_not_matter_but_for_ties_and_the_noise_of_the_draws(m, seed, data):
    losses = np.random.default_rng(seed).random((m, 30))  # no ties
    order = data.draw(st.permutations(range(m)))
    one, other = (corrected(table, 3).error for table in (losses, losses[order]))
    # the difference of two means over bootstraps of errors that spread by less than 0.2
    assert one == pytest.approx(other, abs=NOISE * math.sqrt(2) * 0.2)


def test_the_same_seed_gives_the_same_value_and_another_seed_another():
    losses = np.random.default_rng(0).random((3, 20))
    assert corrected(losses, 1).error == corrected(losses, 1).error
    assert corrected(losses, 1).error != corrected(losses, 2).error


def test_a_far_better_candidate_has_nothing_to_correct():
    rng = np.random.default_rng(0)
    best = (rng.random(100) < 0.1).astype(float)
    losses = np.vstack([np.ones(100), best, np.ones(100)])
    value = corrected(losses, 0).error
    # it wins every draw; 37 rows are left: its error on them spreads by about sqrt(0.1 x 0.9 x 0.63 / 37) = 0.04
    assert best.mean() == pytest.approx(value, abs=NOISE * 0.04)


def test_the_correction_raises_the_least_of_many_equal_errors():
    losses = np.random.default_rng(1).integers(0, 2, (50, 60)).astype(float)
    assert losses.mean(axis=1).min() < 0.4
    assert losses.mean(axis=1).min() + 0.05 < corrected(losses, 0).error


def test_losses_of_any_size_are_corrected_in_their_own_unit():
    losses = np.random.default_rng(2).random((3, 25))
    # the same sums, scaled
    assert 1e6 * corrected(losses, 0).error == pytest.approx(corrected(1e6 * losses, 0).error, rel=1e-12)


def test_the_given_losses_are_left_as_they_were():
    losses = np.random.default_rng(3).random((3, 25))
    before = losses.tobytes()
    corrected(losses, 0, rule="one_standard_error", fold=np.arange(25) % 5)
    assert before == losses.tobytes()


# --- the rule


def every_draw_by_one_standard_error(losses: np.ndarray, fold: np.ndarray) -> np.ndarray:
    """As `every_draw`, by the rule: a plain loop. A fold counts by its drawn rows."""
    n, k, errors = losses.shape[1], fold.max() + 1, []
    for drawn in product(range(n), repeat=n):
        left = [row for row in range(n) if row not in drawn]
        if not left:
            continue
        means = losses[:, list(drawn)].mean(axis=1)
        best = int(np.argmin(means))
        parts = [losses[best][[row for row in drawn if fold[row] == one]] for one in range(k)]
        spread = sum(len(part) * (part.mean() - means[best]) ** 2 for part in parts if len(part)) / n
        limit = means[best] + math.sqrt(spread / (k - 1))
        taken = next(place for place, mean in enumerate(means) if mean <= limit + 1e-12)
        errors.append(losses[taken][left].mean())
    return np.array(errors)


@pytest.mark.parametrize("seed", range(3))
def test_the_rule_that_chose_is_the_rule_that_is_repeated(seed):
    losses, fold = np.random.default_rng(seed).random((3, 5)), np.array([0, 0, 1, 1, 2])
    errors = every_draw_by_one_standard_error(losses, fold)
    value = corrected(losses, seed, None, "one_standard_error", fold).error
    assert errors.mean() == pytest.approx(value, abs=NOISE * errors.std())


def test_a_simple_candidate_within_the_noise_is_what_the_rule_takes():
    rng = np.random.default_rng(0)
    simple, other = (rng.random(200) < 0.32).astype(float), (rng.random(200) < 0.3).astype(float)
    losses, fold = np.stack([simple, np.minimum(other, 1 - 0.0)]), np.arange(200) % 10
    by_rule = corrected(losses, 0, None, "one_standard_error", fold).error
    # it takes `simple` nearly always, and `simple` has about its own error
    assert simple.mean() == pytest.approx(by_rule, abs=0.01)
    assert corrected(losses, 0).error != by_rule


def test_a_rule_that_bootstraps_itself_is_not_repeated():
    assert ("minimum", "one_standard_error") == bbc.REPEATABLE
    with pytest.raises(BadArgument, match="^rule is indistinguishable") as caught:
        corrected(np.ones((2, 4)), 0, None, "indistinguishable", np.arange(4))
    assert "rule" == caught.value.argument
    assert all(
        "among this run's candidates" in bbc.target(rule) and rule in bbc.target(rule) for rule in bbc.REPEATABLE
    )


# --- the interval

FOLD = np.repeat(np.arange(4), 5)
# five errors in 20 rows, in folds with 2, 1, 1, 1
WRONG = np.zeros(20)
WRONG[[0, 1, 5, 10, 15]] = 1
SUBSAMPLES = {"subsample_errors": 0.25 + 0.1 * np.resize([1.0, -1.0], 24), "tested_per_trained": 1 / 3}


def about(error, size, value, t=2.068657610):
    """From the lower root about the winner's error to the upper one about E_bbc; t has 23 degrees of freedom."""
    return wilson.roots_at(error, size, t)[0], wilson.roots_at(value, size, t)[1]


def test_wilsons_roots_about_the_corrected_error_have_the_winners_effective_size():
    winner = CrossValidated(WRONG, ZERO_ONE, fold=FOLD, **SUBSAMPLES)
    found = bbc.interval(0.3, winner, 0.95)
    # S^2 = 0.01 x 24/23, V = S^2 (1/24 + 1/3) = 0.0039130, less than 1/4 x 3/4 / 19 = 0.0098684: n_eff = 19
    expected = about(0.25, 19, 0.3)
    assert expected == pytest.approx((found.low, found.high), abs=1e-9)
    assert ("corrected Wilson", 0.95) == (found.method, found.level)
    errors = 0.25 + 2 * (SUBSAMPLES["subsample_errors"] - 0.25)  # V = 0.0156522 passes it
    loose = CrossValidated(WRONG, ZERO_ONE, fold=FOLD, subsample_errors=errors, tested_per_trained=1 / 3)
    expected = about(0.25, 3 / 16 / (0.04 * 24 / 23 * 3 / 8), 0.3)
    found = bbc.interval(0.3, loose, 0.95)
    assert expected == pytest.approx((found.low, found.high), abs=1e-9)


def test_numbers_have_the_t_interval_on_the_log_scale():
    losses = 4 * WRONG
    winner = CrossValidated(losses, SQUARED, fold=FOLD, **SUBSAMPLES)
    # 16 x 1/4 x 3/4 / 19 = 0.1578947 passes 0.0039130
    factor = math.exp(2.068657610 * math.sqrt(3 / 19))  # of a mean of 1, so that it is the relative one
    found = bbc.interval(1.5, winner, 0.95)
    assert (1 / factor, 1.5 * factor) == pytest.approx((found.low, found.high), abs=1e-9)
    assert corrected_log_t.METHOD.name == found.method


def test_without_subsamples_and_for_groups_the_fold_errors_say_how_noisy_it_is():
    alone = CrossValidated(WRONG, ZERO_ONE, fold=FOLD)
    groups = CrossValidated(WRONG, ZERO_ONE, cluster=FOLD, fold=FOLD, **SUBSAMPLES)
    size = corrected_fold_wilson.effective_size(alone)
    expected = about(0.25, size, 0.3, 3.182446305)  # t with 3 degrees of freedom
    for winner, kind in ((alone, None), (groups, "groups")):
        found = bbc.interval(0.3, winner, 0.95, kind)
        assert expected == pytest.approx((found.low, found.high), abs=1e-9)
        assert found.assumption.startswith(assumption_of("E_cv", corrected_fold_wilson.METHOD.name, kind))
        assert bbc.assumption(found.method, kind) == found.assumption
    numbers = CrossValidated(WRONG, SQUARED, fold=FOLD)
    reach = 3.182446305 * math.sqrt(corrected_fold_t.variance(numbers)) / 0.25
    found = bbc.interval(0.3, numbers, 0.95)
    assert (max(0.25 * (1 - reach), 0), 0.3 * (1 + reach)) == pytest.approx((found.low, found.high), abs=1e-9)


@pytest.mark.parametrize("cluster", [None, np.arange(100) // 2])
def test_a_mean_over_several_that_may_have_won_varies_less_and_that_of_one_does_not(cluster):
    rng = np.random.default_rng(0)
    losses = (rng.random((8, 50)) < 0.2).astype(float)
    losses = losses if cluster is None else np.repeat(losses, 2, axis=1)
    winner = Tested(losses[0], ZERO_ONE, cluster=cluster)
    n, z = losses.shape[1], 1.959963985  # of fixed hypotheses the bounds are Wilson's, of rows
    for taken, r in ((losses[0], 1.0), (losses[0] / 2, 0.25), (losses[0] / 10, 0.01), (2 * losses[0], 1.0)):
        found = bbc.interval(0.3, winner, 0.95, taken=taken)
        low, high = (wilson.roots_at(centre, n / ((1 + r) / 2), z) for centre in (losses[0].mean(), 0.3))
        low, high = low[0], high[1]
        assert (low, high) == pytest.approx((found.low, found.high), abs=1e-9)


def test_the_losses_of_those_that_may_have_won_are_those_of_the_bootstraps_winners():
    far, near = np.ones(60), np.zeros(60)
    assert near.tolist() == corrected(np.stack([far, near]), 0).losses.tolist()
    same = np.random.default_rng(0).random((2, 60))
    same = np.stack([same[0], same[0][::-1]])  # equal means: each wins half of the draws
    share = np.linalg.lstsq(same.T, corrected(same, 0).losses, rcond=None)[0]
    assert 1 == pytest.approx(share.sum(), abs=1e-9)
    assert 0.5 == pytest.approx(share[0], abs=NOISE)


@pytest.mark.parametrize(
    "risks",
    [
        [0.2] * 19
        + [0.1],  # bounds about E_bbc alone covered in .70 of 150 tables, and what they missed was below them
        pytest.param([0.2] * 4 + [0.1], marks=pytest.mark.slow),  # in .75
        [0.2] * 20,
        pytest.param([0.1, 0.15, 0.2, 0.25, 0.3], marks=pytest.mark.slow),  # in .91
    ],
)
def test_it_covers_the_winners_error_whether_one_is_better_all_are_equal_or_they_are_graded(risks):
    rng, covered = np.random.default_rng(1), 0
    for seed in range(50):
        losses = (rng.random((len(risks), 120)) < np.array(risks)[:, None]).astype(float)
        best, found = int(losses.mean(axis=1).argmin()), corrected(losses, seed)
        seen = bbc.interval(found.error, Tested(losses[best], ZERO_ONE), 0.95, taken=found.losses)
        covered += seen.low <= risks[best] <= seen.high
    assert covered >= 46  # .92 of the 50 tables of this seed


@pytest.mark.parametrize("n", [40, 300])
def test_no_error_at_all_leaves_room_for_some(n):
    fold, none = np.arange(n) % 10, np.zeros(n)
    assert 0 == corrected(np.stack([none, none]), 0).error
    winners = [
        CrossValidated(none, ZERO_ONE, fold=fold, subsample_errors=np.zeros(25), tested_per_trained=1 / 9),
        CrossValidated(none, ZERO_ONE, fold=fold),
        Tested(none, ZERO_ONE),
    ]
    found = [bbc.interval(0.0, winner, 0.95) for winner in winners]
    assert [0.0] * 3 == [interval.low for interval in found]
    # one error in n rows is never excluded
    assert all(1 / n < interval.high < 0.5 for interval in found)
    assert corrected_wilson.METHOD.interval("E_cv", winners[0], 0.95).high == found[0].high


@pytest.mark.parametrize(
    "loss", ["balanced", {"cost": {0: {1: 1}, 1: {0: 20}}}, "brier"], ids=["balanced", "cost", "brier"]
)
def test_a_loss_with_a_limit_that_is_0_everywhere_leaves_room_for_some_and_so_do_few_rows_of_a_class(loss):
    X = np.linspace(-1, 1, 60)[:, None]
    y = (X[:, 0] > 0.8).astype(int)  # 6 rows, all of them right
    how = {"loss": loss, "folds": 5, "estimates": ["E_cv", "E_bbc"]}
    trees = {name: DecisionTreeClassifier(max_depth=depth, random_state=0) for name, depth in (("a", 1), ("b", 2))}
    of = heldout.validate(trees, X, y, **how)["a"]
    assert of["E_bbc"].low <= of["E_bbc"].value < of["E_bbc"].high
    if loss != "brier":  # as for its own error, with what the choice adds
        assert of["E_cv"].interval == of["E_bbc"].interval == "corrected Wilson by class"
    assert of["E_bbc"].high >= of["E_cv"].high - 1e-12


@LAWS
@given(tables(most=1), st.floats(0, 1), st.tuples(st.floats(0.01, 0.99), st.floats(0.01, 0.99)))
def test_a_higher_level_never_narrows_and_the_bounds_bracket_the_value(losses, value, pair):
    winner = Tested(losses[0], ZERO_ONE)
    inner, outer = (bbc.interval(value, winner, level) for level in sorted(pair))
    # a few operations on numbers of at most 1
    assert 0 <= outer.low <= inner.low + 1e-12 <= value + 2e-12
    assert value - 1e-12 <= inner.high <= outer.high + 1e-12 <= 1 + 1e-12


def test_too_few_losses_have_no_interval():
    assert bbc.interval(0.5, Tested(np.ones(1), SQUARED), 0.9) is None
