"""The first screen: what to ship, with which error to plan, and what to do next."""

from dataclasses import replace

import pytest

from heldout.losses import SQUARED
from heldout.records import MoreRows
from tasks.report.headline import headline

OF_MORE_ROWS = {"level": 0.9, "interval": "corrected t", "assumption": "independent examples"}
NO_GAIN = [
    MoreRows("bayes", 7, "gain", 0.0, low=-0.01, high=0.01, **OF_MORE_ROWS),
    MoreRows("bayes", 16, "E_2N", 0.1, low=0.05, high=0.15, **OF_MORE_ROWS),
]


def answers(summary) -> dict[str, str]:
    return {fact.question: fact.answer for fact in headline(summary).facts}


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({}, "Ship bayes"),
        ({"beats_baseline": False}, "Do not ship yet: bayes does not beat the baseline"),
        ({"beats_baseline": None}, "Do not ship yet: bayes is not shown to beat the baseline"),
        ({"suspicious": {"E_cv": 0.0, "carriers": []}}, "bayes is too good to be true: check the data"),
    ],
)
def test_the_verdict_ships_what_beats_the_baseline_and_can_be_believed(summary, changes, verdict):
    assert headline(summary(**changes)).verdict.startswith(verdict)


def test_the_error_to_plan_with_is_that_of_the_test_part_or_else_of_cross_validation_with_the_bound(summary):
    opened = headline(summary()).facts[0]
    assert ("Plan with an error of", "10.0–20.0 %") == (opened.question, opened.answer)
    assert "4 rows that no choice has used" in opened.rests_on
    one = summary(E_test=None)
    closed = replace(one, estimates=one.estimates[one.estimates["estimate"] != "E_test"])
    of_folds = headline(closed).facts[0]
    assert of_folds.answer == "5.0–15.0 %"
    assert of_folds.rests_on.endswith("at most 25.0 %, with all comparisons counted")
    bare = replace(closed, estimates=closed.estimates.assign(low=None, high=None))
    assert ("Plan with an error above", "10.0 %") == (headline(bare).facts[0].question, headline(bare).facts[0].answer)


def test_numbers_are_in_the_unit_of_the_target(summary):
    squared = replace(summary(percent=False), loss=SQUARED)
    assert answers(squared) == {
        "Plan with an error of": "RMSE 0.316–0.447",
        "As good as": "no other",
        "Baseline": "RMSE 0.548",
    }
    assert "R² 0.50" in headline(squared).facts[0].rests_on


def test_what_is_alike_is_counted_and_the_simplest_named(summary):
    alike = summary(indistinguishable=["tree", "bayes"])
    assert answers(alike)["As good as"] == "1 of 1 others"
    assert "take tree if you prefer the simplest" in " ".join(headline(alike).steps)
    first = headline(summary(indistinguishable=["bayes", "tree"]))
    assert "bayes is the simplest of them" in " ".join(first.steps)


def test_the_steps_are_the_most_urgent_three(summary):
    assert headline(summary()).steps == [
        "Label more rows, and python -m flows label-next says which: with 16 training rows the error may fall to "
        "8.0 % (2.0–15.0)."
    ]
    [none] = headline(summary(more_rows=[])).steps
    assert none.startswith("Nothing is open")
    [features] = headline(summary(more_rows=NO_GAIN)).steps
    assert "more rows are not shown to lower the error" in features
    shifted = replace(
        summary(beats_baseline=False, test_refused="spent", optimism="few"), other_population="they differ"
    )
    steps = headline(shifted).steps
    assert 3 == len(steps)
    assert "features" in steps[0]
    assert "they differ" in steps[2]


def test_a_winner_without_a_criterion_in_the_table_has_no_number(summary):
    bare = summary(criterion="E_maxdt", E_test=None)
    none = replace(bare, estimates=bare.estimates[bare.estimates["estimate"] == "E_in"])
    assert headline(none).facts[0].answer == "unknown"
