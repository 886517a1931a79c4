"""`tracking.keep`: nights remove what is old and needed by nobody, and `prune` does the same by hand."""

import contextlib
import sqlite3

import psutil
import pytest
from mlflow import MlflowClient

from tests.end_to_end.serving import Serving

TWO_DAYS = 2 * 24 * 3600 * 1000
HISTORY = "SELECT count(*) FROM flow_run WHERE end_time < datetime('now', '-1 day')"


@pytest.fixture
def serving(clone, write_params):
    checkout = clone()
    # its variable is set for `make serve` alone: `prune` notifies nobody
    write_params(checkout.path / "params.yaml", tracking={"keep": "1d"}, operations={"notify": "$HOOK"})
    yield Serving(type(checkout)(checkout.path, {"HOOK": "http://127.0.0.1:9/"})), checkout
    for left in checkout.processes():
        with contextlib.suppress(psutil.NoSuchProcess):
            left.kill()


def make_older(checkout) -> None:
    """All that is stored took place two days earlier."""
    with sqlite3.connect(checkout.path / "mlruns/mlflow.db") as database:
        database.execute("UPDATE runs SET start_time = start_time - ?, end_time = end_time - ?", (TWO_DAYS, TWO_DAYS))
    with sqlite3.connect(checkout.path / ".prefect/prefect.db") as database:
        database.execute("UPDATE flow_run SET end_time = datetime(end_time, '-2 days') WHERE end_time IS NOT NULL")


def old_runs(checkout) -> int:
    with sqlite3.connect(checkout.path / ".prefect/prefect.db") as database:
        return database.execute(HISTORY).fetchone()[0]


def versions(client) -> list[int]:
    return sorted(int(found.version) for found in client.search_model_versions("name = 'digits'"))


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_a_night_removes_what_is_old_and_prune_needs_no_address_of_a_receiver(serving):
    serving, checkout = serving
    serving.start()
    for _ in range(2):
        assert "Completed" in serving.checkout.flow("trigger", "--wait").stdout
    serving.end()
    client = MlflowClient(f"sqlite:///{checkout.path}/mlruns/mlflow.db")
    assert [1, 2] == versions(client)
    compared = len(ledger(client))
    make_older(checkout)
    assert old_runs(checkout) >= 2
    serving.start()
    assert "Completed" in serving.checkout.flow("trigger", "--wait").stdout
    said = serving.said.read_text()
    assert "tracking.keep 1d: models: 1, and 1 versions that were never the champion, removed" in said
    serving.end()
    assert [1, 3] == versions(client)  # the champion and the challenger
    assert 0 == old_runs(checkout)
    assert compared + 1 == len(ledger(client))

    params = checkout.path / "params.yaml"
    params.write_text(params.read_text().replace("seed: 0", "seed: 1"))
    serving.checkout.flow("validate")  # other outputs, and nobody has committed those of the nights
    pruned = checkout.flow("prune", "--keep", "0d")
    assert "kept: 2 old validations" in pruned.stdout
    assert [1, 3] == versions(client)
    assert "DVC's cache: 0 files" not in pruned.stdout
    assert "up to date" in checkout.run("dvc", "status").stdout
    client.get_model_version_by_alias("digits", "champion")
    assert compared + 2 == len(ledger(client))
    checkout.flow("prune")  # by tracking.keep


def ledger(client) -> list[str]:
    """The validations that compared learners."""
    found = client.search_runs([client.get_experiment_by_name("heldout").experiment_id])
    return [run.info.run_id for run in found if "data_hash" in run.data.tags and "promoted" in run.data.tags]
