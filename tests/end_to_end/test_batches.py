"""Nights of a deployment on a table that grows: a batch of wrong labels trains nothing, until a person decides."""

import contextlib
import json

import numpy as np
import pandas as pd
import psutil
import pytest
from mlflow import MlflowClient

from tasks.outcome.items import NOTE
from tasks.track.ledger_tags import KEY
from tasks.track.operations_ledger import entries
from tests.end_to_end.conftest import PrefectServer
from tests.end_to_end.serving import Serving

TREE = {"name": "tree", "estimator": "sklearn.tree.DecisionTreeClassifier", "params": {"max_depth": 3}}
BAYES = {"name": "bayes", "estimator": "sklearn.naive_bayes.GaussianNB"}
WRONG = range(600, 800)


def table(rows: int) -> pd.DataFrame:
    """Of every row of the third night 40 % have the other label."""
    z = np.random.default_rng(3).normal(size=(1200, 5))[:rows]
    yes = z[:, 0] + 0.8 * z[:, 1] + 0.7 * z[:, 4] > 0
    yes ^= np.isin(np.arange(rows), WRONG) & (np.random.default_rng(9).random(1200)[:rows] < 0.4)
    columns = {name: z[:, place].round(4) for place, name in enumerate("abcd")}
    return pd.DataFrame({**columns, "label": np.where(yes, "yes", "no")})


class Nights:
    """The checkout of the deployment, its store, and what the last night left."""

    def __init__(self, checkout) -> None:
        self.checkout, self.serving = checkout, Serving(checkout)

    def night(self, rows: int) -> None:
        table(rows).to_csv(self.checkout.path / "data/raw/table.csv", index=False)
        assert "Completed" in self.checkout.flow("trigger", "--wait").stdout
        # its process ends with it, and those that made the fits
        self.checkout.wait_until(lambda: not self.checkout.processes("loky"), seconds=30)

    @property
    def client(self) -> MlflowClient:
        return MlflowClient(f"sqlite:///{self.checkout.path}/mlruns/mlflow.db")

    def run(self):
        """The newest validation."""
        experiment = self.client.get_experiment_by_name("heldout").experiment_id
        runs = self.client.search_runs([experiment], order_by=["attributes.start_time DESC"])
        return next(run for run in runs if "mlflow.parentRunId" not in run.data.tags)

    def told_of_batches(self) -> list[dict]:
        """What the events of batches that were held back say."""
        secret = (self.checkout.path / ".cache/login").read_text().strip()
        server = PrefectServer(f"{self.serving.pages}/api", secret, self.checkout.path)
        return [one["payload"] for one in server.events("heldout.batch.quarantined")]

    def champion(self) -> str:
        return str(self.client.get_model_version_by_alias("table", "champion").version)

    def rows(self) -> set[int]:
        """The rows of the table that the newest run used, in any part."""
        parts = [pd.read_parquet(self.checkout.path / f"data/prepared/{name}.parquet") for name in ("labeled", "test")]
        used = pd.concat(parts).merge(table(1200).reset_index(), on=[*"abcd"], how="left")
        return {*used["index"]}

    def batches(self) -> list[dict]:
        return json.loads(self.checkout.flow("batch", "--json").stdout)


@pytest.mark.long
@pytest.mark.timeout(3000)
def test_a_batch_of_wrong_labels_is_held_back_over_a_restart_and_a_lost_file(clone, write_params):
    checkout = clone()
    data = {"source": "data/raw/table.csv", "target": "label", "positive": None, "labeled_rows": None}
    write_params(checkout.path / "params.yaml", progressive={"block": 100}, data=data, candidates=[BAYES, TREE])
    try:
        _nights(Nights(checkout))
    finally:
        for left in checkout.processes():
            with contextlib.suppress(psutil.NoSuchProcess):
                left.kill()


def _nights(nights: Nights) -> None:
    checkout, file = nights.checkout, nights.checkout.path / "quarantine.json"
    nights.serving.start()
    empty = file.read_bytes()
    nights.night(400)
    nights.night(600)
    assert ["accepted", "accepted"] == [one["state"] for one in nights.batches()]
    assert empty == file.read_bytes()
    champion, counted = nights.champion(), nights.run().data.metrics["E_champion_rows"]

    nights.night(800)
    held = nights.batches()[-1]
    number = held["number"]
    assert ("held", len(WRONG)) == (held["state"], held["rows"])
    assert "an error of the champion in" in held["reasons"][0]
    assert {*range(600)} == nights.rows()
    run = nights.run()
    assert (champion, counted) == (nights.champion(), run.data.metrics["E_champion_rows"])
    assert f"batch {number}: 200 new labelled rows held back" in run.data.tags["batch"]
    assert f"batch {number} are held back" in run.data.tags[NOTE]
    checkout.wait_until(nights.told_of_batches, seconds=30)
    (told,) = nights.told_of_batches()
    assert (number, 200) == (told["batch"], told["rows"])
    for report in ("report.html", "summary.md"):
        assert f"200 labelled rows of batch {number}" in (checkout.path / "reports" / report).read_text()
    whole = file.read_bytes()

    nights.serving.kill()  # no orderly end, another clone of git, and a cache that somebody removed
    file.unlink()
    nights.serving.start()
    nights.night(1000)
    assert whole == file.read_bytes()
    assert {*range(600), *range(800, 1000)} == nights.rows()
    assert "accepted" == nights.batches()[-1]["state"]
    assert nights.run().data.metrics["E_champion_rows"] > counted
    assert [told] == nights.told_of_batches()

    assert f"dropped: batch {number}" in checkout.flow("batch", "--drop", number, "--why", "a wrong export").stdout
    nights.serving.end()
    checkout.run("dvc", "repro")  # the other door
    assert {*range(600), *range(800, 1000)} == nights.rows()
    assert f"200 labelled rows of batch {number} are left out" in (checkout.path / "reports/report.html").read_text()
    assert f"released: batch {number}" in checkout.flow("batch", "--release", number).stdout
    checkout.run("dvc", "repro")
    assert {*range(1000)} == nights.rows()
    assert "verified: nothing was removed, changed or moved" in checkout.flow("verify").stdout


