"""Whether to ship: one rule, its order of precedence, and one sentence for every report."""

from dataclasses import replace

import pytest

from heldout.decision.ship import Decision, Known, decide, plan_with, worse_by
from heldout.losses import SQUARED, ZERO_ONE
from heldout.metrics.skill import Skill
from heldout.records import Difference, Estimate

E_TEST = Estimate("tree", "E_test", 0.25, "g", 80, 20, low=0.19, high=0.32, level=0.95, interval="Wilson")
E_BBC = replace(E_TEST, estimate="E_bbc", value=0.22, low=0.2, high=0.26)
OF_BASELINE = {"E_cv": 0.29, "E_test": 0.34}
APART = {name: Difference("tree", "baseline", -0.08, -0.12, -0.04, 0.95, "t") for name in OF_BASELINE}
NUMBERS = "25.0 % errors [19.0–32.0], a constant 34.0 %"
PLANNED = plan_with([E_BBC, E_TEST], OF_BASELINE, APART)
SOUND = Known(
    selected="tree",
    lowest="tree",
    not_ruled_out=["tree"],
    compared=3,
    loss=ZERO_ONE,
    judged_by="the zero_one loss",
    beats_baseline=True,
    planned=PLANNED,
)
OTHERS = [
    Difference("tree", "bayes", -0.01, -0.04, 0.02, 0.95, "t"),
    Difference("tree", "wide", -0.02, -0.06, 0.02, 0.95, "t"),
    Difference("tree", "baseline", -0.08, -0.12, -0.04, 0.95, "t"),
]
LEFT = replace(SOUND, not_ruled_out=["bayes", "tree", "wide"], differences=OTHERS, error=0.2)
CARES = {
    "not_credible": (
        {"E_test": "3 rows carry 41 % of the loss"},
        "E_test is not credible: 3 rows carry 41 % of the loss",
    ),
    "findings": ([("care", "later rows err more")], "later rows err more"),
    "spent": ("opened for another winner", "used up"),
    "openings": (2, "for 2 different winners"),
    "removed": (3, "3 earlier validations of these data, which the ledger names, were removed"),
    "planned": (None, "no interval"),
    "other_population": ("x is out of range", "of another population: x is out of range"),
    "optimism": ("every estimate is too low", "every estimate is too low"),
    "failed": (["svm", "wide"], "failed, and not compared: svm, wide"),
    "differences": ([Difference("tree", "bayes", 0.1, 0.01, 0.2)], "shown to err less than tree: bayes"),
}
STOPS = {
    "too_good": ("check the columns", "tree is too good to be true: check the columns"),
    "findings": ([("stop", "told: it alone predicts the target")], "told: it alone"),
    "beats_baseline": (None, "tree is not shown to beat the baseline by the zero_one loss"),
}


def test_a_winner_without_a_doubt_is_shipped():
    assert Decision("ship", (), f"Ship tree: {NUMBERS}") == decide(SOUND)
    squared = decide(replace(SOUND, loss=SQUARED)).advice
    assert "Ship tree: RMSE 0.500 [0.436–0.566], a constant 0.583" == squared  # the roots


def test_that_others_are_not_ruled_out_is_no_equivalence():
    """The winner is shipped, with how many are left and how much more they may err, whatever their number."""
    said = "2 others are not ruled out, up to 6.0 points worse"
    assert Decision("ship", (), f"Ship tree: {NUMBERS}", said) == decide(LEFT)
    assert f"tree is selected, wide is lowest; {said}" == decide(replace(LEFT, lowest="wide")).others
    unknown = replace(LEFT, differences=())
    assert "2 others are not ruled out" == decide(unknown).others
    squared = replace(LEFT, loss=SQUARED, error=0.09)
    assert decide(squared).others.endswith("up to 0.0873 worse in RMSE")  # sqrt(.09 + .06) - sqrt(.09)


def test_any_of_needs_a_margin_by_which_others_are_shown_to_be_alike():
    alike = [replace(OTHERS[0], by_margin="alike"), *OTHERS[1:]]
    found = decide(replace(LEFT, differences=alike, margin=0.05))
    assert ("any_of", ("tree", "bayes")) == (found.verdict, found.any_of)
    assert f"Any of these 2: tree {NUMBERS}" == found.advice
    assert found.others == (
        "tree is lowest; alike by a margin of 5 percentage points; 1 further other is not ruled out, up to 6.0 points "
        "worse"
    )
    undecided = decide(replace(LEFT, differences=[replace(one, by_margin="undecided") for one in OTHERS], margin=0.05))
    assert ("ship", ()) == (undecided.verdict, undecided.any_of)


def test_a_candidate_that_errs_no_less_than_the_baseline_is_none_of_any():
    useless = Difference("tree", "wide", -0.08, -0.2, 0.01, 0.95, "t", by_margin="alike")
    found = decide(replace(LEFT, differences=[useless, APART["E_cv"]], margin=0.2))
    assert ("ship", ()) == (found.verdict, found.any_of)


