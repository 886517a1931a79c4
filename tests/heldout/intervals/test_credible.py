"""Intervals of means that few rows carry are marked, and others are not."""

from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import genpareto
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeRegressor

import heldout
from heldout.errors import PartsWarning
from heldout.estimates.methods import find
from heldout.intervals import credible
from heldout.losses import SQUARED, ZERO_ONE, choose_loss
from heldout.losses.tested_losses import Tested, repeated_by_row

LOG_T, T = (find(name, "E_val", SQUARED) for name in ("log t", "clustered t"))
N, SAMPLES = 200, 60


def share_marked(draw, loss=SQUARED, method=LOG_T) -> float:
    rng = np.random.default_rng(0)
    return float(np.mean([credible.doubt(Tested(draw(rng), loss), method) is not None for _ in range(SAMPLES)]))


def pareto(rng, n=N):
    return (rng.pareto(4.5, n) - 1 / 3.5) ** 2


@pytest.mark.parametrize(
    "draw",
    [
        pareto,
        lambda rng: np.where(rng.random(N) < 0.05, rng.lognormal(size=N), 0.0) ** 2,
        lambda rng: (np.exp(1.5 * rng.normal(size=N)) * rng.normal(size=N)) ** 2,
    ],
    ids=["Pareto 4.5", "zero-inflated", "heteroscedastic"],
)
def test_squared_losses_of_skewed_targets_are_marked(draw):
    assert share_marked(draw) > 0.6


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: rng.normal(size=N) ** 2,
        lambda rng: np.abs(rng.laplace(size=N)),
        lambda rng: rng.gamma(0.5, size=N),
        lambda rng: -np.log(rng.beta(2, 1, size=N)),
    ],
    ids=["normal", "absolute Laplace", "gamma", "log"],
)
def test_losses_of_light_tails_are_not_marked(draw):
    assert share_marked(draw) <= 0.1


@pytest.mark.parametrize("n", [50, 100])
@pytest.mark.parametrize(
    ("draw", "loss"),
    [
        (lambda rng, n: rng.normal(size=n) ** 2, SQUARED),
        (lambda rng, n: np.abs(rng.laplace(size=n)), SQUARED),
        (lambda rng, n: (1 - rng.beta(4, 0.5, n)) ** 2, SQUARED.limited(1)),
    ],
    ids=["normal", "absolute Laplace", "Brier"],
)
def test_few_losses_of_light_tails_are_marked_in_at_most_a_tenth_of_the_runs(draw, loss, n):
    # a standard error of a share of 0.1 of 200 is 0.02
    rng = np.random.default_rng(n)
    marked = [credible.doubt(Tested(draw(rng, n), loss), LOG_T) is not None for _ in range(200)]
    assert np.mean(marked) <= 0.10 + 2 * 0.02


@pytest.mark.parametrize(
    ("draw", "mean"),
    [
        (lambda rng: rng.standard_t(3, 500) ** 2, 3.0),
        (lambda rng: (rng.pareto(3, 500) - 0.5) ** 2, 0.75),
        (lambda rng: (np.exp(rng.normal(size=500)) * rng.normal(size=500)) ** 2, np.exp(2)),
    ],
    ids=["t3", "Pareto 3", "heteroscedastic"],
)
def test_hardly_a_run_is_shown_without_a_mark_and_misses(draw, mean):
    rng, wrong = np.random.default_rng(4), 0
    for _ in range(200):
        seen = Tested(draw(rng), SQUARED)
        low, high = LOG_T.bounds(seen, 0.95)
        wrong += credible.doubt(seen, LOG_T) is None and not low <= mean <= high
    # by the effective number of rows 0.12 to 0.18; a standard error of a share of 0.05 of 200 is 0.015
    assert wrong / 200 <= 0.05 + 2 * 0.015


