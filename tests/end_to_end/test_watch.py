"""`python -m flows watch` as a user runs it: every shard once, an alarm on drift, and a history that stays."""

import json

import numpy as np
import pandas as pd
import pytest
from mlflow import MlflowClient

from flows import watch as flow
from heldout.monitoring.alarm import Alarm, RunningMean
from heldout.monitoring.column_alarm import ColumnAlarm
from tasks.outcome.fixed_reference import FixedReference
from tasks.outcome.watched_shards import WatchRecord
from tasks.params import load
from tasks.storage import watch_files
from tasks.storage.watch_files import WatchedShard
from tests.end_to_end.conftest import ROOT
from tests.end_to_end.foreign_page import ask, with_secret

COLUMNS = ["shard", "rows", "disagreement", "low", "high", "evidence", "alarm"]
COLUMNS += ["evidence_of_columns", "alarm_of_columns", "columns"]


class Stop(Exception):
    """A run ends here."""


STEPS = ("_print", "alarm_raised", "log_lines", "enter", "draw", "log_picture")


@pytest.mark.parametrize("last", STEPS)
def test_a_line_counts_as_told_when_all_were_told_and_the_picture_comes_last(monkeypatch, last):
    told, written = [], []
    for name in STEPS:

        def tell(*_, name=name):
            told.append(name)
            if name == last:
                raise Stop

        monkeypatch.setattr(flow, name, tell)
    monkeypatch.setattr(watch_files, "write_state", written.append)
    alarm = Alarm.of([[0.0, 1.0]])
    line = WatchedShard("shard-00000", 100, 0.1, 0.05, 0.2, 1e270, alarm=True)
    mean = RunningMean(0.1, 0.0)
    rows = pd.DataFrame({"x": [0.0, 1.0]})
    columns, reference = ColumnAlarm.of(rows, [rows]), FixedReference(1, (1,), (), b"")
    of_alarms = (alarm, (), columns, mean)
    record = WatchRecord("run", "it", (), "zero_one", 1.0, (), reference, (0.0, 1.0), *of_alarms, (line,), ("hash",))
    with pytest.raises(Stop):
        flow._tell(load(ROOT / "params.yaml"), record)
    assert list(STEPS[: len(told)]) == told
    assert [state["told"] for state in written] == [1] * (last in ("draw", "log_picture"))


@pytest.mark.long
@pytest.mark.fault("hostile")
def test_an_alarm_that_was_stored_and_not_told_is_told_by_the_next_run(reproduced, tmp_path):
    checkout = reproduced.copy(tmp_path / "heldout")
    path = checkout.path
    rows = pd.read_parquet(path / "data/prepared/labeled.parquet")
    ones, others = (rows[rows["target"] == of].drop(columns="target") for of in (1, 0))
    for name, count in {"drift": 4_000, "later": 400}.items():  # half a one, half another digit: half models disagree
        mixed = [of.sample(count, replace=True, random_state=0).to_numpy() for of in (ones, others)]
        pd.DataFrame((mixed[0] + mixed[1]) / 2, columns=ones.columns).to_parquet(path / f"{name}.parquet")
    said = checkout.flow("watch", "--shard", "drift.parquet").stdout
    assert (path / "reports/watch.png").read_bytes().startswith(b"\x89PNG")
    state = json.loads((path / "reports/watch.json").read_text())
    assert state["lines"][-1]["evidence"] > 1e20
    # as a run leaves it that ends early
    (path / "reports/watch.json").write_text(json.dumps({**state, "told": len(state["lines"]) - 1}))
    again = checkout.flow("watch", "--shard", "later.parquet").stdout
    assert all("at drift the half models of" in one for one in (said, again))
    assert ["drift", "later"] == pd.read_csv(path / "reports/watch.csv")["shard"].tolist()[-2:]


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.fault("hostile")
def test_new_shards_are_watched_across_validations(clone, server, write_params):
    checkout = clone(server)
    path = checkout.path
    write_params(path / "params.yaml", covalidation={"repeats": 5})
    checkout.flow("validate", "--promote")

    def table() -> pd.DataFrame:
        return pd.read_csv(path / "reports/watch.csv", dtype=str)

    checkout.flow("watch")
    assert COLUMNS == list(table().columns)
    assert ["shard-00000", "shard-00001"] == table()["shard"].tolist()

    rows = pd.concat([pd.read_parquet(one) for one in sorted((path / "data/prepared/unlabeled").glob("*.parquet"))])
    drifted = rows.sample(4_000, replace=True, random_state=1)  # two shards say little of how alike the rows of one are
    noise = np.random.default_rng(0).normal(0, 8, size=drifted.shape)
    (path / "new").mkdir()
    rows.sample(200, random_state=0).to_parquet(path / "new/=1+1 [b]<i>.parquet")
    (drifted + noise).clip(0, 16).to_csv(path / "new/drift.csv", index=False)
    said = checkout.flow("watch", "--shard", "new").stdout
    assert ["'=1+1 [b]<i>", "drift"] == table()["shard"].tolist()[2:]
    assert ["false"] * 3 + ["true"] == table()["alarm"].tolist()
    assert "ALARM" in said
    assert (path / "reports/watch.png").read_bytes().startswith(b"\x89PNG")
    before = (path / "reports/watch.csv").read_bytes()

    checkout.flow("validate", "--promote")  # the next night: the same champion
    assert before == (path / "reports/watch.csv").read_bytes()
    status = checkout.run("dvc", "status").stdout
    assert "watch" not in status
    rows.sample(200, random_state=2).to_csv(path / "new/later.csv", index=False)
    checkout.flow("watch", "--shard", "new/later.csv")
    assert before == b"".join((path / "reports/watch.csv").read_bytes().splitlines(keepends=True)[:-1])
    evidence = table()["evidence"].astype(float)
    assert evidence[2] < 1 < evidence[4] < evidence[3]  # what was seen of the drift is not forgotten

    client = MlflowClient(f"sqlite:///{path}/mlruns/mlflow.db")
    (run,) = client.search_runs([client.get_experiment_by_name("heldout watch").experiment_id])
    steps = client.get_metric_history(run.info.run_id, "disagreement")
    assert [*range(5)] == [metric.step for metric in steps]
    assert table()["disagreement"].astype(float).tolist() == pytest.approx([metric.value for metric in steps])

    def events() -> list[dict]:
        pages = server.url.removesuffix("/api")
        wanted = {"filter": {"event": {"name": ["heldout.over_time.alarm"]}}, "limit": 50}
        answer = ask(pages, "POST", "/api/events/filter", wanted, with_secret(pages, server.secret))
        return json.loads(answer.text)["events"]

    checkout.wait_until(events, seconds=30)
    assert ["drift"] == [event["payload"]["shard"] for event in events()]


