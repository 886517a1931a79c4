"""The first screen: what to ship, with which error to plan, and what to do next."""

from dataclasses import replace

from heldout.losses import SQUARED
from heldout.records import Difference, Estimate, MoreRows
from tasks.report.decision_strip import decision_strip
from tasks.report.headline import headline
from tasks.report.sentences import sentences
from tasks.storage.findings import RecordedFinding

OF_MORE_ROWS = {"level": 0.9, "interval": "corrected t", "assumption": "independent examples"}
OF_BASELINE = [Difference("bayes", "baseline", -0.15, -0.3, -0.1, 0.9, "t")]
NO_GAIN = [
    MoreRows("bayes", 4, "E_2cv", 0.1, low=0.05, high=0.15, **OF_MORE_ROWS),
    MoreRows("bayes", 7, "gain", 0.0, low=-0.01, high=0.01, **OF_MORE_ROWS),
    MoreRows("bayes", 16, "E_2N", 0.1, low=0.05, high=0.15, **OF_MORE_ROWS),
]


NO_TEST = {"estimates": 8, "labeled": 8, "test": 0}


def answers(summary) -> dict[str, str]:
    return {fact.question: fact.answer for fact in headline(summary).facts}


def test_the_first_line_is_the_decision_and_what_speaks_against_it_follows(summary):
    assert ("Ship bayes", ()) == (headline(summary()).verdict, headline(summary()).caveats)
    stopped = {"verdict": "not_yet", "caveats": ["bayes is bad", "later"], "advice": "Do not ship yet: bayes is bad"}
    first = headline(summary(**stopped))
    assert ("Do not ship yet: bayes is bad", ("later",)) == (first.verdict, first.caveats)


def test_the_error_to_plan_with_is_that_of_the_test_set_or_else_of_cross_validation_with_the_bound(summary):
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
        "Not ruled out": "no other",
        "Baseline": "RMSE 0.5",
    }
    assert "R² 0.50" in headline(squared).facts[0].rests_on


def test_who_is_not_ruled_out_is_counted_with_how_much_more_they_may_err(summary):
    left = [Difference("bayes", "tree", -0.02, -0.09, 0.05, 0.9, "t"), *OF_BASELINE]
    one = summary(indistinguishable=["tree", "bayes"], differences=left)
    assert answers(one)["Not ruled out"] == "1 of 1 others"
    assert "up to 9.0 points worse, at 90 %: tree" == headline(one).facts[1].rests_on


def test_a_candidate_that_errs_no_less_than_the_baseline_is_named_as_such(summary):
    useless = [Difference("bayes", "tree", -0.2, -0.5, 0.1, 0.9, "t"), *OF_BASELINE]
    fact = headline(summary(indistinguishable=["bayes"], differences=useless)).facts[1]
    assert ("no other", "no better than the baseline: tree") == (fact.answer, fact.rests_on)


def test_the_simplest_is_advice_by_a_stated_margin_alone_and_never_below_an_opened_test_set(summary):
    alike = [Difference("bayes", "tree", -0.001, -0.01, 0.01, 0.9, "t", by_margin="alike"), *OF_BASELINE]
    left = {"candidates": ["tree", "bayes"], "indistinguishable": ["tree", "bayes"], "differences": alike}
    by_margin = {"margin": 2, "verdict": "any_of", "any_of": ["bayes", "tree"]}
    sealed = {"E_test": None, "test_openings": 0, "test_sealed": 4}
    assert not any("Take tree" in step for step in headline(summary(**left, **sealed)).steps)
    assert any("Take tree if you prefer" in step for step in headline(summary(**left, **sealed, **by_margin)).steps)
    opened = headline(summary(**left, **by_margin)).steps
    assert not any("tree" in step or "selection.rule" in step for step in opened)


def test_of_many_others_the_first_are_named_and_the_rest_counted(summary):
    names = [f"a-candidate-with-a-very-long-name-{place:02d}" for place in range(11)]
    said = headline(summary(candidates=["bayes", *names], indistinguishable=["bayes", *names])).facts[1].rests_on
    assert f"{names[0]}, {names[1]} and 9 more" in said


