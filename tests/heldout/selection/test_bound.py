"""The bound on the chosen: one-sided limits at delta / M, which the choice cannot break."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, binom, norm

from heldout.errors import BadArgument
from heldout.intervals import betting, clopper_pearson, clustered_t
from heldout.losses import ABSOLUTE, SQUARED, ZERO_ONE, Loss, choose_loss
from heldout.losses.tested_losses import Tested
from heldout.selection.bound import SelectionBound, selection_bound

LAWS = settings(max_examples=60, deadline=None, derandomize=True, database=None)
BOUNDED = Loss("bounded", ABSOLUTE.pointwise, ABSOLUTE.constant, limit=1.0, binary=False)
models, levels = st.integers(1, 1000), st.floats(0.5, 0.99)
counts = st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
shares = st.lists(st.floats(0, 1), min_size=1, max_size=40)


def of_errors(count: int, n: int, m: int = 1, level: float = 0.95) -> SelectionBound:
    """The bound for `count` errors among n rows, of one among m candidates."""
    return selection_bound(Tested(np.repeat([1.0, 0.0], [count, n - count]), ZERO_ONE), m, level)


def test_two_errors_among_sixty_of_eight_candidates():
    found = of_errors(2, 60, 8)
    # the p at which 2 errors or fewer have chance 0.05 / 8: 14.1 %; 1/30 + sqrt(ln(160) / 120) = 23.9 %
    assert beta.isf(0.05 / 8, 3, 58) == pytest.approx(found.value, rel=1e-12)
    assert 0.05 / 8 == pytest.approx(binom.cdf(2, 60, found.value), rel=1e-9)
    assert (0.1414665, 0.2389862) == pytest.approx((found.value, found.hoeffding), abs=5e-8)
    assert "Clopper-Pearson" == found.method


def test_losses_between_0_and_1_take_a_bettor_who_bets_on_one_side():
    # one loss of 0 at delta = 1/4: bet sqrt(2 ln 4 / (1/4)) = 3.3302184, as in the two-sided golden at level 1/2
    found = selection_bound(Tested(np.zeros(1), BOUNDED), 2, 0.5)
    assert 1 - 0.0991582 == pytest.approx(found.value, abs=5e-8)
    assert "betting" == found.method


@pytest.mark.parametrize("method", [betting, clopper_pearson])
@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
def test_the_one_sided_limit_is_the_upper_end_of_the_interval_that_leaves_twice_as_much(method, level):
    seen = Tested(np.repeat([1.0, 0.0], [3, 20]), ZERO_ONE, seed=4)
    upper = method.METHOD.interval("E_val", seen, level).high
    assert upper == method.upper_limit(seen, (1 - level) / 2)


@LAWS
@given(counts, models, levels)
def test_more_candidates_a_higher_level_and_one_more_error_raise_it_and_one_more_right_answer_lowers_it(case, m, level):
    count, n = case
    bound = of_errors(count, n, m, level).value
    assert count / n <= bound <= 1
    for more in (
        of_errors(count, n, m + 1, level),
        of_errors(count, n, m, level + 0.005),
        of_errors(count + 1, n + 1, m, level),
    ):
        assert bound < more.value or bound == 1
    assert of_errors(count, n + 1, m, level).value < bound
    assert of_errors(count, n, m, level).hoeffding < of_errors(count, n, m + 1, level).hoeffding


@LAWS
@given(shares, models, levels)
def test_a_bettors_bound_is_never_below_the_error_and_rises_with_the_candidates_and_the_level(losses, m, level):
    seen = Tested(np.array(losses), BOUNDED)
    bound = selection_bound(seen, m, level).value
    assert seen.error <= bound <= 1
    # bisection ends within 1e-12
    for more in (selection_bound(seen, 2 * m, level), selection_bound(seen, m, (1 + level) / 2)):
        assert bound <= more.value + 1e-11


@pytest.mark.parametrize("losses", [np.zeros(30), np.arange(30) / 60, np.tile([0.0, 0.0, 0.9], 10)])
def test_a_bettors_bound_falls_with_the_rows(losses):
    few, many = (selection_bound(Tested(np.tile(losses, times), BOUNDED), 8, 0.95).value for times in (1, 4))
    assert many < few


@LAWS
@given(shares, models, levels, st.floats(1e-3, 1e6))
def test_the_bound_is_in_units_of_the_limit(losses, m, level, limit):
    unit = selection_bound(Tested(np.array(losses), BOUNDED), m, level)
    found = selection_bound(Tested(limit * np.array(losses), SQUARED.limited(limit)), m, level)
    assert (limit * unit.value, limit * unit.hoeffding) == pytest.approx((found.value, found.hoeffding), rel=1e-9)
    assert "betting" == found.method == unit.method


@pytest.mark.parametrize(("other", "method"), [(0.5, "betting"), (3, "Clopper-Pearson")])
@LAWS
@given(places=st.lists(st.integers(0, 5), min_size=1, max_size=30), m=models, level=levels)
def test_ten_times_the_costs_have_ten_times_the_bound(other, method, places, m, level):
    classes, pairs = np.arange(3), np.array([(a, p) for a in range(3) for p in range(3) if a != p])[places]
    found = []
    for times in (1, 10):
        costs = {0: {1: other, 2: 0}, 1: {0: 3, 2: other}, 2: {0: 3, 1: other}}
        costs = {actual: {answer: times * cost for answer, cost in of.items()} for actual, of in costs.items()}
        loss = choose_loss({"cost": costs}, classes)
        assert 3 * times == loss.limit
        found.append(selection_bound(Tested(loss.pointwise(*pairs.T), loss), m, level))
    assert 10 * found[0].value == pytest.approx(found[1].value, rel=1e-9)
    assert 10 * found[0].hoeffding == pytest.approx(found[1].hoeffding, rel=1e-9)
    assert found[1].value <= 30
    assert {method} == {bound.method for bound in found}


def test_there_is_none_for_losses_without_limit_and_for_rows_that_depend_on_one_another():
    losses = np.array([0.0, 1.0, 1.0])
    assert selection_bound(Tested(losses, SQUARED), 5, 0.95) is None
    assert selection_bound(Tested(losses, ZERO_ONE.with_weights()), 5, 0.95) is None
    assert selection_bound(Tested(losses, ZERO_ONE, cluster=np.array([0, 0, 1])), 5, 0.95) is None


def table(k: int, m: int, seed: int) -> np.ndarray:
    """K losses of 0 and 1 of each of m candidates, which err together on most rows."""
    rng = np.random.default_rng(seed)
    return ((rng.random((k, 1)) < 0.3) ^ (rng.random((k, m)) < 0.05)).astype(float)


@LAWS
@given(st.integers(2, 100), st.integers(1, 8), st.integers(0, 20), levels, st.integers(0, 99))
def test_losses_of_the_others_lower_it_no_further_than_the_choice_among_those_without_losses_allows(
    k, m, further, level, seed
):
    losses = table(k, m, seed)
    seen, models = Tested(losses[:, 0], ZERO_ONE, seed), m + further
    found, without = selection_bound(seen, models, level, losses), selection_bound(seen, models, level)
    assert (found.value, found.method, found.hoeffding) == (without.value, "Clopper-Pearson", without.hoeffding)
    assert without.joint is None
    if found.joint is not None:
        assert clopper_pearson.upper_limit(seen, (1 - level) * m / models) <= found.joint < found.value
    # learners that are alike count once among the models
    assert selection_bound(seen, 1, level) == selection_bound(seen, 1, level, losses)


@LAWS
@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), models, levels)
def test_the_bound_is_clopper_and_pearsons_limit_shared_among_the_models_whatever_the_others_lost(case, m, level):
    count, n = case
    limit = 1.0 if count == n else beta.isf((1 - level) / m, count + 1, n - count)
    seen = np.repeat([1.0, 0.0], [count, n - count])
    found = selection_bound(Tested(seen, ZERO_ONE), m, level, np.tile(seen[:, None], (1, min(m, 5))))
    assert max(limit, count / n) == pytest.approx(found.value, rel=1e-9)


def test_candidates_that_err_together_have_a_lower_joint_figure_than_candidates_that_do_not():
    together, apart = table(200, 8, 0), np.stack([np.roll(table(200, 8, 0)[:, 0], 23 * j) for j in range(8)], axis=1)
    seen = Tested(together[:, 0], ZERO_ONE)
    alike, unlike = (selection_bound(seen, 8, 0.95, of) for of in (together, apart))
    assert alike.value == unlike.value
    assert alike.joint < alike.value - 0.005
    assert unlike.joint is None or unlike.value - 0.001 < unlike.joint


def test_losses_between_0_and_1_and_one_candidate_alone_do_not_ask_how_alike_the_candidates_are():
    losses = table(50, 4, 1) / 2
    seen = Tested(losses[:, 0], BOUNDED)
    assert selection_bound(seen, 4, 0.95) == selection_bound(seen, 4, 0.95, losses)
    alone = Tested(2 * losses[:, 0], ZERO_ONE)
    assert selection_bound(alone, 4, 0.95) == selection_bound(alone, 4, 0.95, 2 * losses[:, :1])


@pytest.mark.parametrize(("m", "level", "argument"), [(0, 0.9, "models"), (1, 1.0, "level"), (1, 0.0, "level")])
def test_no_models_and_levels_outside_0_and_1_are_refused(m, level, argument):
    with pytest.raises(BadArgument, match=f"^{argument} is ") as caught:
        of_errors(1, 10, m, level)
    assert argument == caught.value.argument


@pytest.mark.parametrize("error", [0.05, 0.3, 0.5])
def test_the_error_of_the_chosen_is_optimistic_and_its_bound_holds_at_least_as_often_as_its_level(error):
    """Exact for M = 10 independent models of the same error, K = 40, level 0.9."""
    m, k, level = 10, 40, 0.9
    above = binom.sf(np.arange(k + 1), k, error) ** m  # Pr(the least count of M > c); its sum over c is the mean
    assert above.sum() / k < error
    held = next(count for count in range(k + 1) if of_errors(count, k, m, level).value >= error)
    assert binom.sf(held - 1, k, error) ** m >= level  # Pr(the least count >= the first one whose bound holds)


@pytest.mark.parametrize("rows", [20, 60])
def test_betting_covers_the_squared_error_of_a_regression_whose_limit_is_known(rows):
    """Labels 10 X^3, X uniform, all in [0, 10], and an answer of 1: the error is 100/7 - 20/4 + 1, of 100 at most.

    Few rows are large, so that the t interval covers less. The bound is that of 4 candidates.
    """
    rng, level, error, repeats = np.random.default_rng(7), 0.9, 100 / 7 - 5 + 1, 250
    losses = (10 * rng.uniform(size=(repeats, rows)) ** 3 - 1) ** 2
    seen = [Tested(of, SQUARED.limited(100), repeat) for repeat, of in enumerate(losses)]
    found = [betting.METHOD.interval("E_val", one, level) for one in seen]
    assert np.mean([one.low <= error <= one.high for one in found]) >= level
    assert np.mean([selection_bound(one, 4, level).value >= error for one in seen]) >= 1 - (1 - level) / 4 - 0.02
    t = [clustered_t.METHOD.interval("E_val", one, level) for one in seen]
    assert np.mean([one.low <= error <= one.high for one in t]) < level
    assert max(one.high for one in found) < 60  # and not the limit itself


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.95])
@pytest.mark.parametrize("binary", [True, False])
def test_the_least_of_correlated_candidates_is_below_its_bound_at_least_as_often_as_the_level(correlation, binary):
    """M = 8 candidates whose losses share a normal variable on each of K = 60 rows; their errors are 0.1 … 0.15."""
    m, k, level, repeats = 8, 60, 0.9, 400 if binary else 60
    rng = np.random.default_rng([int(100 * correlation), binary])
    errors, loss = np.linspace(0.1, 0.15, m), ZERO_ONE if binary else BOUNDED
    held = []
    for repeat in range(repeats):
        shared, own = rng.normal(size=(1, k)), rng.normal(size=(m, k))
        uniform = norm.cdf(math.sqrt(correlation) * shared + math.sqrt(1 - correlation) * own)
        # 1 with the candidate's error as its chance; or uniform up to twice that error
        losses = (uniform < errors[:, None]).astype(float) if binary else 2 * errors[:, None] * uniform
        won = int(np.argmin(losses.mean(axis=1)))
        held.append(selection_bound(Tested(losses[won], loss, repeat), m, level).value >= errors[won])
    # three standard errors of a share: 0.045 of 400, 0.116 of 60
    assert np.mean(held) >= level - 3 * math.sqrt(level * (1 - level) / repeats)
