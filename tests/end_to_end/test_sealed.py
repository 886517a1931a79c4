"""The test set stays sealed until `python -m flows open-test`; its rows are for one winner, new rows for the next."""

import json
import os
import pty

import numpy as np
import pandas as pd
import pytest
import yaml

from tasks.storage import model_file

pytestmark = pytest.mark.long
BAYES = {"name": "bayes", "estimator": "sklearn.naive_bayes.GaussianNB"}
TREE = {
    "name": "tree",
    "estimator": "sklearn.tree.DecisionTreeClassifier",
    "params": {"max_depth": 3, "random_state": 0},
}
WIDE = {"name": "wide", "estimator": "sklearn.naive_bayes.GaussianNB", "params": {"var_smoothing": 0.1}}
SEALED = {"selection": {"open_test": False}}


def table(n: int) -> pd.DataFrame:
    """Rows of a table that grows: a longer one begins with the rows of a shorter one."""
    random = np.random.default_rng(0)
    x = random.normal(size=(1000, 3))
    y = np.where(x[:, 0] + random.normal(size=1000) > 0, "yes", "no")
    return pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "y": y}).iloc[:n]


def own(write_params, checkout, *candidates, **changes):
    """Parameters for the table, as the checkout's own."""
    data = {"source": "data/raw/rows.csv", "target": "y", "positive": None, "labeled_rows": None}
    return write_params(checkout.path / "params.yaml", candidates=[*candidates], data=data, **SEALED, **changes)


def selection(checkout) -> dict:
    return json.loads((checkout.path / "reports/selection.json").read_text())


def rows_of_test(checkout) -> int:
    table = pd.read_csv(checkout.path / "reports/estimates.csv")
    return int(table.loc[(table["estimate"] == "E_test") & (table["candidate"] != "baseline"), "n_tested"].iloc[0])


@pytest.fixture
def mine(clone, server):
    checkout = clone(server)
    table(300).to_csv(checkout.path / "data/raw/rows.csv", index=False)
    return checkout


def test_a_person_opens_the_test_set_once_and_every_later_run_shows_the_same(mine, write_params):
    own(write_params, mine, BAYES)
    said = mine.flow("open-test", check=False)
    assert 2 == said.returncode
    assert "is missing" in said.stderr  # no run yet
    mine.flow("validate")
    before = selection(mine)
    rows = before["rows"]["test"]
    assert (None, rows, 0) == (before["E_test"], before["test_sealed"], before["test_openings"])
    assert f"The test set: no choice has used {rows} rows. They are for bayes alone, once. Open it? [y/N]" in answered(
        mine, "n"
    )
    assert before == selection(mine)
    answered(mine, "y")
    found = selection(mine)
    X = pd.read_parquet(mine.path / "data/prepared/test.parquet")
    model = model_file.load(mine.path / "models/selected.skops")
    assert np.mean(model.predict(X.drop(columns="target")) != X["target"]) == pytest.approx(found["E_test"], abs=1e-9)
    assert (0, 1, rows) == (found["test_sealed"], found["test_openings"], rows_of_test(mine))
    assert "up to date" in mine.run("dvc", "status").stdout


def answered(checkout, answer: str) -> str:
    """What `open-test` says in a terminal where a person gives this answer."""
    ours, theirs = pty.openpty()
    process = checkout.start("python", "-m", "flows", "open-test", stdin=theirs, stdout=-1)
    os.write(ours, f"{answer}\n".encode())
    said, _ = process.communicate(timeout=120)
    os.close(ours)
    os.close(theirs)
    assert 0 == process.returncode
    return said


def test_a_user_who_changes_his_mind_five_times_and_comes_back_with_new_rows(mine, write_params):
    changes = [
        ([BAYES], {}),
        ([BAYES, WIDE], {}),
        ([BAYES, WIDE], {"loss": "brier"}),
        ([TREE], {}),
        ([BAYES, TREE], {"split": {"folds": 4}}),
        ([TREE], {"seed": 3}),
    ]
    for candidates, more in changes:
        own(write_params, mine, *candidates, **more)
        mine.flow("validate")
        now = selection(mine)
        assert (None, None, now["rows"]["test"]) == (now["E_test"], now["test_refused"], now["test_sealed"])
    mine.flow("open-test")
    first = selection(mine)
    assert ("tree", 1, first["rows"]["test"]) == (first["selected"], first["test_openings"], rows_of_test(mine))
    opened = mine.hashes("reports", "models", "data/results")
    mine.flow("validate")
    assert opened == mine.hashes("reports", "models", "data/results")
    again = mine.flow("open-test", check=False)
    assert 2 == again.returncode
    assert "the test set was opened for tree, and has no further row" in again.stderr
    own(write_params, mine, BAYES)
    mine.flow("validate")
    assert "opened for 1 other winner;" in selection(mine)["test_refused"]
    table(500).to_csv(mine.path / "data/raw/rows.csv", index=False)
    said = " ".join(mine.flow("validate").stdout.split())
    grown = selection(mine)
    new = grown["rows"]["test"] - first["rows"]["test"]
    assert new > 20
    assert (None, None, new, 1) == tuple(grown[key] for key in ("E_test", "test_refused", "test_sealed", "test_others"))
    assert f"{new} rows that no choice has used, new since the test set was opened for 1 other winner" in said
    mine.flow("open-test")
    assert ("bayes", new, 0) == (selection(mine)["selected"], rows_of_test(mine), selection(mine)["test_sealed"])
    test = pd.read_parquet(mine.path / "data/prepared/test.parquet")
    added = table(500).iloc[300:].merge(test.rename(columns={"target": "y"}), on=["a", "b", "c", "y"])
    assert new == len(added)
    model = model_file.load(mine.path / "models/selected.skops")
    wrong = np.mean(model.predict(added[["a", "b", "c"]]) != added["y"])
    assert wrong == pytest.approx(selection(mine)["E_test"], abs=1e-9)
    assert yaml.safe_load((mine.path / "params.yaml").read_text())["selection"]["open_test"] is False
