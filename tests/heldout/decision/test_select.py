"""Choosing a candidate, and what the choice costs."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout.decision.select import Paired, select, standard_error
from heldout.errors import BadArgument
from heldout.estimates.criteria import CRITERIA, WITH_LOSSES, criterion_value
from heldout.losses.tested_losses import Tested
from heldout.losses.zero_one import ZERO_ONE
from heldout.selection.comparison import Comparison
from heldout.selection.rules import RULES, Rule
from heldout.selection.selection import Criterion, Selection

LAWS = settings(max_examples=60, deadline=None, derandomize=True, database=None)
LEVEL = 0.95
candidates = st.dictionaries(st.text(max_size=3), st.sampled_from([0.1, 0.2, 0.3, 0.4]), min_size=1, max_size=6)


def losses_of(values: dict[str, float], n: int = 40, seed: int = 0) -> Paired:
    """Losses of 0 and 1 with these means, whole counts over n, errors at random rows."""
    rng = np.random.default_rng(seed)
    losses = {name: rng.permutation(np.arange(n) < round(value * n)).astype(float) for name, value in values.items()}
    return Paired(observed(losses), losses)


def observed(losses: dict[str, np.ndarray]) -> dict[str, Tested]:
    return {name: Tested(of, ZERO_ONE) for name, of in losses.items()}


def with_error(values: dict[str, float], error: float | dict[str, float]) -> Paired:
    """Two terms a candidate about its value, with this standard error: value -+ error."""
    errors = error if isinstance(error, dict) else dict.fromkeys(values, error)
    terms = {name: np.array([value - errors[name], value + errors[name]]) for name, value in values.items()}
    return Paired(observed(terms), terms)


def choose(values: dict[str, float], criterion: Criterion, rule: Rule, paired: Paired | None = None) -> Selection:
    return select(values, criterion, rule, paired, compared(paired))


def compared(paired: Paired | None) -> Comparison | None:
    return None if paired is None else Comparison(paired.observed, paired.folds, LEVEL)


@LAWS
@given(candidates)
def test_the_first_listed_of_the_least_wins(values):
    found = choose(values, "E_val", "minimum")
    least = min(values.values())
    assert [name for name in values if values[name] == least][0] == found.selected
    assert ("E_val", "minimum") == (found.criterion, found.rule)
    assert list(values.items()) == list(found.values.items())


def test_a_tie_goes_to_the_first_whatever_rounding_makes_of_it():
    # 20 errors in 3 repeats of 41 rows, as 5, 7, 8 and as 6, 7, 7: E_2cv is 20/123 for both, but for rounding
    first, second = (float(np.mean(np.array(errors) / 41)) for errors in ([5, 7, 8], [6, 7, 7]))
    assert "first" == choose({"first": first, "second": second}, "E_2cv", "minimum").selected


@LAWS
@given(candidates, st.floats(0, 0.3))
def test_one_standard_error_takes_the_first_within_reach_of_the_least(values, error):
    paired = with_error(values, error)
    found = choose(values, "E_cv", "one_standard_error", paired)
    limit = min(values.values()) + standard_error(paired.terms[min(values, key=values.__getitem__)])
    assert [name for name in values if values[name] <= limit][0] == found.selected
    # (2 error^2 / 1) / 2 = error^2, but for the rounding of values up to 0.7
    assert min(values.values()) + error == pytest.approx(limit, abs=1e-15)


def test_one_standard_error_uses_the_error_of_the_least_candidate():
    values = {"simple": 0.30, "middle": 0.25, "rich": 0.20}
    # limit 0.20 + 0.06 = 0.26: middle; the standard errors of the others play no part
    errors = {"simple": 9.0, "middle": 9.0, "rich": 0.06}
    assert "middle" == choose(values, "E_cv", "one_standard_error", with_error(values, errors)).selected
    # a candidate at the limit itself, 1/4 + 1/4, is within reach
    edge = {"simple": 0.5, "rich": 0.25}
    assert "simple" == choose(edge, "E_cv", "one_standard_error", with_error(edge, 0.25)).selected
    # with error 0 the rule is the minimum
    assert "rich" == choose(values, "E_cv", "one_standard_error", with_error(values, 0.0)).selected


def test_one_standard_error_is_that_of_the_terms_and_not_of_the_losses():
    values = {"simple": 0.5, "rich": 0.25}
    made = losses_of(values)
    # of 40 losses: sqrt(1/4 x 3/4 / 39) = 0.07; of the two terms: 1/4
    assert "rich" == choose(values, "E_cv", "one_standard_error", made).selected
    assert (
        "simple"
        == choose(values, "E_cv", "one_standard_error", Paired(made.observed, with_error(values, 0.25).terms)).selected
    )


@LAWS
@given(candidates, st.integers(0, 5))
def test_indistinguishable_takes_the_first_that_is_not_shown_to_err_more_than_the_least(values, seed):
    paired = losses_of(values, seed=seed)
    found = choose(values, "E_val", "indistinguishable", paired)
    least = min(values, key=values.__getitem__)
    assert compared(paired).alike(least)[0] == found.selected
    assert compared(paired).alike(found.selected) == found.indistinguishable


def test_indistinguishable_prefers_the_simpler_one_where_the_data_cannot_tell_it_from_the_best():
    # 14 and 13 errors in 40 at random rows, against 40: the first two are alike, the third is not
    values = {"simple": 14 / 40, "rich": 13 / 40, "wrong": 1.0}
    found = choose(values, "E_val", "indistinguishable", losses_of(values))
    assert ("simple", ("simple", "rich")) == (found.selected, found.indistinguishable)
    assert "rich" == choose(values, "E_val", "minimum").selected


@LAWS
@given(candidates, st.sampled_from(WITH_LOSSES), st.integers(0, 5))
def test_every_rule_takes_one_of_the_values_and_the_set_holds_the_least(values, criterion, seed):
    paired = losses_of(values, seed=seed)
    for rule in RULES:
        found = choose(values, criterion, rule, paired)
        assert found.selected in found.indistinguishable
        assert min(values, key=values.__getitem__) in found.indistinguishable


def test_shared_training_rows_keep_more_candidates_in_the_set():
    values = {"a": 0.5, "b": 0.275}  # 20 and 11 errors in 40, t = 2.2 for independent rows
    plain = losses_of(values, seed=1)
    # two folds divide t by sqrt(3)
    assert ("b",) == choose(values, "E_cv", "minimum", plain).indistinguishable
    assert ("a", "b") == choose(values, "E_cv", "minimum", Paired(plain.observed, plain.terms, 2)).indistinguishable


def test_without_losses_nothing_is_said_of_who_else_could_have_won():
    assert () == choose({"a": 0.1, "b": 0.1}, "E_maxdt", "minimum").indistinguishable


def test_a_selection_is_a_snapshot():
    values = {"a": 0.2, "b": 0.1}
    found = choose(values, "E_val", "minimum")
    values["a"] = 0.0
    assert {"a": 0.2, "b": 0.1} == found.values


def test_selection_refuses_no_candidates():
    with pytest.raises(BadArgument, match="^there is no candidate to select from$") as caught:
        choose({}, "E_val", "minimum")
    assert "candidates" == caught.value.argument


@pytest.mark.parametrize("rule", ["one_standard_error", "indistinguishable"])
def test_selection_refuses_rules_that_need_losses_where_there_are_none(rule):
    for criterion in CRITERIA:
        if criterion in WITH_LOSSES:
            message = f"^rule is {rule}, which needs the losses behind {criterion}; use the rule minimum$"
        else:
            message = (
                f"^rule is {rule}, but {re.escape(criterion)} is no mean of paired losses; use the rule minimum, or a "
                f"criterion among {', '.join(WITH_LOSSES)}$"
            )
        with pytest.raises(BadArgument, match=message) as caught:
            choose({"a": 0.1}, criterion, rule)
        assert "rule" == caught.value.argument


def test_an_unknown_rule_is_refused():
    message = f"^rule is 'one_se'; it must be one of {', '.join(RULES)}$"
    with pytest.raises(BadArgument, match=message) as caught:
        choose({"a": 0.1}, "E_val", "one_se")  # type: ignore[arg-type]
    assert "rule" == caught.value.argument


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("names", ["ab", "ba"])
@pytest.mark.parametrize("rule", RULES)
def test_a_value_that_is_not_finite_is_refused_wherever_it_stands(number, names, rule):
    values = {name: {"a": number, "b": 0.2}[name] for name in names}
    with pytest.raises(BadArgument, match=f"^the E_val of a is {number}; leave failed candidates out$") as caught:
        choose(values, "E_val", rule, losses_of({"a": 0.1, "b": 0.2}))
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


def test_the_least_of_two_uniform_estimates_is_one_third_and_below_one_half_three_times_in_four():
    """Lecture 13: both models err with chance 1/2 on average, and the chosen one seems to err less."""
    n = 20_000
    pairs = np.random.default_rng(13).random((n, 2)).tolist()
    found = [choose({"a": a, "b": b}, "E_val", "minimum") for a, b in pairs]
    least = np.array([one.values[one.selected] for one in found])
    # the minimum has variance 1/18, the event 3/16: five standard errors of a mean over n
    assert 1 / 3 == pytest.approx(least.mean(), abs=5 * math.sqrt(1 / 18 / n))
    assert 3 / 4 == pytest.approx((least < 0.5).mean(), abs=5 * math.sqrt(3 / 16 / n))
