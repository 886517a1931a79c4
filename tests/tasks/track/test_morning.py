"""The end of a night in a real store: its entry, what is read from all entries, and the one page that is kept."""

import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import pytest

from flows.__main__ import main
from heldout.monitoring.alarm import Alarm, RunningMean
from heldout.monitoring.column_alarm import ColumnAlarm
from tasks.outcome.fixed_reference import FixedReference
from tasks.outcome.verified_history import verify
from tasks.outcome.watched_shards import WatchRecord
from tasks.report.history_page import write_history
from tasks.runtime.errors import UserError
from tasks.storage import files
from tasks.storage.watch_files import WatchedShard
from tasks.track import known_store, lifecycle, operations_ledger
from tasks.track.ledger_tags import PROCESS, entry_of
from tasks.track.morning import enter_night, keep_page, of_settings, read_morning
from tasks.track.operations_ledger import append, entries, history
from tasks.track.store import connect
from tasks.track.watch_run import enter, enter_move


@pytest.fixture
def settings(prepared, empty_store, checkout):
    """Prepared rows, a selection over them, and a store."""
    Path(".cache").mkdir(exist_ok=True)
    shutil.copy(empty_store, "mlflow.db")
    files.write_json(files.SELECTION, {"rows": {"labeled": 60, "estimates": 60, "test": 15}})
    return prepared(f"tracking.uri=sqlite:///{checkout}/mlflow.db")


def run(settings, failed: str = "") -> str:
    with lifecycle.run(settings, ""):
        pass
    enter_night(settings, lifecycle.newest_run(), 12.34, failed)
    return lifecycle.newest_run()


def test_nights_are_read_back_with_their_rows_their_seconds_and_what_the_stores_take(settings):
    run(settings)
    run(settings, failed="it broke")
    first, second = read_morning(settings).nights
    assert (75, 12.3, "") == (first.rows, first.seconds, first.failed)
    assert (True, "") == (first.unit.binary, first.unit.mean_called)
    assert Path("mlflow.db").stat().st_size == pytest.approx(first.sizes["MLflow"], rel=0.2)
    assert first.disk_free > 0
    assert (None, "it broke") == (second.rows, second.failed)
    assert "failed: it broke" in read_morning(settings).first_line
    assert () == verify(history(connect(settings)), entry_of).faults


def test_of_all_nights_one_page_is_kept_in_a_place_that_its_address_names(settings):
    for _ in range(2):
        run(settings)
        made = read_morning(settings)
        write_history(made)
        address = keep_page(settings)
    client = connect(settings)
    ledger = operations_ledger.run_of(client).info.run_id
    (folder,) = client.list_artifacts(ledger, "morning")
    (page,) = client.list_artifacts(ledger, folder.path)
    assert address.endswith(f"/runs/{ledger}/artifacts/{page.path}")
    assert files.HISTORY.read_bytes() == Path(client.download_artifacts(ledger, page.path, ".")).read_bytes()
    assert () == verify(history(client), entry_of).faults


def test_a_run_that_may_promote_and_was_killed_is_asked_about_until_the_next(settings):
    run(settings)
    client = connect(settings)
    with pytest.raises(KeyboardInterrupt), lifecycle.run(settings, ""):
        raise KeyboardInterrupt
    assert "did not end (KILLED)" in read_morning(settings).first_line
    with lifecycle.run(settings, "a trial"):  # which is no night
        assert "did not end (KILLED)" in read_morning(settings).first_line
    with lifecycle.run(settings, ""):
        assert "Nothing to do" == read_morning(settings).first_line  # it is running
        running = lifecycle.newest_run()
        client.set_tag(running, PROCESS, "1 long ago")
        assert "did not end (its process died)" in read_morning(settings).first_line
    assert "Nothing to do" == read_morning(settings).first_line


