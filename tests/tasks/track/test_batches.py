"""Batches in a real store: the rows that no run uses, from the first table to those that a person lets in or drops."""

import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from flows import batch as command
from tasks.data.known_rows import Identities
from tasks.data.prepare_tables import prepare
from tasks.outcome.batches import Batch
from tasks.runtime.errors import UserError
from tasks.storage import quarantine
from tasks.storage.row_ids import read_row_ids
from tasks.track import batch_files, batches, operations_ledger
from tasks.track.data_source import source_of
from tasks.track.store import connect
from tests.tasks.track.test_promote import Nights as Promotions
from tests.tasks.track.test_promote import table as promoted

LOCKED = """
import sys
from tasks.runtime.checkout_lock import checkout_lock
with checkout_lock("a night"):
    print("locked", flush=True)
    sys.stdin.read()
"""
OF_TABLE = ["data.source=table.csv", "data.target=label", "data.positive=null", "data.labeled_rows=null"]
OF_TABLE += ["split.folds=3", "covalidation.repeats=1"]


def table(first: int, last: int, yes: float = 0.4) -> pd.DataFrame:
    """Rows of a table that grows; `yes` is the share of a label."""
    u = np.random.default_rng(1).random((last, 3))[first:]
    label = np.where(u[:, 2] < yes, "yes", "no")
    return pd.DataFrame({"id": range(first, last), "a": u[:, 0], "b": u[:, 1].round(1), "label": label})


class Nights:
    """A checkout, its store and its table."""

    def __init__(self, settings_with) -> None:
        self.base = [*OF_TABLE, f"tracking.uri=sqlite:///{Path.cwd()}/mlflow.db"]
        self.with_changes = lambda *changes: settings_with(*self.base, *changes)
        self.settings = self.with_changes()
        self.client = connect(self.settings)
        operations_ledger.begin(self.client, self.settings, [])
        Path(".cache").mkdir()

    def night(self, *tables, settings=None, may_begin: bool = True):
        """What is said of the table of a night, None of one without new rows."""
        if tables:
            pd.concat(tables).to_csv("table.csv", index=False)
        return batches.examine(self.client, settings or self.settings, "key", may_begin=may_begin)

    def used(self, settings=None) -> set[int]:
        """The `id` of the rows that a run uses."""
        made = prepare(settings or self.settings)
        parts = [part for part in (made.labeled, made.test) if part is not None]
        return {*pd.concat(parts)["id"].astype(int)}

    def said(self, kind: str):
        return [entry.said for entry in operations_ledger.entries(self.client) if entry.kind == kind]


@pytest.fixture
def nights(checkout, empty_store, settings_with):
    shutil.copy(empty_store, "mlflow.db")
    return Nights(settings_with)


