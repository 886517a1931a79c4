"""The sentences of a report: each is there where it has something to say, with its names and numbers."""

from dataclasses import replace

import numpy as np
import pytest

from heldout.estimates.methods import DEFAULTS
from heldout.learners.fit_warnings import WarningCount, WarningCounts
from heldout.losses import SQUARED, choose_loss
from heldout.records import Difference, Estimate, MoreRows, PredictionPowered, PredictionSets
from heldout.schemes.delivery import FORMS
from heldout.splits import class_shares
from heldout.unlabelled.half_model_controls import NO_ROWS
from tasks.report.section import Cell
from tasks.report.sections import prediction_powered, prediction_sets, test_set
from tasks.report.sentences import sentences, why
from tasks.report.summary import LabeledRows, Unlabeled
from tasks.storage.shard_report import ShardReport

ROWS = {"estimates": 8, "labeled": 8, "test": 4}
SETS = PredictionSets("bayes", "g", 0.9, "LAC", 0.75, 20, 8, 0.875, 0.5, 0.95, 1.25, None, 0.625, 0.0)
NO_SETS = PredictionSets("bayes", "g", 0.9, "LAC", reason="the model gives no probabilities")


def test_few_rows_of_many_classes_in_stratified_parts_give_a_warning(summary):
    warning = sentences(summary(optimism=class_shares.optimism(np.arange(500) % 26)))["warning"]
    assert "26 classes in 500 rows" in warning
    assert "split.stratify" in warning
    assert "warning" not in sentences(summary(optimism=None))


def test_the_warnings_of_a_candidate_are_counted_with_the_share_of_its_fits(summary):
    counted = WarningCounts(60, 4, (WarningCount("ConvergenceWarning", 4, "lbfgs failed to converge"),))
    assert str(counted) == sentences(summary(warned={"bayes": counted}))["bayes warned"]
    assert [] == [name for name in sentences(summary()) if name.endswith("warned")]


def test_skipped_shards_come_with_the_rows_lost_and_used_shards_with_the_rows_noted(summary):
    assert not {"shards", "shards skipped"} & {*sentences(summary())}
    reports = [
        ShardReport(
            "a.csv", 40, "shard-00000.parquet", noted=10, notes=("'x' lies outside of 0 to 1 in 25.0 % of the rows",)
        ),
        ShardReport("b.csv", 60, bad="lacks the column 'x' of the labelled rows"),
        ShardReport("c.csv", None, bad="cannot be read as csv: no"),
        ShardReport("d.csv", 60, "shard-00001.parquet"),
    ]
    texts = sentences(replace(summary(), unlabeled=Unlabeled(True, shards=reports)))
    skipped, reasons = texts["shards skipped"].split("; the disagreement ")
    assert "2 of 4, 60 rows lost, and the rows of 1 that cannot be read" == skipped
    assert reasons.endswith("b.csv lacks the column 'x' of the labelled rows; c.csv cannot be read as csv: no")
    assert texts["shards"].startswith("10 of 100 unlabelled rows (10.0 %), in 1 shard, ")


def test_many_skipped_shards_are_counted_and_the_first_ten_named(summary):
    reports = [ShardReport(f"{number}.csv", 1, bad="is empty") for number in range(12)]
    skipped = sentences(replace(summary(), unlabeled=Unlabeled(True, shards=reports)))["shards skipped"]
    assert skipped.startswith("12 of 12, 12 rows lost; ")
    assert skipped.endswith("9.csv is empty; …")


def test_the_choice_its_bound_and_the_test_set_come_with_their_numbers(summary):
    texts = sentences(summary())
    of_rows = ["rows", "differences", "more rows", "unlabelled", "bound", "bound_joint", "E_test"]
    of_rows += ["prediction sets", "metrics", "delivered"]
    assert ["decision", "selected", "baseline", *of_rows] == list(texts)
    assert "bayes, by one standard error of E_cv = 10.0 %" == texts["selected"]
    assert "probability 90 %" in texts["bound"]
    assert "is at most 25.0 %: " in texts["bound"]
    assert "Clopper-Pearson" in texts["bound"]
    assert "these labels, 7 so far" in texts["bound"]
    assert texts["E_test"].startswith("12.5 % [10.0–20.0], of g: trained on all labelled rows; ")
    assert "for this model alone" in texts["E_test"]
    assert "for 3 different winners so far" in sentences(summary(test_openings=3))["E_test"]


