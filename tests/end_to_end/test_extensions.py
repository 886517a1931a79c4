"""The package of the documentation in a run: allowed, it is used up to the report; not allowed, it is refused."""

import csv
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.extensions import MODULE, install_example

USES = {
    "loss": "spherical",
    "selection": {"rule": "half_standard_error", "open_test": False},
    "further_estimates": ["E_worst_fold"],
}


@pytest.fixture(scope="module")
def checkout(clone, server, tmp_path_factory):
    """A clone whose Python has the package."""
    made = clone(server)
    made.own["PYTHONPATH"] = str(install_example(tmp_path_factory.mktemp("example")))
    return made


def waits(rows: int, seed: int, first: str) -> pd.DataFrame:
    """Durations as a clock shows them, but for the first of them, and a class that depends on them."""
    rng = np.random.default_rng(seed)
    seconds = rng.integers(60, 4000, rows)
    clock = [first, *(f"{each // 60}:{each % 60:02d}" for each in seconds[1:])]
    y = np.where(seconds + rng.normal(0, 900, rows) > 2000, "late", "early")
    return pd.DataFrame({"wait": clock, "age": rng.normal(size=rows), "y": y})


@pytest.mark.long
def test_a_run_uses_what_params_yaml_allows(checkout, write_params, tmp_path):
    execution = {"allowed_modules": ["sklearn", MODULE]}
    table, shard, later = (tmp_path / f"{name}.csv" for name in ("table", "shard", "later"))
    waits(120, 0, "90:00").to_csv(table, index=False)
    waits(60, 1, "soon").drop(columns="y").to_csv(shard, index=False)
    waits(60, 2, "1:02:03").drop(columns="y").to_csv(later, index=False)
    data = {"source": str(table), "target": "y", "positive": None, "columns": {"wait": "seconds"}}
    data |= {"unlabeled": str(shard), "labeled_rows": None}
    split = {"folds": 3, "test_fraction": 0}
    learners = {"bayes": "sklearn.naive_bayes.GaussianNB", "neighbours": "sklearn.neighbors.KNeighborsClassifier"}
    candidates = [{"name": name, "estimator": path, "preprocess": "auto"} for name, path in learners.items()]
    how = {"data": data, "split": split, "candidates": candidates, "execution": execution}
    params = write_params(tmp_path / "params.yaml", **how, **USES)
    said = checkout.flow("validate", "--params", params)
    assert "'wait': 1 of 60 values are no numbers in seconds, such as 'soon'" in said.stdout + said.stderr
    rows = pd.read_parquet(checkout.path / "data/prepared/labeled.parquet")
    assert ("float64", 5400) == (rows["wait"].dtype, rows["wait"].max())
    (unlabeled,) = (checkout.path / "data/prepared/unlabeled").glob("*.parquet")
    assert [True, *[False] * 59] == pd.read_parquet(unlabeled)["wait"].isna().tolist()
    checkout.flow("watch", "--params", params, "--shard", later)
    assert "later" in pd.read_csv(checkout.path / "reports/watch.csv")["shard"].tolist()
    with (checkout.path / "reports/estimates.csv").open() as file:
        lines = [*csv.DictReader(file)]
    worst = {line["candidate"]: float(line["value"]) for line in lines if line["estimate"] == "E_worst_fold"}
    usual = {line["candidate"]: float(line["value"]) for line in lines if line["estimate"] == "E_cv"}
    assert {"baseline", "bayes", "neighbours"} == {*worst}
    assert all(worst[name] >= usual[name] > 0 for name in worst)
    selection = json.loads((checkout.path / "reports/selection.json").read_text())
    assert "half_standard_error" == selection["rule"]
    assert "spherical" in (checkout.path / "reports/report.html").read_text()


@pytest.mark.long
def test_a_run_that_does_not_allow_it_says_so_before_any_fit(checkout, write_params, tmp_path):
    said = checkout.flow("validate", "--params", write_params(tmp_path / "params.yaml", **USES), check=False)
    assert 2 == said.returncode
    assert ": loss is 'spherical'; it must be one of zero_one, " in said.stderr
    assert "'half_standard_error'" in said.stderr


@pytest.mark.long
def test_dvc_stages_take_it_up_in_their_host(checkout, write_params):
    execution = {"allowed_modules": ["sklearn", MODULE]}
    write_params(checkout.path / "params.yaml", execution=execution, **USES)
    checkout.run("dvc", "repro")
    selection = json.loads((checkout.path / "reports/selection.json").read_text())
    assert "half_standard_error" == selection["rule"]
    stored = json.loads((checkout.path / "data/results/fits/settings.json").read_text())
    assert [True] == [each.startswith("heldout-example 1.0.0 ") for each in stored["extensions"]]


CLIENT = """
import heldout, pathlib
heldout.allow("heldout_example")
from heldout import extensions
from tasks.fits.dask_worker import Here, pack
pathlib.Path("task").write_bytes(pack(Here.now(), extensions.loaded, ()))
"""
WORKER = """
import os, pathlib, pickle
from tasks.fits import dask_worker
from tasks.runtime import own_code
task = pathlib.Path("task").read_bytes()
print(*(one.name for one in pickle.loads(dask_worker._perform(os.getcwd(), str(own_code.FOLDER), task))))
"""


@pytest.mark.long
def test_a_process_of_a_dask_worker_takes_up_what_its_client_has_and_refuses_another_version(checkout):
    checkout.run("python", "-c", CLIENT)
    assert "spherical" in checkout.run("python", "-c", WORKER).stdout
    with (Path(checkout.own["PYTHONPATH"]) / MODULE / "rule.py").open("a") as file:
        file.write("# edited\n")
    refused = checkout.run("python", "-c", WORKER, check=False)
    assert "extensions are heldout-example 1.0.0 " in refused.stderr
    assert "; install the same" in refused.stderr
