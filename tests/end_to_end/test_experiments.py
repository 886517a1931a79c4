"""DVC experiments: parameters varied from the command line, the run recorded by git."""

import json

import pandas as pd
import pytest
import yaml

from tasks.params import load


@pytest.mark.long
def test_an_experiment_changes_one_parameter_and_leaves_the_others_as_they_were(clone):
    checkout = clone()
    before = yaml.safe_load((checkout.path / "params.yaml").read_text())
    checkout.run("dvc", "exp", "run", "--name", "five-folds", "-S", "split.folds=5")
    partition = pd.read_parquet(checkout.path / "data/prepared/partition.parquet")
    assert {*range(5)} == {*partition["fold"]}
    text = (checkout.path / "params.yaml").read_text()
    before["split"]["folds"] = 5
    assert before == yaml.safe_load(text)
    assert 5 == load(checkout.path / "params.yaml").split.folds
    assert "source: sklearn:digits" in text
    assert "{" not in "".join(line for line in text.splitlines() if not line.startswith("#"))
    shown = json.loads(checkout.run("dvc", "params", "diff", "--json").stdout)
    assert {"split.folds": {"old": 10, "new": 5, "diff": -5}} == shown["params.yaml"]
    assert "five-folds" in checkout.run("dvc", "exp", "list", "--name-only").stdout
    assert {" M params.yaml", " M dvc.lock"} == {*checkout.git("status", "--porcelain").splitlines()}
    assert "up to date" in checkout.run("dvc", "status").stdout