def test_each_number_says_on_how_many_rows_it_rests(summary):
    assert "all 8 labelled rows" in sentences(summary())["rows"]
    rows = {"estimates": 4000, "labeled": 277_677, "test": 69_419}
    text = sentences(summary(rows=rows, rows_delivered=277_677))["rows"]
    assert "estimates on 4000 of 277,677 labelled rows" in text
    assert "trained on 277,677; " in text
    assert "69,419" in text
    assert "test" not in sentences(summary(rows={**rows, "test": 0}))["rows"]


def test_the_bound_says_what_the_comparison_of_many_learners_adds(summary):
    # 25 % with 7 learners, 18.75 % with one
    assert sentences(summary())["bound"].endswith("adds 6.2 percentage points")
    assert sentences(summary(percent=False))["bound"].endswith("adds 0.06699")  # RMSE .5 and .433


def test_a_limit_that_was_stated_is_an_assumption_of_the_bound(summary):
    texts = sentences(replace(summary(percent=False), loss=SQUARED.limited(4)))
    assert "is at most RMSE 0.5, if no loss is above 4 (loss_max): the upper " in texts["bound"]
    assert "squared: the square of the difference; at most 4, as loss_max states" == texts["loss"]
    assert "adds" not in sentences(summary(bound_of_one=0.25))["bound"]  # the bound of one learner


def test_numbers_are_no_percentages(summary):
    texts = sentences(summary(percent=False))
    assert "bayes, by one standard error of E_cv = RMSE 0.3162 (R² 0.67 against the baseline)" == texts["selected"]
    assert "against the baseline, by E_cv: bayes R² 0.67" == texts["R²"]
    assert "at most RMSE 0.5: " in texts["bound"]
    assert texts["E_test"].startswith("RMSE 0.3536 [0.3162–0.4472] (R² 0.50 against the baseline), ")


@pytest.mark.parametrize(
    ("name", "left_out"),
    [
        ("log", None),
        ("balanced", "E_dis, E_maxdt: "),
        ("brier", None),
    ],
)
def test_another_loss_comes_with_the_estimates_that_it_leaves_out(summary, settings_with, name, left_out):
    loss = choose_loss(name, np.array([0, 0, 1]))
    other = replace(summary(percent=False), loss=loss, settings=settings_with(f"loss={name}"))
    texts = sentences(other)
    assert f"{name}: {loss.says}" == texts["loss"]
    assert "left out" not in texts if left_out is None else texts["left out"] == f"{left_out}{loss.no_bound}"
    assert "left out" not in sentences(replace(other, unlabeled=Unlabeled(False)))


def test_weights_are_named(summary, settings_with):
    texts = sentences(replace(summary(), settings=settings_with("data.weight=heavy")))
    assert texts["weights"].startswith("rows count by heavy: ")
    texts = sentences(replace(summary(), settings=settings_with("data.sampling=active", "data.label_probability=p")))
    assert texts["weights"].startswith("rows that label-next drew count by p")


def test_what_is_not_there_has_no_sentence(summary):
    without = summary(
        bound=None,
        bound_of_one=None,
        E_test=None,
        criterion="max(E_cv, E_maxdt)",
        indistinguishable=[],
        differences=[],
        more_rows=[],
        prediction_powered=[],
        metrics=[],
        prediction_sets=NO_SETS,
    )
    assert "bayes, by one standard error of max(E_cv, E_maxdt)" == sentences(without)["selected"]
    assert ["decision", "selected", "baseline", "rows", "metrics", "delivered"] == list(sentences(without))
    assert "0.0 %" in sentences(summary(E_test=0.0))["E_test"]  # a zero is there


@pytest.mark.parametrize(("beats", "says"), [(False, "does not beat"), (None, "is not shown to beat"), (True, "beats")])
def test_a_winner_that_is_not_shown_to_beat_the_baseline_comes_right_after_the_decision(summary, beats, says):
    texts = sentences(summary(beats_baseline=beats))
    assert bool(beats) == (["decision", "baseline"] != list(texts)[:2])
    assert texts["baseline"].startswith(f"bayes {says} the baseline, which answers the most frequent class ")
    apart = "winner less baseline -20.0 [-30.0 to -10.0] percentage points"
    assert texts["baseline"].endswith(f": E_cv 10.0 % against 30.0 % ({apart}), E_test 12.5 % against 25.0 %")
    of_numbers = sentences(summary(percent=False))["baseline"]
    apart = "winner less baseline -0.2315 [-0.3162 to -0.131]"  # RMSE, at that of the winner
    assert f"E_cv RMSE 0.3162 against RMSE 0.5477 ({apart}), E_test RMSE 0.3536 against RMSE 0.5" in of_numbers


