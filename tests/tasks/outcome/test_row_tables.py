"""The tables about single rows and shards, from the files that the stages leave: with places in the user's table."""

import importlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

import heldout
from heldout.notebook.opened_test_set import Opened
from heldout.records import Estimate
from heldout.schemes.delivery import FORMS
from heldout.schemes.holdout import TARGET
from heldout.selection.selection import Selection
from tasks.fits import controls, half_model_disagreement, run_schemes
from tasks.outcome import unlabeled_rows
from tasks.outcome.read_validation import read_validation
from tasks.params import load
from tasks.storage import files, report_tables

pytestmark = pytest.mark.slow
STAGES = ("prepare", "fit")
BAYES = {"name": "=bayes", "estimator": "sklearn.naive_bayes.GaussianNB"}
TREE = {
    "name": "tree",
    "estimator": "sklearn.tree.DecisionTreeClassifier",
    "params": {"max_depth": 1, "random_state": 0},
}
LINE = {"name": "line", "estimator": "sklearn.linear_model.LinearRegression"}
SMALL = {
    "data.source": "table.csv",
    "data.positive": None,
    "data.labeled_rows": None,
    "data.drop": ["house", "clock", "heavy"],
    "split.folds": 4,
    "progressive.block": 20,
    "covalidation.repeats": 2,
    "candidates": [BAYES, TREE],
}
CHANGED = (12, 40, 101)  # rows of the table whose label is another than their features say


@pytest.fixture
def table():
    """Two groups of rows far apart, a third of them without a label; labels that a spreadsheet would compute."""
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 150)
    made = pd.DataFrame({"x": rng.normal(size=150) + 8 * truth, "z": rng.normal(size=150)})
    label = truth.copy()
    label[[*CHANGED]] = 1 - label[[*CHANGED]]
    made["target"] = np.array(["=no", "@yes"], object)[label]
    made.loc[[row for row in range(0, 150, 3) if row not in CHANGED], "target"] = None
    return made.assign(house=np.arange(150) // 2, clock=np.arange(150), heavy=1 + np.arange(150) % 3)


@pytest.fixture
def ran(shipped, table, monkeypatch):
    """A function that runs the stages on the table, without Prefect, and returns what `select` reads first."""
    for module in (run_schemes, half_model_disagreement, controls):
        monkeypatch.setattr(
            module, "run_all", lambda _, _what, todo, _reused, **_more: [one.function(*one.arguments) for one in todo]
        )

    def run(rows=table, **changes):
        rows.to_csv("table.csv", index=False)
        written = yaml.safe_load(shipped.read_text(encoding="utf-8"))
        for key, value in {**SMALL, **{key.replace("__", "."): value for key, value in changes.items()}}.items():
            *section, name = key.split(".")
            (written[section[0]] if section else written)[name] = value
        Path("params.yaml").write_text(yaml.safe_dump(written), encoding="utf-8")
        for stage in STAGES:
            getattr(importlib.import_module(f"flows.{stage}"), stage).fn()
        settings = load("params.yaml")
        return settings, read_validation(settings)

    return run


@pytest.fixture
def blind(table):
    """The same rows with features that tell nothing, so that half models disagree."""
    x, z = np.random.default_rng(6).normal(size=(2, 150))
    return table.assign(x=x, z=z)


def hard(results):
    """The table about the first candidate, whoever would be chosen."""
    vars(results)["chosen"] = Selection([*results][0], "E_cv", "minimum", {}, ())
    report_tables.write(results)
    return report_tables.read(files.HARD_ROWS)


def test_changed_labels_are_found_in_the_users_table_and_no_label_is_a_formula(ran, table):
    _, results = ran()
    found = hard(results)
    labelled = files.read_table(files.TEST)[0]["x"].tolist()
    outside = [row for row in CHANGED if table["x"][row] not in labelled]  # of the test set
    assert len(outside) > 1
    assert outside == sorted(found["row"][found["candidates_wrong"] == 2])
    assert table["target"][found["row"]].tolist() == found["label"].tolist()
    other = {"=no": "@yes", "@yes": "=no"}
    assert [other[label] for label in found["label"][: len(outside)]] == found["answer"][: len(outside)].tolist()
    X = files.read_table(files.LABELED)[0]
    assert table["x"][found["row"]].tolist() == X["x"][found["prepared_row"]].tolist()
    assert results == heldout.load(results.save("saved"))
    assert ",'=no," in files.HARD_ROWS.read_text() or ",'@yes," in files.HARD_ROWS.read_text()

    # what is delivered was measured on an opened test set
    metrics = heldout.metrics_of([0, 1, 1], [0, 1, 0], [[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]])
    e_test = Estimate("=bayes", "E_test", 0.5, FORMS["final"].target, 9, 3)
    curves = results.with_opened(Opened(e_test, e_test, None, None, metrics.answered)).curves()
    assert {"candidate": "=bayes", "hypothesis": FORMS["final"].target, "part": "test set"} == curves.whose
    assert sum(line.rows for line in curves.calibration) == 3


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"split__rows": 40}, marks=pytest.mark.long),
        pytest.param({"data__groups": "house", "data__drop": ["clock", "heavy"]}, marks=pytest.mark.long),
        {"data__time": "clock", "data__drop": ["house", "heavy"]},
        pytest.param({"data__weight": "heavy", "data__drop": ["house", "clock"]}, marks=pytest.mark.long),
        pytest.param({"split__folds": "loo"}, marks=pytest.mark.long),
        pytest.param({"deliver": "k_fold"}, marks=pytest.mark.long),
        pytest.param({"split__repeats": 2}, marks=pytest.mark.long),
        {"loss": "log"},
        pytest.param({"loss": {"cost": {"=no": {"@yes": 3.0}, "@yes": {"=no": 1.0}}}}, marks=pytest.mark.long),
        pytest.param({"split__test_fraction": 0.0}, marks=pytest.mark.long),
    ],
    ids=str,
)
def test_each_way_to_validate_has_the_tables(ran, table, changes):
    _, results = ran(**changes)
    found = hard(results)
    assert len(found)
    assert {*found["row"][: 2 if "data__time" in changes else 1]} <= {*CHANGED}
    assert table["target"][found["row"]].tolist() == found["label"].tolist()
    shards = unlabeled_rows.disagreement_by_shard(results, "=bayes")
    assert [len(files.read_shard(path)) for path in files.shards()] == [line.rows for line in shards]
    rows = unlabeled_rows.to_label("=bayes")
    assert rows["disagreement"].is_monotonic_decreasing
    curves = results.curves()
    assert {"candidate": "=bayes", "hypothesis": TARGET, "part": "held-out rows"} == curves.whose
    held_out = results.design.splits("holdout")[0].validation
    assert len(held_out) == sum(line.rows for line in curves.calibration)
    assert len(curves.roc) > 1
    assert {"=bayes"} == {*report_tables.read(files.CALIBRATION)["candidate"]}


