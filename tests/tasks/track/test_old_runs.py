"""Old runs are removed from a real store; registered versions, the ledger and newer runs stay."""

import shutil
import sqlite3
import time
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from mlflow import MlflowClient

from tasks.outcome.items import Artifact, Tag, TrackedMetric
from tasks.track import lifecycle, operations_ledger
from tasks.track.ledger_tags import TESTED, read_earlier
from tasks.track.old_runs import prune
from tasks.track.promote import AGAINST, EVIDENCE, PROMOTED, RESTORED
from tasks.track.registry import BEFORE, SOURCE
from tasks.track.store import connect, database, runs
from tests.tasks.track.conftest import SAID

DAY = 24 * 3600 * 1000


@pytest.fixture
def settings(checkout, empty_store, settings_with, request):
    store = f"{request.node.name}.db"  # MLflow keeps a connection to each name
    shutil.copy(empty_store, store)
    for name in ("report.html", "tested.parquet"):
        Path(name).write_text("x")
    return settings_with(f"tracking.uri=sqlite:///{store}")


def validation(settings, name: str, *, age: float, ledger: bool = True, registered: bool = False) -> str:
    """A run of some days ago, with an artifact and a candidate's run; its id."""
    with lifecycle.run(settings):
        active = lifecycle.active()
        tags = [Tag("data_hash", "h"), Tag("compared.abc", name), *SAID] if ledger else []
        tested = [Artifact(Path("tested.parquet"), TESTED)] if ledger else []
        active.send(
            [Tag("mlflow.runName", name), TrackedMetric("E_cv", 0.5), Artifact(Path("report.html")), *tags, *tested]
        )
        active.send_candidate("bayes", [TrackedMetric("fold_error", 0.5, fold) for fold in range(9)], failed=False)
    if registered:
        if not active.client.search_registered_models():
            active.client.create_registered_model("heldout")
        active.client.create_model_version("heldout", "models/m", active.run_id)
    then = int(1000 * time.time() - age * DAY)
    with closing(sqlite3.connect(database(settings))) as connection, connection:
        connection.execute(
            "UPDATE runs SET start_time = ?, end_time = ? WHERE run_uuid = ? OR run_uuid IN "
            "(SELECT run_uuid FROM tags WHERE key = 'mlflow.parentRunId' AND value = ?)",
            (then, then, active.run_id, active.run_id),
        )
    return active.run_id


def version(name: str, run: str, *, promoted: str = "no", **tags: str) -> str:
    """A version of a run, as a night registers it; its number."""
    client = MlflowClient()
    client.set_tag(run, PROMOTED, promoted)
    made = client.create_model_version(name, "models/m", run, tags={SOURCE: "a table", **tags})
    return str(made.version)


def test_versions_that_were_never_the_champion_go_and_every_other_stays(settings):
    client = connect(settings)
    client.create_registered_model("digits")
    told = ("first", "never", "evidence", "champion", "challenger", "of a person", "returned to", "new")
    old = {name: validation(settings, name, age=89 if name == "new" else 91 + place) for place, name in enumerate(told)}
    against = {"first": ("never", "evidence"), "champion": ("challenger",)}
    numbers = {
        "first": version("digits", old["first"], promoted="first"),
        "never": version("digits", old["never"]),
        "evidence": version("digits", old["evidence"]),
        "champion": version("digits", old["champion"], promoted="yes", **{BEFORE: "1"}),
        "challenger": version("digits", old["challenger"]),
        "of a person": str(client.create_model_version("digits", "models/m", old["of a person"]).version),
        "returned to": version("digits", old["returned to"], **{RESTORED: "1"}),
        "new": version("digits", old["new"]),
    }
    client.set_registered_model_alias("digits", "champion", numbers["champion"])
    client.set_registered_model_alias("digits", "challenger", numbers["challenger"])
    for champion, runs_against in against.items():
        for name in runs_against:
            client.log_artifact(old[name], "tested.parquet", EVIDENCE)
            client.set_tag(old[name], AGAINST, f"digits/{numbers[champion]}")
    lines = " ".join(prune(settings, timedelta(days=90), compact=False))
    assert "2 versions that were never the champion" in lines
    left = {str(found.version) for found in client.search_model_versions("name = 'digits'")}
    assert {*numbers.values()} - {numbers["never"], numbers["evidence"]} == left
    files = {name: {found.path for found in client.list_artifacts(run)} for name, run in old.items()}
    assert {TESTED, EVIDENCE} == files["never"]  # the newer of the two nights against the first champion
    assert {TESTED} == files["evidence"]
    assert all("report.html" in files[name] for name in told if name not in ("never", "evidence"))
    assert 0.5 == client.get_run(old["never"]).data.metrics["E_cv"]
    again = " ".join(prune(settings, timedelta(days=90), compact=False))
    assert "and 0 versions" in again
    assert {TESTED, EVIDENCE} == {found.path for found in client.list_artifacts(old["never"])}


def test_what_is_old_and_needed_by_nobody_is_removed(settings):
    told = {"compared": {}, "registered": {"registered": True}, "failed": {"ledger": False}}
    old = {name: validation(settings, name, age=91, **more) for name, more in told.items()}
    new = {name: validation(settings, f"new {name}", age=89, **more) for name, more in told.items()}
    client = connect(settings)
    other = client.create_run(client.create_experiment("other"), start_time=0).info.run_id
    client.set_terminated(other, end_time=1)
    earlier = read_earlier(client)
    lines = " ".join(prune(settings, timedelta(days=90), compact=True))
    assert "1 validations that compared nothing, 2 runs of candidates" in lines
    assert "emptied: 1" in lines
    assert "kept: 1 old" in lines
    left = {run.info.run_id: run for run in runs(client, "") if run.info.run_name != "ledger"}
    assert {old["compared"], old["registered"], *new.values(), other} == {
        run for run, found in left.items() if "mlflow.parentRunId" not in found.data.tags
    }
    parents = {run.data.tags["mlflow.parentRunId"] for run in left.values() if "mlflow.parentRunId" in run.data.tags}
    assert {old["registered"], *new.values()} == parents
    with_files = {run: [found.path for found in files] for run in left if (files := client.list_artifacts(run))}
    assert {old["compared"], old["registered"], *new.values()} == {*with_files}
    assert [TESTED] == with_files[old["compared"]]  # the ledger needs it
    compared = [[tags["compared.abc"] for tags in found.values()] for found in (earlier, read_earlier(client))]
    assert compared[0] == compared[1]
    with closing(sqlite3.connect(database(settings))) as connection:  # not only marked as deleted
        assert (len(left) + 1,) == connection.execute("SELECT count(*) FROM runs").fetchone()
    assert {run for run in left if client.list_artifacts(run)} == {
        path.parent.name for path in Path("artifacts").glob("*/artifacts")
    }
    keys = {client.get_run(old["compared"]).data.tags["validation"]}
    entries = [entry for entry in operations_ledger.entries(client) if entry.kind == "pruned"]
    assert [(False, 1), (True, 1)] == [(entry.said["removed"], len(entry.said["runs"])) for entry in entries]
    assert keys == {*entries[0].said["runs"]}
    again = " ".join(prune(settings, timedelta(days=90), compact=True))
    assert all(part in again for part in ("0 validations that", "0 runs of candidates", "emptied: 0"))
