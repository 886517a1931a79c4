"""Mistakes with the real command: reported in a line or two, with exit code 2, and nothing is left half-written."""

import re
import subprocess
from typing import Any

import pytest
from mlflow import MlflowClient

NEIGHBOURS = "sklearn.neighbors.KNeighborsClassifier"
KEPT = ("data", "reports", "models", ".cache/tasks")


def clients_runs(checkout) -> list[Any]:
    client = MlflowClient(f"sqlite:///{checkout.path}/mlruns/mlflow.db")
    ids = [experiment.experiment_id for experiment in client.search_experiments()]
    return list(client.search_runs(ids, order_by=["attributes.start_time ASC"]))


def parents(checkout) -> list[Any]:
    runs = [run for run in clients_runs(checkout) if run.info.run_name != "ledger"]
    return [run for run in runs if "mlflow.parentRunId" not in run.data.tags]


def words(run: subprocess.CompletedProcess) -> str:
    """What a person reads, whatever the width of the terminal."""
    return " ".join(f"{run.stdout} {run.stderr}".split())


@pytest.fixture(scope="module")
def params(write_params, tmp_path_factory):
    """Three candidates: one that fits, one that never does, one that cannot do with half of the rows."""
    candidates = [
        {"name": "bayes", "estimator": "sklearn.naive_bayes.GaussianNB"},
        {"name": "greedy", "estimator": NEIGHBOURS, "params": {"n_neighbors": 1000}},
        {"name": "half-greedy", "estimator": NEIGHBOURS, "params": {"n_neighbors": 35}},
    ]
    folder = tmp_path_factory.mktemp("user")
    (folder / "one-class.csv").write_text("x,target\n1,0\n2,0\n3,0\n")
    (folder / "empty.csv").write_text(",".join(f"pixel_{place // 8}_{place % 8}" for place in range(64)) + "\n")
    return write_params(folder / "params.yaml", candidates=candidates, data={"labeled_rows": 60})


@pytest.fixture(scope="module")
def survived(clone, server, params):
    """A checkout in which a validation ran that two of three candidates did not survive, and what it said."""
    checkout = clone(server)
    return checkout, checkout.flow("validate", "--params", params)


@pytest.fixture
def checkout(survived):
    return survived[0]


# the change, and on one line of the message: the key, the value, and the limit or the nearest name
IN_PARAMS = {
    "split.fold=5": ["split.fold ", "split.folds"],
    "covalidation.repeats=many": ["covalidation.repeats", "'many'", "integer"],
    "split.validation_fraction=1.5": ["split.validation_fraction", "1.5", "less than 1"],
    "candidates.0.estimator=sklearn.svm.SVX": ["candidates[0]", "sklearn.svm.SVX", "sklearn.svm.SVR"],
    "candidates.1.params={neighbors: 5}": ["candidates[1]", "params.neighbors", "n_neighbors"],
    "candidates.2.params={n_neighbors: -1}": ["candidates[2]", "n_neighbors", "-1", "[1, inf)"],
}
# found later: the flow that finds it, the change, and the parts of the message
MISTAKES = {
    "name twice": ("validate", "candidates.1.name=bayes", ["candidates", "'bayes'", "2 candidates"]),
    "folds": ("prepare", "split.folds=7", ["split.folds", "7", "class 1", "6"]),
    "store in a file": ("validate", "tracking.uri=sqlite:///params.yaml/mlflow.db", ["tracking.uri", "params.yaml"]),
    "no store there": ("validate", "tracking.uri=http://127.0.0.1:9", ["tracking.uri", "http://127.0.0.1:9"]),
    "no driver": ("validate", "tracking.uri=mysql://a/b", ["tracking.uri is mysql://a/b", "MySQLdb", "postgresql://"]),
    "no file": ("prepare", "data.source=data/raw/none.csv", ["data.source", "data/raw/none.csv"]),
    "no column": ("prepare", "data.target=label", ["data.target", "'label'", "pixel_0_0"]),
    "one class": ("prepare", "data={source: one-class.csv}", ["data.target", "[0]", "two"]),
    "empty shard": ("prepare", "data.unlabeled=empty.csv", ["data.unlabeled", "empty.csv"]),
    "more shards than rows": ("prepare", "data.shards=5000", ["data.shards", "5000", "at most"]),
}
IN_CI = ("folds", "empty shard")
CASES = [
    pytest.param(*MISTAKES[name], id=name, marks=pytest.mark.slow if name in IN_CI else pytest.mark.long)
    for name in MISTAKES
]