def test_a_suspicious_winner_is_told_with_the_columns_that_carry_it(summary):
    assert "suspicious" not in sentences(summary())
    carriers = [{"columns": ["told"], "error": 0.5}, {"columns": ["a", "b"], "error": 0.25}]
    text = sentences(summary(suspicious={"E_cv": 0.001, "carriers": carriers}))["suspicious"]
    assert text.startswith("bayes errs 0.1 %, ")
    assert " 30.0 %: " in text
    assert ": told 50.0 %, a with b 25.0 %. " in text
    assert "No few columns" in sentences(summary(suspicious={"E_cv": 0.001, "carriers": []}))["suspicious"]


def test_the_candidates_that_are_not_shown_to_err_more_than_the_winner_are_named(summary):
    assert "not ruled out" not in sentences(summary())
    alike = sentences(summary(indistinguishable=["bayes", "tree"]))["not ruled out"]
    assert "at 90 % tree is not shown to err more than bayes; the least error is that of one of the two" == alike
    alike = sentences(summary(indistinguishable=["bayes", "tree", "wide"]))["not ruled out"]
    assert alike.startswith("at 90 % none of these 2 is shown to err more than bayes: tree, wide; ")


def test_the_sharper_figure_stands_next_to_the_bound_and_says_that_it_is_approximate(summary):
    texts = sentences(summary())
    assert "with probability 90 % or more " in texts["bound"]
    assert "approximately, " in texts["bound_joint"]
    assert "at most 22.0 %, at 90 %; only the bound is guaranteed" in texts["bound_joint"]
    assert "bound_joint" not in sentences(summary(bound_joint=None))


def test_the_error_after_the_choice_is_that_of_the_winner(summary):
    after = [
        Estimate("tree", "E_bbc", 0.2, "t", 7, 8, low=0.15, high=0.3, level=0.9, interval="b"),
        Estimate("tree", "E_nested", 0.25, "t", 7, 8, low=0.1, high=0.5, level=0.9, interval="c"),
    ]
    texts = sentences(summary(estimates=after))
    assert texts["E_bbc"].startswith("20.0 % [15.0–30.0] for tree: ")
    assert texts["E_nested"].startswith("25.0 % [10.0–50.0] for tree: ")


def test_a_test_set_that_stays_closed_comes_with_the_reason_and_no_number(summary):
    closed = summary(E_test=None, test_openings=1, test_refused="it was opened for 1 other winner; Set …")
    assert "not opened: it was opened for 1 other winner; Set …" == sentences(closed)["E_test"]


def test_a_sealed_test_set_says_what_it_will_be_for_and_who_opens_it(summary):
    text = sentences(summary(E_test=None, test_openings=0, test_sealed=4))["E_test"]
    assert text.startswith("sealed: 4 rows that no choice has used, for the error of the model that you ship; ")
    assert "`python -m flows open-test`" in text
    text = sentences(summary(E_test=None, test_openings=0, test_sealed=3, test_others=2))["E_test"]
    assert "3 rows that no choice has used, new since the test set was opened for 2 other winners, " in text
    text = sentences(summary(test_others=1))["E_test"]
    assert (
        "these rows are new since the test set was opened for 1 other winner; they were opened for this model" in text
    )
    more = sentences(summary(test_sealed=3))["E_test"]
    assert "(3 rows of it are new, and sealed: `python -m flows open-test`)" in more


@pytest.mark.parametrize("form", FORMS)
def test_a_form_of_delivery_comes_with_its_size_and_the_estimate_that_is_about_it(summary, form):
    texts = sentences(
        summary(deliver={"form": form, "target": FORMS[form].target, "bytes": 10240, "bytes_final": 1024})
    )
    size = "10 KiB" if form == "final" else "10 KiB; the single model has 1 KiB"
    assert f"{FORMS[form].target} ({size}); {FORMS[form].about}" == texts["delivered"]
    assert f", of {FORMS[form].target}; " in texts["E_test"]


