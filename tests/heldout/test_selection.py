"""Choosing a candidate, and what the choice costs."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from heldout.errors import BadArgument
from heldout.selection import criterion_value, select, selection_bound, standard_error

LAWS = settings(max_examples=60, deadline=None, derandomize=True, database=None)
candidates = st.dictionaries(st.text(max_size=3), st.sampled_from([0.1, 0.2, 0.3, 0.4]), min_size=1, max_size=6)


@LAWS
@given(candidates)
def test_the_first_listed_of_the_least_wins(values):
    found = select(values, "E_val", "minimum")
    least = min(values.values())
    assert [name for name in values if values[name] == least][0] == found.selected
    assert least == found.limit
    assert list(values.items()) == list(found.values.items())


@LAWS
@given(candidates, st.floats(0, 0.3))
def test_one_standard_error_takes_the_first_within_reach_of_the_least(values, error):
    found = select(values, "E_cv", "one_standard_error", dict.fromkeys(values, error))
    limit = min(values.values()) + error
    assert [name for name in values if values[name] <= limit][0] == found.selected
    assert limit == found.limit


def test_one_standard_error_uses_the_error_of_the_least_candidate():
    values = {"simple": 0.30, "middle": 0.25, "rich": 0.20}
    # limit 0.20 + 0.06 = 0.26: middle; the standard errors of the others play no part
    errors = {"simple": 9.0, "middle": 9.0, "rich": 0.06}
    assert "middle" == select(values, "E_cv", "one_standard_error", errors).selected
    # a candidate at the limit itself, 1/4 + 1/4, is within reach
    edge = {"simple": 0.5, "rich": 0.25}
    assert "simple" == select(edge, "E_cv", "one_standard_error", dict.fromkeys(edge, 0.25)).selected
    # with error 0 the rule is the minimum
    assert "rich" == select(values, "E_cv", "one_standard_error", dict.fromkeys(values, 0.0)).selected


def test_a_selection_is_a_snapshot():
    values = {"a": 0.2, "b": 0.1}
    found = select(values, "E_val", "minimum")
    values["a"] = 0.0
    assert {"a": 0.2, "b": 0.1} == found.values


def test_selection_refuses_no_candidates_and_a_rule_without_standard_errors():
    with pytest.raises(BadArgument, match="^there is no candidate to select from$"):
        select({}, "E_val", "minimum")
    with pytest.raises(BadArgument, match="but E_maxdt has no standard error; use the rule minimum") as caught:
        select({"a": 0.1}, "E_maxdt", "one_standard_error")
    assert "rule" == caught.value.argument


def test_an_unknown_rule_is_refused():
    message = "^rule is 'one_se'; it must be one of minimum, one_standard_error$"
    with pytest.raises(BadArgument, match=message) as caught:
        select({"a": 0.1}, "E_val", "one_se")  # type: ignore[arg-type]
    assert "rule" == caught.value.argument


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("names", ["ab", "ba"])
@pytest.mark.parametrize("rule", ["minimum", "one_standard_error"])
def test_a_value_that_is_not_finite_is_refused_wherever_it_stands(number, names, rule):
    values = {name: {"a": number, "b": 0.2}[name] for name in names}
    with pytest.raises(BadArgument, match=f"^the E_val of a is {number}; leave failed candidates out$") as caught:
        select(values, "E_val", rule, dict.fromkeys(values, 0.1))
    assert "values" == caught.value.argument


@pytest.mark.parametrize(
    ("criterion", "expected"), [("E_val", 0.3), ("E_cv", 0.1), ("E_maxdt", 0.2), ("max(E_cv, E_maxdt)", 0.2)]
)
def test_a_criterion_is_one_estimate_or_the_larger_of_two(criterion, expected):
    assert expected == criterion_value(criterion, {"E_val": 0.3, "E_cv": 0.1, "E_maxdt": 0.2})


@pytest.mark.parametrize("criterion", ["E_maxdt", "max(E_cv, E_maxdt)"])
def test_a_criterion_that_was_not_computed_is_refused_with_those_that_were(criterion):
    # in the order of CRITERIA, and E_in and E_train are none
    with pytest.raises(BadArgument, match=r"but E_maxdt was not computed .*; choose among E_val, E_cv$") as caught:
        criterion_value(criterion, {"E_in": 0.0, "E_cv": 0.1, "E_train": 0.0, "E_val": 0.3})
    assert "criterion" == caught.value.argument


def test_the_standard_error_of_a_hand_golden():
    # mean 1/2, s^2 = 4 x 1/4 / 3 = 1/3, s / sqrt(4) = sqrt(1/12)
    assert math.sqrt(1 / 12) == pytest.approx(standard_error(np.array([0.0, 1.0, 1.0, 0.0])), rel=1e-15)
    assert 0.0 == standard_error(np.array([0.7]))


def test_the_bound_of_a_hand_golden():
    # M / (1 - level) = 5 / 0.05 = 100; ln 100 = 4.605170186; / (2 x 50) = 0.04605170186; root 0.2145966
    assert 0.1 + 0.2145966 == pytest.approx(selection_bound(0.1, 50, 5, 0.95), abs=5e-8)


@LAWS
@given(st.integers(1, 1000), st.integers(1, 1000), st.floats(0.5, 0.99))
def test_the_bound_grows_with_the_models_and_the_level_and_falls_with_the_rows(models, k, level):
    bound = selection_bound(0.1, k, models, level)
    assert 0.1 < bound < selection_bound(0.1, k, models + 1, level)
    assert selection_bound(0.1, k + 1, models, level) < bound < selection_bound(0.1, k, models, level + 0.005)


@pytest.mark.parametrize(("k", "models", "level"), [(0, 1, 0.9), (10, 0, 0.9), (10, 1, 1.0), (10, 1, 0.0)])
def test_the_bound_refuses_no_rows_no_models_and_levels_outside_0_and_1(k, models, level):
    with pytest.raises(BadArgument):
        selection_bound(0.1, k, models, level)


def test_the_least_of_two_uniform_estimates_is_one_third_and_below_one_half_three_times_in_four():
    """Lecture 13: both models err with chance 1/2 on average, and the chosen one seems to err less."""
    n = 20_000
    pairs = np.random.default_rng(13).random((n, 2)).tolist()
    least = np.array([select({"a": a, "b": b}, "E_val", "minimum").limit for a, b in pairs])
    # the minimum has variance 1/18, the event 3/16: five standard errors of a mean over n
    assert 1 / 3 == pytest.approx(least.mean(), abs=5 * math.sqrt(1 / 18 / n))
    assert 3 / 4 == pytest.approx((least < 0.5).mean(), abs=5 * math.sqrt(3 / 16 / n))


@pytest.mark.parametrize("error", [0.05, 0.3, 0.5])
def test_the_error_of_the_chosen_is_optimistic_and_its_bound_holds_at_least_as_often_as_its_level(error):
    """Exact for M = 10 independent models of the same error, K = 40, level 0.9."""
    models, k, level = 10, 40, 0.9
    counts = np.arange(k + 1)
    above = binom.sf(counts, k, error) ** models  # Pr(the least count of M > c); its sum over c is the mean
    assert above.sum() / k < error
    (held,) = np.flatnonzero([selection_bound(count / k, k, models, level) >= error for count in counts])[:1]
    assert binom.sf(held - 1, k, error) ** models >= level  # Pr(the least count >= the first one whose bound holds)