@pytest.mark.parametrize("shape", [0.0, 0.25, 0.5, 1.0])
def test_the_tail_index_of_generalised_pareto_losses_is_their_shape(shape):
    # the mean of quantiles lacks what is beyond the last: 20000^(shape - 1) of it
    losses = genpareto(shape).ppf((np.arange(20_000) + 0.5) / 20_000)
    assert shape == pytest.approx(credible.tail_index(losses), abs=0.15 if shape == 1 else 0.02)


def test_the_tail_index_equals_one_by_hand():
    # of 0 ... 5 the five largest exceed 0 by 1 ... 5: a = 3, b = (5.35 x 15 - 55) / 25 = 1.01, 2 - 3 / (3 - 2.02)
    assert credible.tail_index(np.arange(6.0)) == pytest.approx(2 - 3 / 0.98)
    assert credible.tail_index(np.arange(5.0)) == np.inf
    assert credible.tail_index(np.r_[np.zeros(10), np.ones(15)]) == -np.inf


def test_neither_losses_of_0_and_1_nor_methods_for_every_number_of_rows_are_marked():
    rare = np.repeat([0.0, 1.0], [199, 1])
    assert credible.doubt(Tested(rare, ZERO_ONE), find("Wilson", "E_val", ZERO_ONE)) is None
    limited = SQUARED.limited(1)
    assert credible.doubt(Tested(rare, limited), find("betting", "E_val", limited)) is None
    assert credible.doubt(Tested(rare, limited), LOG_T) == "1 of 200 rows carries 100 % of the loss"


def test_the_reason_counts_the_rows_that_carry_the_spread_and_their_share():
    losses = np.r_[np.full(97, 1.0), [30.0, 30.0, 40.0]]
    assert credible.doubt(Tested(losses, SQUARED), LOG_T) == "3 of 100 rows carry 51 % of the loss"
    of_groups = Tested(losses, SQUARED, cluster=np.repeat(np.arange(20), 5))
    assert credible.doubt(of_groups, LOG_T) == "1 of 20 groups of rows carries 52 % of the loss"


@pytest.mark.parametrize(
    ("losses", "loss", "marked"),
    [
        ([0.0, 0.0], SQUARED, True),
        ([3.0, 3.0, 3.0], SQUARED, True),
        ([(x + 0.5 - x) ** 2 for x in np.linspace(0.1, 2, 40).tolist()], SQUARED, True),
        ([0.0, 0.0], SQUARED.limited(4), False),  # the limit gives an upper bound of its own
        ([0.0, 1.0], SQUARED, True),
        ([1e300, 1e-300, 0.0, 1e300], SQUARED, True),
        ([0.0] * 50 + [1.0] * 50, SQUARED, False),
    ],
    ids=["zeros", "equal", "equal but for rounding", "zeros under a limit", "two rows", "out of range", "ties"],
)
def test_few_equal_and_extreme_losses_are_no_fault(losses, loss, marked):
    found = credible.doubt(Tested(np.array(losses), loss), T)
    assert marked == (found is not None), found


@given(st.lists(st.floats(0, 100), min_size=2, max_size=30), st.floats(1e-3, 1e3), st.integers(1, 4))
def test_neither_scale_nor_order_nor_repeated_partitions_change_the_mark(values, scale, repeats):
    losses = np.round(np.array(values), 3)
    plain = credible.carried(losses)
    changed = credible.carried(np.tile(scale * losses[::-1], repeats), repeats=repeats)
    assert (plain is None) == (changed is None)
    if plain is not None and changed is not None:
        assert (plain.n, plain.rows) == pytest.approx((changed.n, changed.rows))
        assert (plain.skewness, plain.share) == pytest.approx((changed.skewness, changed.share), abs=1e-6)
        if plain.skewness > 1e-6:  # of symmetric losses the longer side is a matter of rounding
            assert plain.tail == pytest.approx(changed.tail)


def test_rows_in_groups_of_one_are_rows():
    losses = pareto(np.random.default_rng(1))
    alone = credible.carried(losses, np.random.default_rng(2).permutation(N))
    assert astuple(alone) == pytest.approx(astuple(credible.carried(losses)))


