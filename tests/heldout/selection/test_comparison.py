"""All pairs compared at once: who is shown to err more than the winner, and who is not."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, norm, t

from heldout.losses.cost import cost_matrix
from heldout.losses.squared import SQUARED
from heldout.losses.tested_losses import CrossValidated, Tested
from heldout.losses.zero_one import ZERO_ONE
from heldout.selection.comparison import Comparison
from heldout.selection.paired_differences import paired_differences, variance_factor

LAWS = settings(max_examples=40, deadline=None, derandomize=True, database=None)
LEVEL = 0.9
BRIER = replace(ZERO_ONE, name="brier", binary=False, needs="probabilities")
levels = st.floats(0.05, 0.99)


@st.composite
def tables(draw):
    """Losses of 0, 1/2 and 1 of one to five candidates on 2 to 15 rows, many of them tied."""
    m, n = draw(st.integers(1, 5)), draw(st.integers(2, 15))
    values = st.sampled_from([0.0, 0.5, 1.0])
    return np.array(draw(st.lists(st.lists(values, min_size=n, max_size=n), min_size=m, max_size=m)))


def found(losses: np.ndarray, level: float = LEVEL, folds: int | None = None, loss=SQUARED) -> list[int]:
    return alike([Tested(of, loss) for of in losses], level, folds)


def alike(seen: list[Tested], level: float = LEVEL, folds: int | None = None) -> list[int]:
    """The places of those that are not shown to err more than the one of least error."""
    winner = int(np.argmin([of.losses.mean() for of in seen]))
    names = [str(place) for place in range(len(seen))]
    found = Comparison(dict(zip(names, seen, strict=True)), folds, level).alike(str(winner))
    return [int(name) for name in found]


def gap_of(size: float, n: int = 400) -> np.ndarray:
    """Losses of two candidates: the second one's are less by so many standard errors of the paired difference."""
    first = np.arange(n) % 2 + 1.0
    difference = np.where(np.arange(n) // 2 % 2 == 0, 1.0, -1.0)  # mean 0, sum of squares n
    return np.array([first, first + difference - size / math.sqrt(n - 1)])


@pytest.mark.parametrize(("folds", "factor"), [(None, 1.0), (2, 3.0), (3, 2.5), (10, 1 + 10 / 9)])
def test_the_variance_factor_by_hand(folds, factor):
    # (1/k + 1/(k - 1)) / (1/k): 2 (1/2 + 1) = 3; 3 (1/3 + 1/2) = 2.5
    assert factor == pytest.approx(variance_factor(folds), rel=1e-15)


def test_one_candidate_is_its_own_set_and_a_single_row_tells_nobody_apart():
    assert [0] == found(np.array([[1.0, 0.0, 1.0]]))
    assert [0, 1, 2] == found(np.array([[1.0], [0.0], [5.0]]))


@pytest.mark.parametrize("level", [0.8, 0.9, 0.95, 0.99])
@pytest.mark.parametrize("m", [2, 5])
def test_the_limit_is_the_two_sided_quantile_of_t_shared_among_the_pairs_that_are_left(level, m):
    """The others are far worse, so that two are left: m (2 - 1) / 2 pairs in place of m (m - 1) / 2."""
    limit = t(399).ppf(1 - (1 - level) / (m / 2) / 2)
    for size, alike in ((limit * (1 - 1e-9), True), (limit * (1 + 1e-9), False)):
        losses = gap_of(size)
        losses = np.vstack([losses, losses[1] + 9 + np.arange(m - 2)[:, None]])
        assert ([0, 1] if alike else [1]) == found(losses, level)


def test_each_step_leaves_out_those_who_err_more_at_its_own_level_by_hand():
    """Six candidates by t: 9, 8, 7.5, 2.9 and 2.5 standard errors above the least."""
    rows = np.where(np.arange(400) % 2 == 0, 1.0, -1.0) / math.sqrt(400 / 399)  # of variance 1, mean 0
    sizes = np.array([0.0, 9.0, 8.0, 7.5, 2.9, 2.5])
    losses = 5 + np.array([0, 1, 1, 1, 1, 1])[:, None] * (rows + sizes[:, None] / 20)
    quantile = {pairs: t(399).ppf(1 - 0.05 / pairs / 2) for pairs in (15, 6, 3)}
    # 6 left: 15 pairs; 3 left: 6 (3 - 1) / 2 = 6 pairs; 2 left: 3
    assert [7.5 > quantile[15] > 2.9 > quantile[6] > 2.5 > quantile[3]] == [True]
    seen = {str(place): Tested(of, SQUARED) for place, of in enumerate(losses)}
    of_least = Comparison(seen, None, 0.95).differences("0")
    reach = [quantile[15]] * 3 + [quantile[6], quantile[3]]
    assert [one.high for one in of_least] == pytest.approx(
        [(-size + by) / 20 for size, by in zip(sizes[1:], reach, strict=True)]
    )
    of_other = Comparison(seen, None, 0.95).differences("5")
    assert (of_least[4].low, of_least[4].high) == pytest.approx((-of_other[0].high, -of_other[0].low))
    # a candidate that was left out before has no t, and counts in each step
    later = Comparison(seen, None, 0.95, dropped=4).differences("0")
    assert later[4].high > of_least[4].high


def test_shared_training_rows_divide_t_by_the_root_of_the_factor():
    assert [1] == found(gap_of(2.0))
    assert [0, 1] == found(gap_of(2.0), folds=2)
    assert [1] == found(gap_of(2.0 * math.sqrt(3)), folds=2)


def test_where_there_are_further_fits_their_variance_decides():
    losses, fold = gap_of(2.5), np.arange(400) % 2
    rng = np.random.default_rng(0)
    for spread, together in ((0.01, False), (1.0, True)):
        errors = spread * rng.standard_normal((2, 25))
        seen = [
            CrossValidated(of, SQUARED, fold=fold, subsample_errors=one, tested_per_trained=1.0)
            for of, one in zip(losses, errors, strict=True)
        ]
        assert ([0, 1] if together else [1]) == alike(seen, LEVEL, 2)
        corrected = np.var(errors[0] - errors[1], ddof=1) * (1 / 25 + 1)
        rows = np.var(losses[0] - losses[1], ddof=1) / 400
        variance = [paired_differences(seen, place, 2).variance.tolist() for place in range(2)]
        np.testing.assert_allclose(variance, [[0, max(corrected, rows)], [max(corrected, rows), 0]], rtol=1e-12)


@LAWS
@given(st.integers(2, 40), st.integers(0, 2**40))
def test_errors_differ_where_bonett_and_price_say_so(n, seed):
    losses = (np.random.default_rng(seed).random((2, n)) < np.array([[0.15], [0.4]])).astype(float)
    b, c = np.sum(losses[0] > losses[1]), np.sum(losses[1] > losses[0])
    one, other = (b + 1) / (n + 2), (c + 1) / (n + 2)
    expected = abs(one - other) / math.sqrt((one + other - (one - other) ** 2) / (n + 2))  # their z
    found = paired_differences([Tested(of, ZERO_ONE) for of in losses], 0, None)
    sharper = abs(b - c) / n / math.sqrt(found.variance[1]) if found.variance[1] else math.inf
    reach = abs(b - c) / n / found.reach(LEVEL)[1] * t(n - 1).ppf((1 + LEVEL) / 2)
    # the variance of n rows has n - 1 in its divisor
    assert expected * math.sqrt((n - 1) / n) - 1e-9 <= reach <= min(expected, sharper) + 1e-9


COSTS = cost_matrix({0: {1: 1}, 1: {0: 20}}, np.array([0, 1]))


def losses_of_cost(runs: int, n: int, ill: float, missed: tuple, alarms: tuple, rng) -> np.ndarray:
    """Costs of candidates on n rows, shape (runs, M, n): a row that is ill costs 20 if missed, an alarm costs 1."""
    is_ill, drawn = rng.random((runs, 1, n)) < ill, rng.random((runs, len(missed), n))
    of_both = np.array(missed)[:, None] * is_ill + np.array(alarms)[:, None] * ~is_ill
    return np.where(drawn < of_both, np.where(is_ill, 20.0, 1.0), 0.0)


def of_folds(losses: np.ndarray, loss, drawn: np.ndarray) -> CrossValidated:
    """The losses of one hypothesis as those of ten folds, with the errors of subsamples of its rows."""
    n, tested = len(losses), drawn.shape[1]
    errors = losses[drawn].mean(axis=1)
    return CrossValidated(
        losses, loss, fold=np.arange(n) % 10, subsample_errors=errors, tested_per_trained=tested / (n - tested)
    )


@pytest.mark.parametrize("by", ["rows", "subsamples"])
@pytest.mark.parametrize(
    ("n", "ill", "missed", "alarms"),
    [
        (100, 0.05, (0.1, 0.0), (0.05, 0.1553)),  # of equal cost: .05 * 20 * .1 + .95 * .05
        (100, 0.05, (0.2, 0.0), (0.1, 0.3105)),
        (300, 0.02, (0.1, 0.0), (0.05, 0.0908)),
        (100, 0.05, (0.1, 0.1, 0.1, 0.0, 0.0), (0.05, 0.05, 0.05, 0.1553, 0.1553)),
    ],
)
def test_candidates_of_equal_cost_differ_in_as_many_tables_as_stated(by, n, ill, missed, alarms):
    runs, rng = 200, np.random.default_rng([n, len(missed)])
    said = 0
    for of in losses_of_cost(runs, n, ill, missed, alarms, rng):
        drawn = rng.permuted(np.tile(np.arange(n), (25, 1)), axis=1)[:, : n // 10]
        seen = [of_folds(one, COSTS, drawn) if by == "subsamples" else Tested(one, COSTS) for one in of]
        said += len(alike(seen, 0.95, 10 if by == "subsamples" else None)) < len(missed)
    # two standard errors of 200 tables; without the further rows .16 to .52
    assert said / runs <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / runs)


def test_a_rule_of_twice_the_cost_is_shown_to_cost_more_once_rows_are_many():
    for n, least in ((100, 0), (2000, 170)):
        tables = losses_of_cost(200, n, 0.05, (0.1, 0.3), (0.05, 0.05), np.random.default_rng(n))
        worse = [alike([Tested(one, COSTS) for one in of], 0.95) for of in tables]
        assert sum(one == [1] for one in worse) <= 2  # never the other way round
        assert sum(one == [0] for one in worse) >= least


@pytest.mark.parametrize("loss", [COSTS, ZERO_ONE, BRIER], ids=["cost", "0/1", "brier"])
def test_no_interval_of_a_loss_with_a_limit_has_width_0(loss):
    of = np.arange(40) % 4 / 4 * loss.limit
    [one] = Comparison({name: Tested(of, loss) for name in "ab"}, None, 0.95).differences("a")
    assert one.high == -one.low == pytest.approx(t(39).ppf(0.975) * math.sqrt(2) * loss.limit / 40)


@LAWS
@given(st.integers(3, 20), st.integers(1, 20), st.booleans(), st.integers(0, 2**32))
def test_copies_of_rows_in_groups_say_no_more_than_one_of_each(groups, copies, binary, seed):
    rng = np.random.default_rng(seed)
    few = (rng.random((2, groups)) < 0.3) * (1.0 if binary else 20.0)
    loss = ZERO_ONE if binary else COSTS
    plain = paired_differences([Tested(of, loss) for of in few], 0, None).reach(LEVEL)
    numbers = np.repeat(np.arange(groups), copies)
    seen = [Tested(np.repeat(of, copies), loss, cluster=numbers) for of in few]
    np.testing.assert_allclose(paired_differences(seen, 0, None).reach(LEVEL), plain, rtol=1e-9)


@LAWS
@given(tables(), levels)
def test_the_set_holds_every_candidate_of_least_error_in_ascending_places(losses, level):
    places = found(losses, level)
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
@given(tables(), st.tuples(levels, levels), st.sampled_from([None, 2, 5]))
def test_a_higher_level_gives_a_superset(losses, pair, folds):
    smaller, larger = (set(found(losses, level, folds)) for level in sorted(pair))
    assert smaller <= larger


@LAWS
@given(tables(), levels, st.integers(2, 20))
def test_hypotheses_that_share_training_rows_give_a_superset(losses, level, folds):
    assert set(found(losses, level)) <= set(found(losses, level, folds)) <= set(found(losses, level, 2))


@LAWS
@given(tables(), levels, st.data())
def test_the_order_of_rows_does_not_matter(losses, level, data):
    order = data.draw(st.permutations(range(losses.shape[1])))
    assert found(losses, level) == found(losses[:, order], level)


@LAWS
@given(tables(), levels, st.data())
def test_the_order_of_candidates_does_not_matter(losses, level, data):
    order = data.draw(st.permutations(range(len(losses))))
    winner = str(data.draw(st.sampled_from(order)))
    seen = {str(place): Tested(of, SQUARED) for place, of in enumerate(losses)}
    mixed = {str(place): seen[str(place)] for place in order}
    assert {*Comparison(seen, None, level).alike(winner)} == {*Comparison(mixed, None, level).alike(winner)}


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
    repeats, rng = 300, np.random.default_rng(7)
    loss = ZERO_ONE if draw is zero_one else SQUARED
    places = [found(draw(rng, errors), LEVEL, loss=loss) for _ in range(repeats)]
    # the count that a chance of LEVEL reaches in all but one of a thousand such tests
    least = binom.ppf(1e-3, repeats, LEVEL)
    assert least <= sum(0 in one for one in places)


def test_worse_candidates_leave_the_set_as_rows_grow():
    sizes = [
        np.mean([len(found(zero_one(np.random.default_rng(seed), [0.2, 0.3, 0.4], n))) for seed in range(20)])
        for n in (20, 80, 320)
    ]
    assert sizes[0] > sizes[1] > sizes[2]
    # 320 rows: a difference of 0.1 is about 3.5 standard errors of the paired difference
    assert sizes[2] < 1.3


def test_a_candidate_that_errs_no_less_than_the_baseline_is_not_left_where_the_winner_beats_it():
    """Its interval is wide and is not below 0; where the winner is not shown to beat the baseline, it stays."""
    rng = np.random.default_rng(0)
    constant = 1.0 + 0.1 * rng.random(200)
    wild = np.where(np.arange(200) == 7, 60.0, 0.9)  # 1.2 on average, by one row
    for winner, left in ((constant - 0.2, ("w",)), (constant - 1e-3 * rng.normal(1, 30, 200), ("w", "wild"))):
        seen = {"w": Tested(winner, SQUARED), "wild": Tested(wild, SQUARED), "baseline": Tested(constant, SQUARED)}
        found = Comparison(seen, None, LEVEL)
        assert not next(one for one in found.differences("w") if one.against == "wild").shown_less
        assert left == found.alike("w")
        assert ("w", "wild") == replace(found, observed={name: seen[name] for name in ("w", "wild")}).alike("w")
