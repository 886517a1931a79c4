"""Learners of all kinds in one real run: the points of a grid, one inside of another, boosting, and one that warns."""

import importlib.util
import json

import pytest
from mlflow import MlflowClient

import heldout

CANDIDATES = [
    {"name": "short", "estimator": "sklearn.linear_model.LogisticRegression", "params": {"max_iter": 1}},
    {
        "name": "near",
        "estimator": "sklearn.neighbors.KNeighborsClassifier",
        "grid": {"n_neighbors": [1, 3], "weights": ["uniform"]},
    },
    {
        "name": "calibrated",
        "estimator": "sklearn.calibration.CalibratedClassifierCV",
        "params": {"estimator": {"estimator": "sklearn.naive_bayes.GaussianNB"}, "cv": 2},
    },
]
LIGHT = {"n_estimators": 5, "n_jobs": 1, "min_child_samples": 2, "min_data_in_bin": 1}
NAMES = ["short", "near(n_neighbors=1, weights=uniform)", "near(n_neighbors=3, weights=uniform)", "calibrated"]
pytestmark = pytest.mark.long
if importlib.util.find_spec("lightgbm"):
    CANDIDATES.append({"name": "light", "estimator": "lightgbm.LGBMClassifier", "params": LIGHT})
    NAMES.append("light")


@pytest.fixture(scope="module")
def ran(clone, server, write_params, tmp_path_factory):
    """A checkout after a validation of all, and what the command said."""
    checkout = clone(server)
    params = write_params(tmp_path_factory.mktemp("user") / "params.yaml", candidates=CANDIDATES)
    return checkout, checkout.flow("validate", "--params", params)


def test_each_point_of_a_grid_is_a_candidate_that_counts(ran):
    checkout, run = ran
    selection = json.loads((checkout.path / "reports/selection.json").read_text())
    assert NAMES == selection["candidates"]
    assert len(NAMES) == selection["contamination"]
    assert all(words in run.stdout for words in ("n_neighbors=1", "n_neighbors=3", "calibrated"))


def test_what_a_learner_warns_of_is_told_once_and_nowhere_else(ran):
    checkout, run = ran
    warned = heldout.load(checkout.path / "data/results/fits/validation").warnings
    assert ["short"] == [name for name, counted in warned.items() if counted.concerned]
    fits = warned["short"].fits
    assert fits == warned["short"].concerned
    assert 1 == run.stdout.count(f"short: {fits} of ")
    assert "Warning" not in run.stderr
    assert "[LightGBM]" not in run.stdout + run.stderr
    page = (checkout.path / "reports/report.html").read_text()
    assert 1 == page.count("fits warned: ConvergenceWarning: lbfgs failed to converge")
    assert "short warned" in run.stdout


def test_the_childs_run_has_a_tag_with_its_warnings(ran):
    checkout, _ = ran
    client = MlflowClient(f"sqlite:///{checkout.path}/mlruns/mlflow.db")
    ids = [experiment.experiment_id for experiment in client.search_experiments()]
    tags = {run.info.run_name: run.data.tags.get("warnings") for run in client.search_runs(ids)}
    assert "fits warned: ConvergenceWarning: lbfgs failed to converge" in tags["short"]
    assert {None} == {tags[name] for name in NAMES[1:]}
