"""The first screen: what to ship, with which error to plan, and what to do next."""

from dataclasses import replace

from heldout.losses import SQUARED
from heldout.records import Difference, Estimate, MoreRows
from tasks.report.decision_strip import decision_strip, origin
from tasks.report.headline import headline, plan_with
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


def test_the_first_line_is_the_decision_and_what_speaks_against_it_follows(summary):
    assert ("Ship bayes", ()) == (headline(summary()).advice, headline(summary()).caveats)
    stopped = {"verdict": "not_yet", "caveats": ["bayes is bad", "later"], "advice": "Do not ship yet: bayes is bad"}
    first = headline(summary(**stopped))
    assert ("Do not ship yet: bayes is bad", ("later",)) == (first.advice, first.caveats)


def test_the_origin_counts_the_columns(summary):
    one = summary()
    said = [origin(replace(one, rows=replace(one.rows, columns=columns))) for columns in (1, 2)]
    assert "8 labelled rows of 1 column;" in said[0]
    assert "8 labelled rows of 2 columns;" in said[1]


def test_the_error_to_plan_with_is_that_of_the_test_set_or_else_of_cross_validation_with_the_bound(summary):
    assert "E_test = 12.5 %, on 4 rows that no choice has used, at 90 %" == plan_with(summary())
    one = summary(E_test=None)
    closed = replace(one, estimates=one.estimates[one.estimates["estimate"] != "E_test"])
    of_folds = plan_with(closed)
    assert of_folds.startswith("E_cv = 10.0 %, by cross-validation")
    assert of_folds.endswith("at most 25.0 %, with all comparisons counted")
    bare = replace(closed, estimates=closed.estimates.assign(low=None, high=None))
    assert "an error above 10.0 %, by E_cv: no interval can be claimed" == plan_with(bare)
    assert "R² 0.50" in plan_with(replace(summary(percent=False), loss=SQUARED))


def test_the_simplest_is_advice_by_a_stated_margin_alone_and_never_below_an_opened_test_set(summary):
    alike = [Difference("bayes", "tree", -0.001, -0.01, 0.01, 0.9, "t", by_margin="alike"), *OF_BASELINE]
    left = {"candidates": ["tree", "bayes"], "indistinguishable": ["tree", "bayes"], "differences": alike}
    by_margin = {"margin": 2, "verdict": "any_of", "any_of": ["bayes", "tree"]}
    sealed = {"E_test": None, "test_openings": 0, "test_sealed": 4}
    assert not any("Take tree" in step for step in headline(summary(**left, **sealed)).steps)
    assert any("Take tree if you prefer" in step for step in headline(summary(**left, **sealed, **by_margin)).steps)
    opened = headline(summary(**left, **by_margin)).steps
    assert not any("tree" in step or "selection.rule" in step for step in opened)


def test_labelled_rows_that_the_estimates_left_out_come_before_new_labels(summary):
    part = {"rows": {"estimates": 8, "labeled": 3000, "test": 4}}
    used = headline(summary(**part, E_test=None, test_openings=0, test_sealed=4)).steps[0]
    assert used.startswith("Let the estimates use more of the 3000 labelled rows (split.rows): with 16 training rows ")
    assert not any("more rows" in step or "split.rows" in step for step in headline(summary(**part)).steps)


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
    assert "4 rows that no choice has used of 2 groups" in plan_with(summary(groups=groups))
    one = summary(groups=groups)
    assert "8 rows of 3 groups" in plan_with(
        replace(one, estimates=one.estimates[one.estimates["estimate"] != "E_test"])
    )
    assert "estimates on all 8 labelled rows of 3 groups" in sentences(one)["rows"]


def test_an_estimate_is_too_low_since_it_won_where_it_chose_and_won(summary):
    other = [Estimate("tree", "E_cv", 0.12, "one of the k", 7, 8)]
    for changes, won in (({}, "E_cv"), ({"criterion": "E_prog"}, ""), ({"selected": "tree"}, "")):
        one = summary(estimates=other, **changes)
        assert won == one.won_by
        of_folds = replace(one, estimates=one.estimates[one.estimates["estimate"] != "E_test"])
        assert ("since it won" in plan_with(of_folds)) == bool(won)
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


def test_the_first_step_is_to_decide_about_a_finding_that_is_open(summary):
    open_one = RecordedFinding("time", "day: it drifts", severity="care", columns=["day"], decide="set data.time: day")
    settled = RecordedFinding("groups", "house", severity="care", decided="each house is new")
    [first, *_] = headline(summary(found=[settled, open_one])).steps
    assert first.startswith("Decide about what init found (day): set data.time: day. Write")
    assert "table_checks.yaml" in first
    assert "Decide" not in " ".join(headline(summary(found=[settled])).steps)


def test_a_winner_without_a_criterion_in_the_table_has_no_number(summary):
    bare = summary(criterion="E_maxdt", E_test=None)
    none = replace(bare, estimates=bare.estimates[bare.estimates["estimate"] == "E_in"])
    assert plan_with(none).startswith("an unknown error")