def test_an_older_copy_of_the_store_an_empty_one_and_another_are_told_and_no_night_begins_with_them(
    settings, settings_with, checkout, empty_store, shipped, monkeypatch, capsys
):
    monkeypatch.setattr("tasks.runtime.environment.enter", lambda: None)
    of_verify = ["verify", "--params", str(shipped), "--set", f"tracking.uri=sqlite:///{checkout}/mlflow.db"]
    run(settings)
    shutil.copy("mlflow.db", "older.db")
    run(settings)
    known_store.check(settings)
    assert 0 == main(of_verify)
    shutil.copy("mlflow.db", "newest.db")
    for copy, left in (("older.db", 2), (empty_store, 0)):
        shutil.copy(copy, "mlflow.db")
        for _ in range(2):  # a night that is refused leaves no past behind
            said = read_morning(settings).first_line
            assert f"{checkout}/mlflow.db is not the store of the last night here: entry 3 is not there" in said
            with pytest.raises(UserError, match="put its newest copy back"):
                known_store.check(settings)
            enter_night(settings, "", 1.0, "refused")
        assert left == len(entries(connect(settings)))
        assert main(of_verify) == (3 if left else 2)  # without a ledger there is nothing to check
    assert "FOUND     the head that was kept, 3 " in capsys.readouterr().out

    other = settings_with(f"tracking.uri=sqlite:///{checkout}/mistyped.db")
    missing = read_morning(other).first_line  # without a store, none is made
    elsewhere = f"has no night of this folder, whose nights are in sqlite:///{checkout}/mlflow.db"
    assert f"mistyped.db {elsewhere}" in missing
    assert not Path("mistyped.db").exists()
    shutil.copy(empty_store, "of_others.db")
    others = settings_with(f"tracking.uri=sqlite:///{checkout}/of_others.db")
    append(connect(others), others, "gate", {"passed": True})
    with pytest.raises(UserError, match=f"of_others.db {elsewhere}"):
        known_store.check(others)
    shutil.copy("newest.db", "moved.db")  # with its past
    known_store.check(settings_with(f"tracking.uri=sqlite:///{checkout}/moved.db"))
    monkeypatch.setattr(known_store, "_new_store", True)
    known_store.check(settings)
    run(settings)
    monkeypatch.setattr(known_store, "_new_store", False)
    assert "Nothing to do" == read_morning(settings).first_line
    shutil.copy("newest.db", "mlflow.db")
    assert "entry 2 is another one" in read_morning(settings).first_line


def test_another_source_of_the_same_store_is_another_morning(settings, settings_of_rows, checkout):
    run(settings, failed="theirs")
    others = settings_of_rows("data.target=x", f"tracking.uri=sqlite:///{checkout}/mlflow.db")
    assert of_settings(settings) != of_settings(others)
    assert () == read_morning(others).nights
    assert "Look: no night has run yet; run the first" in read_morning(others).first_line


def test_a_store_of_a_later_version_is_read(settings, monkeypatch):
    run(settings)
    monkeypatch.setitem(operations_ledger.KINDS, "of a later version", "nobody knows")
    client = connect(settings)
    append(client, settings, "of a later version", {"name": [1], "source": None})
    monkeypatch.undo()
    assert "of a later version" == entries(client)[-1].kind
    assert 1 == len(read_morning(settings).nights)
    assert read_morning(settings).now <= datetime.now(UTC)
    assert () == verify(history(client), entry_of).faults


def watched(*lines: WatchedShard) -> WatchRecord:
    alarm, rows = Alarm.of([[0.0, 1.0]]), pd.DataFrame({"x": [0.0, 1.0]})
    reference, of_columns = FixedReference(1, (1,), (), b""), ColumnAlarm.of(rows, [rows])
    of_alarms = (alarm, (), of_columns, RunningMean(0.1, 0.0), lines, ("hash",) * len(lines))
    return WatchRecord("rows/1", "tree", (), "zero_one", 1.0, (), reference, (0.0, 1.0), *of_alarms)


def test_an_alarm_of_watch_is_in_the_morning_until_the_reference_is_moved(settings):
    quiet = WatchedShard("sunday", 100, 0.1, 0.05, 0.2, 2.0, alarm=False)
    loud = replace(quiet, shard="monday", evidence=1e3, alarm=True)
    run(settings)
    assert enter(settings, watched(quiet))
    assert not enter(settings, watched(quiet, quiet))  # once a day
    assert "Nothing to do" == read_morning(settings).first_line
    assert enter(settings, watched(quiet, loud))
    made = read_morning(settings)
    assert made.first_line.startswith("Look: the rows have changed (alarm since ")
    (happened,) = made.happened
    assert ("alarms", True, True) == (happened.lane, happened.bad, happened.text.startswith("alarm: monday: the half"))
    enter_move(settings, watched(quiet, loud))
    assert "Nothing to do" == read_morning(settings).first_line


def test_without_a_store_none_is_made(settings_with, checkout):
    made = read_morning(settings_with(f"tracking.uri=sqlite:///{checkout}/none.db"))
    assert ((), True) == (made.nights, made.first_line.startswith("Look: no night has run yet"))
    assert not Path("none.db").exists()