def test_half_models_are_judged_by_the_means_of_their_rows():
    losses = pareto(np.random.default_rng(3))
    table = repeated_by_row(np.vstack([losses, losses]), SQUARED)
    assert credible.doubt(table, find("two-way log t", "E_2cv", SQUARED)) == credible.doubt(
        Tested(losses, SQUARED), LOG_T
    )


@pytest.mark.parametrize(
    ("loss", "weighted", "first"),
    [
        (SQUARED, False, "judge by the absolute loss"),
        (choose_loss("absolute", np.array([0.5, 1.5])), False, "cap the target"),
        (SQUARED.limited(9), False, "name an interval that holds for every number of rows"),
        (choose_loss("log", np.array(["a", "b"])), False, "judge by the Brier loss"),
        (SQUARED, True, "limit the largest weights"),
    ],
    ids=["squared", "absolute", "limit", "log", "weights"],
)
def test_the_first_advice_fits_the_loss(loss, weighted, first):
    assert credible.advice(loss, weighted=weighted).startswith(first)


def regression(noise, **arguments):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(120, 2))
    learners = {"line": LinearRegression(), "tree": DecisionTreeRegressor(min_samples_leaf=20, random_state=0)}
    return heldout.validate(learners, X, X[:, 0] + noise(rng), progress=False, repeats=5, **arguments)


def skewed(rng):
    return rng.pareto(2.5, 120)


def test_a_notebook_says_which_intervals_cannot_be_right_and_what_to_do_first():
    made = regression(skewed)
    doubts = made.not_credible("line")
    assert {"E_val", "E_cv", "E_prog", "E_2cv", "E_bbc"} <= {*made.not_credible(), *doubts}
    assert all("of the" in reason for reason in doubts.values())
    shown, page = str(made), made._repr_html_()
    for text in (shown, page):
        assert "not credible" in text
        assert "(loss: absolute)" in text
        assert "? not credible" in text
    assert [record for record in made.estimates if record.not_credible]
    alone = regression(skewed, estimates=["E_2cv"])
    assert "judge by the absolute loss" in str(alone)


def test_a_notebook_says_nothing_of_normal_noise_or_of_its_absolute_losses():
    for arguments in ({}, {"loss": "absolute"}):
        made = regression(lambda rng: rng.uniform(-1, 1, 120), **arguments)
        assert {} == made.not_credible()
        assert "not credible" not in str(made)


def test_groups_and_constant_targets_are_judged_without_a_fault():
    grouped = regression(skewed, groups=np.arange(120) // 4)
    assert "groups of rows" in grouped.not_credible()["E_cv"]
    y = np.full(40, 2.5)  # fitted, so that every loss is 0; a shortcut rounds
    X = np.random.default_rng(0).normal(size=(40, 1))
    constant = heldout.validate({"line": LinearRegression()}, X, y, shortcuts="off", progress=False)
    assert "equal" in str(constant.not_credible()) or constant.not_credible() == {}


@pytest.mark.filterwarnings("ignore", category=PartsWarning)
def test_errors_of_classes_have_no_mark_however_rare_they_are():
    rng = np.random.default_rng(0)
    y = (rng.random(300) < 0.02).astype(int)
    made = heldout.validate({"bayes": GaussianNB()}, rng.normal(size=(300, 2)), y, loss="zero_one", progress=False)
    assert {} == made.not_credible()
    assert all(record.not_credible is None for record in [*made.estimates, *made.baseline])


def test_a_difference_is_doubted_wherever_e_cv_was_asked_for_and_nowhere_else():
    rng = np.random.default_rng(1)
    X = rng.standard_t(4, (120, 1))
    y = X[:, 0] + 0.3 * rng.normal(size=120)
    found = [
        heldout.validate({"line": LinearRegression()}, X, y, estimates=names, progress=False).not_credible()
        for names in (["E_cv"], ["E_val", "E_cv"], ["E_val"])
    ]
    assert found[0]["differences"].startswith("from baseline: ")
    assert found[0]["differences"] == found[1]["differences"]
    assert "differences" not in found[2]