def test_a_batch_is_held_back_until_a_person_decides_and_a_lost_file_comes_back(nights):
    assert nights.night(table(0, 300), may_begin=False) is None
    first = nights.night()
    assert (True, "accepted", 300) == (first.batch.first, first.batch.state, first.batch.rows)
    assert nights.night() is None  # no row is new
    assert not quarantine.PATH.exists()  # nothing is held back: a checkout is as it was

    good, bad, more = table(300, 400), table(400, 520, yes=0.95), table(520, 640)
    assert "accepted" == nights.night(table(0, 300), good).batch.state
    held = nights.night(table(0, 300), good, bad)
    assert ("held", 120) == (held.batch.state, held.batch.rows)
    assert "the label" in held.words
    assert "% of 120 new rows, and in" in held.words
    assert {*range(400)} == nights.used()
    made = prepare(nights.settings)
    assert [("batch", "care", True)] == [(one.topic, one.severity, one.open) for one in made.left_out]
    whole = quarantine.PATH.read_bytes()

    quarantine.PATH.unlink()
    shutil.rmtree(batch_files.COPIES)
    after = nights.night(table(0, 300), good, bad, more)
    assert ("accepted", 120) == (after.batch.state, after.batch.rows)
    assert whole == quarantine.PATH.read_bytes()
    assert {*range(400), *range(520, 640)} == nights.used()

    number = held.batch.number
    done = batches.decide(nights.settings, number, release=False, why="the wrong export")
    assert f"dropped: batch {number}, 120 rows" in done
    assert nights.night() is None
    assert {*range(400), *range(520, 640)} == nights.used()
    assert ["note"] == [one.severity for one in prepare(nights.settings).left_out]
    assert "released" in batches.decide(nights.settings, number, release=True, why="it was right")
    assert {*range(640)} == nights.used()
    assert nights.night() is None  # they were examined

    like_released = nights.night(table(0, 300), good, bad, more, table(640, 760, yes=0.95))
    assert "accepted" == like_released.batch.state
    last = nights.night(table(0, 300), good, bad, more, table(640, 760, 0.95), table(760, 900, 0.0))
    assert "held" == last.batch.state
    assert re.search(r"the label yes in 0 % of 140 new rows, and in [\d.]+ % of 760 before$", last.words)  # of them all
    kinds = ["batch"] * 6
    assert len(kinds) == len(nights.said("batch"))
    evidence = nights.said("batch")[2]
    assert {"labels", "copies"} <= {*evidence["evidence"]}
    assert evidence["evidence"]["labels"] * 4 <= evidence["limit"] == pytest.approx(0.05 / 6)
    assert ["the champion: there is none"] == evidence["not_asked"]
    with pytest.raises(UserError, match="are used already"):
        batches.decide(nights.settings, number, release=True, why="")
    with pytest.raises(UserError, match="no batch of .* has this number; held back: [0-9]+$"):
        batches.decide(nights.settings, 999, release=False, why="")


def test_two_checkouts_of_a_store_agree_and_the_command_says_what_is_held_back(nights, shipped, capsys):
    nights.night(table(0, 300))
    held = nights.night(table(0, 300), table(300, 420, yes=0.95))
    file = quarantine.PATH.read_bytes()
    quarantine.PATH.unlink()  # another clone, which has not run
    changes = [part for change in nights.base for part in ("--set", change)]
    assert 0 == command.main(_options(["--params", str(shipped), *changes]))
    said = capsys.readouterr().out
    assert f"{held.batch.number:>5}       120" in said
    assert f"batch --release {held.batch.number}" in said
    assert file == quarantine.PATH.read_bytes()
    assert 0 == command.main(
        _options(["--drop", str(held.batch.number), "--why", "x", "--params", str(shipped), *changes])
    )
    assert ["x"] == [one["why"] for one in nights.said("batch-dropped")]


def _options(arguments):
    import argparse

    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return parser.parse_args(arguments)


def test_rows_are_known_after_a_column_came_and_refused_after_one_went(nights):
    nights.night(table(0, 300))
    old = pd.concat([table(0, 300), table(300, 420, yes=0.95)])
    assert nights.night(old).held
    wider = pd.concat([old, table(420, 540)]).assign(c=0.25)
    found = nights.night(wider)
    assert ("accepted", 120) == (found.batch.state, found.batch.rows)
    assert {*range(300), *range(420, 540)} == nights.used()
    with pytest.raises(UserError, match="table lacks one of these"):
        nights.night(wider.drop(columns="b"))


def rounded(rows: pd.DataFrame) -> pd.DataFrame:
    """The same rows with fewer decimals."""
    return rows.assign(a=rows["a"].round(4))


def accepted(number: int, words, **more) -> Batch:
    """A batch whose rows runs use."""
    return Batch(number, "", len(words), False, "accepted", (), (), f"file {number}", **more)