def test_numbers_have_residuals_and_the_farthest_row_first(ran, table):
    rng = np.random.default_rng(0)
    table["target"] = table["x"] + rng.normal(size=150)
    table.loc[5, "target"] += 100
    _, results = ran(table, candidates=[LINE], split__test_fraction=0.0)
    found = hard(results)
    assert (5, True) == (found["row"][0], found["candidates_wrong"].isna().all())
    assert float(found["answer"][0]) == pytest.approx(table["x"][5], abs=4)
    [g_minus], curves = results.target("line", "E_val"), results.curves()
    held_out = results.design.splits("holdout")[0].validation
    X, y = files.read_table(files.LABELED)
    expected = y[held_out] - g_minus.predict(X.iloc[held_out])
    assert sorted(line.residual for line in curves.residuals) == pytest.approx(sorted(expected))
    assert ([], []) == (curves.calibration, curves.roc)


def test_rows_to_label_are_found_where_the_user_has_them(ran, blind):
    ran(blind)
    found = unlabeled_rows.to_label("tree")
    assert len(found) > 5
    for line in found.to_dict("records"):
        shard = files.read_shard(files.UNLABELED / f"{line['shard']}.parquet")
        assert blind["x"][line["row"]] == shard["x"][line["prepared_row"]]
        assert pd.isna(blind["target"][line["row"]])
        assert "" == line["file"]


@pytest.mark.long
def test_rows_of_the_users_files_have_their_names_and_a_run_without_shards_no_line(ran, blind, checkout):
    (checkout / "new").mkdir()
    for name, part in (("march", blind[:60]), ("=april", blind[60:])):
        part[["z", "x"]].to_csv(f"new/{name}.csv", index=False)
    labelled = blind.dropna()
    _, results = ran(labelled, data__unlabeled="new")
    rows = unlabeled_rows.to_label("tree")
    assert {"new/march.csv", "new/=april.csv"} == {*rows["file"]}
    for line in rows.to_dict("records"):
        of_file = pd.read_csv(line["file"])
        shard = files.read_shard(files.UNLABELED / f"{line['shard']}.parquet")
        assert of_file["x"][line["row"]] == shard["x"][line["prepared_row"]]
    lines = unlabeled_rows.disagreement_by_shard(results, "tree")
    report_tables.write_shards(lines)
    assert ["new/=april.csv", "new/march.csv"] == report_tables.read(files.SHARD_DISAGREEMENT)["file"].tolist()
    _, results = ran(labelled)
    assert [] == unlabeled_rows.disagreement_by_shard(results, "tree")
    assert unlabeled_rows.to_label("tree").empty
