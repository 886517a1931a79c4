"""What a validation reports to a tracking store, as items."""

from dataclasses import replace

import numpy as np
import pytest

from heldout.learners.fit_warnings import WarningCount, WarningCounts
from heldout.losses import SQUARED
from tasks.outcome.items import (
    Artifact,
    Parameter,
    Tag,
    TrackedMetric,
    parameters,
    settings_in,
    settings_items,
    settings_values,
)
from tasks.plans.fit_costs import FitCost
from tasks.report.run_items import candidate_items, labeled_rows, outcome_items
from tasks.report.summary import Curves
from tasks.storage import files

BAYES = "candidates=[{name: bayes, estimator: sklearn.naive_bayes.GaussianNB, params: {var_smoothing: 0.1}}]"


def of_kind(kind, items):
    return [item for item in items if isinstance(item, kind)]


def test_nested_settings_are_parameters_with_dots_in_their_names():
    nested = {"a": 1, "b": {"c": None, "d": {"e": [1, 2]}, "f": {}}}
    expected = {"a": "1", "b.c": "None", "b.d.e": "[1, 2]", "b.f": "{}"}
    assert expected == {item.name: item.value for item in parameters(nested)}


@pytest.mark.fault("markup")
@pytest.mark.parametrize("name", ["[/luck]", "a/b", "x" * 260, "\x1b[2J"])
def test_names_that_no_store_takes_are_in_a_value(name):
    nested = {"weights": {name: 1, "b": 2}, "c": {"d": {name: 3}}}
    assert {"weights": str(nested["weights"]), "c.d": str({name: 3})} == {
        item.name: item.value for item in parameters(nested)
    }


def test_a_run_shows_what_is_set_and_what_tells_runs_apart(settings_with):
    learners = "[{name: logistic, estimator: sklearn.linear_model.LogisticRegression, params: {C: 0.1}}]"
    made = settings_with("split.folds=7", f"candidates={learners}")
    values = {item.name: item.value for item in settings_items(made)}
    assert ("7", "0.1", made.deliver) == (values["split.folds"], values["candidates.logistic.C"], values["deliver"])
    assert {"seed": "0", "selection.rule": "minimum", "data.target": "target", "candidates": "1: logistic"}.items() <= (
        values.items()
    )
    assert not {"loss", "split.gap", "selection.race", "candidates.logistic.search"} & {*values}
    assert not {"execution", "tracking"} & {name.partition(".")[0] for name in values}
    limited = {item.name: item.value for item in settings_items(settings_with("execution.fit_timeout=9"))}
    assert "9" == limited["execution.fit_timeout"].removesuffix(".0")


@pytest.mark.parametrize("number", [1, 30])
def test_a_run_shows_at_most_25_settings_and_keeps_the_others_out_of_sight(settings_with, number):
    learner = "{name: tree(depth=%s), estimator: sklearn.tree.DecisionTreeClassifier, params: {max_depth: %s}}"
    made = settings_with(f"candidates=[{', '.join(learner % (one, one) for one in range(1, number + 1))}]")
    items = [*settings_items(made)]
    shown, hidden = ({one.name: one.value for one in of_kind(kind, items)} for kind in (Parameter, Tag))
    assert len(shown) <= 25
    assert all(name.startswith("mlflow.") for name in hidden)
    assert settings_values(made) == settings_in(shown, hidden)
    assert shown == {
        "candidates": shown["candidates"],
        **settings_in(shown, {**hidden, "mlflow.heldout.settings.0": "]"}),
    }
    assert "sklearn.tree.DecisionTreeClassifier" == settings_in(shown, hidden)["candidates.tree depth:1.estimator"]


def test_classes_in_a_loss_are_in_the_value_of_a_parameter(settings_with):
    costs = "loss={cost: {a b: {c/d: 2.0}, c/d: {a b: 1.0}}}"
    (loss,) = [item for item in settings_items(settings_with(costs)) if item.name.split(".")[0] == "loss"]
    assert "loss" == loss.name
    assert "a b" in loss.value


CONTRACT = (
    files.ESTIMATES,
    files.DIFFERENCES,
    files.MORE_ROWS,
    files.COLUMNS_THAT_MATTER,
    files.PREDICTION_SETS,
    files.PREDICTION_POWERED,
    files.NOT_CREDIBLE,
    files.TEST_METRICS,
    files.CONFUSION,
    files.CLASS_ERRORS,
    files.CALIBRATION,
    files.ROC,
    files.RESIDUALS,
    files.HARD_ROWS,
    files.TO_LABEL,
    files.SHARD_DISAGREEMENT,
    files.SELECTION,
    files.FINDINGS,
)
OF_MORE_ROWS = [
    TrackedMetric(name, value, low=low, high=high)
    for name, value, low, high in (
        ("gain", 0.025, 0.0125, 0.0375),
        ("E_N", 0.09, 0.04, 0.15),
        ("E_2N", 0.08, 0.02, 0.15),
    )
]
OF_POWERED = [TrackedMetric("E_cv_powered", 0.09, low=0.05, high=0.13), TrackedMetric("labels_gained", 4.5)]
OF_BAYES = [
    TrackedMetric("E_cv", 0.1, low=0.05, high=0.15),
    TrackedMetric("E_in", 0.0625),
    TrackedMetric("E_test", 0.125, low=0.1, high=0.2),
    *OF_MORE_ROWS,
    *OF_POWERED,
]

EXPECTED_COSTS = {"fit_seconds", "prediction_microseconds", "model_bytes"}