def test_how_much_worse_the_others_may_be_is_the_far_end_of_their_intervals():
    assert "up to 6.0 points worse" == worse_by(OTHERS[:2], 0.2, ZERO_ONE)
    assert "" == worse_by([], 0.2, ZERO_ONE) == worse_by([replace(OTHERS[0], low=0.01)], 0.2, ZERO_ONE)


@pytest.mark.parametrize("field", CARES)
def test_each_doubt_is_a_caveat_and_asks_for_care(field):
    value, words = CARES[field]
    found = decide(replace(SOUND, **{field: value}))
    advice = "Ship tree, with care" + ("" if field == "planned" else f": {NUMBERS}")
    assert ("ship_with_care", advice) == (found.verdict, found.advice)
    assert words in found.caveats[0]
    assert found.sentence == f"{advice}; {found.caveats[0]}"


@pytest.mark.parametrize("field", STOPS)
def test_each_reason_to_stop_comes_before_all_others(field):
    value, words = STOPS[field]
    every = {name: of[0] for name, of in CARES.items() if name != field}
    found = decide(replace(SOUND, **{**every, field: value}))
    assert "not_yet" == found.verdict
    assert found.advice.startswith("Do not ship yet: ")
    assert words in found.advice
    assert found.caveats[0] in found.advice
    assert 1 + len(found.further) == len(found.caveats) > 5


def test_care_comes_before_any_of():
    alike = [replace(OTHERS[0], by_margin="alike"), *OTHERS[1:]]
    found = decide(replace(LEFT, differences=alike, margin=0.05, failed=["svm"]))
    assert ("ship_with_care", ("tree", "bayes")) == (found.verdict, found.any_of)
    assert f"Ship tree, with care: {NUMBERS}" == found.advice
    assert found.others.startswith("tree is lowest; alike by a margin of 5 percentage points; ")


def test_a_caveat_is_short_and_in_one_line():
    [caveat] = decide(replace(SOUND, findings=[("care", "x\n" * 1000)])).caveats
    assert len(caveat) < 310
    assert "\n" not in caveat
    stopped = decide(replace(SOUND, findings=[("stop", "x\n" * 1000)]))
    assert () == stopped.further


def test_a_finding_that_is_a_note_holds_nothing_back():
    assert "ship" == decide(replace(SOUND, findings=[("note", "3 columns have gaps")])).verdict


def test_what_the_loss_does_not_say_is_said_with_it():
    skill = Skill("AUC", 0.745, 0.71, 0.78, 0.5, "held-out rows")
    found = decide(replace(SOUND, beats_baseline=None, skill=skill))
    assert any("AUC 0.745 [0.71–0.78]" in caveat and "a constant has 0.5" in caveat for caveat in found.caveats)
    assert "ship" == decide(replace(SOUND, skill=skill)).verdict


def test_one_plans_with_the_test_set_and_compares_with_the_baseline_there():
    assert ("E_test", 0.34) == (PLANNED.record.estimate, PLANNED.of_baseline)
    corrected = plan_with([E_BBC], OF_BASELINE, APART)
    assert ("E_bbc", "E_cv", 0.29) == (corrected.record.estimate, corrected.against, corrected.of_baseline)
    assert plan_with([replace(E_TEST, low=None, high=None)], OF_BASELINE, APART) is None


def test_an_estimate_that_does_not_show_it_alone_and_a_wide_interval_ask_for_care():
    apart = {"E_test": replace(APART["E_test"], high=0.01)}
    found = decide(replace(SOUND, planned=plan_with([E_TEST], OF_BASELINE, apart)))
    assert ("by E_test alone it is not shown to beat the baseline",) == found.caveats
    wide = decide(replace(SOUND, planned=plan_with([replace(E_TEST, high=0.35)], OF_BASELINE, APART)))
    assert ("the interval of E_test is wide: its upper end, 35.0, reaches the baseline's 34.0 %",) == wide.caveats


def test_a_test_set_that_contradicts_the_rows_that_chose_asks_for_care():
    def caveats(low: float, **known) -> tuple[str, ...]:
        found = plan_with([E_BBC, replace(E_TEST, low=low)], OF_BASELINE, APART)
        return decide(replace(SOUND, planned=found, **known)).caveats

    assert () == caveats(0.26) == caveats(0.19)
    (said,) = caveats(0.261)
    assert said.startswith("E_test lies above the interval of E_bbc, 20.0–26.0: the test set is unlike the rows")
    assert "is not credible" in caveats(0.261, not_credible={"E_test": "3 rows"})[0]
    assert () == caveats(0.261, not_credible={"E_bbc": "3 rows"})
    alone = plan_with([replace(E_TEST, low=0.3)], OF_BASELINE, APART)
    assert () == decide(replace(SOUND, planned=alone)).caveats


def test_a_criterion_that_cannot_say_who_is_as_good_asks_for_care_among_several():
    assert "ship_with_care" == decide(replace(SOUND, not_ruled_out=[])).verdict
    assert "ship" == decide(replace(SOUND, not_ruled_out=[], compared=1)).verdict
