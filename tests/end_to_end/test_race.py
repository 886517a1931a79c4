"""A search, a race and finalists through `dvc repro` and the commands: who is left out, and what is not fitted."""

import json

import pytest
from mlflow import MlflowClient

import heldout
from tests.end_to_end.conftest import COMMIT
from tests.golden.configurations import ELEVEN

pytestmark = pytest.mark.long
_BREAKS = {"name": "breaks", "estimator": "sklearn.neighbors.KNeighborsClassifier", "params": {"n_neighbors": 5000}}
_TREE = {
    "name": "tree",
    "estimator": "sklearn.tree.DecisionTreeClassifier",
    "params": {"random_state": 0},
    "search": {"draws": 2, "values": {"max_depth": [4, 6, 8], "min_samples_leaf": "loguniform(1, 30)"}},
}
_STARTED = len(ELEVEN) + 3  # those of the search, and not the one that fails
RESULT = "data/results/fits/validation"
_CHANGES = {
    "data": {"labeled_rows": 300, "shards": 1},
    "progressive": {"block": "auto"},
    "candidates": [*ELEVEN, _TREE, _BREAKS],
    "selection": {"finalists": 3},
}


@pytest.fixture(scope="module")
def raced(clone, write_params):
    """A clone after `dvc repro` with a race, and what it printed."""
    checkout = clone()
    write_params(checkout.path / "params.yaml", **_CHANGES)
    checkout.git(*COMMIT, "-qam", "mine")
    planned = checkout.flow("plan").stdout
    return checkout, planned, checkout.run("dvc", "repro").stdout


def left_out(checkout, by: str) -> list[dict]:
    told = json.loads((checkout.path / "reports/selection.json").read_text())
    return [one for one in told["dropped"] if one["by"] == by]


def dropped(checkout) -> set[str]:
    """The names of all that were left out."""
    return {one["candidate"] for by in ("race", "finalists") for one in left_out(checkout, by)}


def test_those_that_guess_are_dropped_and_one_that_fails_is_not(raced):
    checkout, _, said = raced
    assert {f"coin {place}" for place in range(7)} == {one["candidate"] for one in left_out(checkout, "race")}
    assert f"7 of {_STARTED} candidates erred so much more" in " ".join(said.split())
    assert "others" in said
    assert "dropped after" in said
    assert "breaks" in said
    assert "failed" in said


def test_of_those_that_the_race_leaves_three_go_on(raced):
    checkout, _, said = raced
    last = left_out(checkout, "finalists")
    assert _STARTED - 7 - 3 == len(last)
    assert all(one["error"] >= one["error_against"] for one in last)
    assert "no finalist: " in said
    assert f"{len(last)} of {_STARTED} candidates got no further fits" in " ".join(said.split())


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
    assert page.count("dropped after") >= len(left_out(checkout, "race"))
    assert page.count("no finalist: ") >= len(left_out(checkout, "finalists"))
    client = MlflowClient(f"sqlite:///{checkout.path}/mlruns/mlflow.db")
    runs = client.search_runs([client.get_experiment_by_name("heldout").experiment_id])
    children = {run.info.run_name: run for run in runs if "mlflow.parentRunId" in run.data.tags}
    assert {name for name, run in children.items() if "dropped" in run.data.tags} == dropped(checkout)
    assert {name for name, run in children.items() if run.info.status == "FAILED"} == {"breaks"}
    (parent,) = (run for run in runs if "mlflow.parentRunId" not in run.data.tags)
    assert "&ensp;dropped" in parent.data.tags["mlflow.note.content"]


def test_the_ledger_counts_all_that_started(raced):
    checkout, _, _ = raced
    told = json.loads((checkout.path / "reports/selection.json").read_text())
    assert told["contamination"] == _STARTED


def test_no_fold_was_fitted_for_one_that_was_dropped(raced):
    checkout, _, _ = raced
    (reason,) = heldout.load(checkout.path / RESULT).failed.values()  # of `breaks`
    assert reason.startswith("block 1/")
    losses = checkout.run("python", "-c", _READ).stdout.split("\n")
    assert not {*losses} & dropped(checkout)


_READ = """
import pandas
print("\\n".join(pandas.read_parquet("data/results/losses.parquet")["candidate"].unique()))
"""


def test_fits_by_hand_drop_the_same_and_another_level_is_refused(raced):
    checkout, _, _ = raced
    before = heldout.load(checkout.path / RESULT)
    checkout.flow("fit", "--set", "execution.workers=1")
    after = heldout.load(checkout.path / RESULT)
    assert (before, before.dropped, before.failed) == (after, after.dropped, after.failed)
    refused = checkout.flow("select", "--set", "selection.level=0.9", check=False)
    assert refused.returncode == 2
    assert "selection.level is 0.9 here" in " ".join(refused.stderr.split())
