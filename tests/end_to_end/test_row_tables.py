"""The tables about single rows after `dvc repro`: they agree with the losses, the estimates, and the user's table."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def reports(reproduced):
    return reproduced.path / "reports"


@pytest.fixture(scope="module")
def winner(reports):
    return json.loads((reports / "selection.json").read_text())["selected"]


def test_hard_rows_are_wrong_as_often_as_they_say_and_lie_in_the_users_table(reproduced, reports, winner):
    found = pd.read_csv(reports / "tables/hard_rows.csv")
    losses = pd.read_parquet(reproduced.path / "data/results/losses.parquet")
    table = losses[losses["scheme"] == "cross_validation"].pivot(index="row", columns="candidate", values="loss")
    wrong = (table > 0).sum(axis=1)
    assert {*wrong.index[wrong > table.shape[1] / 2]} == {*found["prepared_row"]}
    assert wrong[found["prepared_row"]].tolist() == found["candidates_wrong"].tolist()
    assert table[winner][found["prepared_row"]].tolist() == found["loss"].tolist()
    digits = load_digits(as_frame=True).frame
    labeled = pd.read_parquet(reproduced.path / "data/prepared/labeled.parquet")
    assert (digits["target"][found["row"]] == 1).astype(int).tolist() == found["label"].tolist()
    pixels = digits.columns.drop("target")
    assert np.array_equal(digits.loc[found["row"], pixels], labeled.loc[found["prepared_row"], pixels])


def test_shards_and_rows_to_label_agree_with_the_estimate(reproduced, reports, winner):
    shards, rows = (pd.read_csv(reports / f"tables/{name}.csv") for name in ("shards", "to_label"))
    estimates = pd.read_csv(reports / "estimates.csv").set_index(["candidate", "estimate"])
    disagreement = estimates.loc[(winner, "disagreement")]
    assert np.average(shards["disagreement"], weights=shards["rows"]) == pytest.approx(disagreement["value"], rel=1e-8)
    assert (shards["low"] < shards["disagreement"]).all()
    assert (shards["disagreement"] < shards["high"]).all()
    assert len(rows) == 100
    assert rows["disagreement"].is_monotonic_decreasing
    digits = load_digits(as_frame=True).frame.drop(columns="target")
    for line in rows.iloc[::20].to_dict("records"):
        shard = pd.read_parquet(reproduced.path / f"data/prepared/unlabeled/{line['shard']}.parquet")
        assert np.array_equal(digits.loc[line["row"]], shard.loc[line["prepared_row"]])


def test_the_roc_curve_has_the_area_of_the_metrics_and_each_table_has_its_section(reports):
    roc, metrics = (pd.read_csv(reports / f"tables/{name}.csv") for name in ("roc", "metrics"))
    [auc] = metrics["value"][metrics["metric"] == "auc"]
    assert np.trapezoid(roc["true_positive_rate"], roc["false_positive_rate"]) == pytest.approx(auc, rel=1e-8)
    assert {"test set"} == {*roc["part"]}
    page = (reports / "report.html").read_text()
    for name in ("winner-curves", "hard-rows", "shard-disagreement", "to-label"):
        assert f'id="{name}"' in page
