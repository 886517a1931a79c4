"""What a validation found, as people read it."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from heldout import covalidation
from heldout.delivery import FORMS
from heldout.intervals import DEFAULTS, confidence_sequence
from heldout.losses import SQUARED, ZERO_ONE, choose_loss
from heldout.observed import RepeatedByRow
from heldout.records import Estimate
from heldout.selection import bbc
from heldout.warned import Kind, Warnings
from tasks.outcome.estimate import estimate_all, read_results
from tasks.report.summary import Summary, read_summary, shown_steps, why
from tasks.storage import files
from tasks.storage.shard_report import ShardReport

FINAL = {"form": "final", "target": FORMS["final"].target, "bytes": 2048, "bytes_final": 2048}
SELECTION = {
    "selected": "bayes",
    "criterion": "E_cv",
    "rule": "one_standard_error",
    "candidates": ["bayes", "tree"],
    "indistinguishable": ["bayes"],
    "contamination": 7,
    "bound": 0.25,
    "bound_of_one": 0.1875,
    "E_test": 0.125,
    "test_openings": 1,
    "test_refused": None,
    "deliver": FINAL,
}
INTERVAL = {"low": 0.05, "high": 0.15, "level": 0.9, "interval": "Wilson"}
ESTIMATES = [
    Estimate("bayes", "E_in", 0.0625, "g", 8, 8),
    Estimate("bayes", "E_cv", 0.1, "one of the k", 7, 8, **INTERVAL),
    Estimate("bayes", "E_test", 0.125, "g", 8, 4, low=0.1, high=0.2, level=0.9, interval="Wilson"),
]
FAMILY = {
    "candidate": "path",
    "parameter": "alpha",
    "chosen": "0.1",
    "validated_on": 60,
    "E_val": 0.125,
    "corrected": 0.15,
    "low": 0.1,
    "high": 0.2,
    "bound": 0.25,
    "many": False,
}
NO_FAMILY = pd.DataFrame(columns=list(FAMILY))


@pytest.fixture
def summary(settings_with):
    """A summary made by hand, of classes unless told otherwise."""

    def make(
        percent=True,
        failures=None,
        warned=None,
        estimates=(),
        family=None,
        least_half_error=None,
        rows_a_class=None,
        **selection,
    ) -> Summary:
        table = pd.DataFrame([vars(estimate) for estimate in [*ESTIMATES, *estimates]])
        settings = settings_with("selection.level=0.9")
        return Summary(
            estimates=table,
            selection={**SELECTION, **selection},
            failures=failures or {},
            warned=warned or {},
            fold_errors={},
            progressive_errors={},
            band=None,
            paths=pd.DataFrame(columns=["candidate", "value", "E_in", "E_val"]),
            families=NO_FAMILY if family is None else pd.DataFrame([{**FAMILY, **family}]),
            least_half_error=least_half_error,
            rows_a_class=rows_a_class,
            assumptions={},
            percent=percent,
            loss=ZERO_ONE if percent else SQUARED,
            unlabeled=True,
            settings=settings,
        )

    return make


def test_few_rows_of_many_classes_in_stratified_parts_are_warned_of(summary):
    assert "19 rows a class" in summary(rows_a_class=19.2).sentences()["warning"]
    assert "set split.stratify to false" in summary(rows_a_class=19.2).sentences()["warning"]
    assert "warning" not in summary(rows_a_class=30.0).sentences()
    assert "warning" not in summary(rows_a_class=None).sentences()


def test_warnings_are_told_once_a_candidate_with_the_share_of_its_fits(summary):
    counted = Warnings(60, 4, (Kind("ConvergenceWarning", 4, "lbfgs failed to converge"),))
    said = summary(warned={"bayes": counted}).sentences()
    assert "4 of 60 fits warned: ConvergenceWarning: lbfgs failed to converge" == said["bayes warned"]
    assert [] == [name for name in summary().sentences() if name.endswith("warned")]


def test_skipped_shards_are_told_with_the_rows_lost_and_used_ones_with_the_rows_noted(summary):
    assert not {"shards", "shards skipped"} & {*summary().sentences()}
    found = [
        ShardReport(
            "a.csv", 40, "shard-00000.parquet", noted=10, notes=("'x' lies outside of 0 to 1 in 25.0% of the rows",)
        ),
        ShardReport("b.csv", 60, bad="lacks the column 'x' of the labelled rows"),
        ShardReport("c.csv", None, bad="cannot be read as csv: no"),
        ShardReport("d.csv", 60, "shard-00001.parquet"),
    ]
    said = replace(summary(), shards=found).sentences()
    assert (
        "2 of 4, 60 rows lost, and those of 1 that cannot be read; the disagreement is that of the others: "
        "b.csv lacks the column 'x' of the labelled rows; c.csv cannot be read as csv: no"
    ) == said["shards skipped"]
    assert said["shards"].startswith("10 of 100 unlabelled rows (10.0%), in 1 shards, have a value outside of")


def test_a_cell_is_a_value_and_its_interval_and_empty_where_there_is_none(summary):
    assert ("10.0", "5.0–15.0") == summary().cell("bayes", "E_cv")
    assert ("6.2", "") == summary().cell("bayes", "E_in")
    assert ("0.1", "0.05–0.15") == summary(percent=False).cell("bayes", "E_cv")
    assert ("", "") == summary().cell("bayes", "E_maxdt")
    assert ("", "") == summary().cell("another", "E_cv")


def test_the_sentences_tell_the_choice_its_bound_and_the_test_part(summary):
    said = summary().sentences()
    assert ["selected", "bound", "E_test", "delivered"] == list(said)
    assert "bayes, by one standard error of E_cv = 10.0 %" == said["selected"]
    assert said["bound"].startswith(
        "with probability 90 % the winner's error, trained without the held-out rows, is at most 25.0 %"
    )
    assert "Hoeffding over all learners ever compared on these labels, 7 so far" in said["bound"]
    assert said["E_test"].startswith("12.5 % [10.0–20.0], of g: trained on all labelled rows; ")
    assert "opened for this model alone" in said["E_test"]
    assert "is spent: a choice made after reading this number needs fresh rows" in said["E_test"]
    assert "opened for 3 different winners so far" in summary(test_openings=3).sentences()["E_test"]


def test_the_price_of_comparing_more_than_one_is_told(summary):
    # 25 % with 7 learners, 18.75 % with one
    assert "comparing more than one adds 6.2 percentage points" in summary().sentences()["bound"]
    assert "adds 0.0625 to it" in summary(percent=False).sentences()["bound"]


def test_numbers_are_no_percentages(summary):
    said = summary(percent=False).sentences()
    assert "bayes, by one standard error of E_cv = 0.1" == said["selected"]
    assert "at most 0.25: " in said["bound"]
    assert said["E_test"].startswith("0.125 [0.1–0.2], ")


@pytest.mark.parametrize(
    ("name", "left_out"),
    [
        ("log", "disagreement, E_dis, E_maxdt: no lower bound "),
        ("balanced", "E_dis, E_maxdt: a bound "),
        ("brier", None),
    ],
)
def test_another_loss_is_told_with_the_estimates_that_it_leaves_out(summary, settings_with, name, left_out):
    loss = choose_loss(name, np.array([0, 0, 1]))
    found = replace(summary(percent=False), loss=loss, settings=settings_with(f"loss={name}"))
    said = found.sentences()
    assert f"{name}: {loss.says}" == said["loss"]
    assert (left_out is None and "left out" not in said) or said["left out"].startswith(left_out)
    assert "left out" not in replace(found, unlabeled=False).sentences()


def test_weights_are_told_with_what_the_errors_are_about(summary, settings_with):
    said = replace(summary(), settings=settings_with("data.weight=heavy")).sentences()
    assert said["weights"].startswith("rows count by heavy: each error is a weighted mean, about the population that ")


def test_what_is_not_there_is_not_told(summary):
    said = summary(bound=None, bound_of_one=None, E_test=None, criterion="max(E_cv, E_maxdt)", indistinguishable=[])
    assert "bayes, by one standard error of max(E_cv, E_maxdt)" == said.sentences()["selected"]
    assert ["selected", "delivered"] == list(said.sentences())
    assert "0.0 %" in summary(E_test=0.0).sentences()["E_test"]  # a zero is there


def test_the_candidates_that_cannot_be_told_apart_are_named(summary):
    assert "alike" not in summary().sentences()
    said = summary(indistinguishable=["bayes", "tree"]).sentences()["alike"]
    assert "at 90 % these 2 cannot be told apart: bayes, tree" == said


def test_the_error_after_having_won_is_told_with_what_it_is_about(summary):
    after = [
        Estimate("tree", "E_bbc", 0.2, "t", 7, 8, low=0.15, high=0.3, level=0.9, interval="b"),
        Estimate("tree", "E_nested", 0.25, "t", 7, 8, low=0.1, high=0.5, level=0.9, interval="c"),
    ]
    said = summary(estimates=after).sentences()
    assert said["E_bbc"].startswith("20.0 % [15.0–30.0] for tree: its E_cv corrected for having won")
    assert said["E_nested"].startswith("25.0 % [10.0–50.0] for tree: the error of what the whole selection delivers")


def test_a_test_part_that_stays_shut_is_told_with_the_reason_and_no_number(summary):
    said = summary(E_test=None, test_openings=1, test_refused="it was opened for 1 other winner; Set …").sentences()
    assert "not opened: it was opened for 1 other winner; Set …" == said["E_test"]


@pytest.mark.parametrize("form", ["final", "k_fold", "progressive", "vote"])
def test_a_form_of_delivery_is_told_with_its_size_and_the_estimate_that_is_about_it(summary, form):
    delivered = {"form": form, "target": FORMS[form].target, "bytes": 10240, "bytes_final": 1024}
    said = summary(deliver=delivered).sentences()
    assert said["delivered"].startswith(FORMS[form].target)
    assert "10 KiB" in said["delivered"]
    assert (form != "final") == (" beside 1 KiB of the single model" in said["delivered"])
    assert said["delivered"].endswith(FORMS[form].about)
    assert f", of {FORMS[form].target}; " in said["E_test"]
    exactly = {"final": "E_test alone"} | {
        "k_fold": "E_cv is about exactly",
        "progressive": "E_prog is about exactly",
        "vote": "E_test alone",
    }
    assert exactly[form] in said["delivered"]


def test_a_family_is_told_with_its_choice_its_optimistic_error_and_the_corrected_one(summary):
    said = summary(family={}).sentences()["family path"]
    assert said.startswith(
        "alpha = 0.1 by validation on 60 of its training rows; the error there, 12.5 %, is optimistic"
    )
    assert "optimistic, corrected 15.0 %, and " in said
    assert " at most 25.0 %" in said
    assert "Warning" not in said
    few = summary(family={"many": True, "validated_on": 12}).sentences()["family path"]
    assert "Warning: one tuned degree of freedom is many for 12 rows" in few
    assert few.endswith("Its E_val, E_cv and E_prog are honest: every fit of it chooses anew")


@pytest.mark.parametrize("bound", [None, np.nan])
def test_a_family_without_a_bound_tells_none(summary, bound):
    said = summary(percent=False, family={"bound": bound}).sentences()["family path"]
    assert "corrected 0.15. Its" in said
    assert "at most" not in said


def test_what_the_disagreement_alone_says_is_told(summary):
    said = summary(least_half_error=0.0425).sentences()["disagreement"]
    assert said.startswith("with 90 % confidence bayes, trained on half of the rows, errs at least 4.2 %")
    assert said.endswith("the unlabelled rows alone say so")


def test_a_candidate_that_failed_is_told_with_its_reason(summary):
    assert "fold 2/5: no" == summary(failures={"tree": "fold 2/5: no"}).sentences()["tree failed"]


@pytest.mark.parametrize("percent", [True, False])
def test_why_an_interval_is_what_it_is_is_the_users_word_or_that_of_the_study(summary, settings_with, percent):
    base = summary(percent=percent)
    named = replace(base, settings=settings_with("intervals.E_val=Clopper-Pearson"))
    assert "named in params.yaml" == why(named, "E_val")
    default = DEFAULTS["E_cv"]
    assert (default.why_zero_one if percent else default.why_other) == why(named, "E_cv") == why(base, "E_cv")
    assert why(base, "E_val")
    assert "" == why(base, "E_in")


@pytest.fixture
def read(prepared):
    """A function that leaves random results of one candidate and 30 unlabelled rows, and reads the summary of them."""

    def read_with(*changes):
        pd.DataFrame({"id": range(30), "x": 0.5}).to_parquet(files.UNLABELED / "shard-00000.parquet")
        settings = prepared(
            "candidates=[{name: bayes, estimator: sklearn.naive_bayes.GaussianNB}]", NO_FURTHER, *changes
        )
        partition, rng = files.read_partition(), np.random.default_rng(1)
        rows = {
            "holdout": np.flatnonzero(partition.validation),
            "cross_validation": np.argsort(partition.fold, kind="stable"),
            "progressive": np.argsort(partition.step)[30:][::-1],  # not in the order of the steps
            "covalidation": np.tile(np.arange(60), 3),
        }
        units = {
            "holdout": np.zeros(12, dtype=int),
            "cross_validation": partition.fold[rows["cross_validation"]],
            "progressive": partition.step[rows["progressive"]],
            "covalidation": np.repeat(np.arange(3), 60),
        }
        losses = {scheme: rng.integers(0, 2, len(row)).astype(float) for scheme, row in rows.items()}
        repeats = pd.DataFrame(
            {"candidate": "bayes", "shard": 0, "repeat": range(3), "rows": 30, "disagreement": [0.1, 0.2, 0.3]}
        )
        moments = pd.DataFrame({"candidate": ["bayes"], "shard": 0, "rows": 30, "mean": 0.2, "variance": 0.04})
        for scheme, row in rows.items():
            table = pd.DataFrame({"candidate": "bayes", "unit": units[scheme], "row": row, "loss": losses[scheme]})
            in_sample = pd.DataFrame({"candidate": "bayes", "unit": 0, "row": range(60), "loss": 0.0})
            more = {"training": table, "disagreement": repeats, "disagreement_rows": moments}
            more |= {"in_sample": in_sample, "paths": pd.DataFrame({"candidate": ["bayes"]}), "families": NO_FAMILY}
            files.write_result(scheme, {"losses": table, **more}, {"tree": "no"} if scheme == "holdout" else {})
        files.write_estimates(ESTIMATES)
        files.write_json(files.SELECTION, SELECTION)
        of_rows = {scheme: pd.Series(losses[scheme], rows[scheme]) for scheme in rows}
        return read_summary(settings), of_rows, partition, settings

    return read_with


NO_FURTHER = "intervals.E_cv=bayle within"


def test_the_summary_is_read_from_the_files_of_the_contract(read):
    found, losses, partition, settings = read()
    by_row = losses["cross_validation"]
    by_fold = by_row.groupby(partition.fold[by_row.index]).mean()
    assert by_fold.tolist() == pytest.approx(found.fold_errors["bayes"].tolist())
    in_steps = losses["progressive"].loc[np.argsort(partition.step)[30:]].to_numpy()
    expected = [np.mean(in_steps[:tested]) for tested in range(1, 31)]
    assert expected == pytest.approx(found.progressive_errors["bayes"].tolist())
    assert ({"tree": "no"}, SELECTION, True) == (found.failures, found.selection, found.percent)
    assert ("10.0", "5.0–15.0") == found.cell("bayes", "E_cv")
    own = estimate_all(read_results(settings))["bayes"]
    expected = {record.estimate: record.assumption for record in own if record.low is not None}
    methods = read_results(settings).design.methods
    after = {name: methods[name].covers[name] for name in ("E_test", "E_nested")}
    assert {**expected, **after, "E_bbc": bbc.ASSUMPTION} == found.assumptions
    assert "E_in" not in found.assumptions


def test_the_band_of_the_selected_holds_at_all_steps_at_once(read):
    found, losses, partition, _ = read("selection.level=0.8")
    in_steps = losses["progressive"].loc[np.argsort(partition.step)[30:]].to_numpy()
    low, high = confidence_sequence.band(in_steps, 0.8)
    assert low.tolist() == found.band[0].tolist()
    assert high.tolist() == found.band[1].tolist()
    assert (low <= found.progressive_errors["bayes"]).all()
    assert (found.progressive_errors["bayes"] <= high).all()


def test_the_least_error_of_a_half_is_the_one_sided_limit_of_the_disagreement(read):
    found, _, _, settings = read("selection.level=0.9")
    design = read_results(settings).design
    seen = RepeatedByRow(np.array([0.1, 0.2, 0.3]), 30 * 0.04 / 29, 30, design.loss)
    expected = covalidation.lower_limit(seen, design.methods["disagreement"], design.loss, 2, 0.9)
    assert expected == pytest.approx(found.least_half_error, rel=1e-12)
    assert 0 < found.least_half_error < 0.2


def test_curves_are_shown_at_all_steps_or_at_a_thousand_with_the_first_and_the_last():
    for steps in (1, 2, 150, 999, 1000):
        assert list(range(steps)) == shown_steps(steps).tolist()
    for steps in (1001, 4321, 500_000):
        places = shown_steps(steps)
        assert (0, steps - 1, 1000) == (places[0], places[-1], len(places))
        assert np.ptp(np.diff(places)) <= 1