@pytest.fixture
def case(prepared, summary):
    """A candidate, and a summary with its curves: 2 folds and 3 steps."""
    settings = prepared(BAYES)
    curves = Curves({"bayes": np.array([0.5, 0.25])}, {"bayes": np.array([1, 0.5, 0.3])}, None)
    return settings.candidates[0], replace(summary(), curves=curves)


def test_a_candidate_reports_its_settings_estimates_bounds_and_curves(case):
    candidate, summary = case
    items = list(candidate_items(candidate, summary))
    assert Parameter("params.var_smoothing", "0.1") in items
    assert Parameter("estimator", "sklearn.naive_bayes.GaussianNB") in items
    tags = {"selected": "yes", "E_test": "12.5 % [10.0–20.0]", "E_cv": "10.0 % [5.0–15.0]"}
    assert tags == {tag.name: tag.value for tag in of_kind(Tag, items)}
    assert [
        *OF_BAYES,
        TrackedMetric("fold_error", 0.5, 0),
        TrackedMetric("fold_error", 0.25, 1),
        TrackedMetric("progressive_error", 1, 1),
        TrackedMetric("progressive_error", 0.5, 2),
        TrackedMetric("progressive_error", 0.3, 3),
    ] == of_kind(TrackedMetric, items)


def test_of_the_squared_loss_the_roots_stand_next_to_the_errors(case):
    candidate, summary = case
    squared = replace(summary, loss=SQUARED)
    files.PLOTS.mkdir(parents=True)
    roots = {"E_cv_RMSE": 0.1**0.5, "E_test_RMSE": 0.125**0.5}
    shared = {f"{name}_RMSE": squared.selection[name] ** 0.5 for name in ("bound", "baseline")}
    for items, expected in (
        (candidate_items(candidate, squared), {"E_in_RMSE": 0.25, **roots}),
        (outcome_items(squared), {**roots, **shared}),
    ):
        assert expected == {one.name: one.value for one in of_kind(TrackedMetric, items) if one.name.endswith("_RMSE")}


def test_a_candidate_that_was_not_selected_reports_the_difference_from_the_winner(case):
    candidate, summary = case
    curves = Curves({"tree": np.empty(0)}, {"tree": np.zeros(1)}, None)
    items = list(candidate_items(candidate.model_copy(update={"name": "tree"}), replace(summary, curves=curves)))
    assert "selected" not in [tag.name for tag in of_kind(Tag, items)]
    assert [
        TrackedMetric("gain", 0.5),
        TrackedMetric("E_cv_of_selected_less_this", -0.05, low=-0.15, high=0.05),
        TrackedMetric("progressive_error", 0, 1),
    ] == of_kind(TrackedMetric, items)


def test_a_candidate_that_failed_reports_its_settings_and_the_reason_alone(case):
    candidate, summary = case
    counted = WarningCounts(60, 4, (WarningCount("ConvergenceWarning", 4, "no"),))
    failed = replace(summary, failures={"bayes": "fold 1/2: oh"}, warned={"bayes": counted})
    items = list(candidate_items(candidate, failed))
    assert {Tag("failure", "fold 1/2: oh"), Tag("warnings", str(counted))} <= {*of_kind(Tag, items)}
    assert Parameter("params.var_smoothing", "0.1") in items
    assert [] == of_kind(TrackedMetric, items)


def test_the_parent_reports_the_estimates_of_the_selected_the_rows_and_the_files(case):
    _, summary = case
    files.write_csv(files.PLOTS / "estimates.csv", summary.estimates)
    (files.PLOTS / "estimates.png").touch()  # which the report holds too
    items = list(outcome_items(summary))
    planned = [one for one in OF_BAYES if one.name in ("E_cv", "E_test")]
    numbers = [TrackedMetric(name, summary.selection[name]) for name in ("bound", "baseline")]
    found = of_kind(TrackedMetric, items)
    assert [*planned, *numbers, TrackedMetric("test_f1", 0.75)] == found
    names = [name for one in found for name, _ in one.numbers()]
    assert len({*names}) == len(names)
    rows = labeled_rows(summary.settings)
    X, y = files.read_table(files.LABELED)
    assert [*X.columns, "target"] == list(rows.table.columns)
    assert y.tolist() == rows.table["target"].tolist()
    assert files.read_data_hash().startswith(rows.digest)
    contract = [Artifact(path) for path in CONTRACT]
    assert [*contract, Artifact(files.PLOTS / "estimates.csv", "plots")] == of_kind(Artifact, items)
    tags = [
        Tag("E_test", "12.5 % [10.0–20.0], a constant 25.0 %"),
        Tag("E_cv", "10.0 % [5.0–15.0]"),
        Tag("verdict", "ship"),
    ]
    assert tags == of_kind(Tag, items)


def test_a_candidate_says_what_a_fit_on_all_labelled_rows_and_a_prediction_cost(case):
    candidate, summary = case
    rows = summary.selection["rows"]["labeled"]
    for cost, expected in (
        (FitCost(0.5, 2.0, 900), {"fit_seconds": 0.5 * rows, "prediction_microseconds": 2.0, "model_bytes": 900}),
        (FitCost(0.5), {"fit_seconds": 0.5 * rows}),
        (None, {}),
    ):
        found = {one.name: one.value for one in of_kind(TrackedMetric, candidate_items(candidate, summary, cost))}
        assert expected == {name: found[name] for name in found if name in EXPECTED_COSTS}
