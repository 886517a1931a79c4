"""A race through `dvc repro` and the commands: what is dropped, what is said of it, and what is not fitted."""

import json

import pytest
from mlflow import MlflowClient

from tests.end_to_end.conftest import COMMIT, ELEVEN

pytestmark = pytest.mark.slow
_BREAKS = {"name": "breaks", "estimator": "sklearn.neighbors.KNeighborsClassifier", "params": {"n_neighbors": 5000}}
_CHANGES = {
    "data": {"labeled_rows": 300, "shards": 1},
    "progressive": {"block": "auto"},
    "candidates": [*ELEVEN, _BREAKS],
}


@pytest.fixture(scope="module")
def raced(clone, write_params):
    """A clone after `dvc repro` with a race, and what it printed."""
    checkout = clone()
    write_params(checkout.path / "params.yaml", **_CHANGES)
    checkout.git(*COMMIT, "-qam", "mine")
    planned = checkout.flow("plan").stdout
    return checkout, planned, checkout.run("dvc", "repro").stdout


def dropped(checkout) -> set[str]:
    told = json.loads((checkout.path / "reports/selection.json").read_text())
    return {one["candidate"] for one in told["dropped"]}


def test_those_that_guess_are_dropped_and_one_that_fails_is_not(raced):
    checkout, _, said = raced
    assert {f"coin {place}" for place in range(7)} == dropped(checkout)
    assert "7 of 11 candidates erred so much more" in " ".join(said.split())
    assert "others" in said
    assert "dropped after" in said
    assert "breaks" in said
    assert "failed" in said


def test_the_plan_says_what_a_race_may_spare(raced):
    _, planned, _ = raced
    assert "fits are the most" in planned


def test_a_plan_after_the_run_has_nothing_left_to_do(raced):
    checkout, _, _ = raced
    planned = json.loads(checkout.flow("plan", "--json").stdout)
    assert planned["race"]["expected"] == planned["to_do"]
    for name in dropped(checkout):
        assert {*planned["fits"][name].values()} <= {0, "no fit"}


def test_every_page_has_a_line_for_each(raced):
    checkout, _, _ = raced
    page = (checkout.path / "reports/report.html").read_text()
    assert page.count("dropped after") >= len(dropped(checkout))
    assert "left out before: 7 by a race" in page
    client = MlflowClient(f"sqlite:///{checkout.path}/mlruns/mlflow.db")
    runs = client.search_runs([experiment.experiment_id for experiment in client.search_experiments()])
    children = {run.info.run_name: run for run in runs if "mlflow.parentRunId" in run.data.tags}
    assert {name for name, run in children.items() if "dropped" in run.data.tags} == dropped(checkout)
    assert {name for name, run in children.items() if run.info.status == "FAILED"} == {"breaks"}
    (parent,) = (run for run in runs if "mlflow.parentRunId" not in run.data.tags)
    assert "&ensp;dropped" in parent.data.tags["mlflow.note.content"]


def test_the_ledger_counts_all_that_started(raced):
    checkout, _, _ = raced
    told = json.loads((checkout.path / "reports/selection.json").read_text())
    assert told["contamination"] == len(ELEVEN)


def test_no_fold_was_fitted_for_one_that_was_dropped(raced):
    checkout, _, _ = raced
    for stage in ("holdout", "cross_validation", "covalidation"):
        failures = json.loads((checkout.path / f"data/results/{stage}/failures.json").read_text())
        assert failures == {}  # `breaks` is recorded where it failed
    (reason,) = json.loads((checkout.path / "data/results/progressive/failures.json").read_text()).values()
    assert reason.startswith("block 1/")
    losses = checkout.run("python", "-c", _READ).stdout.split("\n")
    assert not {*losses} & dropped(checkout)


_READ = """
import pandas
print("\\n".join(pandas.read_parquet("data/results/losses.parquet")["candidate"].unique()))
"""


def test_a_run_by_hand_drops_the_same_and_one_without_a_race_none(raced, tmp_path):
    checkout, _, _ = raced
    before = (checkout.path / "data/results/race.json").read_bytes()
    checkout.flow("progressive", "--set", "execution.workers=1")
    assert before == (checkout.path / "data/results/race.json").read_bytes()
    refused = checkout.flow("cross_validation", "--set", "selection.level=0.9", check=False)
    assert refused.returncode == 2
    assert "run `python -m flows progressive` first" in " ".join(refused.stderr.split())


def test_finalists_of_numbers_through_the_run_and_every_page(clone, write_params):
    """A squared loss has no limit, so that nobody is dropped by evidence; the plan and the pages say who went on."""
    checkout = clone()
    trees = {"name": "tree", "estimator": "sklearn.tree.DecisionTreeRegressor", "params": {"random_state": 0}}
    search = {"draws": 4, "values": {"max_depth": [2, 3, 4, 5, 6], "min_samples_leaf": "loguniform(1, 30)"}}
    changes = {
        "data": {"source": "sklearn:diabetes", "positive": None, "labeled_rows": None, "shards": 1},
        "candidates": [{**trees, "search": search}],
        "selection": {"finalists": 2},
    }
    write_params(checkout.path / "params.yaml", **changes)
    checkout.git(*COMMIT, "-qam", "mine")
    said = " ".join(checkout.run("dvc", "repro").stdout.split())
    told = json.loads((checkout.path / "reports/selection.json").read_text())
    assert [("finalists", True)] * 3 == [(one["by"], one["error"] >= one["error_against"]) for one in told["dropped"]]
    assert told["contamination"] == 5
    assert "no finalist: " in said
    page = (checkout.path / "reports/report.html").read_text()
    assert "left out before: 3 as no finalist" in page
    assert "3 of 5 candidates got no further fits" in page
