"""PostgreSQL and S3, as docs/how-to/stores.md has them: a run, its pages and its files are the same as with SQLite."""

import contextlib
import json
import os
import shutil
import signal
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import mlflow
import pandas as pd
import psycopg
import pytest

from tasks.outcome.items import Artifact, TrackedMetric
from tasks.params import Settings, load
from tasks.runtime.errors import NotSent, UserError
from tasks.track import lifecycle
from tasks.track.former_champion import rollback
from tasks.track.operations_ledger import entries
from tasks.track.store import connect, runs
from tests.end_to_end.conftest import OUTPUTS, Checkout
from tests.end_to_end.foreign_page import ask
from tests.end_to_end.store_servers import PASSWORD, Bucket, postgres

pytestmark = pytest.mark.long  # 40 seconds of the processor
BUCKET, PLACE = "heldout", "s3://heldout/runs"


@dataclass(frozen=True)
class Shared:
    """A checkout whose runs are in PostgreSQL, its files in S3, and what its run printed."""

    checkout: Checkout
    database: str
    bucket: Bucket
    said: str

    def files(self, prefix: str) -> dict[str, bytes]:
        """The objects of the bucket, by the name behind the prefix."""
        listed = self.bucket.client.list_objects_v2(Bucket=BUCKET, Prefix=prefix).get("Contents", [])
        return {
            one["Key"].removeprefix(prefix): self.bucket.client.get_object(Bucket=BUCKET, Key=one["Key"])["Body"].read()
            for one in listed
        }


@pytest.fixture(scope="module")
def shared(reproduced, server, tmp_path_factory) -> Iterator[Shared]:
    """The fits are those of the run with SQLite; everything behind them is made again."""
    checkout = reproduced.copy(tmp_path_factory.mktemp("shared") / "heldout")
    for folder in (*OUTPUTS, "mlruns"):
        shutil.rmtree(checkout.path / folder)
    params = checkout.path / "params.yaml"
    text = params.read_text(encoding="utf-8").replace(
        "uri: sqlite:///mlruns/mlflow.db", f"uri: null\n  artifacts: {PLACE}"
    )
    params.write_text(text)
    with postgres() as database, Bucket() as bucket, pytest.MonkeyPatch.context() as patched:
        of_prefect = {"PREFECT_API_URL": server.url, "PREFECT_API_AUTH_STRING": server.secret}
        for name, value in bucket.environment.items():
            patched.setenv(name, value)
        checkout = replace(checkout, own={**of_prefect, "MLFLOW_TRACKING_URI": database, **bucket.environment})
        for _ in range(2):  # as in a container that is started again
            checkout.run("python", "compose/bucket.py")
        done = checkout.flow("validate", "--promote")
        yield Shared(checkout, database, bucket, done.stdout + done.stderr)


@pytest.fixture(autouse=True, scope="module")
def nothing_of_these_stores_is_left() -> Iterator[None]:
    """After `connect`, MLflow's clients of this process would ask the ended server, whatever address they are given."""
    yield
    mlflow.set_tracking_uri(None)
    mlflow.set_registry_uri(None)
    os.environ.pop("MLFLOW_REGISTRY_URI", None)


@pytest.fixture
def settings(shared, monkeypatch) -> Settings:
    """The parameters, read where the store's own functions run: in the checkout, with its environment."""
    monkeypatch.chdir(shared.checkout.path)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", shared.database)
    return load()


def test_a_run_is_the_same_and_is_in_the_database_and_the_bucket(shared, reproduced):
    assert reproduced.hashes() == shared.checkout.hashes()
    assert not (shared.checkout.path / "mlruns").exists()
    assert f"the MLflow store is postgresql://***@{shared.database.partition('@')[2]}" in " ".join(shared.said.split())
    with psycopg.connect(shared.database) as connection:
        rows = connection.execute(
            "SELECT artifact_uri FROM runs WHERE EXISTS"
            " (SELECT 1 FROM tags WHERE tags.run_uuid = runs.run_uuid AND key = 'selected_model')"
        ).fetchall()
    [(place,)] = rows
    kept = shared.files(f"{place.removeprefix(f's3://{BUCKET}/')}/")
    reports = reproduced.path / "reports"
    for name in ("estimates.csv", "selection.json"):
        assert (reports / name).read_bytes() == kept[name]
    pages = ((reports / "report.html").read_bytes().strip().splitlines(), kept["report.html"].strip().splitlines())
    assert 1 == sum(one != other for one, other in zip(*pages, strict=True))  # the copy in the store has its date


def test_the_password_is_nowhere(shared):
    written = shared.database.partition(":")[2].partition("@")[0].rpartition(":")[2]
    assert written not in shared.said
    assert PASSWORD not in shared.said
    files = [path for path in shared.checkout.path.rglob("*") if path.is_file() and ".venv" not in path.parts]
    assert [] == [path for path in files if any(word.encode() in path.read_bytes() for word in (written, PASSWORD))]


def test_the_cache_of_dvc_comes_back_from_the_bucket(shared, reproduced):
    shared.checkout.run("dvc", "remote", "add", "--default", "shared", f"s3://{BUCKET}/dvc")
    shared.checkout.run("dvc", "push")
    shutil.rmtree(shared.checkout.path / ".dvc/cache")
    for folder in OUTPUTS:
        shutil.rmtree(shared.checkout.path / folder)
    shared.checkout.run("dvc", "pull")
    assert reproduced.hashes() == shared.checkout.hashes()


