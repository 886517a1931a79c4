"""init, with the real command: a stranger's CSV outside of the checkout, then `dvc repro`, with nothing edited."""

import json

import pandas as pd
import pytest
import yaml
from sklearn.datasets import load_breast_cancer

FEW_ROWS = 160


@pytest.fixture(scope="module")
def outside(tmp_path_factory):
    """patients.csv: a few columns of scikit-learn's breast cancer set, with an identifier and a leak planted."""
    loaded = load_breast_cancer(as_frame=True)
    frame = loaded.data.iloc[:, :4].assign(diagnosis=loaded.target.map({0: "malignant", 1: "benign"}))
    frame = frame.sample(FEW_ROWS, random_state=0).reset_index(drop=True)
    frame.insert(0, "patient", [f"P{7919 * row % 9973:04d}" for row in range(FEW_ROWS)])
    frame["stage"] = (frame["diagnosis"] == "malignant").astype(int)
    path = tmp_path_factory.mktemp("elsewhere") / "patients.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def begun(clone, outside):
    checkout = clone()
    return checkout, checkout.flow("init", outside, "--target", "diagnosis")


def test_it_says_what_it_left_out_and_keeps_the_old_parameters(begun):
    checkout, run = begun
    assert "dropped   patient: identifier: one-word strings, each once, as 'P" in run.stdout
    assert "leak      stage: it alone predicts the target; error 0 % out of fold" in run.stdout
    assert "next      dvc repro" in run.stdout
    assert ["patient", "stage"] == yaml.safe_load((checkout.path / "params.yaml").read_text())["data"]["drop"]
    assert checkout.git("show", "HEAD:params.yaml") == (checkout.path / "params.yaml.old").read_text()


def test_the_table_is_in_dvc_and_git_need_not_hold_it(begun, outside):
    checkout, _ = begun
    assert outside.read_bytes() == (checkout.path / "data/raw/patients.csv").read_bytes()
    assert "?? data/raw/patients.csv.dvc\n?? params.yaml.old\n" == "".join(
        line for line in checkout.git("status", "--short").splitlines(keepends=True) if line.startswith("??")
    )
    tracked = "data/raw/patients.csv.dvc"
    assert tracked not in checkout.run("dvc", "status", tracked, "--json").stdout


def test_a_second_time_changes_nothing(begun, outside):
    checkout, first = begun
    before = checkout.git("status", "--short"), (checkout.path / "params.yaml").read_text()
    again = checkout.flow("init", outside, "--target", "diagnosis")
    assert first.stdout.replace("; the old file is params.yaml.old", "") == again.stdout
    assert before == (checkout.git("status", "--short"), (checkout.path / "params.yaml").read_text())


def test_a_mistake_is_one_line_and_exit_code_2(begun, outside):
    checkout, _ = begun
    run = checkout.flow("init", outside, "--target", "diagnosys", check=False)
    assert 2 == run.returncode
    assert "error: --target is 'diagnosys', which is no column; did you mean 'diagnosis'?\n" == run.stderr


@pytest.mark.slow
def test_from_a_table_to_a_decision_without_an_edit(begun, outside):
    checkout, _ = begun
    checkout.run("dvc", "repro")
    selection = json.loads((checkout.path / "reports/selection.json").read_text())
    estimates = pd.read_csv(checkout.path / "reports/estimates.csv")
    own = estimates[estimates["candidate"] == selection["selected"]].set_index("estimate")
    assert {*selection["candidates"], "baseline"} == {*estimates["candidate"]}  # none failed
    assert selection["beats_baseline"] is True
    assert own.loc["E_cv", "value"] < 0.2
    assert 0 <= selection["E_test"] < 0.3
    assert "up to date" in checkout.run("dvc", "status").stdout
    frame = pd.read_csv(outside)
    frame.iloc[1:].to_csv(checkout.path / "data/raw/patients.csv", index=False)
    assert "prepare" in json.loads(checkout.run("dvc", "status", "--json").stdout)