def people(rows: int, seed: int, *, least: int = 17) -> pd.DataFrame:
    """Who works many hours earns much, at any age."""
    rng = np.random.default_rng(seed)
    age = np.maximum(rng.integers(17, 80, size=rows), rng.integers(least, 80, size=rows) if least > 17 else 0)
    hours = rng.normal(40, 10, size=rows).round(1)
    earns = np.where(hours + rng.normal(0, 4, size=rows) > 40, "much", "little")
    return pd.DataFrame({"age": age, "hours": hours, "earns": earns})


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_older_people_alone_raise_the_alarm_on_columns_and_not_that_of_the_half_models(clone, server, write_params):
    checkout = clone(server)
    path = checkout.path
    people(300, 0).to_csv(path / "people.csv", index=False)
    (path / "arrived").mkdir()
    for number in range(3):
        people(300, 1 + number).drop(columns="earns").to_csv(path / f"arrived/{number}.csv", index=False)
    data = {"source": "people.csv", "target": "earns", "positive": "much", "labeled_rows": None}
    logistic = {"name": "logistic", "estimator": "sklearn.linear_model.LogisticRegression"}
    logistic["preprocess"] = "sklearn.preprocessing.StandardScaler"
    bayes = {"name": "bayes", "estimator": "sklearn.naive_bayes.GaussianNB"}

    def validated(candidate: dict) -> None:
        unlabeled = {**data, "unlabeled": "arrived/*.csv"}
        write_params(path / "params.yaml", data=unlabeled, candidates=[candidate], covalidation={"repeats": 10})
        checkout.flow("validate")

    def arrives(name: str, rows: pd.DataFrame, *options: str) -> tuple[pd.Series, str]:
        rows.drop(columns="earns").to_csv(path / f"arrived/{name}.csv", index=False)
        said = checkout.flow("watch", *options)
        return pd.read_csv(path / "reports/watch.csv").set_index("shard").loc[name], said.stdout + said.stderr

    def reference() -> list[str]:
        return [one.name for one in (path / "reports").glob("watch-reference-*.parquet")]

    def told() -> list[str]:
        return [one["payload"]["reason"] for one in server.events("heldout.over_time.alarm")]

    validated(logistic)
    quiet, _ = arrives("quiet", people(100, 10))
    assert (False, False) == (quiet["alarm"], quiet["alarm_of_columns"])
    fixed = reference()
    old, said = arrives("old", people(100, 11, least=55).query("age >= 55"))
    assert (False, True) == (old["alarm"], old["alarm_of_columns"])
    assert old["columns"].startswith("age is above ")
    assert f"distributed otherwise than those of the reference: {old['columns']}" in said
    checkout.wait_until(lambda: any(old["columns"] in one for one in told()), seconds=30)
    assert [1] == [one.count(old["columns"]) for one in told() if old["columns"] in one]
    client = MlflowClient(f"sqlite:///{path}/mlruns/mlflow.db")
    runs = client.search_runs([one.experiment_id for one in client.search_experiments() if one.name.endswith(" watch")])
    assert [old["columns"] in run.data.tags["alarm"] for run in runs] == [True]
    assert runs[0].data.metrics["evidence_of_columns"] == pytest.approx(old["evidence_of_columns"])

    validated(bayes)  # its unlabelled rows are those of the old too; other half models are watched from now on
    older, said = arrives("older", people(100, 12, least=55).query("age >= 55"))
    assert (True, fixed) == (older["alarm_of_columns"], reference())
    assert older["evidence_of_columns"] > old["evidence_of_columns"]
    for number in range(13, 18):  # a person takes them for normal
        people(300, number, least=55).drop(columns="earns").to_csv(path / f"arrived/since-{number}.csv", index=False)
    validated(bayes)
    last, said = arrives("last", people(100, 20, least=55), "--new-reference")
    assert fixed != reference()
    assert "rows of 11 files" in said
    assert last["evidence_of_columns"] < older["evidence_of_columns"]
    normal, said = arrives("normal", people(100, 21, least=55), "--new-reference", "--since", "since-13")
    assert "1500 rows of 5 files" in said
    assert (False, True) == (normal["alarm_of_columns"], normal["evidence_of_columns"] < 1)
    young, _ = arrives("young", people(100, 22))
    assert young["alarm_of_columns"]