def test_the_pages_show_the_numbers_and_the_table(shared):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    process = shared.checkout.start("python", "-m", "flows", "ui", "--port", str(port))
    try:
        shared.checkout.wait_until(lambda: answers(address), process, seconds=300)
        wanted = {"experiment_ids": ["1"], "filter": "tags.selected_model != ''"}
        (run,) = json.loads(ask(address, "POST", "/ajax-api/2.0/mlflow/runs/search", wanted).text)["runs"]
        query = f"/get-artifact?path=estimates.csv&run_uuid={run['info']['run_id']}"
        shown = ask(address, "GET", query).text
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(60)
    path = shared.checkout.path / "reports/estimates.csv"
    assert path.read_text() == shown
    table = pd.read_csv(path)
    tags = {tag["key"]: tag["value"] for tag in run["data"]["tags"]}
    own = table[table["candidate"] == tags["selected_model"]].set_index("estimate")["value"]
    metrics = {metric["key"]: metric["value"] for metric in run["data"]["metrics"]}
    assert {"E_val", "E_cv", "E_prog", "E_test"} <= {*own.index} & {*metrics}
    assert all(metrics.get(name, value) == value for name, value in own.items())


@pytest.mark.fault("two checkouts")
def test_two_checkouts_that_run_at_the_same_moment_have_one_first_champion_and_one_ledger(shared, settings, tmp_path):
    command = ("python", "-m", "flows", "validate", "--promote", "--set", "tracking.registered_model=together")
    checkouts = [shared.checkout.copy(tmp_path / name) for name in ("one", "two")]
    said = [tmp_path / f"{checkout.path.name}.txt" for checkout in checkouts]
    with contextlib.ExitStack() as files:
        logs = [files.enter_context(path.open("w")) for path in said]
        started = [
            checkout.start(*command, stdout=log, stderr=log) for checkout, log in zip(checkouts, logs, strict=True)
        ]
        assert [0, 0] == [process.wait(600) for process in started], [path.read_text() for path in said]
    client = connect(settings)
    assert 2 == len(client.search_model_versions("name = 'together'"))
    of_both = [one.kind for one in entries(client) if one.said.get("name") == "together"]
    assert ["champion", "contest"] == [kind for kind in of_both if kind in ("champion", "contest")]
    assert "verified: nothing was removed, changed or moved" in checkouts[0].flow("verify").stdout


def answers(address: str) -> bool:
    with contextlib.suppress(OSError):
        return ask(address, "GET", "/health").status == 200
    return False


def test_the_champion_is_loaded_and_rolled_back(shared, settings):
    client, name = connect(settings), settings.registered_model
    first = client.get_model_version_by_alias(name, "champion")
    rows = pd.read_parquet("data/prepared/labeled.parquet").drop(columns="target").head(3)
    assert 3 == len(mlflow.sklearn.load_model(f"models:/{name}@champion").predict(rows))
    with pytest.raises(UserError, match="replaced no other"):
        rollback(settings)
    second = client.create_model_version(name, first.source, first.run_id, tags={**first.tags, "champion_before": "1"})
    client.set_registered_model_alias(name, "champion", second.version)
    assert "version 1 again" in str(rollback(settings))
    assert first.version == client.get_model_version_by_alias(name, "champion").version


def test_a_bucket_that_is_lost_during_a_run_has_the_run_that_is_run_again(shared, settings):
    def validate(how: Callable[[], object] = lambda: None) -> None:
        with lifecycle.run(settings):
            how()
            lifecycle.send_to_run([Artifact(Path("reports/estimates.csv"), "plots"), TrackedMetric("after", 2.0)])
        lifecycle.check_sent()

    with pytest.raises(NotSent, match="AWS|endpoint|connect"):
        validate(shared.bucket.stop)
    with (
        pytest.raises(UserError, match=f"tracking.artifacts is {PLACE}, which cannot be read"),
        lifecycle.run(settings),
    ):
        pytest.fail("the run began")
    shared.bucket.start()
    validate()
    client = connect(settings)
    (again,) = runs(client, "metrics.after = 2 and attributes.status = 'FINISHED'")
    assert ["plots/estimates.csv"] == [file.path for file in client.list_artifacts(again.info.run_id, "plots")]
    assert 1 == len(shared.files(f"{again.info.artifact_uri.removeprefix(f's3://{BUCKET}/')}/"))


@pytest.mark.parametrize("artifacts", ["s3://no-such-bucket/runs", "s3://heldout/elsewhere"])
def test_a_bucket_that_a_run_cannot_use_is_named_before_any_fit(shared, settings, artifacts):
    elsewhere = load("params.yaml", [f"tracking.artifacts={artifacts}", "tracking.experiment=another"])
    if artifacts.startswith("s3://heldout"):
        with lifecycle.run(elsewhere):
            pass
        elsewhere = load("params.yaml", ["tracking.experiment=another"])
        artifacts = PLACE
    with pytest.raises(UserError, match=f"tracking.artifacts is {artifacts}, ") as error, lifecycle.run(elsewhere):
        pytest.fail("the run began")
    assert 1 == len(str(error.value).splitlines())


def test_a_run_without_a_bucket_keeps_its_artifacts_at_a_relative_place(shared, settings):
    local = load("params.yaml", ["tracking.artifacts=null", "tracking.experiment=local"])
    with lifecycle.run(local):
        lifecycle.send_to_run([Artifact(Path("reports/estimates.csv"))])
        run = lifecycle.active().run_id
    assert f"mlruns/artifacts/{run}/artifacts" == connect(local).get_run(run).info.artifact_uri
    assert Path(f"mlruns/artifacts/{run}/artifacts/estimates.csv").is_file()
