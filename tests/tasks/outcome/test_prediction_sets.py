"""prediction_sets.csv: a threshold that a user applies to the saved model, what it covers, or why there is none."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest

from heldout.fits.baseline import evidence
from heldout.learners.fit_warnings import WarningCounts
from heldout.notebook.load import SavedModels
from heldout.notebook.result import Validation
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.fits import run_schemes
from tasks.fits.stored_models import StoredModels
from tasks.outcome import prediction_sets, unused_rows
from tasks.outcome.deliver import Delivered, deliver
from tasks.outcome.ledger import Ledger
from tasks.outcome.opening import Opening, open_test_set
from tasks.plans.read_design import read_design
from tasks.storage import files, model_file, report_tables

BAYES = "candidates=[{name: one, estimator: sklearn.naive_bayes.GaussianNB}]"
SVM = "candidates=[{name: one, estimator: sklearn.svm.SVC}]"
LINE = "candidates=[{name: one, estimator: sklearn.linear_model.LinearRegression}]"
TREE = "candidates=[{name: one, estimator: sklearn.tree.DecisionTreeRegressor, params: {max_depth: 2}}]"
WITH_TEST = ("split.test_fraction=0.25", "selection.level=0.8", "data.drop=[id]")


@dataclass(frozen=True)
class Made:
    """A winner in the form that is delivered, with its test set opened."""

    settings: Any
    validation: Validation
    delivered: Delivered
    opening: Opening

    def line(self):
        """The line of prediction_sets.csv as it is read again."""
        (winner,) = self.settings.candidates
        line = prediction_sets.measure(self.settings, self.validation, winner, self.delivered, self.opening)
        report_tables.write_prediction_sets(line)
        return report_tables.read_prediction_sets()


@pytest.fixture
def made(rows, settings_of_rows, monkeypatch):
    """A function: the fits as workers make them, what is delivered, and the test set opened."""

    def run_all(_settings, _what, todo, _reused, **_more):
        return [one.function(*one.arguments) for one in todo]

    monkeypatch.setattr(run_schemes, "run_all", run_all)

    def make(candidate, *changes, used_by=0) -> Made:
        settings = settings_of_rows(*WITH_TEST, candidate, *changes)
        write_prepared(prepare(settings))
        (winner,) = settings.candidates
        delivered, design = deliver(settings, winner), read_design(settings)
        known = SavedModels("one", False, None, WarningCounts.of([]), "none")
        models = {"one": StoredModels(settings, winner, known)}
        validation = Validation(design, {"one": evidence(design)}, models)
        found = unused_rows.look(settings, winner, Ledger(1, (), used_by), pytest.fail, asked=True)
        opening = open_test_set(settings, validation, winner, delivered, found)
        return Made(settings, validation, delivered, opening)

    return make


def as_a_user(made):
    """The saved model on the test set, the labels, and the threshold of the file."""
    model_file.save(made.delivered.hypothesis, files.MODEL)
    X, y = files.read_table(files.TEST)
    threshold = pd.read_csv("reports/tables/prediction_sets.csv")["threshold"][0]
    return model_file.load(files.MODEL, made.settings.execution.allowed_modules), X, y, threshold


def test_the_threshold_applied_to_the_saved_model_gives_the_sets_of_classes_that_were_measured(rows, made):
    rows.assign(x=rows["x"] + (rows["kind"] == "won")).to_csv("rows.csv", index=False)
    ran = made(BAYES)
    line = ran.line()
    model, X, y, threshold = as_a_user(ran)
    sets = model.predict_proba(X) >= 1 - threshold
    covered = sets[np.arange(len(y)), np.searchsorted(model.classes_, y)]
    assert (len(y), covered.mean(), sets.sum(axis=1).mean()) == pytest.approx(
        (line.tested, line.coverage, line.mean_size)
    )
    assert (sets.sum(axis=1) == 1).mean() == pytest.approx(line.single)
    assert 0 < line.low <= line.coverage <= line.high
    assert ("one", "g: trained on all labelled rows", 0.8, "LAC") == (
        *(line.candidate, line.hypothesis),
        *(line.level, line.method),
    )
    assert files.read_partition().validation.sum() == line.calibrated
    assert (None, "") == (line.mean_width, line.reason)


@pytest.mark.parametrize("form", ["final", "k_fold", "vote", "progressive"])
def test_the_threshold_applied_to_the_saved_model_gives_the_intervals_that_were_measured(rows, made, form):
    rows.assign(kind=rows["x"] * 3 + np.random.default_rng(1).normal(size=60)).to_csv("rows.csv", index=False)
    ran = made(LINE if form == "vote" else TREE, f"deliver={form}", "progressive.block=10")
    line = ran.line()
    model, X, y, threshold = as_a_user(ran)
    predicted = model.predict(X)
    covered = (predicted - threshold <= y) & (y <= predicted + threshold)
    assert (len(y), covered.mean(), 2 * threshold) == pytest.approx((line.tested, line.coverage, line.mean_width))
    assert "absolute residual" == line.method
    assert line.single is line.empty is line.mean_size is None


@pytest.mark.parametrize(
    ("candidate", "changes", "known"),
    [
        (SVM, [], ["no probabilities"]),
        (BAYES, ["data.groups=house"], ["groups"]),
        (BAYES, ["data.time=house"], ["time"]),
        (BAYES, ["data.weight=house"], ["weights"]),
        (BAYES, ["data.sampling=active"], ["data.sampling", "active"]),
        (BAYES, ["deliver=vote"], ["deliver", "vote", "final"]),
        (BAYES, ["selection.level=0.99"], ["99 %", "least 99", "held-out rows"]),
    ],
)
def test_where_no_threshold_holds_the_line_says_why_and_the_run_goes_on(rows, made, candidate, changes, known):
    rows.assign(house=np.arange(60) // 2 + 1).to_csv("rows.csv", index=False)
    line = made(candidate, *changes).line()
    assert line.threshold is line.coverage is line.low is line.mean_size is None
    assert (0, 0) == (line.calibrated, line.tested)
    assert [] == [text for text in known if text not in line.reason]


@pytest.mark.parametrize(
    ("changes", "used_by", "known"), [(["split.test_fraction=0"], 0, "split.test_fraction"), ([], 1, "closed")]
)
def test_without_an_opened_test_set_there_is_a_threshold_and_no_coverage(rows, made, changes, used_by, known):
    line = made(BAYES, *changes, used_by=used_by).line()
    assert line.threshold > 0
    assert line.coverage is line.low is line.mean_size is None
    assert known in line.reason
