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


def test_it_says_what_it_left_out_and_where_the_old_parameters_are(begun):
    checkout, run = begun
    assert "dropped   patient: identifier: one-word strings, each once, as 'P" in run.stdout
    assert "leak      stage: it alone predicts the target; error 0 % out of fold" in run.stdout
    assert "next      dvc repro" in run.stdout
    assert ["patient", "stage"] == yaml.safe_load((checkout.path / "params.yaml").read_text())["data"]["drop"]
    assert "; the old file is in git\n" in run.stdout


def test_the_table_is_in_dvc_and_git_has_its_entry(begun, outside):
    checkout, _ = begun
    table = checkout.path / "data/raw/patients.csv"
    assert outside.read_bytes() == table.read_bytes()
    assert " M data/raw.dvc\n M params.yaml\n M table_checks.yaml\n" == checkout.git("status", "--short")
    table.unlink()
    checkout.run("dvc", "checkout", "data/raw/patients.csv")
    assert outside.read_bytes() == table.read_bytes()


@pytest.mark.long
def test_a_second_time_changes_nothing(begun, outside):
    checkout, first = begun
    before = checkout.git("status", "--short"), (checkout.path / "params.yaml").read_text()
    again = checkout.flow("init", outside, "--target", "diagnosis")
    assert first.stdout.replace("; the old file is in git", "") == again.stdout
    assert before == (checkout.git("status", "--short"), (checkout.path / "params.yaml").read_text())


def test_a_mistake_is_one_line_and_exit_code_2(begun, outside):
    checkout, _ = begun
    run = checkout.flow("init", outside, "--target", "diagnosys", check=False)
    assert 2 == run.returncode
    assert "error: --target is 'diagnosys', which is no column; did you mean 'diagnosis'?\n" == run.stderr


@pytest.mark.long
def test_from_a_table_to_a_decision_without_an_edit(begun, outside):
    checkout, _ = begun
    ran = checkout.run("dvc", "repro")
    assert "is empty" not in ran.stdout + ran.stderr  # of a table without unlabelled rows
    selection = json.loads((checkout.path / "reports/selection.json").read_text())
    estimates = pd.read_csv(checkout.path / "reports/estimates.csv")
    own = estimates[estimates["candidate"] == selection["selected"]].set_index("estimate")
    assert {*selection["candidates"], "baseline"} == {*estimates["candidate"]}  # none failed
    assert selection["beats_baseline"] is True
    assert own.loc["E_cv", "value"] < 0.2
    assert (None, None) == (selection["E_test"], selection["test_refused"])
    assert selection["test_sealed"] == selection["rows"]["test"]
    assert "sealed: " in ran.stdout
    checkout.flow("open-test")
    opened = json.loads((checkout.path / "reports/selection.json").read_text())
    assert (0, 1) == (opened["test_sealed"], opened["test_openings"])
    assert 0 <= opened["E_test"] < 0.3
    assert "up to date" in checkout.run("dvc", "status").stdout
    assert selection["advice"] in ran.stdout
    report = (checkout.path / "reports/report.html").read_text()
    assert "stage: it alone predicts the target; error 0 % out of fold" in report  # what init found
    tracked = (checkout.path / "table_checks.yaml").read_text()
    (checkout.path / "table_checks.yaml").write_text(tracked.replace("topic: leak", "topic: leek"))
    refused = checkout.run("dvc", "repro", check=False)
    assert "findings[0].topic is 'leek'" in refused.stdout + refused.stderr
    (checkout.path / "table_checks.yaml").write_text(tracked)
    frame = pd.read_csv(outside)
    frame.iloc[1:].to_csv(checkout.path / "data/raw/patients.csv", index=False)
    assert "prepare" in json.loads(checkout.run("dvc", "status", "--json").stdout)


@pytest.mark.long
def test_a_table_of_another_country_is_read_as_it_is_written(begun, tmp_path):
    checkout, _ = begun
    path = tmp_path / "kunden.csv"
    row = "{0};{1},{2};{3:02d}/{4:02d}/11;€{5}.{6:03d}\n"
    path.write_text(
        "nummer;maß;tag;umsatz\n"
        + "".join(row.format(7 * n % 90, n % 13, n % 10, 1 + n % 9, 1 + n % 7, 1 + n % 8, 3 * n) for n in range(90))
    )
    run = checkout.flow("init", path, "--target", "umsatz", "--dayfirst")
    words = [line.split()[:2] for line in run.stdout.splitlines()]
    for finding in (["found", "columns"], ["found", "maß,"], ["parsed", "umsatz:"], ["parsed", "tag:"]):
        assert finding in words
    form = yaml.safe_load((checkout.path / "params.yaml").read_text())["data"]["read"]
    assert {"separator": "semicolon", "decimal": "comma", "dayfirst": True} == form
    run = checkout.flow("init", path, "--target", "umsatz", "--sep", ":", check=False)
    assert (2, True) == (run.returncode, run.stderr.startswith("error: --sep is ':'"))
