"""The test set is opened for one winner; a second one is refused unless that is asked for, and is then counted."""

import json
import shutil
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pytest
from mlflow import MlflowClient

pytestmark = pytest.mark.long
ONE = {"name": "one", "estimator": "sklearn.naive_bayes.GaussianNB"}
OTHER = {"name": "other", "estimator": "sklearn.tree.DecisionTreeClassifier", "params": {"random_state": 0}}
ASKED = {"selection": {"reopen_test": True}}


@dataclass(frozen=True)
class Told:
    """What one run left in its files and in MLflow, and printed."""

    selection: dict
    estimates: pd.DataFrame
    metrics: dict
    parent: Any
    words: str


@pytest.fixture(scope="module")
def story(clone, server, write_params, tmp_path_factory) -> dict[str, Told]:
    """One run after the other, in one checkout, each with a single candidate: the winner."""
    checkout, path = clone(server), tmp_path_factory.mktemp("user") / "params.yaml"

    def run(candidate, **changes) -> Told:
        changes["intervals"] = {"E_cv": "Bayle within folds"}
        said = checkout.flow("validate", "--params", write_params(path, candidates=[candidate], **changes)).stdout
        client = MlflowClient(f"sqlite:///{checkout.path}/mlruns/mlflow.db")
        experiment = client.get_experiment_by_name("heldout").experiment_id
        runs = client.search_runs([experiment], order_by=["attributes.start_time DESC"])
        return Told(
            json.loads((checkout.path / "reports/selection.json").read_text()),
            pd.read_csv(checkout.path / "reports/estimates.csv"),
            json.loads((checkout.path / "reports/metrics.json").read_text()),
            next(run for run in runs if "mlflow.parentRunId" not in run.data.tags),
            " ".join(said.split()),
        )

    return {
        "one": run(ONE),
        "other": run(OTHER),
        "one again, under another name": run({**ONE, "name": "renamed"}),
        "one in another form": run(ONE, deliver="vote"),
        "other, as asked": run(OTHER, **ASKED),
        "one once more": run(ONE),
        "one once more, as asked": run(ONE, **ASKED),
    }


OPENED = {
    "one": 1,
    "one again, under another name": 1,
    "other, as asked": 2,
    "one once more, as asked": 2,
}


def test_the_test_set_is_opened_for_the_first_winner_and_for_others_where_that_is_asked_for(story):
    opened = {
        name: told.selection["test_openings"] for name, told in story.items() if told.selection["E_test"] is not None
    }
    assert OPENED == opened
    for name in OPENED:
        told = story[name]
        assert told.selection["test_refused"] is None
        of_winner = told.estimates[told.estimates["candidate"] != "baseline"]
        (line,) = of_winner[of_winner["estimate"] == "E_test"].to_dict("records")
        assert line["value"] == told.selection["E_test"] == pytest.approx(told.parent.data.metrics["E_test"])
        assert 100 * line["value"] == pytest.approx(told.metrics["E_test"])
        count = "this model alone" if OPENED[name] == 1 else "2 different winners so far"
        assert f"the test set was opened for {count}" in told.words


@pytest.mark.parametrize("name", ["other", "one in another form", "one once more"])
def test_a_second_winner_has_no_test_error_anywhere_and_is_told_why(story, name):
    told = story[name]
    assert told.selection["E_test"] is None
    assert "Set selection.reopen_test to true" in told.selection["test_refused"]
    assert "opened for 1 other winner;" in told.selection["test_refused"]
    assert f"E_test: not opened: {told.selection['test_refused']}" in told.words  # as soon as it is so
    assert f"E_test not opened: {told.selection['test_refused']}" in told.words  # and in the summary
    assert "E_test" not in {*told.estimates["estimate"], *told.parent.data.metrics, *told.metrics}
    assert "mlflow.heldout.test_opened_for" not in told.parent.data.tags
    assert "mlflow.heldout.test_opened_for" in story["one"].parent.data.tags
    assert "FINISHED" == told.parent.info.status


def test_the_winner_is_still_selected_and_saved(story):
    assert "other" == story["other"].selection["selected"] == story["other"].parent.data.tags["selected_model"]
    assert "models/selected.skops" in story["other"].words


def test_a_run_that_fails_after_it_has_shown_the_test_error_has_opened_the_test_set(
    clone, server, write_params, tmp_path
):
    checkout = clone(server)
    (checkout.path / "reports/differences.csv/in the way").mkdir(parents=True)
    changes = {"intervals": {"E_cv": "Bayle within folds"}}
    path = write_params(tmp_path / "params.yaml", candidates=[ONE], **changes)
    assert 0 != checkout.flow("validate", "--params", path, check=False).returncode
    assert "E_test" in {*pd.read_csv(checkout.path / "reports/estimates.csv")["estimate"]}
    shutil.rmtree(checkout.path / "reports")
    checkout.flow("validate", "--params", write_params(path, candidates=[OTHER], **changes))
    told = json.loads((checkout.path / "reports/selection.json").read_text())
    assert (2, None) == (told["contamination"], told["E_test"])
    assert "opened for 1 other winner;" in told["test_refused"]
