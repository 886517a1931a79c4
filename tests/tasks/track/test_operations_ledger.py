"""The ledger of operations in a real store: who writes at the same moment, who dies in between, a store without one."""

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import mlflow
import pytest

from heldout import __version__
from tasks.outcome import chain
from tasks.outcome.items import DATA_HASH, Tag
from tasks.outcome.verified_history import verify
from tasks.runtime.errors import UserError
from tasks.track import lifecycle, operations_ledger
from tasks.track.experiments import experiment_id
from tasks.track.ledger_tags import HIDDEN, entry_of
from tasks.track.operations_ledger import NAME, append, entries, history
from tasks.track.store import connect, make_experiment
from tests.tasks.track.conftest import SAID

ROOT = Path(__file__).parents[3]
STORE = Path("mlflow.db")
WRITER = """
import sys
from tasks.params import load
from tasks.track.operations_ledger import append
from tasks.track.store import connect
settings = load(sys.argv[1], [f"tracking.uri={sys.argv[2]}"])
client = connect(settings)
print("ready", flush=True)
input()
for number in range(int(sys.argv[3])):
    append(client, settings, "watched", {"model": sys.argv[4], "shards": number, "alarms": []})
"""


@pytest.fixture
def settings(checkout, empty_store, settings_with):
    shutil.copy(empty_store, STORE)
    return settings_with(f"tracking.uri=sqlite:///{checkout / STORE}")


def kinds(client) -> list[str]:
    return [entry.kind for entry in entries(client)]


def faults(client):
    return verify(history(client), entry_of).faults


@pytest.fixture(params=["SQLite", "PostgreSQL"])
def shared(request, checkout, empty_store):
    """The address of a store that many processes write to."""
    if request.param == "SQLite":
        shutil.copy(empty_store, STORE)
        yield f"sqlite:///{checkout / STORE}"
        return
    from tests.end_to_end.store_servers import postgres

    with postgres() as address:
        yield address