def test_the_steps_are_the_most_urgent_three(summary):
    assert headline(summary()).steps == [
        "Label more rows (python -m flows label-next says which) if this is worth it to you: with 16 training rows the "
        "error may be 8.0 % [2.0–15.0], in place of 10.0 %."
    ]
    assert "Label" in headline(summary(margin=1.9)).steps[0]
    assert "Label" not in headline(summary(margin=2.1)).steps[0]  # two points are less than what matters
    [none] = headline(summary(more_rows=[])).steps
    assert none.startswith("Nothing is open")
    [accept] = headline(summary(more_rows=[], verdict="ship_with_care", caveats=["svm failed"])).steps
    assert "Decide whether you accept this: svm failed." == accept
    [untold] = headline(summary(more_rows=NO_GAIN)).steps
    assert "cannot be told yet: they gained 0.0 percentage points [-1.0 to 1.0] so far" in untold
    half, gain, twice = NO_GAIN
    harm = [half, replace(gain, value=-0.02, low=-0.03, high=-0.01), twice]
    [features] = headline(summary(more_rows=harm)).steps
    assert features.startswith("Look for other features or learners: more rows did not lower the error. The opened ")
    [features] = headline(summary(more_rows=harm, E_test=None, test_refused=None, rows=NO_TEST)).steps[:1]
    assert "Look for other features or learners: more rows did not lower the error." == features
    [sealed] = headline(summary(more_rows=[], E_test=None, test_sealed=4)).steps
    assert "When you have decided, open the test set (4 rows): python -m flows open-test." == sealed
    stopped = {"verdict": "not_yet", "caveats": ["bayes is bad"], "advice": "Do not ship yet: bayes is bad"}
    assert "open-test" not in " ".join(headline(summary(more_rows=[], E_test=None, test_sealed=4, **stopped)).steps)
    shifted = summary(beats_baseline=False, test_refused="spent", optimism="few", other_population="they differ")
    steps = headline(shifted).steps
    assert 3 == len(steps)
    assert "features" in steps[0]
    assert "they differ" in steps[2]


def test_rows_of_groups_are_said_with_the_number_of_groups(summary):
    groups = {"estimates": 3, "test": 2}
    assert "4 rows that no choice has used of 2 groups" in headline(summary(groups=groups)).facts[0].rests_on
    one = summary(groups=groups)
    of_folds = headline(replace(one, estimates=one.estimates[one.estimates["estimate"] != "E_test"])).facts[0]
    assert "8 rows of 3 groups" in of_folds.rests_on
    assert "estimates on all 8 labelled rows of 3 groups" in sentences(one)["rows"]


def test_an_estimate_is_too_low_since_it_won_where_it_chose_and_won(summary):
    other = [Estimate("tree", "E_cv", 0.12, "one of the k", 7, 8)]
    for changes, won in (({}, "E_cv"), ({"criterion": "E_prog"}, ""), ({"selected": "tree"}, "")):
        one = summary(estimates=other, **changes)
        assert won == one.won_by
        of_folds = replace(one, estimates=one.estimates[one.estimates["estimate"] != "E_test"])
        assert ("since it won" in headline(of_folds).facts[0].rests_on) == bool(won)
        marks = {mark.called: mark for mark in decision_strip(one).marks}
        assert ("since it won" in marks["E_cv"].rests_on if "E_cv" in marks else False) == bool(won)
    alone = summary()  # a single candidate has not won
    assert "" == alone.won_by


def test_what_is_not_shown_is_no_advice(summary):
    [first, *_] = headline(summary(beats_baseline=None)).steps
    assert first.startswith("It cannot be told yet whether bayes errs less than a constant answer")
    skill = {"metric": "AUC", "value": 0.745, "low": 0.71, "high": 0.78, "of_constant": 0.5, "part": "test set"}
    [first, *_] = headline(summary(beats_baseline=None, skill=skill)).steps
    assert "AUC 0.745 [0.71–0.78] on the test set, where a constant has 0.5" in first
    assert "log or brier" in first
    unknown = headline(summary(indistinguishable=[])).facts[1]
    assert ("unknown", True) == (unknown.answer, "cannot say" in unknown.rests_on)


def test_the_baseline_is_that_of_the_estimate_to_plan_with_and_has_the_paired_difference(summary):
    apart = {"candidate": "bayes", "against": "baseline", "difference": -0.125, "low": -0.25, "high": -0.0625}
    apart |= {"level": 0.9, "interval": "paired t"}
    of_test = headline(summary(E_test_less_baseline=apart)).facts[2]
    assert "25.0 %" == of_test.answer
    assert of_test.rests_on.startswith("E_test where every answer is")
    assert "winner less baseline -12.5 [-25.0 to -6.2] percentage points" in of_test.rests_on
    one = summary()
    of_folds = headline(replace(one, estimates=one.estimates[one.estimates["estimate"] != "E_test"])).facts[2]
    assert "30.0 %" == of_folds.answer
    assert of_folds.rests_on.startswith("E_cv where every answer is")
    assert "-20.0 [-30.0 to -10.0]" in of_folds.rests_on


def test_the_first_step_is_to_decide_about_a_finding_that_is_open(summary):
    open_one = RecordedFinding("time", "day: it drifts", severity="care", columns=["day"], decide="set data.time: day")
    settled = RecordedFinding("groups", "house", severity="care", decided="each house is new")
    [first, *_] = headline(summary(found=[settled, open_one])).steps
    assert first.startswith("Decide about what init found (day): set data.time: day. Write")
    assert "findings.yaml" in first
    assert "Decide" not in " ".join(headline(summary(found=[settled])).steps)


def test_a_winner_without_a_criterion_in_the_table_has_no_number(summary):
    bare = summary(criterion="E_maxdt", E_test=None)
    none = replace(bare, estimates=bare.estimates[bare.estimates["estimate"] == "E_in"])
    assert headline(none).facts[0].answer == "unknown"
