"""The champion with the real commands: trials change nothing, a better model replaces it, and there is a way back."""

import re
import sqlite3

import numpy as np
import pandas as pd
import pytest
from mlflow import MlflowClient

from tasks.outcome.chain import Head
from tasks.track.promote import PROMOTED

TREE = "sklearn.tree.DecisionTreeClassifier"
STUMP = [{"name": "stump", "estimator": TREE, "params": {"max_depth": 1, "random_state": 0}}]
DEEP = [{"name": "deep", "estimator": TREE, "params": {"random_state": 0}}]


def table(rows: int) -> pd.DataFrame:
    """The label is 1 where both numbers are high, but for 3 in 100: no single cut knows, and nobody is too good."""
    x, other = np.random.default_rng(1).random((rows, 2)), np.random.default_rng(2).random(rows) < 0.03
    return pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "label": ((x > 0.3).all(axis=1) ^ other).astype(int)})


def told(server) -> list[str]:
    """What the events of the champion say, the first at the beginning."""
    return [one["payload"]["promoted"] for one in server.events("heldout.champion.changed")]


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_a_champion_is_replaced_on_evidence_alone(clone, server, write_params):
    checkout = clone(server)
    params = checkout.path / "params.yaml"

    def write(rows: int, candidates, promote="scheduled"):
        table(rows).to_csv(checkout.path / "data/raw/table.csv", index=False)
        data = {"source": "data/raw/table.csv", "target": "label", "positive": None, "labeled_rows": None}
        changes = {"data": data, "split": {"folds": 3, "test_fraction": 0.5}, "covalidation": {"repeats": 1}}
        write_params(params, candidates=candidates, tracking={"promote": promote}, **changes)

    def state() -> tuple[dict[str, str], dict[str, str]]:
        """The aliases, and the tags of the newest validation."""
        client = MlflowClient(f"sqlite:///{checkout.path}/mlruns/mlflow.db")
        found = client.search_registered_models("name = 'table'")
        aliases = client.get_registered_model("table").aliases if found else {}
        experiment = client.get_experiment_by_name("heldout").experiment_id
        runs = client.search_runs([experiment], order_by=["attributes.start_time DESC"])
        newest = next(run for run in runs if "mlflow.parentRunId" not in run.data.tags)
        return {alias: str(version) for alias, version in aliases.items()}, newest.data.tags

    write(300, STUMP)
    said = checkout.flow("validate", "--set", "seed=1").stdout
    assert "not registered: seed is overridden" in " ".join(said.split())
    refused = checkout.flow("validate", "--promote", "--set", "seed=1", check=False)
    assert (2, True) == (refused.returncode, "seed is overridden" in refused.stderr)
    aliases, tags = state()
    assert ({}, "no") == (aliases, tags[PROMOTED].partition(":")[0])

    said = " ".join(checkout.flow("validate", "--promote").stdout.split())
    assert "models:/table@champion" in said
    aliases, tags = state()
    assert ({"champion": "1"}, "first") == (aliases, tags[PROMOTED].partition(":")[0])
    refused = checkout.flow("rollback", check=False)
    assert (2, True) == (refused.returncode, "no former champion" in refused.stderr)

    write(700, DEEP, promote="always")
    checkout.flow("validate")
    aliases, tags = state()
    assert ({"champion": "2"}, "yes") == (aliases, tags[PROMOTED].partition(":")[0])
    assert "capital" in tags[PROMOTED]

    said = checkout.flow("rollback", "--why", "it errs on Mondays").stdout
    assert "version 1 again" in said
    assert "deep is pinned since" in said
    assert {"champion": "1"} == state()[0]
    checkout.wait_until(lambda: told(server)[-1:] == ["rollback"], seconds=30)  # the server knows of other tests too
    assert ["first", "yes", "rollback"] == told(server)[-3:]
    payload = server.events("heldout.champion.changed")[-1]["payload"]
    assert re.search(r"^version 1, stump: E_(test|cv) [\d.]+ % \[[\d.]+–[\d.]+\] at 95 %$", payload["model"])
    assert payload["before"].startswith("version 2, deep: E_")
    assert "is version 1 again, instead of version 2: it errs on Mondays; deep is pinned since" in payload["reason"]
    assert {"E_cv", "E_cv_low", "E_cv_high", "E_cv_before", "E_cv_low_before"} <= {*payload}
    checkout.flow("verify", "--head", str(Head.parsed(payload["ledger"])))

    # the better learner is still there, with rows that no pair has bet on: they came before the rollback, or with it
    write(1000, DEEP, promote="always")
    said = checkout.flow("validate").stdout
    aliases, tags = state()
    assert ("1", "no") == (aliases["champion"], tags[PROMOTED].partition(":")[0])
    for text in (" ".join(said.split()), tags[PROMOTED]):
        assert "a pin prevents the promotion: deep is pinned since" in text
    checkout.wait_until(lambda: server.events("heldout.champion.prevented"), seconds=30)
    payload = server.events("heldout.champion.prevented")[-1]["payload"]
    assert "a pin prevents the promotion: deep is pinned since" in payload["reason"]
    assert payload["capital_needed"] == pytest.approx(40)

    write(1600, DEEP, promote="always")
    checkout.flow("validate")
    aliases, tags = state()
    assert ("yes", False) == (tags[PROMOTED].partition(":")[0], "1" == aliases["champion"])
    assert "it outweighs the pin" in tags[PROMOTED]

    assert "a capital of 80" in checkout.flow("rollback").stdout
    assert "1" == state()[0]["champion"]
    assert "released: deep" in checkout.flow("rollback", "--release").stdout
    write(2000, DEEP, promote="always")
    checkout.flow("validate")
    assert "1" != state()[0]["champion"]

    verified = checkout.flow("verify", "reports/report.html", "--export", "ledger.json")
    assert "verified: nothing was removed, changed or moved" in verified.stdout
    head = re.search(r"others to keep: (\d+ \w+)", verified.stdout)[1]
    elsewhere = checkout.flow("verify", "reports/selection.json", "--ledger", "ledger.json", "--head", head)
    assert "selection.json was written by the run of entry" in elsewhere.stdout
    with sqlite3.connect(checkout.path / "mlruns/mlflow.db") as connection:
        connection.execute("UPDATE latest_metrics SET value = value / 2 WHERE key = 'E_cv'")
    connection.close()
    found = checkout.flow("verify", "reports/report.html", check=False)
    assert (3, True) == (found.returncode, "a metric was changed" in found.stdout)