def test_a_family_comes_with_its_choice_its_optimistic_error_and_the_corrected_error(summary):
    text = sentences(summary(family={}))["family path"]
    assert text.startswith("alpha = 0.1, by validation on 60 of its training rows; ")
    assert ", 12.5 %, is optimistic; corrected it is 15.0 %, and at most 25.0 % (" in text
    assert "Warning" not in text
    few = sentences(summary(family={"many": True, "validated_on": 12}))["family path"]
    assert "Warning: one tuned degree of freedom is many for 12 rows" in few


@pytest.mark.parametrize("bound", [None, np.nan])
def test_a_family_without_a_bound_names_none(summary, bound):
    text = sentences(summary(percent=False, family={"bound": bound}))["family path"]
    assert "corrected it is RMSE 0.3873. " in text
    assert "at most" not in text


def test_the_unlabelled_rows_alone_give_a_least_error_of_the_half_models(summary):
    def text(value, limit, percent=True):
        apart = [Estimate(name, "disagreement", of, "h", 4, 30) for name, of in (("bayes", value), ("tree", 0.5))]
        return sentences(summary(percent=percent, estimates=apart, least_half_error=limit)).get("disagreement", "")

    assert text(0.1, 0.0425).startswith("the half models of bayes have a mean error of at least 5.0 % on ")
    assert "; with 90 % confidence it is at least 4.2 % in " in text(0.1, 0.0425)
    assert "at least RMSE 0.1581 on " in text(0.1, 0.01, percent=False)
    for limit in (None, 0.0004):  # none for dependent rows; at least 0.0 % says nothing
        assert " 5.0 % on " in text(0.1, limit)
        assert "confidence" not in text(0.1, limit)
    assert "" == text(0.0008, 0.0)
    assert "disagreement" not in sentences(summary(least_half_error=0.1))  # nothing was compared


def test_dependent_rows_are_named_by_their_kind(summary):
    assert "dependent rows" not in sentences(summary())
    assert "rows depend by groups: " in sentences(replace(summary(), rows=LabeledRows("groups")))["dependent rows"]


@pytest.mark.parametrize(
    ("differing", "together", "numbers"),
    [(4, 0.2, ["30 labelled", "4 of them", "12.5 %", "20.0 %"]), (0, None, ["30 labelled", "none of them", "12.5 %"])],
)
def test_duplicates_come_with_the_error_without_them_where_that_is_known(summary, differing, together, numbers):
    effect = {"rows": 30, "differing": differing, "E_cv": 0.125, "E_cv_kept_together": together}
    text = sentences(summary(duplicates=effect))["duplicates"]
    places = [text.find(number) for number in numbers]
    assert -1 not in places
    assert sorted(places) == places
    assert (together is None) == text.endswith("12.5 %")
    alone = sentences(summary(duplicates={**effect, "E_cv": None, "E_cv_kept_together": 0.2}))["duplicates"]
    assert alone.endswith(" is 20.0 % with all copies of a row in one fold")


def test_a_candidate_that_failed_comes_with_its_reason(summary):
    assert "fold 2/5: no" == sentences(summary(failures={"tree": "fold 2/5: no"}))["tree failed"]


@pytest.mark.parametrize("percent", [True, False])
def test_the_reason_for_an_interval_is_the_user_or_the_coverage_study(summary, settings_with, percent):
    base = summary(percent=percent)
    named = replace(base, settings=settings_with("intervals.E_val=Clopper-Pearson"))
    assert "named in params.yaml" == why(named, "E_val")
    default = DEFAULTS["E_cv"]
    assert (default.why_zero_one if percent else default.why_other) == why(named, "E_cv") == why(base, "E_cv")
    assert "rows with groups" in why(replace(base, rows=LabeledRows("groups")), "E_cv")
    assert why(base, "E_val")
    assert "" == why(base, "E_in")


@pytest.mark.parametrize(
    ("highs", "said"),
    [
        ((0.05,), "E_cv of bayes is not shown to be lower than that of other0; at 90 %"),
        ((-0.05,), "E_cv of bayes is shown to be lower than that of other0; at 90 %"),
        ((-0.05, None, -0.01), "lower than that of other0, other2, and not shown to be lower than that of other1; "),
    ],
)
def test_the_winner_is_compared_with_each_other_candidate(summary, highs, said):
    lines = [Difference("bayes", f"other{place}", -0.1, high=high) for place, high in enumerate(highs)]
    assert said in sentences(summary(differences=lines))["differences"]
    assert "differences" not in sentences(summary(differences=[Difference("bayes", "baseline", -0.1, high=-0.05)]))


