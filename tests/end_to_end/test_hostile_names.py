"""Names that are markup, formulas, terminal codes or marks of direction: each door prints them, and none obeys."""

import csv
import html
import json
import sqlite3

import numpy as np
import pandas as pd
import pytest

from tests.end_to_end.foreign_page import ask, with_secret

pytestmark = pytest.mark.long

LUCK, FORMULA, SCRIPT, CODES, TURNED = "[/luck]", "=1+1", "<script>alert(1)</script>", "\x1b[2J\x1b[31mred", "\u202eabc"
CLASSES = ("[bold]", "=cmd|'/c calc'!A0")
OWN = """
from sklearn.naive_bayes import GaussianNB


class Fails(GaussianNB):
    def fit(self, X, y, sample_weight=None):
        raise ValueError("[/luck] <script>alert(2)</script> \\x1b[2J \\u202eabc")
"""


@pytest.fixture(scope="module")
def ran(clone, server, write_params, tmp_path_factory):
    """A whole validation of a table whose every name is hostile, and what it printed."""
    checkout, rng = clone(server), np.random.default_rng(0)
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "own.py").write_text(OWN)
    kind = rng.integers(0, 2, 160)
    table = pd.DataFrame(
        {
            LUCK: rng.integers(1, 4, 160),
            FORMULA: kind + rng.normal(size=160),
            SCRIPT: rng.choice([SCRIPT, TURNED], 160),
            CODES: rng.normal(size=160),
            TURNED: rng.normal(size=160),
            "@kind": np.array(CLASSES)[kind],
        }
    )
    table.to_csv(folder / "table.csv", index=False)
    shards = folder / "shards"
    shards.mkdir()
    table.drop(columns="@kind").to_csv(shards / "=1+1[luck].csv", index=False)
    table[[LUCK]].to_csv(shards / "<img src=x>[bold].csv", index=False)
    auto = {"preprocess": "auto"}
    candidates = [
        {"name": FORMULA, "estimator": "sklearn.naive_bayes.GaussianNB", **auto},
        {
            "name": "_weighed",
            "estimator": "sklearn.linear_model.LogisticRegression",
            "params": {"class_weight": dict.fromkeys(CLASSES, 1.0)},
            **auto,
        },
        {"name": "-fails", "estimator": "own.Fails", **auto},
    ]
    params = write_params(
        folder / "params.yaml",
        data={
            "source": str(folder / "table.csv"),
            "target": "@kind",
            "positive": None,
            "labeled_rows": None,
            "unlabeled": str(shards),
            "on_bad_shard": "skip",
            "weight": LUCK,
            "columns": {SCRIPT: "category"},
        },
        report={"slices": [SCRIPT]},
        candidates=candidates,
        execution={"allowed_modules": ["sklearn", "own"]},
    )
    done = checkout.flow("validate", "--params", params)
    return checkout, done.stdout + done.stderr


@pytest.mark.fault("markup")
def test_the_terminal_prints_names_as_they_are_and_obeys_none(ran):
    _, said = ran
    for name in (FORMULA, "-fails", f"rows count by {LUCK}", "=1+1[luck].csv", "<img src=x>[bold].csv"):
        assert name in said
    assert r"[/luck] <script>alert(2)</script> \x1b[2J \u202eabc" in " ".join(said.split())
    assert [] == [letter for letter in set(said) if not letter.isprintable() and letter != "\n"]


@pytest.mark.fault("markup")
def test_the_page_shows_names_and_has_no_element_of_theirs(ran):
    page = (ran[0].path / "reports/report.html").read_text()
    assert html.escape(SCRIPT) in page
    assert LUCK in page
    for element in ("<script", "<img src=x", "<b>", "\x1b", "\u202e"):
        assert element not in page


@pytest.mark.fault("markup")
def test_prefect_and_mlflow_keep_the_names(ran, server):
    root = server.url.removesuffix("/api")
    answer = ask(
        root, "POST", "/api/logs/filter", {"limit": 200, "sort": "TIMESTAMP_DESC"}, with_secret(root, server.secret)
    )
    lines = [line["message"] for line in json.loads(answer.text)]
    assert [line for line in lines if "=1+1[luck].csv" in line]
    assert [] == [line for line in lines if "\x1b" in line or "\u202e" in line]
    with sqlite3.connect(ran[0].path / "mlruns/mlflow.db") as database:
        params = dict(database.execute("SELECT key, value FROM params"))
        runs = dict(database.execute("SELECT name, status FROM runs"))
    assert params["params.class_weight"] == str(dict.fromkeys(CLASSES, 1.0))
    assert params["data.columns"] == str({SCRIPT: "category"})
    assert {FORMULA: "FINISHED", "_weighed": "FINISHED", "-fails": "FAILED"}.items() <= runs.items()


@pytest.mark.fault("hostile")
def test_no_text_of_a_csv_is_a_formula(ran):
    paths = sorted((ran[0].path / "reports").rglob("*.csv"))
    cells = {cell for path in paths for line in csv.reader(path.open(newline="")) for cell in line}
    assert {f"'{FORMULA}", "'-fails", f"'{CLASSES[1]}", f"'@kind={CLASSES[0]}"} <= cells | {"'-fails"}
    assert [] == [cell for cell in cells if cell[:1] in "=+-@\t\r" and cell and not _is_number(cell)]


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
