"""A summary is read from the files that the stages left, and estimates nothing again."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pytest

from heldout.intervals import clopper_pearson, confidence_sequence, corrected_fold_t
from heldout.losses.tested_losses import RepeatedByRow, ShardMargins
from heldout.metrics.measure import TestMetrics
from heldout.records import (
    CalibrationBin,
    ClassError,
    ColumnReliance,
    Confused,
    Difference,
    Estimate,
    MoreRows,
    PredictionPowered,
    PredictionSets,
    Residual,
    RocPoint,
    ShardDisagreement,
)
from heldout.running.stored_fits import Finished
from heldout.selection import bbc
from heldout.splits.partition import Partition
from heldout.unlabelled import implied_error
from tasks.fits import saved_fits
from tasks.fits.fit_results import Compared, Fitted
from tasks.outcome.read_validation import read_validation
from tasks.params import Settings
from tasks.plans.read_design import read_design
from tasks.report.read_summary import read_summary
from tasks.report.sections.targets import targets
from tasks.report.summary import LabeledRows, Summary
from tasks.storage import files, metrics_files, report_tables
from tests.tasks.records import write_records

SELECTION = {"selected": "bayes"}
NO_FURTHER = "intervals.E_cv=bayle within"


@dataclass(frozen=True)
class Case:
    """A summary, the losses of each scheme by row, and the records of estimates.csv."""

    summary: Summary
    losses: dict[str, pd.Series]
    partition: Partition
    settings: Settings
    records: list[Estimate]

    def losses_in_steps(self):
        return self.losses["progressive"].loc[np.argsort(self.partition.step)[30:]].to_numpy()


@pytest.fixture
def read(prepared):
    """A function that leaves random results of one candidate and 30 unlabelled rows, and reads the summary of them."""

    def read_with(*changes):
        pd.DataFrame({"id": range(30), "x": 0.5}).to_parquet(files.UNLABELED / "shard-00000.parquet")
        settings = prepared(
            "candidates=[{name: bayes, estimator: sklearn.naive_bayes.GaussianNB}]", NO_FURTHER, *changes
        )
        partition, rng = files.read_partition(), np.random.default_rng(1)
        design = read_design(settings)
        tested, own = rng.integers(0, 2, (2, *design.halves.shape)).astype(float)
        rows = {
            "holdout": np.flatnonzero(partition.validation),
            "cross_validation": np.argsort(partition.fold, kind="stable"),
            "progressive": np.sort(np.argsort(partition.step)[30:]),  # not in the order of the steps
        }
        losses = {scheme: rng.integers(0, 2, len(row)).astype(float) for scheme, row in rows.items()}
        by_row = {scheme: pd.Series(losses[scheme], rows[scheme]) for scheme in rows}
        fits = {
            scheme: Finished((), tuple(of[split.validation].to_numpy() for split in design.splits(scheme)), ())
            for scheme, of in by_row.items()
        }
        of_halves = [(number // 2, split) for number, split in enumerate(design.splits("covalidation"))]
        fits["covalidation"] = Finished(
            (),
            tuple(tested[repeat, split.validation] for repeat, split in of_halves),
            tuple(own[repeat, split.train] for repeat, split in of_halves),
        )
        fits["final"] = Finished((), (np.zeros(60),), ())
        shards = ShardMargins(np.array([30]), np.array([[0.1], [0.2], [0.3]]), np.array([0.2]), np.array([0.04]))
        fitted = Fitted(design, {scheme: {"bayes": of} for scheme, of in fits.items()}, {"tree": "no"})
        saved_fits.write(settings, fitted, Compared({"bayes": shards}))
        found = read_validation(settings)
        found.save(files.VALIDATION, asked=[])
        records = [*found["bayes"].values()]
        write_records("estimates", records)
        write_records("differences", [Difference("bayes", "baseline", -0.25)])
        write_records("more_rows", [MoreRows("bayes", 30, "gain", 0.25)])
        report_tables.write_prediction_sets(PredictionSets("bayes", "g", 0.9, "LAC", 1 / 3, 12, reason="no, 1"))
        report_tables.write_columns([ColumnReliance("bayes", ("x", "z"), 0.1)])
        write_records("class_errors", [ClassError("bayes", "won", 3, 0.5, None, None, "fewer than 4 rows")])
        write_records("confusion", [Confused("bayes", "won", "lost", 1.5)])
        write_records("prediction_powered", [PredictionPowered("bayes", "E_cv", reason="none")])
        doubt = {"candidate": ["bayes"], "estimate": ["E_cv"], "reason": ["2 of 9 rows carry 60 % of the loss"]}
        files.write_csv(files.NOT_CREDIBLE, pd.DataFrame(doubt))
        report_tables.write_shards([ShardDisagreement("shard-00000", "", 30, 0.25)])
        for kind, curve in (("calibration", CalibrationBin), ("roc", RocPoint), ("residuals", Residual)):
            points = [RocPoint("won", None, 0.0, 0.0)] if kind == "roc" else []
            write_records(kind, points, of=curve, candidate="bayes")
        for path in (files.HARD_ROWS, files.TO_LABEL):
            files.write_csv(path, pd.DataFrame({"row": [5], "label": ["=1+1"]}))
        metrics_files.write(TestMetrics())
        files.write_json(files.SELECTION, SELECTION)
        return Case(read_summary(settings), by_row, partition, settings, records)

    return read_with


def test_the_summary_is_read_from_the_files_of_the_contract(read):
    case = read()
    tables = case.summary.tables
    assert [5, "=1+1"] == tables.hard_rows.iloc[0].tolist() == tables.to_label.iloc[0].tolist()
    assert (0.25, "won") == (tables.shards["disagreement"][0], tables.roc["class_name"][0])
    assert ("won", 0.5) == (tables.class_errors["class_name"][0], tables.class_errors["value"][0])
    assert (0, 0) == (len(tables.calibration), len(tables.residuals))
    by_row = case.losses["cross_validation"]
    by_fold = by_row.groupby(case.partition.fold[by_row.index]).mean()
    assert by_fold.tolist() == pytest.approx(case.summary.curves.fold_errors["bayes"].tolist())
    in_steps = case.losses_in_steps()
    expected = [np.mean(in_steps[:tested]) for tested in range(1, 31)]
    assert expected == pytest.approx(case.summary.curves.progressive_errors["bayes"].tolist())
    assert {"tree": "no"} == case.summary.failures
    assert (SELECTION, True) == (case.summary.selection, case.summary.percent)
    pd.testing.assert_frame_equal(report_tables.read_estimates(), case.summary.estimates)
    assert [0.25] == case.summary.learning_curve()["value"].tolist()
    assert case.summary.no_more_rows is None
    sets = case.summary.prediction_sets
    assert ("bayes", 0.3333333333, 12, None, "no, 1") == (
        *(sets.candidate, sets.threshold),
        *(sets.calibrated, sets.coverage, sets.reason),
    )
    assert ["none"] == case.summary.prediction_powered["reason"].tolist()
    assert {("bayes", "E_cv"): "2 of 9 rows carry 60 % of the loss"} == case.summary.not_credible


def test_nothing_is_estimated_again(read, monkeypatch):
    def refuse(*_):
        raise AssertionError("estimated again")

    case = read()
    monkeypatch.setattr("heldout.notebook.result.estimate_candidate", refuse)
    monkeypatch.setattr("heldout.intervals.method.IntervalMethod.interval", refuse)
    monkeypatch.setattr("tasks.report.read_summary._least_half_error", lambda *_: None)  # a limit of its own
    again = read_summary(case.settings)
    assert case.summary.curves.fold_errors["bayes"].tolist() == again.curves.fold_errors["bayes"].tolist()
    assert len(list(targets(again))) == len(case.records)


def test_the_assumption_of_each_interval_is_that_of_the_record_behind_its_line(read):
    case = read()
    expected = {record.estimate: record.assumption or "" for record in case.records}
    assert {"E_in"} == {name for name, assumption in expected.items() if not assumption}
    assert {"E_cv", "E_prog", "disagreement", "E_dis", "E_maxdt"} <= {*expected}
    assert expected == {row["estimate"]: row["assumption"] for row in targets(case.summary)}


OF_THE_WINNER = [
    ("E_bbc", "corrected Wilson", None, bbc.assumption("corrected Wilson", None)),
    ("E_bbc", "corrected fold t", "groups", bbc.assumption("corrected fold t", "groups")),
    ("E_nested", "corrected fold t", None, corrected_fold_t.METHOD.covers["E_nested"]),
    ("E_test", "Clopper-Pearson", None, clopper_pearson.METHOD.covers["E_test"]),
]


@pytest.mark.parametrize(("estimate", "interval", "kind", "assumption"), OF_THE_WINNER)
def test_so_is_the_assumption_of_what_is_estimated_after_the_choice(summary, estimate, interval, kind, assumption):
    line = Estimate("bayes", estimate, 0.2, "t", 7, 8, low=0.1, high=0.3, level=0.9, interval=interval)
    after = replace(summary(estimates=[line]), rows=LabeledRows(kind), estimates=pd.DataFrame([vars(line)]))
    assert [assumption] == [row["assumption"] for row in targets(after)]


@pytest.mark.parametrize(("loss", "limit"), [("null", 1), ("{cost: {won: {lost: 5}, lost: {won: 1}}}", 5)])
def test_the_band_of_the_selected_holds_at_all_steps_at_once(read, loss, limit):
    case = read("selection.level=0.8", f"loss={loss}")
    losses = case.losses_in_steps() / limit
    band = confidence_sequence.band(losses, 0.8, errors=limit == 1, planned=len(losses))
    low, high = (limit * ends for ends in band)
    assert low.tolist() == case.summary.curves.band[0].tolist()
    assert high.tolist() == case.summary.curves.band[1].tolist()
    assert (low <= case.summary.curves.progressive_errors["bayes"]).all()
    assert (case.summary.curves.progressive_errors["bayes"] <= high).all()


def test_the_least_error_of_the_half_models_is_by_the_disagreement_of_the_rows_alone(read):
    case = read("selection.level=0.9")
    design = read_validation(case.settings).design
    disagreement = RepeatedByRow(np.array([0.1, 0.2, 0.3]), 30 * 0.04 / 29, 30, design.loss)
    expected = implied_error.least_half_error(disagreement, design.loss, 0.9)
    assert expected == pytest.approx(case.summary.unlabeled.least_half_error, rel=1e-12)
    assert 0 < case.summary.unlabeled.least_half_error < 0.1
