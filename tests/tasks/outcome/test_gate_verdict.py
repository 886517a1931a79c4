"""The gate: which number decides, what is said of it, and the comparison with another revision's winner."""

import json
from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.records import Estimate
from heldout.selection.separate_difference import separate_difference
from tasks.outcome.gate_verdict import ValidatedRun, check_limit, compare, upper_end
from tasks.runtime.errors import UserError

CHOICE = {"selected": "tree", "loss": "zero_one", "bound": 0.2, "bound_method": "Clopper-Pearson"}
CHOICE |= {"contamination": 8, "test_openings": 1}
E_TEST = Estimate("tree", "E_test", 0.1, "g", 9, 50, 0.05, 0.15, 0.95, "Clopper-Pearson")
E_CV = Estimate("tree", "E_cv", 0.08, "one of the k", 8, 9, 0.02, 0.12, 0.95, "corrected Wilson")
OTHERS = Estimate("bayes", "E_test", 0.9, "g", 9, 50, 0.8, 0.99, 0.95, "Clopper-Pearson")


def results(*lines: Estimate, **choice: object) -> ValidatedRun:
    table = pd.DataFrame([vars(line) for line in (OTHERS, *lines)]).drop(columns="assumption")
    return ValidatedRun({**CHOICE, **choice}, table)


def test_e_test_decides_before_the_bound_and_the_bound_before_e_cv():
    found = [
        upper_end(one, 0.95, None)
        for one in (results(E_CV, E_TEST), results(E_CV), results(E_CV, bound=None), results(E_CV, E_TEST, bound=None))
    ]
    assert [("E_test", 0.15), ("bound", 0.2), ("E_cv", 0.12), ("E_test", 0.15)] == [
        (end.estimate, end.upper) for end in found
    ]
    with pytest.raises(UserError, match=r"^tree has no interval .*split\.test_fraction$"):
        upper_end(results(replace(E_TEST, low=None, high=None), bound=None), 0.95, None)


def test_the_sentence_has_the_numbers_the_target_and_the_assumption():
    end = upper_end(results(E_CV, E_TEST), 0.95, None)
    assert end.within(0.15)
    assert not end.within(0.1499)
    said = end.sentence(0.2)
    assert said.startswith("the upper end of E_test of tree is 0.15 (Clopper-Pearson, at 95 %), at most the 0.2 of ")
    assert "it is about g, and assumes independent examples" in said
    assert ", above the 0.1 of --max-upper; " in end.sentence(0.1)
    of_groups = upper_end(results(replace(E_TEST, interval="clustered Wilson")), 0.95, "groups")
    assert "independent groups" in of_groups.sentence(0.1)


def test_what_makes_a_number_too_low_is_said():
    assert "chosen by such numbers" in upper_end(results(E_CV, bound=None), 0.95, None).sentence(1)
    assert "3 different winners" in upper_end(results(E_TEST, test_openings=3), 0.95, None).sentence(1)
    assert "too low" not in upper_end(results(E_TEST), 0.95, None).sentence(1)
    assert "it counts 8 learners" in upper_end(results(E_CV), 0.95, None).sentence(1)


def test_the_baseline_next_to_the_number_is_that_of_the_same_estimate():
    constant = [
        Estimate("baseline", name, value, "g", 9, 50, 0.2, 0.4, 0.95, "Wilson")
        for name, value in (("E_val", 0.31), ("E_cv", 0.32), ("E_test", 0.33))
    ]
    apart = {"difference": -0.23, "low": -0.3, "high": -0.16}
    said = upper_end(results(E_CV, E_TEST, *constant, E_test_less_baseline=apart), 0.95, None).sentence(1)
    assert said.endswith("; E_test of the baseline is 0.33, and the winner's less it -0.23 [-0.3 to -0.16]")
    assert upper_end(results(E_CV, *constant), 0.95, None).sentence(1).endswith("E_val of the baseline is 0.31")
    assert "E_cv of the baseline is 0.32" in upper_end(results(E_CV, *constant, bound=None), 0.95, None).sentence(1)


