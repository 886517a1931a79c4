"""A user's table whose features say nothing: the result begins with the baseline, wherever it is read."""

import json

import numpy as np
import pandas as pd
import pytest
from mlflow import MlflowClient

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def noise(clone, server, write_params, tmp_path_factory):
    """300 rows, a quarter of them late, and two columns of noise; returns the checkout and what the run printed."""
    folder = tmp_path_factory.mktemp("noise")
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(300, 2)), columns=["a", "b"])
    table.assign(late=np.arange(300) % 4 == 0).to_csv(folder / "flights.csv", index=False)
    data = {"source": str(folder / "flights.csv"), "target": "late", "positive": None, "labeled_rows": None}
    tree = {"name": "tree", "estimator": "sklearn.tree.DecisionTreeClassifier", "params": {"max_depth": 5}}
    bayes = {"name": "bayes", "estimator": "sklearn.naive_bayes.GaussianNB"}
    params = write_params(
        folder / "params.yaml", data=data, split={"folds": 5}, candidates=[bayes, tree], covalidation={"repeats": 2}
    )
    checkout = clone(server)
    return checkout, " ".join(checkout.flow("validate", "--params", params).stdout.split())


def test_the_first_sentence_says_that_the_winner_is_not_shown_to_beat_it(noise):
    checkout, said = noise
    selection = json.loads((checkout.path / "reports/selection.json").read_text())
    assert selection["beats_baseline"] in (False, None)
    sentence = (
        f"{selection['selected']} {'does not' if selection['beats_baseline'] is False else 'is not shown to'} beat"
    )
    assert f"baseline {sentence} the baseline, which answers the most frequent class " in said
    assert said.index(sentence) < said.index(f"selected {selection['selected']}, by ")
    report = (checkout.path / "reports/report.html").read_text()
    stopped = f"Do not ship yet: {sentence} the baseline by the zero_one loss"
    assert ("not_yet", stopped) == (selection["verdict"], selection["advice"])
    assert said.endswith(stopped)
    assert f"<h1>{stopped}</h1>" in report
    assert report.index("<dt>") == report.index(f"<dt>decision</dt><dd>{stopped}")
    client = MlflowClient(f"sqlite:///{checkout.path}/mlruns/mlflow.db")
    runs = client.search_runs([client.get_experiment_by_name("heldout").experiment_id])
    (parent,) = [run for run in runs if "mlflow.parentRunId" not in run.data.tags]
    assert {"bayes", "tree"} == {run.info.run_name for run in runs if run is not parent}
    assert "not_yet" == parent.data.tags["verdict"]
    assert selection["baseline"] == pytest.approx(parent.data.metrics["baseline"], abs=1e-9)


def test_it_has_lines_of_its_own_and_counts_for_nothing(noise):
    checkout, _ = noise
    selection = json.loads((checkout.path / "reports/selection.json").read_text())
    estimates = pd.read_csv(checkout.path / "reports/estimates.csv")
    own = estimates[estimates["candidate"] == "baseline"].set_index("estimate")
    assert ["E_val", "E_cv", "E_test"] == list(own.index)
    labeled = pd.read_parquet(checkout.path / "data/prepared/labeled.parquet")["target"]
    test = pd.read_parquet(checkout.path / "data/prepared/test.parquet")["target"]
    assert [labeled.mean(), test.mean()] == pytest.approx(own.loc[["E_cv", "E_test"], "value"].tolist(), abs=1e-9)
    assert (["bayes", "tree"], 2) == (selection["candidates"], selection["contamination"])
    assert "baseline" not in selection["indistinguishable"]
    assert not (pd.read_parquet(checkout.path / "data/results/losses.parquet")["candidate"] == "baseline").any()
