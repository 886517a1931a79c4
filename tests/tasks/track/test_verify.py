"""`verify` on a real store: what holds, and fifty histories that somebody changed in the database."""

import hashlib
import json
import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from flows.__main__ import main
from heldout.rows.row_sketch import Sketch
from tasks.outcome import chain
from tasks.outcome.chain import Entry, Head
from tasks.outcome.history import History
from tasks.outcome.items import DATA_HASH, Tag, TrackedMetric
from tasks.outcome.verified_history import verify
from tasks.storage.seen_rows import SeenRows
from tasks.track import lifecycle, operations_ledger
from tasks.track.experiments import experiment_id
from tasks.track.ledger_tags import HIDDEN, KEY, entry_of
from tasks.track.operations_ledger import HEAD, append, history
from tasks.track.store import connect

STORE = Path("mlflow.db")
LEARNERS = [f"{number:016x}" for number in range(20)]


def rows(first: int, count: int) -> np.ndarray:
    """Identities of rows, as random as a hash."""
    return np.random.default_rng(0).integers(1, 2**63, 5000, np.uint64)[first : first + count]


def hashed(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Story:
    """A store after six validations, its parameters, the validations' ids, the report of one, and the last head."""

    settings: Callable[[Path], object]
    runs: tuple[str, ...]
    report: dict[str, str]
    head: Head
    store: Path


def validate(settings, number: int, *, tested: np.ndarray | None = None, winner: str = "w1") -> str:
    """A validation of three learners on the same rows, without a fit; its run's id."""
    learners = LEARNERS[number : number + 3]
    with lifecycle.run(settings):
        run = lifecycle.active()
        seen = SeenRows(
            Sketch.of(rows(0, 400)), Sketch.of(rows(0, 300)), Sketch.of(rows(300, 100)), f"p{number % 2}", "t"
        )
        tags = [Tag(f"{HIDDEN}rows.{name}", text) for name, text in seen.texts().items()]
        tags += [Tag(DATA_HASH, "h"), Tag("selected_model", winner), Tag(f"{HIDDEN}compared.0", " ".join(learners))]
        tags += [] if tested is None else [Tag(f"{HIDDEN}test_opened_for", winner)]
        run.send(tags)
        earlier = [entry_of(id_, tags) for id_, tags in run.earlier.items()]
        pairs = {(one, entry.seen.partition) for entry in earlier for one in entry.learners}
        compared = len(pairs | {(one, seen.partition) for one in learners})
        run.enter(settings, "compared", {"compared": compared, "winner": winner, "after": run.entries})
        if tested is not None:
            said = {
                "winner": winner,
                "rows": len(tested),
                "others": 0,
                "reopened": False,
                "tested": str(Sketch.of(tested)),
            }
            run.enter(settings, "opened", said)
            run.enter(settings, "tested", {"rows": len(tested), "E_test": 0.125})
        run.send([TrackedMetric("E_cv", 0.1 + number / 100), TrackedMetric("bound", 1 / 3)])
        for name in ("bayes", "tree"):
            curve = [TrackedMetric("fold_error", 0.1 * fold, fold) for fold in range(3)]
            run.send_candidate(name, [TrackedMetric("E_cv", 0.2), *curve], failed=False)
        files = {"report.html": hashed(f"report {number}"), "selection.json": hashed(f"selection {number}")}
        e_test = None if tested is None else 0.125
        run.enter(settings, "reported", {"files": files, "winner": winner, "compared": compared, "E_test": e_test})
        run.send([Tag(HEAD, operations_ledger.head())])
    return run.run_id


@pytest.fixture(scope="module")
def story(empty_store, settings_with, tmp_path_factory) -> Story:
    """Six validations, of which the third and the fifth open the test set, a promotion and its rollback, a look."""
    folder = tmp_path_factory.mktemp("story")

    def at(path: Path):
        return settings_with(f"tracking.uri=sqlite:///{path.absolute()}")  # MLflow keeps a store by its address

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        shutil.copy(empty_store, STORE)
        settings = at(STORE)
        client = connect(settings)
        of = {"name": "digits", "source": "s", "alias": "digits@champion", "candidate": "w1", "learner": "l"}
        opened = {2: {"tested": rows(300, 100)}, 4: {"tested": rows(400, 50), "winner": "w2"}}
        runs = []
        for number in range(6):
            runs.append(validate(settings, number, **opened.get(number, {})))
            if number in (1, 3):
                client.log_metric(runs[-1], "E_champion", 0.25)  # by the contest, which comes after the report
                key = client.get_run(runs[-1]).data.tags[KEY]
                said = {**of, "version": str(number), "promoted": "yes", "run": key, "E_champion": 0.25}
                append(client, settings, "champion", said)
        append(client, settings, "rollback", {**of, "version": "1", "instead_of": "3"})
        append(client, settings, "watched", {"model": "digits/1", "shards": 3, "alarms": []})
        client.create_registered_model("digits")
        for run in runs[:4]:
            client.create_model_version("digits", "models/m", run)
        client.set_registered_model_alias("digits", "champion", "1")
    report = {"report.html": hashed("report 2")}
    return Story(at, tuple(runs), report, Head.parsed(operations_ledger.head()), folder / STORE)


@pytest.fixture
def store(story, checkout):
    """A copy of it, to be changed."""
    shutil.copy(story.store, STORE)
    return story


def look(story, witness=None, report=None):
    return verify(history(connect(story.settings(STORE))), entry_of, report or story.report, witness)


def test_a_history_as_it_was_written_is_whole_and_says_what_the_report_rests_on(store):
    found = look(store, store.head)
    assert () == found.faults
    said = " ".join(found.remarks)
    assert "report.html was written by the run of entry" in said
    assert "the test set was opened once for this model: 100 rows" in said
    # learners 0-2 and 2-4 of one partition, 1-3 of the other
    assert "M = 8, counted again from the runs of the ledger" in said
    assert str(store.head) == str(found.head)
    other = look(store, report={"selection.json": hashed("selection 4")})
    assert () == other.faults
    assert "opened once for this model: 50 rows" in " ".join(other.remarks)
    sealed = look(store, report={"mailed.html": hashed("report 0")})  # a name says nothing
    assert () == sealed.faults
    assert "was not opened for this model" in " ".join(sealed.remarks)
    stranger = look(store, report={"report.html": hashed("another")})
    assert ["no entry names report.html"] == [fault.partition(":")[0] for fault in stranger.faults]


def test_an_opening_without_a_result_is_said_and_no_fault(store):
    opened = store.settings(STORE)
    said = {"winner": "w3", "rows": 9, "others": 0, "reopened": False, "tested": str(Sketch.of(rows(900, 9)))}
    entry = append(connect(opened), opened, "opened", {"run": "died", **said})
    found = look(store)
    assert () == found.faults
    (remark,) = [one for one in found.remarks if "none has its result" in one]
    assert remark.startswith(f"entry {entry.number} opened the test set")


def test_an_exported_history_says_the_same_and_its_changes_are_found(store):
    whole = history(connect(store.settings(STORE)))
    text = whole.exported()
    again = History.parsed(text)
    assert verify(whole, entry_of, store.report) == verify(again, entry_of, store.report)
    changed = json.loads(text)
    changed["runs"][2]["metrics"]["E_cv"] = 0.01
    assert verify(History.parsed(json.dumps(changed)), entry_of, store.report).faults
    deep = "[" * 10**5 + "]" * 10**5
    no_texts = {**changed, "ledgers": [{"run": "a", "entries": {"00000001": 3}}]}
    for broken in (
        "{}",
        "[]",
        "no",
        deep,
        json.dumps(no_texts),
        json.dumps({**changed, "heldout ledger of operations": 99}),
    ):
        with pytest.raises(ValueError, match="it is|Expecting"):
            History.parsed(broken)


# ---- what somebody with the database may do ----


@dataclass(frozen=True)
class Database:
    """The tables of MLflow, as somebody changes them who does not go through heldout."""

    connection: sqlite3.Connection
    runs: tuple[str, ...]

    def do(self, statement: str, *values: object) -> None:
        assert self.connection.execute(statement, values).rowcount > 0, "the history is as before"

    @property
    def ledger(self) -> str:
        query = "SELECT run_uuid FROM tags WHERE key = ? AND value = 'operations'"
        return self.connection.execute(query, (f"{HIDDEN}ledger",)).fetchone()[0]

    @property
    def entries(self) -> list[Entry]:
        query = "SELECT value FROM params WHERE run_uuid = ? ORDER BY key"
        return [Entry.parsed(text) for (text,) in self.connection.execute(query, (self.ledger,))]

    def place(self, kind: str, which: int = 0) -> int:
        """The number of an entry of a kind."""
        return [entry.number for entry in self.entries if entry.kind == kind][which]

    def write(self, number: int, text: str) -> None:
        name = chain.name_of(number)
        self.do("UPDATE params SET value = ? WHERE run_uuid = ? AND key = ?", text, self.ledger, name)

    def remove_entry(self, number: int) -> None:
        self.do("DELETE FROM params WHERE run_uuid = ? AND key = ?", self.ledger, chain.name_of(number))

    def edit(self, number: int, *, hashes: bool = False, **changes: object) -> None:
        """Change fields of an entry, or of what it says; with `hashes`, its own hash too."""
        entry = self.entries[number - 1]
        values = json.loads(entry.text())
        for name, value in changes.items():
            place = values if name in values else values["said"]
            place[name] = value
        made = Entry(**values)
        values["hash"] = made.made_hash() if hashes else made.hash
        self.write(number, Entry(**values).text())

    def tag(self, run: str, name: str, value: str) -> None:
        self.do("UPDATE tags SET value = ? WHERE run_uuid = ? AND key = ?", value, run, name)

    def metric(self, run: str, name: str, value: float) -> None:
        for table in ("metrics", "latest_metrics"):
            self.do(f"UPDATE {table} SET value = ? WHERE run_uuid = ? AND key = ?", value, run, name)

    def child(self, run: str, which: int = 0) -> str:
        query = "SELECT run_uuid FROM tags WHERE key = 'mlflow.parentRunId' AND value = ? ORDER BY run_uuid"
        return self.connection.execute(query, (run,)).fetchall()[which][0]

    def delete(self, run: str) -> None:
        self.do("UPDATE runs SET lifecycle_stage = 'deleted' WHERE run_uuid = ?", run)

    def erase(self, run: str) -> None:
        for table in ("params", "tags", "metrics", "latest_metrics", "runs"):
            self.connection.execute(f"DELETE FROM {table} WHERE run_uuid = ?", (run,))

    def made_again_from(self, number: int) -> None:
        """All later entries follow what stands before them now, with new hashes, and the ledger's head too."""
        entries = self.entries
        last = entries[number - 2] if number > 1 else None
        for entry in entries[number - 1 :]:
            last = chain.following(last, entry)
            self.write(last.number, last.text())
        self.tag(self.ledger, HEAD, str(last.head))

    def cut_from(self, number: int, *, head: bool) -> None:
        for entry in self.entries[number - 1 :]:
            self.remove_entry(entry.number)
        if head:
            self.tag(self.ledger, HEAD, str(self.entries[-1].head))


def swapped(at: Database, one: int, other: int) -> None:
    texts = {entry.number: entry.text() for entry in at.entries}
    at.write(one, texts[other])
    at.write(other, texts[one])


def closed_up(at: Database, number: int) -> None:
    """Take an entry out, and move all later ones."""
    entries = at.entries
    for entry in entries[number:]:
        at.write(entry.number - 1, entry.text())
    at.remove_entry(entries[-1].number)


def taken_out(at: Database, number: int) -> None:
    """The same, with all hashes made again: no entry shows it, only what the runs name."""
    entries = at.entries
    last = entries[number - 2] if number > 1 else None
    for entry in entries[number:]:
        last = chain.following(last, entry)
        at.write(last.number, last.text())
    at.remove_entry(entries[-1].number)
    at.tag(at.ledger, HEAD, str(last.head))


def second_ledger(at: Database, *, first: bool, entries: bool) -> None:
    """Another run that says it is the ledger, in the same experiment."""
    run, began = "f" * 32, 0 if first else int(1000 * time.time()) + 10**6
    columns = [name for _, name, *_ in at.connection.execute("PRAGMA table_info(runs)")]
    taken = ", ".join({"run_uuid": "?", "start_time": "?"}.get(name, name) for name in columns)
    at.do(f"INSERT INTO runs ({', '.join(columns)}) SELECT {taken} FROM runs WHERE run_uuid = ?", run, began, at.ledger)
    if entries:
        at.do(
            "INSERT INTO params (key, value, run_uuid) SELECT key, value, ? FROM params WHERE run_uuid = ?",
            run,
            at.ledger,
        )
    at.do("INSERT INTO tags (key, value, run_uuid) SELECT key, value, ? FROM tags WHERE run_uuid = ?", run, at.ledger)


def unlogged_run(at: Database) -> None:
    """A validation that no entry names, as if it had compared little."""
    run = "e" * 32
    columns = [name for _, name, *_ in at.connection.execute("PRAGMA table_info(runs)")]
    taken = ", ".join("?" if name == "run_uuid" else name for name in columns)
    at.do(f"INSERT INTO runs ({', '.join(columns)}) SELECT {taken} FROM runs WHERE run_uuid = ?", run, at.runs[0])
    copied = "INSERT INTO tags (key, value, run_uuid) SELECT key, CASE key WHEN ? THEN 'new' ELSE value END, ?"
    at.do(f"{copied} FROM tags WHERE run_uuid = ? AND key != '{HEAD}'", KEY, run, at.runs[0])


def renamed(at: Database, one: int, other: int) -> None:
    """Two validations change their names."""
    query = "SELECT value FROM tags WHERE run_uuid = ? AND key = ?"
    names = [at.connection.execute(query, (at.runs[run], KEY)).fetchone()[0] for run in (one, other)]
    at.tag(at.runs[one], KEY, names[1])
    at.tag(at.runs[other], KEY, names[0])


COMPARED, OPENED_FOR = f"{HIDDEN}compared.0", f"{HIDDEN}test_opened_for"
TAMPERED: dict[str, Callable[[Database], None]] = {
    # runs that were removed
    "the first run deleted": lambda at: at.delete(at.runs[0]),
    "the run of the report deleted": lambda at: at.delete(at.runs[2]),
    "the last run deleted": lambda at: at.delete(at.runs[5]),
    "a run erased": lambda at: at.erase(at.runs[1]),
    "all runs but that of the report deleted": lambda at: [at.delete(run) for run in at.runs if run != at.runs[2]],
    "a candidate's run deleted": lambda at: at.delete(at.child(at.runs[2])),
    "a candidate's run erased": lambda at: at.erase(at.child(at.runs[5], 1)),
    # numbers that were edited
    "E_cv of the report": lambda at: at.metric(at.runs[2], "E_cv", 0.05),
    "E_cv of another run": lambda at: at.metric(at.runs[0], "E_cv", 0.05),
    "the last bit of a bound": lambda at: at.metric(at.runs[4], "bound", float(np.nextafter(1 / 3, 0))),
    "E_champion of a contest": lambda at: at.metric(at.runs[3], "E_champion", 0.2),
    "E_cv of a candidate": lambda at: at.metric(at.child(at.runs[2]), "E_cv", 0.3),
    "a metric removed": lambda at: at.do("DELETE FROM latest_metrics WHERE run_uuid = ? AND key = 'bound'", at.runs[3]),
    "a metric of another name": lambda at: at.do(
        "UPDATE latest_metrics SET key = 'E_test' WHERE run_uuid = ? AND key = 'bound'", at.runs[2]
    ),
    # what a run says that it compared
    "a learner fewer": lambda at: at.tag(at.runs[0], COMPARED, " ".join(LEARNERS[:2])),
    "another learner": lambda at: at.tag(at.runs[1], COMPARED, " ".join(LEARNERS[5:8])),
    "other rows": lambda at: at.tag(at.runs[0], f"{HIDDEN}rows.labeled", str(Sketch.of(rows(2000, 400)))),
    "another partition": lambda at: at.tag(at.runs[0], f"{HIDDEN}rows.partition", "p1"),
    "opened for another": lambda at: at.tag(at.runs[2], OPENED_FOR, "w9"),
    "never opened": lambda at: at.do("DELETE FROM tags WHERE run_uuid = ? AND key = ?", at.runs[4], OPENED_FOR),
    "another winner": lambda at: at.tag(at.runs[2], "selected_model", "w2"),
    "no tag of the ledger": lambda at: at.do(
        "DELETE FROM tags WHERE run_uuid = ? AND key LIKE ?", at.runs[1], f"{HIDDEN}%"
    ),
    "no data hash": lambda at: at.do("DELETE FROM tags WHERE run_uuid = ? AND key = ?", at.runs[1], DATA_HASH),
    # other times
    "a run re-dated": lambda at: at.do("UPDATE runs SET start_time = 1 WHERE run_uuid = ?", at.runs[3]),
    "two runs exchange their times": lambda at: at.do(
        "UPDATE runs SET start_time = (SELECT sum(start_time) FROM runs WHERE run_uuid IN (?, ?)) - start_time "
        "WHERE run_uuid IN (?, ?)",
        *at.runs[:2],
        *at.runs[:2],
    ),
    "an entry re-dated": lambda at: at.edit(at.place("opened"), time="2020-01-01T00:00:00.000+00:00"),
    "an entry re-dated with its hash": lambda at: at.edit(
        at.place("opened"), hashes=True, time="2020-01-01T00:00:00.000+00:00"
    ),
    "the last entry re-dated": lambda at: at.edit(at.place("watched"), time="2020-01-01T00:00:00.000+00:00"),
    "the last entry re-dated with its hash": lambda at: at.edit(
        at.place("watched"), hashes=True, time="2020-01-01T00:00:00.000+00:00"
    ),
    # entries that were edited
    "M of an entry": lambda at: at.edit(at.place("reported", 2), compared=1),
    "M of an entry with its hash": lambda at: at.edit(at.place("compared", 2), hashes=True, compared=1),
    "who did it": lambda at: at.edit(at.place("rollback"), who="nobody"),
    "which version did it": lambda at: at.edit(at.place("rollback"), hashes=True, version="9.9"),
    "another kind": lambda at: at.edit(at.place("rollback"), hashes=True, kind="release"),
    "rows tested before": lambda at: at.edit(at.place("opened", 1), hashes=True, tested=str(Sketch.of(rows(900, 9)))),
    "no JSON": lambda at: at.write(3, "{"),
    "another form of the same": lambda at: at.write(3, json.dumps(json.loads(at.entries[2].text()))),
    "all made again from an edited entry": lambda at: [
        at.edit(at.place("compared", 1), compared=1),
        at.made_again_from(at.place("compared", 1)),
    ],
    # entries that were removed
    "the first entry removed": lambda at: at.remove_entry(1),
    "another result": lambda at: at.edit(at.place("tested"), hashes=True, E_test=0.25),
    "a result removed": lambda at: at.remove_entry(at.place("tested")),
    "an opening removed": lambda at: at.remove_entry(at.place("opened")),
    "an opening removed, and all moved up": lambda at: closed_up(at, at.place("opened")),
    "an opening removed, and all made again": lambda at: taken_out(at, at.place("opened")),
    "the end cut off": lambda at: at.cut_from(at.place("rollback"), head=False),
    "the end cut off, and the head with it": lambda at: at.cut_from(at.place("reported", 5), head=True),
    "all entries removed": lambda at: at.do("DELETE FROM params WHERE run_uuid = ?", at.ledger),
    # moved, added, made twice
    "two entries exchanged": lambda at: swapped(at, 3, 4),
    "two validations exchanged": lambda at: swapped(at, at.place("reported", 0), at.place("reported", 1)),
    "an entry twice": lambda at: at.do(
        "INSERT INTO params (key, value, run_uuid) VALUES (?, ?, ?)",
        chain.name_of(len(at.entries) + 1),
        at.entries[-1].text(),
        at.ledger,
    ),
    "two validations exchange their names": lambda at: renamed(at, 0, 2),
    "a run that no entry names": unlogged_run,
    "a second ledger, empty and earlier": lambda at: second_ledger(at, first=True, entries=False),
    "a second ledger, the same and later": lambda at: second_ledger(at, first=False, entries=True),
    "the ledger deleted": lambda at: at.delete(at.ledger),
    "the head of a run removed": lambda at: at.do("DELETE FROM tags WHERE run_uuid = ? AND key = ?", at.runs[2], HEAD),
    "the head of a run changed": lambda at: at.tag(at.runs[2], HEAD, "3 0123456789abcdef"),
    "the champion moved": lambda at: at.do("UPDATE registered_model_aliases SET version = 3"),
}


def test_each_of_fifty_tampered_histories_is_found(store):
    """With what the store says alone: nobody has kept a head."""
    assert 50 <= len(TAMPERED)
    client, missed = connect(store.settings(STORE)), []
    for name, tamper in TAMPERED.items():
        with closing(sqlite3.connect(store.store)) as whole, closing(sqlite3.connect(STORE)) as connection, connection:
            whole.backup(connection)
            tamper(Database(connection, store.runs))
        if not verify(history(client), entry_of, store.report).faults:
            missed.append(name)
    assert [] == missed


def test_a_history_that_was_made_again_whole_is_found_by_a_head_that_somebody_kept_and_by_nothing_else(store):
    """The limit that the output and docs/how-to/verify.md state."""
    with closing(sqlite3.connect(STORE)) as connection, connection:
        at = Database(connection, store.runs)
        at.edit(at.place("rollback"), who="nobody")
        at.made_again_from(at.place("rollback"))
    assert () == look(store).faults
    (fault,) = look(store, store.head).faults
    assert "the head that was kept" in fault
    assert "is another one" in fault


def test_the_command_reads_an_export_in_any_folder_and_names_what_it_cannot_read(store, checkout, capsys):
    Path("ledger.json").write_text(history(connect(store.settings(STORE))).exported(), encoding="utf-8")
    Path("mailed.html").write_text("report 2")
    assert 0 == main(["verify", "mailed.html", "--ledger", "ledger.json", "--head", str(store.head)])
    said = capsys.readouterr().out
    assert "mailed.html was written by the run of entry" in said
    assert "not seen  runs that were never logged" in said
    assert said.endswith(f"for others to keep: {store.head}\n")
    assert 3 == main(["verify", "--ledger", "ledger.json", "--head", "4 0123456789abcdef"])
    assert "FOUND     the head that was kept, 4 0123456789abcdef, does not hold" in capsys.readouterr().out
    Path("mailed.html").write_text("report 2 with a better number")
    assert 3 == main(["verify", "mailed.html", "--ledger", "ledger.json"])
    assert "no entry names mailed.html" in capsys.readouterr().out
    for words, part in {
        ("gone.html", "--ledger", "ledger.json"): "is no file",
        ("--ledger", "mailed.html"): "cannot be read",
        ("--ledger", "ledger.json", "--head", "4"): "is no head of a ledger",
        (): "not inside a heldout",
    }.items():
        assert 2 == main(["verify", *words])
        assert part in capsys.readouterr().err


def test_a_store_without_a_ledger_is_said_to_have_none(empty_store, settings_with, checkout):
    shutil.copy(empty_store, STORE)
    settings = settings_with(f"tracking.uri=sqlite:///{checkout / STORE}")
    client = connect(settings)
    client.create_run(experiment_id(client, settings), tags={DATA_HASH: "h"})
    assert ("the store has no ledger of operations",) == verify(history(client), entry_of).faults