def test_what_more_rows_gained_and_may_gain_comes_with_the_rows_and_the_limits(summary):
    text = sentences(summary())["more rows"]
    assert "from 4 to 7 training rows the error of bayes fell by 2.5 percentage points [1.2 to 3.8]; " in text
    assert "16 rows lead to an error of 8.0 % [2.0–15.0], and hardly less" in text
    assert "15 % of learning curves" in text
    numbers = sentences(summary(percent=False))["more rows"]
    assert "fell by 0.03733 [0.01814 to 0.05775]" in numbers  # RMSE, from that of the halves
    lines = [MoreRows(*line) for line in summary().learning_curve().itertuples(index=False)]
    half, folds, gain, final, twice = lines
    doubtful = [half, folds, replace(gain, value=-0.01, low=-0.03, high=0.01), final, replace(twice, low=0.0)]
    text = sentences(summary(more_rows=doubtful))["more rows"]
    assert "rose by 1.0 percentage points [-1.0 to 3.0], which may be chance: " in text
    assert text.endswith("whether more rows lower it cannot be told yet")  # and no error of twice the rows
    text = sentences(summary(more_rows=[half, folds, gain, final, replace(twice, low=0.0)]))["more rows"]
    assert text.endswith("8.0 % [0.0–15.0]")
    harmful = [half, folds, replace(gain, value=-0.02, low=-0.03, high=-0.01), final, twice]
    text = sentences(summary(more_rows=harmful))["more rows"]
    assert "rose by 2.0 percentage points [1.0 to 3.0]: more rows did harm " in text
    assert "E_2N" in text
    assert "16 rows" not in text
    none = {"low": None, "high": None, "level": None, "interval": None, "assumption": None}
    dependent = sentences(summary(more_rows=[replace(line, **none) for line in lines]))["more rows"]
    assert dependent.endswith("fell by 2.5 percentage points; no interval is claimed, as E_2cv or E_cv has none")


def test_without_halves_it_is_said_what_is_missing_to_know_of_more_rows(summary):
    text = sentences(summary(more_rows=[], no_more_rows="there are 2 folds"))["more rows"]
    assert text.endswith(": there are 2 folds")


def test_the_prediction_sets_come_with_the_rule_and_what_they_hold(summary):
    text = sentences(summary())["prediction sets"]
    assert "a probability of at least 0.25, by 20 held-out rows at 90 %; " in text
    assert "87.5 % [50.0–95.0] of 8 test rows, with 1.25 classes on average, and a single one in 62.5 %" in text
    certain = replace(SETS, threshold=1.00000001)
    assert "at least 0," in sentences(summary(prediction_sets=certain))["prediction sets"]
    of_numbers = PredictionSets("bayes", "g", 0.9, "absolute residual", 2.5, 20, 8, 0.875, 0.5, 0.95, mean_width=5.0)
    text = sentences(summary(prediction_sets=of_numbers))["prediction sets"]
    assert "the prediction ± 2.5, by 20" in text
    assert text.endswith(" test rows")
    untested = PredictionSets("bayes", "g", 0.9, "LAC", 0.75, 20, reason="no coverage: split.test_fraction is 0")
    assert sentences(summary(prediction_sets=untested))["prediction sets"].endswith("split.test_fraction is 0")


def test_the_report_has_the_prediction_sets_or_says_why_there_are_none(summary):
    [line] = prediction_sets.section(summary()).tables[0].rows
    assert ["LAC", "0.75", "20", Cell("87.5 %", "50.0 to 95.0"), "8", "1.25", "62.5 %", "0 %"] == line
    without = prediction_sets.section(summary(prediction_sets=NO_SETS))
    assert ("None: the model gives no probabilities.", ()) == (without.caption, without.tables)