@pytest.mark.long
def test_writers_at_the_same_moment_leave_one_chain_with_all_that_they_said(shared, shipped, settings_with):
    """None of them finds a ledger: they also begin it at the same moment."""
    each, names = 6, ["a", "b", "c"]
    settings = settings_with(f"tracking.uri={shared}")
    client = connect(settings)
    command = [sys.executable, "-c", WRITER, str(shipped), shared, str(each)]
    writers = [
        subprocess.Popen([*command, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(), text=True)
        for name in names
    ]
    assert ["ready"] * 3 == [writer.stdout.readline().strip() for writer in writers]
    for writer in writers:
        writer.stdin.write("\n")
        writer.stdin.flush()
    assert [0, 0, 0] == [writer.wait(timeout=300) for writer in writers]
    for writer in writers:
        writer.stdin.close()
        writer.stdout.close()
    found = [entry for entry in entries(client) if entry.kind == "watched"]
    said = [entry.said["shards"] for name in names for entry in found if entry.said["model"] == name]
    assert [*range(each)] * 3 == said
    assert ["began"] == [kind for kind in kinds(client) if kind != "watched"]
    assert 1 == len(history(client).ledgers)
    assert () == faults(client)


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def test_what_is_written_is_never_written_again(settings):
    client = connect(settings)
    entry = append(client, settings, "watched", {"model": "m", "shards": 1, "alarms": []})
    (ledger,) = history(client).ledgers
    assert entry.text() == ledger.entries[chain.name_of(entry.number)]
    with pytest.raises(mlflow.MlflowException, match="not allowed"):
        client.log_param(ledger.run, chain.name_of(entry.number), "another")
    client.log_param(ledger.run, chain.name_of(entry.number), entry.text())  # an answer that was lost, asked again
    assert ["began", "watched"] == kinds(client)
    assert str(entry.head) == ledger.head == operations_ledger.head()
    with pytest.raises(ValueError, match="no kind of entry"):
        append(client, settings, "unheard", {})


def test_who_died_after_the_experiment_and_before_the_run_does_not_stop_the_next(settings, monkeypatch):
    monkeypatch.setattr(operations_ledger, "_PATIENCE_SECONDS", 0.3)
    client = connect(settings)
    left = make_experiment(client, settings, NAME, {})
    append(client, settings, "watched", {"model": "m", "shards": 1, "alarms": []})
    assert ["began", "watched"] == kinds(client)
    assert left != client.get_experiment_by_name(NAME).experiment_id
    assert () == faults(client)


def test_who_died_after_the_run_and_before_the_first_entry_does_not_stop_the_next(settings):
    client = connect(settings)
    client.create_run(make_experiment(client, settings, NAME, {}), tags={f"{HIDDEN}ledger": "operations"})
    append(client, settings, "watched", {"model": "m", "shards": 1, "alarms": []})
    assert ["began", "watched"] == kinds(client)
    assert () == faults(client)


def test_a_store_without_a_ledger_goes_on_with_one_that_begins_with_what_it_found(settings):
    client = connect(settings)
    experiment = experiment_id(client, settings)
    old = []
    for number in range(100):
        tags = {DATA_HASH: f"h{number}", f"{HIDDEN}compared.0": f"{number:016x}"}
        tags |= {one.name: one.value for one in SAID}
        run = client.create_run(experiment, start_time=number, tags=tags)
        client.log_metric(run.info.run_id, "E_cv", number / 7)
        client.set_terminated(run.info.run_id)
        old.append(run.info.run_id)
    with lifecycle.run(settings):
        assert 100 == len(lifecycle.active().earlier)
    assert ["began", "adopted", "adopted"] == kinds(client)
    began, *adopted = entries(client)
    assert (100, 0) == (began.said["validations"], began.said["versions"])
    assert {*old} == {run for entry in adopted for run in entry.said["runs"]}
    assert () == faults(client)
    with lifecycle.run(settings):  # once
        assert 3 == lifecycle.active().entries
    client.log_metric(old[3], "E_cv", 0.0)
    (fault,) = faults(client)
    assert old[3] in fault
    assert "its tags, metrics or time were changed" in fault


def test_another_version_of_heldout_says_that_it_goes_on(settings, monkeypatch):
    client = connect(settings)
    with lifecycle.run(settings):
        pass
    monkeypatch.setattr(operations_ledger, "__version__", "9.9")
    with lifecycle.run(settings):
        pass
    last = entries(client)[-1]
    assert ("migrated", {"from": __version__, "to": "9.9"}, "9.9") == (last.kind, last.said, last.version)
    assert () == faults(client)


def seen(number: int = 0) -> list[Tag]:
    return [Tag(DATA_HASH, "h"), Tag(f"{HIDDEN}compared.0", f"{number:016x}"), *SAID]


def test_a_run_that_died_between_its_tags_and_its_entry_is_adopted_by_the_next(settings):
    keys = []

    def die():
        with lifecycle.run(settings):
            lifecycle.send_to_run(seen())
            keys.append(lifecycle.active().key)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        die()
    client = connect(settings)
    found = verify(history(client), entry_of)
    assert () == found.faults
    assert "has no entry yet" in " ".join(found.remarks)
    with lifecycle.run(settings):
        pass
    assert keys == [*entries(client)[-1].said["runs"]]
    found = verify(history(client), entry_of)
    assert ((), ()) == (found.faults, found.remarks)


@pytest.mark.parametrize("what", ["experiment", "run"])
def test_a_ledger_that_was_deleted_ends_a_run_before_any_fit_and_the_remedy_is_named(settings, what):
    client = connect(settings)
    append(client, settings, "watched", {"model": "m", "shards": 1, "alarms": []})
    experiment, (ledger,) = client.get_experiment_by_name(NAME).experiment_id, history(client).ledgers
    if what == "run":
        client.delete_run(ledger.run)
    else:
        client.delete_experiment(experiment)
    with (
        pytest.raises(UserError, match="ledger of operations of this store was deleted.*restore"),
        lifecycle.run(settings),
    ):
        pytest.fail("the run began")
    assert faults(client)


def test_an_entry_that_somebody_broke_is_found_and_does_not_stop_the_next(settings):
    client = connect(settings)
    append(client, settings, "watched", {"model": "m", "shards": 1, "alarms": []})
    with closing(sqlite3.connect(STORE)) as connection, connection:
        connection.execute("UPDATE params SET value = '{' WHERE key = ?", (chain.name_of(2),))
    append(client, settings, "watched", {"model": "m", "shards": 2, "alarms": []})
    assert 3 == entries(client)[-1].number
    assert any("entry 2 cannot be read" in fault for fault in faults(client))
