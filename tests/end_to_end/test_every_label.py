"""split.rows, with the real command: few rows for the estimates, every label for the delivered model."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from tasks.storage import model_file

ROWS, DIGITS = 60, 1797


@pytest.mark.long
def test_the_estimates_rest_on_some_rows_and_the_delivered_model_on_all(clone, server, write_params, tmp_path):
    checkout = clone(server)
    params = write_params(
        tmp_path / "params.yaml",
        data={"labeled_rows": None},
        split={"rows": ROWS},
        candidates=[
            {"name": "bayes", "estimator": "sklearn.naive_bayes.GaussianNB"},
            {"name": "neighbours", "estimator": "sklearn.neighbors.KNeighborsClassifier"},
        ],
    )
    printed = " ".join(checkout.flow("validate", "--params", params).stdout.split())
    prepared, reports = checkout.path / "data/prepared", checkout.path / "reports"
    selection = json.loads((reports / "selection.json").read_text())
    estimates = pd.read_csv(reports / "estimates.csv").set_index(["candidate", "estimate"])
    winner = selection["selected"]
    tested = len(pd.read_parquet(prepared / "test.parquet"))
    labelled = DIGITS - tested
    assert (labelled, {"estimates": ROWS, "labeled": labelled, "test": tested}) == (
        selection["rows_delivered"],
        selection["rows"],
    )
    for text in (printed, (reports / "report.html").read_text()):
        assert f"estimates on {ROWS} of {labelled} labelled rows" in text
    assert (
        f"trained on {ROWS} of {labelled} labelled rows (its training error)"
        == estimates.loc[("bayes", "E_in"), "target"]
    )
    assert (labelled, tested) == tuple(estimates.loc[(winner, "E_test"), ["n_train", "n_tested"]])
    assert ROWS == estimates.loc[(winner, "E_cv"), "n_tested"]
    assert ROWS == len(pd.read_parquet(prepared / "partition.parquet"))
    assert labelled - ROWS == sum(len(pd.read_parquet(path)) for path in (prepared / "unlabeled").iterdir())
    every, test = (pd.read_parquet(prepared / f"{name}.parquet") for name in ("all_labeled", "test"))
    expected = {"bayes": GaussianNB, "neighbours": KNeighborsClassifier}[winner]()
    expected.fit(every.drop(columns="target"), every["target"])
    found = model_file.load(checkout.path / "models/selected.skops")
    X = test.drop(columns="target")
    assert np.array_equal(expected.predict_proba(X), found.predict_proba(X))
    error = (expected.predict(X) != test["target"]).mean()
    assert selection["E_test"] == pytest.approx(error, rel=1e-9)
    assert ["estimates", "labeled", "test"] == list(selection["rows"])
    assert " to do" not in checkout.flow("select", "--params", params).stdout  # the fit was stored
