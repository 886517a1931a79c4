"""`python -m flows watch` as a user runs it: every shard once, an alarm on drift, and a history that stays."""

import json

import numpy as np
import pandas as pd
import pytest
from mlflow import MlflowClient

from tests.end_to_end.foreign_page import ask, with_secret

COLUMNS = ["shard", "rows", "disagreement", "low", "high", "evidence", "alarm"]


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
    noise = np.random.default_rng(0).normal(0, 8, size=(200, rows.shape[1]))
    (path / "new").mkdir()
    rows.sample(200, random_state=0).to_parquet(path / "new/=1+1 [b]<i>.parquet")
    (rows.sample(200, random_state=1) + noise).clip(0, 16).to_csv(path / "new/drift.csv", index=False)
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
        wanted = {"filter": {"event": {"name": ["heldout.alarm"]}}, "limit": 50}
        answer = ask(pages, "POST", "/api/events/filter", wanted, with_secret(pages, server.secret))
        return json.loads(answer.text)["events"]

    checkout.wait_until(events, seconds=30)
    assert ["drift"] == [event["payload"]["shard"] for event in events()]