def test_what_unlabelled_rows_make_of_E_cv_comes_with_the_labels_that_they_replace_or_the_reason(summary):
    text = sentences(summary())["unlabelled"]
    assert "by 40 unlabelled rows E_cv of bayes is 9.0 % [5.0–13.0], 0.80 times as wide as" in text
    assert text.endswith(" 4 further labels")
    plain = sentences(
        summary(prediction_powered=[replace(PredictionPowered(*summary().prediction_powered.iloc[1]), width=0.998)])
    )["unlabelled"]
    assert plain.endswith(" unlabelled rows do not narrow the interval of E_cv of bayes")
    [refused, line, _] = (PredictionPowered(*line) for line in summary().prediction_powered.itertuples(index=False))
    assert sentences(summary(prediction_powered=[replace(line, labels_gained=-4.0)]))["unlabelled"].endswith(
        "no further label"
    )
    assert sentences(summary(prediction_powered=[refused]))["unlabelled"].endswith(": E_val has no interval")
    assert "unlabelled" not in sentences(summary(prediction_powered=[replace(refused, reason=NO_ROWS)]))
    assert "RMSE 0.3 [0.2236–0.3606]" in sentences(summary(percent=False))["unlabelled"]


def test_the_metrics_come_with_their_intervals_or_the_reason_why_there_are_none(summary):
    made = summary()
    text = sentences(made)["metrics"]
    assert "F1 0.75 [0.5–0.9]" in text
    assert "no AUC: the model gives no probabilities" in text
    assert text.endswith("; more in reports/tables/metrics.csv")
    metrics = made.test_set.metrics
    without_slices = replace(made, test_set=replace(made.test_set, metrics=metrics[metrics["slice"] == ""]))
    assert sentences(without_slices)["metrics"] == text.removesuffix("; more in reports/tables/metrics.csv")
    assert "split.test_fraction is 0" in sentences(summary(metrics=[], rows={**ROWS, "test": 0}))["metrics"]
    assert "the test set is not opened" in sentences(summary(metrics=[]))["metrics"]


def test_the_report_shows_the_powered_estimates_of_all_candidates_or_the_reason(summary):
    rows = prediction_powered.section(summary()).tables[0].rows
    assert ["bayes", "E_cv", "9.0", "5.0 to 13.0", "0.80", "4", ""] in rows
    assert {"the rows differ", "E_val has no interval"} <= {row[-1] for row in rows}
    assert prediction_powered.section(replace(summary(), unlabeled=Unlabeled(False))) is None


def test_the_report_shows_the_metrics_their_slices_and_the_confusion_matrix(summary):
    section = test_set.section(summary())
    metrics, confusion = section.tables
    assert [Cell("F1"), "4", "0.75", Cell("0.5 to 0.9", "jackknife Wilson")] in metrics.rows
    assert [Cell("error, %", "class won"), "4", "25.0", Cell("10.0 to 50.0", "Clopper-Pearson")] in metrics.rows
    (parts,) = section.numbers
    assert [[Cell("error, %", "sex = f; 1 row, at least 2 are needed"), "1", "–", "–"]] == parts.rows
    assert [["lost", "3", "1"], ["won", "0", "4"]] == confusion.rows
    assert () == test_set.section(summary(metrics=[])).tables


SHIFTED = "the unlabelled rows differ from the labelled rows: bmi lies outside of 0 to 1 in 74.2 % of them"


def test_a_disagreement_on_shards_of_another_population_is_not_about_that_of_E_test(summary):
    far = Estimate("bayes", "disagreement", 0.5, "two", 4, 40)
    one = summary(percent=False, estimates=[far], least_half_error=0.1, other_population=SHIFTED)
    texts = sentences(one)
    assert texts["disagreement"].endswith("about the shards' population and not about that of E_test")
    assert texts["another population"].startswith(f"{SHIFTED}; no error there is estimated: it takes labels")
    closed = {**one.selection, "E_test": None}
    assert sentences(replace(one, selection=closed))["disagreement"].endswith("not about that of E_cv")
    alike = sentences(replace(one, selection={**one.selection, "other_population": None}))
    assert "another population" not in alike
    assert "not about that of" not in alike["disagreement"]


@pytest.mark.parametrize("form", ["final", "vote"])
def test_without_a_test_set_no_sentence_says_what_E_test_is_about(summary, form):
    deliver = {"form": form, "target": FORMS[form].target, "bytes": 1024, "bytes_final": 1024}
    assert "E_test alone" in sentences(summary(deliver=deliver))["delivered"]
    for refused in (None, "it was opened for 1 other winner"):
        text = sentences(summary(deliver=deliver, E_test=None, test_refused=refused))["delivered"]
        assert "E_test" not in text
        assert "no test set was opened" in text
