"""Mistakes, each with the real command: told in a line or two, with exit code 2, and nothing is left half-written."""

import subprocess
from typing import Any

import pytest
from mlflow import MlflowClient

NEIGHBOURS = "sklearn.neighbors.KNeighborsClassifier"
KEPT = ("data", "reports", "models", ".cache/tasks")
AT_ONCE, PREPARING = "validate", "prepare"  # the flow that is enough to find the mistake


def clients_runs(checkout) -> list[Any]:
    client = MlflowClient(f"sqlite:///{checkout.path}/mlruns/mlflow.db")
    ids = [experiment.experiment_id for experiment in client.search_experiments()]
    return list(client.search_runs(ids, order_by=["attributes.start_time ASC"]))


def parents(checkout) -> list[Any]:
    return [run for run in clients_runs(checkout) if "mlflow.parentRunId" not in run.data.tags]


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
    return write_params(folder / "params.yaml", candidates=candidates)


@pytest.fixture(scope="module")
def survived(clone, server, params):
    """A checkout in which a validation ran that two of three candidates did not survive, and what it said."""
    checkout = clone(server)
    return checkout, checkout.flow("validate", "--params", params)


@pytest.fixture
def checkout(survived):
    return survived[0]


MISTAKES = {
    "unknown key": (AT_ONCE, "split.fold=5", ["split.fold is not known", "did you mean split.folds?"]),
    "wrong type": (AT_ONCE, "covalidation.repeats=many", ["covalidation.repeats is 'many'", "valid integer"]),
    "fraction": (AT_ONCE, "split.validation_fraction=1.5", ["split.validation_fraction is 1.5", "less than 1"]),
    "estimator": (
        AT_ONCE,
        "candidates.0.estimator=sklearn.svm.SVX",
        ["sklearn.svm.SVX", "did you mean sklearn.svm.SVR?"],
    ),
    "parameter name": (
        AT_ONCE,
        "candidates.1.params={neighbors: 5}",
        ["params.neighbors", "did you mean n_neighbors?"],
    ),
    "parameter value": (AT_ONCE, "candidates.1.params={n_neighbors: -1}", ["n_neighbors", "-1", "[1, inf)"]),
    "name twice": (AT_ONCE, "candidates.1.name=bayes", ["candidates[1].name", "'bayes'"]),
    "folds": (PREPARING, "split.folds=7", ["split.folds", "folds is 7", "class 1 has 6 rows", "at most 6"]),
    "store in a file": (
        AT_ONCE,
        "tracking.uri=sqlite:///params.yaml/mlflow.db",
        ["tracking.uri is sqlite:///params.yaml"],
    ),
    "no store there": (
        AT_ONCE,
        "tracking.uri=http://127.0.0.1:9",
        ["tracking.uri is http://127.0.0.1:9", "start the store"],
    ),
    "no file": (PREPARING, "data.source=data/raw/none.csv", ["data.source is data/raw/none.csv", "no such file"]),
    "no column": (PREPARING, "data.target=label", ["data.target is 'label'", "pixel_0_0"]),
    "one class": (PREPARING, "data={source: one-class.csv}", ["data.target", "single value [0]", "at least two"]),
    "empty shard": (
        PREPARING,
        "data.unlabeled=empty.csv",
        ["data.unlabeled", "empty.csv has no rows", "remove the file"],
    ),
    "more shards than rows": (PREPARING, "data.shards=5000", ["data.shards is 5000", "rows have no label", "at most"]),
}


ALWAYS = ("unknown key", "estimator", "folds", "no store there", "empty shard")  # one of each kind; the others are long
CASES = [
    pytest.param(*MISTAKES[name], id=name, marks=[] if name in ALWAYS else [pytest.mark.long]) for name in MISTAKES
]


@pytest.mark.parametrize(("flow", "change", "told"), CASES)
def test_a_mistake_is_told_and_leaves_everything_as_it_was(checkout, params, flow, change, told):
    before, known = checkout.hashes(*KEPT), len(parents(checkout))
    for name in ("one-class.csv", "empty.csv"):
        change = change.replace(name, str(params.parent / name))
    if change.startswith("data={"):
        change = change.replace("}", ", positive: null, labeled_rows: null, shards: 1, sampling: iid}")
    run = checkout.flow(flow, "--params", params, "--set", change, check=False)
    assert 2 == run.returncode, words(run)
    assert [] == [part for part in told if part not in words(run)], words(run)
    assert "Traceback" not in words(run)
    assert before == checkout.hashes(*KEPT)
    assert [] == [run for run in clients_runs(checkout) if run.info.status == "RUNNING"]
    assert all(run.info.status == "FAILED" for run in parents(checkout)[known:])


def test_a_mistake_in_dvc_repro_is_told_by_the_stage(clone):
    checkout = clone()
    params = checkout.path / "params.yaml"
    params.write_text(params.read_text().replace("folds: 10", "folds: 1"))
    run = checkout.run("dvc", "repro", check=False)
    assert run.returncode != 0
    assert "split.folds is 1: input should be greater than or equal to 2" in words(run)
    assert "Traceback" not in words(run)
    assert [] == [name for name in ("data/prepared", "mlruns") if (checkout.path / name).exists()]


def test_a_flow_without_its_input_names_what_is_missing(clone, server):
    run = clone(server).flow("select", check=False)
    assert 2 == run.returncode
    assert "data/prepared/data_hash.txt is missing; run the flow that writes it first" in words(run)
    assert "Traceback" not in words(run)


@pytest.mark.parametrize("name", ["greedy", "half-greedy"])
def test_a_candidate_that_cannot_fit_is_shown_as_failed_and_is_no_part_of_the_results(survived, name):
    checkout, run = survived
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


def test_if_no_candidate_is_left_the_run_fails(checkout, params):
    only = f"candidates=[{{name: greedy, estimator: {NEIGHBOURS}, params: {{n_neighbors: 1000}}}}]"
    run = checkout.flow("validate", "--params", params, "--set", only, check=False)
    assert 2 == run.returncode
    assert "candidates: all failed" in words(run)
    assert "Traceback" not in words(run)
    assert "FAILED" == parents(checkout)[-1].info.status
    assert "greedy failed" in parents(checkout)[-1].data.tags["failure"]