@pytest.mark.parametrize(
    ("delivery", "left"),
    [
        (lambda: rounded(table(0, 240)), 200),
        (lambda: table(0, 200).assign(b=100 * (1 + table(0, 200)["b"])), 200),
        (lambda: table(200, 240), 200),
        (lambda: table(0, 100), 100),
        (lambda: table(0, 240).drop(columns="b"), 200),
        (lambda: table(0, 200).assign(label=np.where(np.arange(200) < 30, "maybe", table(0, 200)["label"])), 30),
        (lambda: table(0, 240).sample(frac=1, random_state=0).assign(c=1), 0),
    ],
    ids=["rounded", "scaled", "the day alone", "half", "a column went", "labels corrected", "shuffled and wider"],
)
def test_rows_of_the_past_that_left_or_changed_are_counted(delivery, left):
    of_past = Identities(table(0, 200))
    words = of_past.by(of_past.columns).of_rows
    parts = {1: words[:150], 2: words[150:], 3: words}
    stored = {number: batch_files.Stored(of_past.columns, part) for number, part in parts.items()}
    past = [accepted(1, words[:150]), accepted(2, words[150:])]
    found = batches._left(Identities(delivery()), past, stored)
    assert (left, 200) == (len(found.rows), found.expected)
    released = replace(accepted(3, words, left=200), state="released")
    assert 0 == batches._left(Identities(delivery()), [*past, released], stored).expected
    held = replace(released, state="held")
    assert left == len(batches._left(Identities(delivery()), [*past, held], stored).rows)


def test_a_table_that_lacks_rows_of_the_past_is_held_whole_with_both_counts(nights):
    nights.night(table(0, 200))
    entries = len(nights.said("batch"))
    found = nights.night(rounded(table(0, 240)))
    assert ("held", 200, 240) == (found.batch.state, found.batch.left, found.batch.rows)
    assert "200 of 200 rows of the past are not in the table as they were" in found.words
    assert "240 rows are new" in found.words
    assert found.batch.number == nights.night().batch.number
    assert entries + 1 == len(nights.said("batch"))
    assert not quarantine.PATH.exists()  # nothing is left out: no run uses the table

    assert nights.night(table(0, 200)) is None  # repaired, which no person need say
    assert [found.batch.number] == [one["batch"] for one in nights.said("batch-dropped")]
    assert "held" == nights.night(table(0, 100)).batch.state


def test_a_table_that_a_person_releases_is_expected_from_then_on_and_its_new_rows_are_examined(nights):
    nights.night(table(0, 200))
    held = nights.night(rounded(table(0, 240)))
    number = held.batch.number
    assert f"batch --release {number}" in batches.remedy(held.batch)
    assert "200 rows of the past" in batches.decide(nights.settings, number, release=True, why="")
    first = nights.night()
    assert (True, "accepted", 240) == (first.batch.first, first.batch.state, first.batch.rows)
    assert nights.night(rounded(table(0, 300))).batch.state == "accepted"
    assert ("held", 300, 0) == (lambda one: (one.state, one.left, one.rows))(nights.night(table(0, 200)).batch)
    with pytest.raises(UserError, match="used already"):
        batches.decide(nights.settings, number, release=True, why="")


def test_rows_of_which_it_was_announced_that_they_leave_may_leave(nights):
    nights.night(table(0, 200))
    old = nights.night(table(0, 200), table(200, 260)).batch.number
    batches.decide(nights.settings, old, release=False, why="too old")
    found = nights.night(table(0, 200), table(260, 320))
    assert ("accepted", 0, 60) == (found.batch.state, found.batch.left, found.batch.rows)
    held = nights.night(table(0, 200), table(260, 320), table(320, 440, yes=0.95))
    assert ("held", 0) == (held.batch.state, held.batch.left)
    assert nights.night(table(0, 200), table(260, 320)) is None  # no run used the rows that were held back


def test_a_batch_that_comes_twice_and_columns_that_are_empty_are_held_back(nights):
    nights.night(table(0, 400))
    again = table(250, 400).sample(frac=1, random_state=0)
    twice = nights.night(table(0, 400), again)
    assert ("held", 150) == (twice.batch.state, twice.batch.rows)
    assert "a copy of another row in 100 % of 150 new rows" in twice.words
    assert {*range(400)} == nights.used()
    empty = table(400, 500)
    empty.loc[empty["id"] % 2 == 0, "a"] = np.nan
    assert (
        "no value of a in 50 % of 100 new rows, and in 0 % of 400 before"
        in nights.night(table(0, 400), again, empty).words
    )