def test_results_of_another_version_are_refused_with_the_keys_that_they_lack(tmp_path):
    selection, estimates = (tmp_path / name for name in ("selection.json", "estimates.csv"))
    written = results(E_TEST)
    written.estimates.to_csv(estimates, index=False)
    decided = {"verdict": "ship_with_care", "caveats": ["svm failed"], "advice": "Ship tree, with care"}
    whole = {**CHOICE, **decided, "candidates": ["tree"], "criterion": "E_cv"}
    selection.write_text(json.dumps(whole))
    assert "Ship tree, with care; svm failed" == ValidatedRun.of_files(selection, estimates).decision.sentence
    for gone in (["verdict"], ["loss", "caveats"]):
        selection.write_text(json.dumps({key: value for key, value in whole.items() if key not in gone}))
        with pytest.raises(UserError, match=f"selection.json lacks {', '.join(gone)}: another version"):
            ValidatedRun.of_files(selection, estimates)
    with pytest.raises(UserError, match=r"^estimates\.csv, .* 'nested' is not known"):
        upper_end(results(replace(E_TEST, interval="nested")), 0.95, None)


def test_a_hostile_name_is_printed_as_it_is():
    end = upper_end(results(replace(E_TEST, candidate="\x1b[2J"), selected="\x1b[2J"), 0.95, None)
    assert end.sentence(1).isprintable()


@pytest.mark.parametrize("limit", [5.0, -0.1, float("nan")])
def test_a_limit_that_cannot_be_meant_is_refused(limit):
    with pytest.raises(UserError, match="^--max-upper is "):
        check_limit(limit, results(E_TEST))
    check_limit(0.05, results(E_TEST))
    check_limit(5, results(E_TEST, loss="squared"))


def test_the_same_results_are_not_shown_worse_and_a_winner_far_below_is():
    here = results(E_CV, E_TEST)
    same = compare(here, here, "main")
    assert (0, False, "E_test") == (same.difference, same.worse, same.estimate)
    better = replace(E_TEST, candidate="svm", value=0.01, low=0.002, high=0.03)
    found = compare(here, results(better, selected="svm"), "main")
    assert found.worse
    assert "against main: E_test of tree less that of svm there is 0.09 [" in str(found)
    assert not compare(results(better, selected="svm"), here, "main").worse


def test_the_estimate_that_both_have_is_compared():
    assert "E_cv" == compare(results(E_CV, E_TEST), results(E_CV), "main").estimate
    for other in (results(), results(E_CV, loss="log"), results(replace(E_CV, level=0.9))):
        with pytest.raises(UserError, match="^--against is 'main'"):
            compare(results(E_CV), other, "main")


@given(st.lists(st.floats(0, 1), min_size=6, max_size=6))
def test_the_difference_lies_in_its_interval_and_turns_round_with_its_terms(numbers):
    ends = [sorted(numbers[:3]), sorted(numbers[3:])]
    one, other = (replace(E_TEST, low=low, value=value, high=high) for low, value, high in ends)
    there, back = separate_difference(one, other), separate_difference(other, one)
    assert there.low <= one.value - other.value <= there.high
    assert (-there.high, -there.low) == pytest.approx((back.low, back.high), abs=1e-12)
    # never wider than the ends of both, so intervals that touch may still differ
    assert one.low - other.high <= there.low + 1e-12


def test_an_upper_end_that_is_not_credible_says_so():
    reason = "3 of 50 rows carry 41 % of the loss"
    end = upper_end(results(E_CV, E_TEST, not_credible={"E_test": reason}), 0.95, None)
    assert f"not credible, and likely to be too low: {reason}" in end.sentence(0.2)
    assert "not credible" not in upper_end(results(E_CV, E_TEST, not_credible={"E_cv": reason}), 0.95, None).sentence(1)
