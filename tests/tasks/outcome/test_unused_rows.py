"""Which rows of the test set a winner may be tested on, over histories of runs on a table that grows."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tasks.outcome import unused_rows
from tasks.outcome.ledger import Ledger, Opened, winner_id
from tasks.outcome.unused_rows import UnusedRows
from tasks.storage import files
from tasks.storage.row_ids import ROW_IDS, Ids, read_row_ids, read_words
from tasks.storage.seen_rows import SeenRows

TWO = (
    "candidates=[{name: bayes, estimator: sklearn.naive_bayes.GaussianNB}, "
    "{name: wide, estimator: sklearn.naive_bayes.GaussianNB, params: {var_smoothing: 0.1}}]"
)
# each example begins with a store and a table of its own
OWN = [HealthCheck.function_scoped_fixture]
LAWS = settings(max_examples=25, deadline=None, derandomize=True, database=None, suppress_health_check=OWN)
CONTENTS = np.random.default_rng(0).integers(0, 2**64, 400, dtype=np.uint64)


@dataclass
class Store:
    """A table that grows, and what runs on it left."""

    settings: object
    n: int = 20
    tested: dict[str, Ids] = field(default_factory=dict)
    opened: list[Opened] = field(default_factory=list)

    def table(self, contents=None) -> None:
        """Write the identities of the rows, of which every second is in the test set."""
        content = CONTENTS[: self.n] if contents is None else contents
        number = pd.Series(content).groupby(content).cumcount().to_numpy(np.uint32)
        part = np.where(np.arange(len(content)) % 2 == 0, "test", "used")
        files.PREPARED.mkdir(parents=True, exist_ok=True)
        files.RESULTS.mkdir(parents=True, exist_ok=True)
        pd.DataFrame({"part": part, "content": content, "number": number}).to_parquet(ROW_IDS)
        files.write_json(files.SEEN_ROWS, SeenRows().texts())

    def run(self, winner: int = 0, *, asked: bool, used_by: int = 0, unfinished: tuple[str, ...] = ()) -> UnusedRows:
        """A run, which leaves the rows that it tested."""
        candidate = self.settings.candidates[winner]
        ledger = Ledger(1, tuple(self.opened), used_by)
        found = unused_rows.look(self.settings, candidate, ledger, self.read, asked=asked, unfinished=unfinished)
        words = read_words(files.TESTED)["word"].to_numpy(np.uint64)
        assert {*words} == {*read_row_ids("test").of_rows[found.rows]}
        if len(found.rows):
            name = f"run {len(self.opened)}"
            self.opened.append(Opened(winner_id(candidate, self.settings, SeenRows()), name))
            self.tested[name] = words
        return found

    def read(self, runs) -> Ids | None:
        """The rows that runs tested; None if one is not known."""
        if any(run not in self.tested for run in runs):
            return None
        return np.concatenate([np.empty(0, np.uint64), *(self.tested[run] for run in runs)])


@pytest.fixture
def store(checkout, settings_with) -> Store:
    made = Store(settings_with(TWO, "split.duplicates=allow", "data.time=null"))
    made.table()
    return made


def test_exploring_costs_nothing_and_the_part_is_opened_once_for_the_one_that_was_decided_for(store):
    """A user changes his mind five times, opens the test set, and comes back on the next day with more rows."""
    for winner in (0, 1, 0, 1, 0):
        found = store.run(winner, asked=False)
        assert (0, 10, 0, None) == (len(found.rows), found.sealed, found.winners, found.refused)
    assert (10, 0, 1, 0) == counts(store.run(1, asked=True))
    assert (10, 0, 1, 0) == counts(store.run(1, asked=False))  # the same run again says the same
    refused = store.run(0, asked=True)
    assert (0, 0) == (len(refused.rows), refused.sealed)
    assert "opened for 1 other winner;" in refused.refused
    store.n = 60
    store.table()
    assert (0, 20, 0, 1) == counts(store.run(0, asked=False))  # the new rows are offered
    assert (10, 20, 1, 0) == counts(store.run(1, asked=False))  # and wait, also for the model of the first opening
    assert (20, 0, 1, 1) == counts(store.run(0, asked=True))
    assert "opened for 1 other winner;" in store.run(1, asked=True).refused  # a return to it would be a choice


def test_a_run_that_wrote_no_result_has_opened_the_part_for_its_winner_alone(store, caplog):
    store.run(0, asked=True)
    other = store.run(1, asked=True, unfinished=("run 0",)).refused
    assert "opened for 1 other winner (1 of them by a run that wrote no result);" in other
    assert [] == [line for line in caplog.messages if "bayes" in line]
    assert (10, 0, 1, 0) == counts(store.run(0, asked=False, unfinished=("run 0",)))  # the same opening
    assert "a run that wrote no result had opened the test set for bayes" in caplog.text
    later = store.run(1, asked=True, unfinished=("run 0",)).refused
    assert "opened for 1 other winner;" in later  # whose result is there now


def counts(found: UnusedRows) -> tuple[int, int, int, int]:
    return len(found.rows), found.sealed, found.winners, found.others


@LAWS
@given(
    st.lists(
        st.tuples(st.sampled_from([0, 1]), st.booleans(), st.sampled_from([0, 0, 4])),
        min_size=1,
        max_size=12,
    )
)
def test_no_row_is_tested_for_two_winners_and_none_before_somebody_asks(store, history):
    store, tested, asked_once = Store(store.settings), {0: set(), 1: set()}, False
    for winner, asked, more in history:
        store.n += more
        store.table()
        before = set().union(*tested.values())
        found = store.run(winner, asked=asked)
        rows = {*read_row_ids("test").of_rows[found.rows].tolist()}
        asked_once |= asked
        assert asked_once or not rows
        assert asked or rows <= tested[winner]
        assert not rows & tested[1 - winner]
        if asked and not found.refused:
            assert 0 == found.sealed
            every = {*read_row_ids("test").of_rows.tolist()}
            assert every - before <= rows  # whatever nobody has used is tested
        tested[winner] |= rows


def test_rows_of_a_run_that_left_no_list_are_not_told_from_new_rows(store):
    store.opened = [Opened("of another winner", "lost")]
    store.n = 60
    assert "no row of it is known to be new since" in store.run(asked=True).refused


def test_where_equal_rows_left_the_table_new_rows_are_not_told_from_old_rows(store):
    store.table(np.repeat(CONTENTS[:4], 10))
    store.run(0, asked=True)
    store.table(np.repeat(CONTENTS[:8], 10))
    assert 20 == store.run(1, asked=False).sealed
    store.table(np.repeat(CONTENTS[1:8], 10))
    assert store.run(1, asked=False).refused is not None


def test_rows_whose_labels_were_used_are_never_a_new_part(store):
    assert "2 earlier runs used labels" in store.run(asked=True, used_by=2).refused


def test_without_a_test_set_there_is_nothing_to_look_at(checkout, settings_with):
    files.RESULTS.mkdir(parents=True)
    without = settings_with(TWO, "split.test_fraction=0")
    assert unused_rows.look(without, without.candidates[0], Ledger(1), pytest.fail, asked=True) is None
    assert 0 == len(read_words(files.TESTED))