def fails_and_leaves_everything(checkout, params, flow: str, *changes: str) -> str:
    """What a flow prints that a mistake stops: no traceback, exit code 2, and files and runs as they were."""
    before, known = checkout.hashes(*KEPT), len(parents(checkout))
    options = [part for change in changes for part in ("--set", change)]
    run = checkout.flow(flow, "--params", params, *options, check=False)
    assert 2 == run.returncode, words(run)
    assert "Traceback" not in words(run)
    assert before == checkout.hashes(*KEPT)
    assert [] == [run for run in clients_runs(checkout) if run.info.status == "RUNNING"]
    assert all(run.info.status == "FAILED" for run in parents(checkout)[known:])
    return run.stderr


@pytest.mark.slow
def test_all_mistakes_in_the_parameters_are_reported_at_once(checkout, params):
    lines = fails_and_leaves_everything(checkout, params, "validate", *IN_PARAMS).splitlines()
    assert len(IN_PARAMS) == len(lines)
    for change, parts in IN_PARAMS.items():
        assert any(all(part in line for part in parts) for line in lines), (change, lines)


@pytest.mark.parametrize(("flow", "change", "parts"), CASES)
def test_a_mistake_is_reported_and_leaves_everything_as_it_was(checkout, params, flow, change, parts):
    for name in ("one-class.csv", "empty.csv"):
        change = change.replace(name, str(params.parent / name))
    if change.startswith("data={"):
        change = change.replace("}", ", positive: null, labeled_rows: null, shards: 1, sampling: iid}")
    message = " ".join(fails_and_leaves_everything(checkout, params, flow, change).split())
    assert [] == [part for part in parts if part not in message], message


@pytest.mark.slow
def test_a_mistake_in_dvc_repro_is_reported_by_the_stage(clone):
    checkout = clone()
    params = checkout.path / "params.yaml"
    params.write_text(params.read_text().replace("folds: 10", "folds: 1"))
    run = checkout.run("dvc", "repro", check=False)
    assert run.returncode != 0
    assert re.search(r"split\.folds\b.*\b1\b.*\b2\b", words(run))  # the key, the value, and the limit
    assert "Traceback" not in words(run)
    assert [] == [name for name in ("data/prepared", "mlruns") if (checkout.path / name).exists()]


@pytest.mark.slow
def test_a_flow_without_its_input_names_what_is_missing(checkout, params):
    prepared, aside = checkout.path / "data/prepared", checkout.path.parent / "aside"
    prepared.rename(aside)
    try:
        message = fails_and_leaves_everything(checkout, params, "select")
    finally:
        aside.rename(prepared)
    assert "data/prepared/settings.json is missing" in message


@pytest.mark.slow
def test_a_candidate_that_fails_in_the_halves_alone_keeps_its_other_estimates(survived):
    checkout, _ = survived
    child = next(run for run in clients_runs(checkout) if run.info.run_name == "half-greedy")
    assert "FINISHED" == child.info.status
    assert "n_neighbors" in child.data.tags["lacking"]
    estimates = (checkout.path / "reports/estimates.csv").read_text()
    assert "\nhalf-greedy,E_cv," in estimates
    assert "\nhalf-greedy,E_2cv," not in estimates


@pytest.mark.slow
def test_a_candidate_that_cannot_fit_is_shown_as_failed_and_is_no_part_of_the_results(survived):
    checkout, run = survived
    name = "greedy"
    assert any(name in line.split() and "failed" in line for line in run.stdout.replace("│", " ").splitlines())
    assert f"{name} failed" in words(run)
    child = next(run for run in clients_runs(checkout) if run.info.run_name == name)
    assert "FAILED" == child.info.status
    assert "n_neighbors" in child.data.tags["failure"]
    estimates = (checkout.path / "reports/estimates.csv").read_text()
    assert f"\n{name}," not in estimates
    assert "\nbayes," in estimates
    assert "bayes" == parents(checkout)[0].data.tags["selected_model"]
    assert "FINISHED" == parents(checkout)[0].info.status


@pytest.mark.long
@pytest.mark.slow
def test_if_no_candidate_is_left_the_run_fails_and_is_reported(checkout, params, server):
    only = f"candidates=[{{name: greedy, estimator: {NEIGHBOURS}, params: {{n_neighbors: 1000}}}}]"
    run = checkout.flow("validate", "--params", params, "--set", only, check=False)
    assert 2 == run.returncode
    assert "candidates: all failed" in words(run)
    assert "Traceback" not in words(run)
    assert "FAILED" == parents(checkout)[-1].info.status
    assert "greedy failed" in parents(checkout)[-1].data.tags["failure"]
    place = f"/runs/{parents(checkout)[-1].info.run_id}"

    def told_prefect() -> bool:
        told = [event["payload"] for event in server.events("heldout.run.failed")]
        return any("greedy failed" in one["reason"] and one["run"].endswith(place) for one in told)

    checkout.wait_until(told_prefect, seconds=30)