def test_numbers_groups_and_copies_that_are_kept_together(nights):
    """A group is one observation: 120 rows of two groups that are alike say nothing; of sixty groups they do."""

    def grown(last: int, groups: int, shift: float):
        base = table(0, 300).assign(g=np.arange(300) // 3, label=np.random.default_rng(2).normal(size=300))
        new = table(300, last).assign(g=1000 + np.arange(last - 300) % groups)
        return pd.concat([base, new.assign(label=shift + np.random.default_rng(3).normal(size=last - 300))])

    settings = nights.with_changes("data.groups=g", "tracking.registered_model=of_groups")
    nights.night(grown(300, 1, 0.0), settings=settings)
    assert "accepted" == nights.night(grown(420, 2, 3.0), settings=settings).batch.state
    many = nights.with_changes("data.groups=g", "tracking.registered_model=of_many")
    nights.night(grown(300, 1, 0.0), settings=many)
    found = nights.night(grown(420, 60, 3.0), settings=many)
    assert "held" == found.batch.state
    assert "the target above" in found.words
    assert "of 60 new groups, and in" in found.words
    together = nights.with_changes(
        "split.duplicates=keep_together", "tracking.registered_model=together", "data.drop=[id]"
    )
    nights.night(grown(300, 1, 0.0), settings=together)
    assert "new distinct rows" in nights.night(grown(420, 60, 3.0), settings=together).words


def test_the_file_and_the_ledger_name_a_source_in_the_same_words(settings_with):
    for changes in ((), OF_TABLE, ("data.positive=2",)):
        settings = settings_with(*changes)
        assert source_of(settings) == quarantine.about(settings)


def test_the_shipped_file_is_what_is_written_where_nothing_is_held_back(checkout, shipped, settings_with):
    shutil.copy(shipped.with_name("quarantine.json"), quarantine.PATH)
    assert not quarantine.write(settings_with(), [])


def test_a_file_that_cannot_be_read_is_refused_and_made_again_from_the_ledger(nights):
    nights.night(table(0, 300))
    nights.night(table(0, 300), table(300, 420, yes=0.95))
    whole = quarantine.PATH.read_bytes()
    for broken in ("", '{"batches": [{}]}', whole.decode().replace('"rows": "', '"rows": "?')):
        quarantine.PATH.write_text(broken)
        if broken != '{"batches": [{}]}':  # of another source
            with pytest.raises(UserError, match="quarantine.json cannot be read"):
                prepare(nights.settings)
        batches.listed(nights.settings)
        assert whole == quarantine.PATH.read_bytes().replace(b"\n  {},", b"")


def test_rows_in_the_store_that_are_not_those_of_the_entry_are_refused(nights):
    nights.night(table(0, 300))
    shutil.rmtree(batch_files.COPIES)
    (file,) = Path().rglob("batches/*.parquet")
    frame = pd.read_parquet(file)
    frame.iloc[:-1].to_parquet(file)
    with pytest.raises(UserError, match="are not those of its entry"):
        nights.night(table(0, 400))
    file.unlink()  # and gone for good: the table counts as a first one, which is said
    found = nights.night()
    assert (True, 400) == (found.batch.first, found.batch.rows)
    assert "no row of the table is known from before" in found.words
    assert "the store has lost their identities" in found.words


def test_a_decision_during_a_run_leaves_its_files_and_is_followed_by_the_next(nights):
    nights.night(table(0, 300))
    held = nights.night(table(0, 300), table(300, 420, yes=0.95))
    whole = quarantine.PATH.read_bytes()
    code = f"import sys; sys.path.insert(0, {str(Path(command.__file__).parents[1])!r})\n{LOCKED}"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert b"locked" in other.stdout.readline()
        batches.decide(nights.settings, held.batch.number, release=True, why="")
        assert whole == quarantine.PATH.read_bytes()
        other.stdin.close()
    assert nights.night() is None
    assert [] == json.loads(quarantine.PATH.read_text())["batches"]
    assert {*range(420)} == nights.used()


def wrong(rows: pd.DataFrame, last: int) -> pd.DataFrame:
    """A table of which 40 % of the last rows have another label."""
    flipped = (np.arange(len(rows)) >= len(rows) - last) & (np.random.default_rng(4).random(len(rows)) < 0.4)
    return rows.assign(label=np.where(flipped, 1 - rows["label"], rows["label"]))


@pytest.mark.slow
def test_the_champion_is_asked_on_rows_that_did_not_train_it(checkout, empty_store, settings_with):
    """First, wrong labels, promoted on the rows of a contest, and a file that is gone: the other checks go on."""
    shutil.copy(empty_store, "mlflow.db")
    nights = Promotions(settings_with)
    settings = nights.prepare(promoted(100))
    nights.run(settings, "stump")
    client = connect(settings)

    def look():
        found = batches.examine(client, settings, "key", may_begin=True)
        return found, operations_ledger.entries(client)[-1].said

    assert look()[0].batch.first
    settings = nights.prepare(promoted(400))
    found, said = look()
    assert ("accepted", "1") == (found.batch.state, said["champion"])
    tested = len(read_row_ids("test").content)
    decision, _ = nights.run(settings, "tree")
    assert "yes" == decision.promoted
    nights.prepare(wrong(promoted(520), 120))
    found, said = look()
    assert ("held", "2") == (found.batch.state, said["champion"])
    assert "an error of the champion in" in found.words
    assert f"of {tested} before" in found.words  # of the contest, which did not train it
    assert said["error"] > said["error_before"] + 0.2

    for model in Path("artifacts").rglob("model.skops"):
        model.unlink()
    nights.prepare(wrong(promoted(520), 120), promoted(120, 600).assign(label=1))
    found, said = look()
    assert "held" == found.batch.state
    assert "the label 1 in 100 % of 120 new rows" in found.words
    assert said["not_asked"][0].startswith("the champion: ")
    assert "error" not in said["evidence"]


@pytest.mark.long
def test_the_losses_of_numbers_are_asked_with_groups_and_weights(checkout, empty_store, settings_with):
    """Noise without a variance, and new rows whose target has the same law, but does not follow the features."""
    shutil.copy(empty_store, "mlflow.db")
    nights = Promotions(settings_with)
    tree = "{name: tree, estimator: sklearn.tree.DecisionTreeRegressor, params: {max_depth: 4}}"
    roles = ("data.groups=g", "data.weight=w", f"candidates=[{tree}]", "split.folds=3")
    more = dict(one.split("=", 1) for one in roles)

    def grown(rows: int, wrong: int = 0) -> pd.DataFrame:
        u = np.random.default_rng(6).random((rows, 4))
        noise = 0.02 * np.random.default_rng(7).standard_cauchy(900)[:rows]
        frame = pd.DataFrame({"a": u[:, 0], "b": u[:, 1], "label": 10 * u[:, 0] + noise})
        frame.loc[rows - wrong :, "label"] = 10 * u[rows - wrong :, 2] + noise[rows - wrong :]
        return frame.assign(g=np.arange(rows) // 2, w=1 + u[:, 3])

    settings = nights.prepare(grown(400), **more)
    nights.run(settings, "tree")
    client = connect(settings)
    for rows, wrong, state in ((400, 0, "accepted"), (600, 0, "accepted"), (800, 200, "held")):
        nights.prepare(grown(rows, wrong), **more)
        found = batches.examine(client, settings, "key", may_begin=True)
        assert state == found.batch.state
    assert "a loss of the champion above" in found.words
    assert "of 100 new groups, and in" in found.words