@pytest.mark.long
def test_nights_of_dvc_repro_examine_new_rows_and_are_on_the_morning_page(clone, write_params):
    """With tracking.promote: always each `dvc repro` is a night, and nothing else runs."""
    nights = Nights(clone())
    checkout = nights.checkout
    data = {"source": "data/raw/table.csv", "target": "label", "positive": None, "labeled_rows": None}
    write_params(
        checkout.path / "params.yaml",
        progressive={"block": 100},
        data=data,
        tracking={"promote": "always"},
        candidates=[BAYES, TREE],
    )

    def ended() -> list[dict]:
        return [entry.said for entry in entries(nights.client) if entry.kind == "night"]

    for rows in (400, 600, 800):
        table(rows).to_csv(checkout.path / "data/raw/table.csv", index=False)
        checkout.run("dvc", "repro")
    assert ["accepted", "accepted", "held"] == [one["state"] for one in nights.batches()]
    assert {*range(600)} == nights.rows()
    assert "up to date" in checkout.run("dvc", "status").stdout  # quarantine.json is as `prepare` read it
    assert [400, 600, 600] == [one["rows"] for one in ended()]
    assert nights.run().data.tags[KEY] == ended()[-1]["run"]

    table(900).drop(columns="label").to_csv(checkout.path / "data/raw/table.csv", index=False)
    assert 255 == checkout.run("dvc", "repro", check=False).returncode
    assert "the table lacks one of these" in ended()[-1]["failed"]
    looked = checkout.flow("history", check=False)
    assert 3 == looked.returncode
    assert looked.stdout.startswith("Look: the night of ")
    assert "held back" in looked.stdout


DELIVERIES = {
    "fewer decimals, and new rows": (
        lambda: table(483).assign(**{name: table(483)[name].round(3) for name in "abcd"}),
        400,
        483,
    ),
    "a column in another unit": (lambda: table(400).assign(a=100 * table(400)["a"]), 400, 400),
    "the day's rows alone": (lambda: table(440).iloc[400:], 400, 40),
}


@pytest.mark.slow
def test_a_night_is_held_before_anything_is_decided_where_rows_of_the_past_left_or_changed(clone, server, write_params):
    """Three deliveries, by `validate --promote` and by `dvc repro`; the repaired table needs no word of a person."""
    nights = Nights(clone(server))
    checkout = nights.checkout
    data = {"source": "data/raw/table.csv", "target": "label", "positive": None, "labeled_rows": None}
    write_params(
        checkout.path / "params.yaml",
        data=data,
        selection={"open_test": False},
        tracking={"promote": "always"},
        candidates=[BAYES, TREE],
    )

    def deliver(rows: pd.DataFrame) -> None:
        rows.to_csv(checkout.path / "data/raw/table.csv", index=False)

    deliver(table(400))
    validate = ("python", "-m", "flows", "validate", "--promote")
    lines = checkout.run(*validate).stdout.splitlines()
    (opens,) = (place for place, line in enumerate(lines) if "opens the sealed test set" in line)
    assert not [line for line in lines[:opens] if "batch" in line or "labelled" in line]  # before anything is done
    decided = {"champion", "contest", "compared", "opened", "reported"}
    before = [entry for entry in entries(nights.client) if entry.kind in decided]
    champion = nights.champion()
    for delivery, left, new in DELIVERIES.values():
        deliver(delivery())
        held = checkout.run(*(("dvc", "repro") if new == left else validate), check=False)
        assert held.returncode in (2, 255), held.stdout + held.stderr
        assert f"{left} of 400 rows of the past are not in the table as they were" in held.stderr
        assert f"{new} rows are new" in held.stderr
        one = nights.batches()[-1]
        assert ("held", left, new) == (one["state"], one["left"], one["rows"])
        assert before == [entry for entry in entries(nights.client) if entry.kind in decided]
        assert champion == nights.champion()
        assert 1 == len(nights.client.search_model_versions("name = 'table'"))
    looked = checkout.flow("history", check=False)
    assert 3 == looked.returncode
    assert looked.stdout.startswith("Look: the table is held, and no run uses it")

    deliver(table(480))
    checkout.run(*validate)
    assert ["dropped"] * 3 == [one["state"] for one in nights.batches() if one["left"]]
    assert ("accepted", 80) == (nights.batches()[-1]["state"], nights.batches()[-1]["rows"])
    assert "contest" in {entry.kind for entry in entries(nights.client)}
