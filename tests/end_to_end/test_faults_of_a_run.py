"""Faults around a real run: data that change meanwhile, and what a shell leaves in the environment."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from mlflow import MlflowClient

pytestmark = pytest.mark.long
INHERITED = {
    "MLFLOW_RUN_ID": "0" * 32,
    "MLFLOW_EXPERIMENT_ID": "77",
    "MLFLOW_TRACKING_URI": "http://127.0.0.1:9",
    "MLFLOW_REGISTRY_URI": "http://127.0.0.1:9",
    "PYTHONIOENCODING": "ascii",
}


@pytest.mark.fault("environment")
def test_what_a_shell_inherits_from_other_work_is_ignored(clone, server, write_params):
    checkout = clone(server)
    write_params(checkout.path / "params.yaml", execution={"workers": 1})
    inherited = dataclasses.replace(checkout, own={**checkout.own, **INHERITED})
    done = inherited.flow("validate", "--promote")
    assert "models:/digits@champion" in " ".join(done.stdout.split())
    assert (done.stdout + done.stderr).isascii()


@pytest.mark.fault("changed data")
@pytest.mark.parametrize("command", [("python", "-m", "flows", "validate", "--promote"), ("dvc", "repro")])
def test_a_table_that_changes_during_the_run_fails_it(clone, server, write_params, command):
    checkout = clone(server)
    x = np.random.default_rng(0).normal(size=(120, 2))
    table = pd.DataFrame(x, columns=["a", "b"]).assign(target=(x[:, 0] > 0).astype(int))
    path = checkout.path / "data/raw/table.csv"
    table.to_csv(path, index=False)
    data = {"source": "data/raw/table.csv", "target": None, "positive": None, "labeled_rows": 60}
    write_params(checkout.path / "params.yaml", data=data, execution={"workers": 1})
    said = checkout.path.parent / "said.txt"
    with said.open("w") as file:
        process = checkout.start(*command, stdout=file, stderr=file)
        checkout.wait_until(lambda: "holdout and final: " in said.read_text(), process, seconds=300)
        table.iloc[::-1].to_csv(path, index=False)
        process.wait(300)
    words = said.read_text()
    assert (2 if command[0] == "python" else 255) == process.returncode, words
    assert "data/raw/table.csv changed during the run" in words
    assert "Traceback" not in words
    client = MlflowClient(f"sqlite:///{checkout.path}/mlruns/mlflow.db")
    (run,) = client.search_runs(["1"], "tags.`mlflow.parentRunId` IS NULL")
    assert "FAILED" == run.info.status
    assert [] == client.search_model_versions("")
    checkout.run(*command)  # and the next run is of the new table
