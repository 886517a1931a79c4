"""The lecture's experiments: direction, and size within four standard errors of the quick form.

A quick interval reaches about two standard errors to each side (`studies.study.LEVEL`), so twice its reach is four.
"""

from pathlib import Path

import pandas as pd
import pytest

from studies.digits_terms import TERMS
from studies.dilemma import PROBLEMS, RULE
from studies.three_points import CHANCE, SLOPE

ROOT = Path(__file__).parents[3]
THE_SAME = {
    "polynomials": ("second-against-fifth", "bias-5", "bias-25"),
    "three_points": ("constant-wins", "constant-wins-against-a-line"),
    "chosen_parameter": (
        "optimism-of-penalty",
        "optimism-of-early-stopping",
        "optimism-of-unlike",
        "optimism-2-penalties",
        "optimism-20-penalties",
    ),
}
pytestmark = pytest.mark.long


def _number(table: pd.DataFrame, finding: str, column: str = "ours") -> float:
    return float(table.loc[finding, column])


def _reach(table: pd.DataFrame, finding: str) -> float:
    return (_number(table, finding, "high") - _number(table, finding, "low")) / 2


@pytest.mark.parametrize(
    ("study", "finding"),
    [(study, f"{study.replace('_', '-')}-{finding}") for study, found in THE_SAME.items() for finding in found],
)
def test_fewer_repeats_find_what_the_whole_form_found(quick, study, finding):
    whole = pd.read_csv(ROOT / f"docs/studies/{study}.csv", dtype=str).set_index("finding")
    apart = abs(_number(quick, finding) - _number(whole, finding))
    assert apart <= 2 * _reach(quick, finding) + _reach(whole, finding)


def test_validation_errors_of_the_chosen_polynomial_are_too_low_and_less_so_for_large_K(quick):
    assert _number(quick, "polynomials-bias-5", "low") > _number(quick, "polynomials-bias-25", "high") > 0
    assert quick.loc["polynomials-settings", "ours"] == "1/1"


def test_the_constant_wins_as_often_as_by_hand(quick):
    n = 1_500
    error = (CHANCE * (1 - CHANCE) / n) ** 0.5
    assert abs(_number(quick, "three-points-constant-wins") - CHANCE) <= 4 * error
    assert SLOPE > 0
    assert _number(quick, "three-points-constant-wins-against-a-line", "high") < 0.1
    assert [quick.loc[f"three-points-e-cv-{name}", "ours"] for name in ("constant", "line")] == ["3/50", "27/100"]


def test_some_of_the_terms_are_chosen_and_all_are_worse_where_errors_are_chased(quick):
    assert 1 <= _number(quick, "digits-terms-chosen") <= TERMS / 2
    assert _number(quick, "digits-gain-of-choice-logistic", "low") > 0
    assert _number(quick, "digits-error-in-all-logistic") < _number(quick, "digits-error-in-chosen")
    assert _number(quick, "digits-error-out-all-logistic") > _number(quick, "digits-error-out-chosen")
    share = 182 / 1797  # of the digit 1, which is hard to tell apart in 8 x 8 points
    reach = _reach(quick, "digits-error-out-chosen")  # of single draws
    assert abs(_number(quick, "digits-error-out-chosen") - share) < reach


@pytest.mark.parametrize("of", ["variance-sigma2-over-k", "variance-k-1", "variance-k-500", "mean-over-e-out"])
def test_moments_of_validation_errors_are_those_of_the_text(quick, of):
    finding = f"gruber-{of}"
    assert abs(_number(quick, finding) - 1) <= 2 * _reach(quick, finding)
    assert _reach(quick, finding) < 0.25


def test_one_miss_falls_with_K_and_the_other_rises(quick):
    assert quick.loc["dilemma-opposed-misses", "ours"] == f"{len(PROBLEMS)}/{len(PROBLEMS)}"


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_best_share_is_the_rule_or_one_step_above(quick, name):
    assert RULE <= _number(quick, f"dilemma-best-share-{name}") <= 0.4  # the quick form's next share


def test_two_parameters_can_be_chosen_by_validation_and_twenty_cannot(quick):
    two, twenty = (_number(quick, f"chosen-parameter-optimism-{number}-penalties") for number in (2, 20))
    error = (0.16 * 0.84 / 100) ** 0.5  # of E_val, with K = 100 and E_out about 0.16
    assert 0 < two < error < twenty


def test_bounds_hold_and_are_too_wide_for_hypotheses_that_are_alike(quick):
    for bound in ("hoeffding", "exact", "joint"):
        assert _number(quick, f"union-bound-violations-{bound}", "low") <= 0.05
    alike, unlike, hoeffding = (
        _number(quick, f"union-bound-too-wide-{of}") for of in ("exact-penalty", "exact-unlike", "hoeffding-penalty")
    )
    assert 1 <= unlike < 1.3
    assert unlike < alike < hoeffding < 4
