"""Old models are marked in a real store; what is or was in use stays, and every run, by which the ledgers hold."""

import shutil
import sqlite3
import time
from contextlib import closing
from datetime import timedelta

import pytest

from tasks.outcome.items import DATA_HASH, Tag, TrackedMetric
from tasks.outcome.verified_history import verify
from tasks.track import lifecycle
from tasks.track.ledger_tags import HIDDEN, entry_of, tags_of, validations
from tasks.track.old_models import mark_deleted
from tasks.track.operations_ledger import entries, history
from tasks.track.promote import PROMOTED, RESTORED
from tasks.track.registry import BEFORE, SOURCE
from tasks.track.store import connect, database, runs
from tests.tasks.track.conftest import SAID

DAY = 24 * 3600 * 1000


@pytest.fixture
def settings(checkout, empty_store, settings_with):
    shutil.copy(empty_store, "mlflow.db")
    return settings_with(f"tracking.uri=sqlite:///{checkout}/mlflow.db")


def validation(settings, *, age: float, promoted: str | None, version: dict[str, str] | None) -> tuple[str, str]:
    """A run of some days ago with a candidate's run and a model, of which there may be a version; run and version."""
    with lifecycle.run(settings):
        active = lifecycle.active()
        tags = [Tag(DATA_HASH, "h"), *SAID, Tag(f"{HIDDEN}compared.0", f"{1:016x}")]
        active.send(
            [TrackedMetric("E_cv", 0.5), *tags, *([] if promoted is None else [Tag(PROMOTED, f"{promoted}: why")])]
        )
        active.send_candidate("bayes", [TrackedMetric("E_cv", 0.5)], failed=False)
    client, run = active.client, active.run_id
    model = client.create_logged_model(active.experiment, name="model", source_run_id=run)
    then = int(1000 * time.time() - age * DAY)
    with closing(sqlite3.connect(database(settings))) as connection, connection:
        connection.execute("UPDATE runs SET end_time = ? WHERE run_uuid = ?", (then, run))
    if version is None:
        return run, ""
    source = f"models:/{model.model_id}"
    return run, str(client.create_model_version("digits", source, run, tags=version, model_id=model.model_id).version)


NIGHT = {SOURCE: "a table"}
TOLD = {
    "first": ("first", NIGHT),
    "never": ("no", NIGHT),
    "champion": ("yes", {**NIGHT, BEFORE: "1"}),
    "replaced": ("no", NIGHT),
    "successor": ("yes", {**NIGHT, BEFORE: "4"}),
    "challenger": ("no", NIGHT),
    "of a person": ("no", {}),
    "returned to": ("no", {**NIGHT, RESTORED: "1"}),
    "trial": ("no", None),
    "not decided": (None, None),
}


def test_models_that_were_never_the_champion_go_and_every_other_stays_with_all_runs(settings):
    client = connect(settings)
    client.create_registered_model("digits")
    old = {
        name: validation(settings, age=91, promoted=promoted, version=version)
        for name, (promoted, version) in TOLD.items()
    }
    new = validation(settings, age=89, promoted="no", version=NIGHT)
    for alias in ("champion", "challenger"):
        client.set_registered_model_alias("digits", alias, old[alias][1])
    experiment = client.get_run(new[0]).info.experiment_id

    def ledgers():
        stored = {run.info.run_id: (run.data.tags, run.data.metrics) for run in runs(client, "")}
        return entries(client), tags_of(validations(client)), stored, verify(history(client), entry_of).faults

    before = ledgers()
    assert (2, 1) == mark_deleted(settings, timedelta(days=90))
    assert before == ledgers()
    left = {found.version for found in client.search_model_versions("name = 'digits'")}
    assert {version for name, (_, version) in old.items() if name not in ("never", "trial")} - {""} | {new[1]} == {
        str(version) for version in left
    }
    models = {model.source_run_id for model in client.search_logged_models([experiment])}
    assert {run for name, (run, _) in old.items() if name not in ("never", "trial")} | {new[0]} == models
    assert (0, 0) == mark_deleted(settings, timedelta(days=90))
