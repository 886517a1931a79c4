"""Notifications of real runs: what is sent, and that the receiver's address is stored nowhere."""

import pandas as pd
import pytest
from mlflow import MlflowClient

from flows.notify import notify
from tasks.outcome import to_do
from tasks.params import load
from tasks.track.morning import of_settings
from tasks.track.operations_ledger import append
from tasks.track.store import connect
from tests.end_to_end.conftest import ROOT
from tests.receiver import TOKEN, receiving


def with_token(*folders) -> list[str]:
    """The files below some folders that contain the secret."""
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return [str(path) for path in files if TOKEN.encode() in path.read_bytes()]


@pytest.fixture
def settings(monkeypatch, tmp_path):
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.chdir(tmp_path)  # what is open is read from a store below
    return lambda receiver: load(ROOT / "params.yaml", [f"operations.notify={receiver.address}"])


def test_the_text_is_for_people_and_the_numbers_are_finite(settings):
    payload = {"shard": "shard-00003", "evidence": 41.5, "rows": 200, "low": float("nan"), "alarm": True, "high": None}
    with receiving() as receiver:
        notify(settings(receiver), "heldout.over_time.alarm", {**payload, "reason": "drift\nagain"})
        notify(settings(receiver), "heldout.champion.kept", payload)
    (message,) = receiver.messages
    assert {"evidence": 41.5, "rows": 200} == message["numbers"]
    first, *more = message["text"].split("\n")
    assert first.startswith("Look: the rows have changed; ")
    assert first.endswith(" (digits, sklearn:digits)")
    assert ["shard: shard-00003", "drift again"] == more
    assert ("heldout.over_time.alarm", "") == (message["event"], message["run"])


def test_a_receiver_that_refuses_is_a_line_in_the_log_without_its_address(settings, caplog):
    with receiving("500") as receiver:
        notify(settings(receiver), "heldout.run.failed", {"reason": "no"})
    (line,) = [record.getMessage() for record in caplog.records if record.name == "heldout"]
    assert "500" in line
    assert "heldout.run.failed" in line
    assert TOKEN not in line


@pytest.mark.slow
@pytest.mark.fault("secrets")
def test_the_first_champion_is_sent_and_the_address_is_stored_nowhere(validated, server, receiver):
    (message,) = [one for one in receiver.messages if one["event"] == "heldout.champion.changed"]
    client = MlflowClient(f"sqlite:///{validated.path}/mlruns/mlflow.db")
    champion = client.get_model_version_by_alias("digits", "champion")
    estimates = pd.read_csv(validated.path / "reports/estimates.csv").set_index(["candidate", "estimate"])["value"]
    first, *more = message["text"].split("\n")
    summary = (validated.path / "reports/summary.md").read_text()
    advice = next(line for line in more if line.startswith("advice: "))
    assert advice.removeprefix("advice: ").partition(";")[0] in summary
    assert first.startswith("Nothing to do: the first champion")
    assert "first champion of source sklearn:digits" in more[-1]
    assert any(line.startswith("model: version 1 of digits") for line in more)
    assert any(line.startswith("error: ") and "at 95 %" in line for line in more)
    assert message["run"].endswith(f"/runs/{champion.run_id}")
    winner = client.get_run(champion.run_id).data.tags["selected_model"]
    assert estimates[winner, "E_cv"] == pytest.approx(message["numbers"]["E_cv"])
    assert [] == with_token(validated.path, server.folder)


@pytest.mark.slow
def test_every_message_says_first_whether_something_must_be_done(settings):
    told = {
        "heldout.run.failed": [({"reason": "no"}, "Look: ")],
        "heldout.over_time.alarm": [({"shard": "a"}, "Look: ")],
        "heldout.batch.quarantined": [
            ({"batch": 7, "rows": 120}, "Look: new labelled rows are held back, and no run"),
            ({"batch": 7, "rows": 120, "left": 400}, "Look: the table is held, and no run uses it (batch 7): 400 rows"),
        ],
        "heldout.champion.changed": [
            ({"promoted": "yes", "verdict": "ship"}, "Nothing to do: another champion"),
            ({"promoted": "first", "verdict": "ship"}, "Nothing to do: the first champion"),
            ({"promoted": "rollback", "reason": "back"}, "Nothing to do: the former champion"),
        ],
    }
    with receiving() as receiver:
        for event, payloads in told.items():
            for payload, _ in payloads:
                notify(settings(receiver), event, payload)
    expected = [words for payloads in told.values() for _, words in payloads]
    for message, words in zip(receiver.messages, expected, strict=True):
        assert message["text"].startswith(words)


@pytest.mark.slow
def test_good_news_says_first_what_else_is_open(settings):
    with receiving() as receiver:
        made = settings(receiver)
        of = of_settings(made)
        held = {"run": "run1", "rows": 120, "verdict": "held", "reasons": ["labels"]}
        number = append(connect(made), made, "batch", of.said(**held)).number
        notify(made, "heldout.champion.changed", {"promoted": "rollback", "reason": "back"})
        append(connect(made), made, "batch-dropped", of.said(batch=number, why=""))
        notify(made, "heldout.champion.changed", {"promoted": "rollback", "reason": "back"})
    looked, nothing = (message["text"].partition("\n")[0] for message in receiver.messages)
    assert looked.startswith(f"Look: {to_do.held_back(number, 120, 'labels')}; besides: the former champion")
    assert nothing.startswith("Nothing to do: the former champion")


@pytest.mark.long
@pytest.mark.fault("secrets")
@pytest.mark.parametrize("answer", ["hangs", "500", "302"])
def test_dvc_repro_that_fails_is_sent_once_and_a_bad_receiver_changes_nothing(clone, write_params, answer):
    checkout = clone()
    greedy = {"estimator": "sklearn.neighbors.KNeighborsClassifier", "params": {"n_neighbors": 1000}}
    with receiving(answer) as receiver:
        write_params(
            checkout.path / "params.yaml",
            candidates=[{"name": "greedy", **greedy}],
            operations={"notify": {"webhook": receiver.address}},
        )
        run = checkout.run("dvc", "repro", check=False)
    assert run.returncode
    (message,) = receiver.messages
    assert "heldout.run.failed" == message["event"]
    assert "greedy failed" in message["text"]
    assert 1 == run.stdout.count("the receiver did not take heldout.run.failed"), run.stdout
    assert TOKEN not in f"{run.stdout} {run.stderr}"
    (checkout.path / "params.yaml").unlink()
    checkout.wait_until(lambda: not checkout.processes())  # they remove files at their end
    assert [] == with_token(checkout.path)


@pytest.mark.long
def test_a_run_without_a_prefect_server_is_refused_before_any_fit_and_sent(clone, write_params):
    checkout = clone()
    with receiving() as receiver:
        params = write_params(checkout.path / "params.yaml", operations={"notify": receiver.address})
        dead = type(checkout)(checkout.path, {"PREFECT_API_URL": f"http://user:{TOKEN}@127.0.0.1:9/api"})
        run = dead.flow("validate", "--params", params, check=False)
    assert 2 == run.returncode
    assert "PREFECT_API_URL is http://127.0.0.1:9/api, where no Prefect server answers" in run.stderr
    assert "Traceback" not in run.stderr
    assert not (checkout.path / ".cache/tasks").exists()
    assert ["heldout.run.failed"] == [message["event"] for message in receiver.messages]
