"""A choice is in both ledgers, with the intention to open the test set, before a row may be scored."""

import contextlib
import shutil

import numpy as np
import pytest
from mlflow import MlflowClient
from mlflow.exceptions import MlflowException

from heldout.rows.row_sketch import Sketch
from tasks.outcome.ledger import Ledger, winner_id
from tasks.outcome.unused_rows import UnusedRows
from tasks.runtime.environment import CACHE
from tasks.runtime.errors import NotSent
from tasks.storage import files
from tasks.storage.row_ids import read_words, write_seen
from tasks.storage.seen_rows import SeenRows
from tasks.track import ledger_tags, lifecycle, operations_ledger
from tasks.track.choice import enter_choice
from tasks.track.store import connect

ROWS = np.arange(1, 400, dtype=np.uint64) * 2**40
SEEN = SeenRows(Sketch.of(ROWS), Sketch.of(ROWS[100:]), Sketch.of(ROWS[:100]), "one", "all")
BAYES = "candidates=[{name: bayes, estimator: sklearn.naive_bayes.GaussianNB}]"
WRITES = ("log_artifact", "log_batch", "log_param", "set_tag")
MOST_WRITES = 20


@pytest.fixture
def settings(checkout, empty_store, settings_with, monkeypatch):
    """A function that makes a new store, and the settings that name it."""
    CACHE.mkdir()
    files.RESULTS.mkdir(parents=True)
    monkeypatch.setattr(files, "read_data_hash", lambda: "table")

    def make(name: str = "mlflow"):
        shutil.copy(empty_store, checkout / f"{name}.db")
        return settings_with(BAYES, f"tracking.uri=sqlite:///{checkout}/{name}.db")

    return make


def enter(settings, rows: int = 3) -> UnusedRows | None:
    """What `select` does before it scores."""
    write_seen(files.TESTED, ROWS[:rows])
    found = UnusedRows(np.arange(rows), sealed=3 - rows, winners=min(rows, 1))
    return enter_choice(settings, settings.candidates[0], settings.candidates, SEEN, Ledger(1), found)


def known(settings) -> tuple[Ledger, lifecycle.Active]:
    """What the next run finds."""
    with lifecycle.run(settings):
        run = lifecycle.active()
        return ledger_tags.read_ledger(settings, SEEN, ["bayes"], pytest.fail, run.earlier), run


def entries(settings, kind: str) -> list:
    return [one for one in operations_ledger.entries(connect(settings)) if one.kind == kind]


def failing_after(writes: int, monkeypatch) -> None:
    """Have MLflow take so many writes, and no further one."""
    left = [writes]

    def counted(write):
        def wrapped(*arguments, **more):
            if not left[0]:
                raise MlflowException("lost")
            left[0] -= 1
            return write(*arguments, **more)

        return wrapped

    for name in WRITES:
        monkeypatch.setattr(MlflowClient, name, counted(getattr(MlflowClient, name)))


@pytest.mark.fault("killed while opening")
def test_rows_may_be_scored_only_once_both_ledgers_have_that_they_are_opened(settings, monkeypatch):
    """A store that is lost at any of its writes, until it takes all of them."""
    for writes in range(MOST_WRITES):
        here = settings(f"store-{writes}")
        with lifecycle.run(here), monkeypatch.context() as patch:
            failing_after(writes, patch)
            found = enter(here)
        if len(found.rows):
            break
        assert (3, 0, 0) == (found.sealed, found.winners, len(read_words(files.TESTED)))
        with pytest.raises(NotSent, match="but for the test set, which stays sealed"):
            lifecycle.check_sent()
    assert 0 < writes < MOST_WRITES - 1
    ledger, run = known(here)
    (opened,) = ledger.opened
    assert winner_id(here.candidates[0], here, SEEN) == opened.winner
    assert ROWS[:3].tolist() == ledger_tags.read_tested([opened.run]).tolist()
    assert [opened.winner] == [one.said["winner"] for one in entries(here, "opened")]
    assert {opened.run} == run.unfinished


@pytest.mark.fault("killed while opening")
def test_a_run_that_dies_before_its_result_has_opened_the_part_and_one_that_opens_nothing_has_not(settings):
    here = settings()
    with lifecycle.run(here):
        enter(here, rows=0)
    with contextlib.suppress(ZeroDivisionError), lifecycle.run(here):
        enter(here)
        raise ZeroDivisionError
    ledger, run = known(here)
    (died,) = ledger.opened
    assert died.run in run.unfinished
    with lifecycle.run(here):
        enter(here)
        lifecycle.active().enter(here, "tested", {"rows": 3, "E_test": 0.25})
    ledger, run = known(here)
    assert [True, False] == [one.run in run.unfinished for one in ledger.opened]
    assert 1 == len({one.winner for one in ledger.opened})  # the same opening
    client = connect(here)
    client.delete_run(died.run)
    ledger, run = known(here)
    gone = ledger.with_removed(run.removed, here.data.source, SEEN).opened
    assert [True, False] == [one.run in run.unfinished for one in gone]
