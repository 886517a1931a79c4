"""Nights in a real store: who becomes the champion, on which evidence, and the way back."""

import contextlib
import json
import shutil
import sys
import time
from dataclasses import replace
from pathlib import Path

import mlflow
import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.tree import DecisionTreeClassifier

from flows import events
from flows.session import report_error
from heldout.monitoring.promotion import EProcess
from tasks.data.prepare_tables import prepare
from tasks.data.row_contents import contents
from tasks.data.write_prepared import write_prepared
from tasks.fits.model_process import opened
from tasks.outcome.contest import Champion, PairRecord, Promotion, contest, uncompared
from tasks.outcome.items import Note, TrackedMetric
from tasks.outcome.ledger import learner_id
from tasks.outcome.operations import Of
from tasks.outcome.pins import pins
from tasks.outcome.verified_history import verify
from tasks.report.history_lines import reign
from tasks.runtime.errors import NotCompared, UserError
from tasks.storage import files, model_file
from tasks.storage.row_ids import WORD, read_row_ids, read_words
from tasks.track import lifecycle
from tasks.track import promote as promotion
from tasks.track.former_champion import accept, release, rollback
from tasks.track.ledger_tags import entry_of, ledger_items
from tasks.track.morning import read_morning
from tasks.track.operations_ledger import append, entries, history
from tasks.track.promote import PROMOTED, promote
from tasks.track.registry import log_model, sample
from tasks.track.store import connect

TREE = "estimator: sklearn.tree.DecisionTreeClassifier"
CANDIDATES = f"candidates=[{{name: stump, {TREE}, params: {{max_depth: 1}}}}, {{name: tree, {TREE}}}]"
TABLE = ["data.source=table.csv", "data.target=label", "data.positive=null", "data.labeled_rows=null", CANDIDATES]
TABLE += ["split.folds=3", "covalidation.repeats=1", "split.test_fraction=0.5"]


def table(rows: int, first: int = 0) -> pd.DataFrame:
    """The label is 1 where both numbers are high: no single cut knows, but two do."""
    x = np.random.default_rng(1).random((first + rows, 2))[first:]
    return pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "label": ((x[:, 0] > 0.4) & (x[:, 1] > 0.4)).astype(int)})


class Nights:
    """A checkout whose table grows, and its store."""

    def __init__(self, settings_with):
        # a name of the user's choice, which two sources share
        of_user = [f"tracking.uri=sqlite:///{Path.cwd()}/mlflow.db", "tracking.registered_model=heldout"]
        self.make = lambda *changes: settings_with(*TABLE, *of_user, *changes)
        Path(".cache").mkdir()

    def prepare(self, *tables, to: str = "table.csv", **more):
        pd.concat(tables).to_csv(to, index=False)
        settings = self.make(*(f"{key}={value}" for key, value in more.items()))
        shutil.rmtree("data", ignore_errors=True)
        write_prepared(prepare(settings))
        return settings

    def run(self, settings, name: str, trial: str = "", compared=None, stopped: str = ""):
        """A night in which the learner `name` wins, of those `compared`; its decision, and where the model is."""
        winner = next(one for one in settings.candidates if one.name == name)
        model = winner.learner().set_params(random_state=0).fit(*files.read_table(files.LABELED))
        model_file.save(model, files.MODEL)
        with opened(files.MODEL, settings) as model, lifecycle.run(settings, trial):
            compared = [one for one in settings.candidates if one.name in (compared or [name])]
            rows = files.read_seen_rows()
            lifecycle.send_to_run(ledger_items(settings, "hash", rows, winner, compared, test_opened=False))
            active = lifecycle.active()
            lifecycle.send_to_run([TrackedMetric("E_cv", 0.1), Note(f"| {name} |")])
            info = log_model(active.client, model, sample(), active.run_id, winner.name)
            told = {"E_cv": "10 % [5–20] at 95 %", "selected_model": name, "learner": learner_id(winner)}
            decision, place = promote(active.client, settings, winner, model, info, told, stopped)
        logged = active.client.get_logged_model(info.model_id)
        assert (active.experiment, name.replace(".", "_")) == (logged.experiment_id, logged.name)
        tags = connect(settings).get_run(info.run_id).data.tags
        assert f"{decision.promoted}: {decision.reason}" == tags[PROMOTED]
        stored = mlflow.artifacts.download_artifacts(f"runs:/{info.run_id}/promotion.json", dst_path=".cache")
        assert decision.promoted == json.loads(Path(stored).read_text())["promoted"]
        return decision, place

    def aliases(self, settings) -> dict[str, str]:
        with contextlib.suppress(mlflow.MlflowException):
            aliases = connect(settings).get_registered_model("heldout").aliases
            return {alias: str(version) for alias, version in aliases.items()}
        return {}


@pytest.fixture
def nights(checkout, empty_store, settings_with):
    shutil.copy(empty_store, "mlflow.db")
    return Nights(settings_with)


@pytest.mark.long
def test_the_life_of_a_champion(nights):
    """Trial, first, itself again, no new rows, a draw, promotion over nights, rollback, and the same contest again."""
    settings = nights.prepare(table(30))
    decision, place = nights.run(settings, "stump", trial="it was started by hand")
    assert ("no", {}) == (decision.promoted, nights.aliases(settings))
    assert "by hand" in decision.reason
    assert "not registered" in place

    decision, place = nights.run(settings, "stump")
    stump = DecisionTreeClassifier(max_depth=1, random_state=0).fit(*files.read_table(files.LABELED))
    assert ("first", {"champion": "1"}) == (decision.promoted, nights.aliases(settings))
    assert place.endswith("models:/heldout@champion")
    version = connect(settings).get_model_version("heldout", "1")
    assert "10 % [5–20] at 95 %" == version.tags["E_cv"]
    assert {"git_commit", "source", "model_hash"} <= {*version.tags}
    assert "| stump |" == version.description
    (output,) = connect(settings).get_run(version.run_id).outputs.model_outputs
    of_model = connect(settings).get_logged_model(output.model_id)
    assert {"E_cv": 0.1} == {one.key: one.value for one in of_model.metrics}
    assert {"data_hash", "git_commit", "selected_model"} <= {*of_model.tags}

    decision, _ = nights.run(settings, "stump")
    assert ("no", {"champion": "1", "challenger": "2"}) == (decision.promoted, nights.aliases(settings))
    assert "not distinguishable" in decision.reason
    assert decision.record is None  # no row was used

    first = len(read_row_ids("test").content)
    decision, _ = nights.run(settings, "tree")
    assert ("no", first) == (decision.promoted, decision.record.process.rows)
    assert all(part in decision.reason for part in ("not distinguishable", "capital", "of the 20", "further rows"))
    process = decision.record.process
    again, _ = nights.run(settings, "tree")
    assert process.rows == again.record.process.rows  # never the same row twice
    assert process.wealth == pytest.approx(again.record.process.wealth)
    assert "no new labelled rows" in again.reason

    settings = nights.prepare(table(400), **{"operations.promote_level": 0.9})
    decision, _ = nights.run(settings, "tree")
    assert ("yes", "5") == (decision.promoted, nights.aliases(settings)["champion"])
    assert "capital" in decision.reason
    tested = len(read_row_ids("test").content)
    assert tested == decision.record.process.rows  # those of both nights
    assert [first, 0, tested - first] == [night["rows"] for night in decision.record.nights]
    assert 5 == len(connect(settings).search_model_versions("name = 'heldout'"))  # the former stays registered

    X, y = files.read_table(files.TEST)
    assert np.mean(stump.predict(X) != y) == pytest.approx(decision.champion.value)  # of the champion that was replaced
    assert tested == decision.champion.rows

    decision, _ = nights.run(settings, "stump")  # the rows that chose the champion are no evidence about it
    assert "no new labelled rows" in decision.reason
    assert decision.champion is None

    assert ("1", "5") == (lambda done: (done.version, done.instead_of))(rollback(settings))
    assert "1" == nights.aliases(settings)["champion"]
    assert "to version 1" in connect(settings).get_model_version("heldout", "5").tags["rolled_back"]
    decision, _ = nights.run(settings, "tree")  # what it had won counts no longer
    assert ("no", 0) == (decision.promoted, decision.record.process.rows)
    with pytest.raises(UserError, match="version 1, which replaced no other"):
        rollback(settings)

    # another source under the same name has aliases of its own
    nights.prepare(table(60), to="other.csv", **{"data.source": "other.csv"})
    other = nights.make("data.source=other.csv")
    decision, place = nights.run(other, "tree")
    aliases = nights.aliases(settings)
    assert ("first", "1") == (decision.promoted, aliases["champion"])
    (own,) = [alias for alias in aliases if alias.startswith("champion-other-csv-")]
    assert place.endswith(f"models:/heldout@{own}")
    nights.run(other, "stump")
    assert aliases["champion"] == nights.aliases(settings)["champion"]
    assert aliases["challenger"] == nights.aliases(settings)["challenger"]


def rolled_back(nights):
    """A stump, a tree that replaced it, more rows since, and a rollback; the settings with all rows."""
    nights.prepare(table(60))
    settings = nights.make()
    nights.run(settings, "stump")
    settings = nights.prepare(table(400))
    assert "yes" == nights.run(settings, "tree")[0].promoted
    settings = nights.prepare(table(900))  # a backlog: no pair has bet on these rows
    return settings, rollback(settings)


@pytest.mark.slow
def test_a_winner_that_is_not_to_be_shipped_is_no_champion_and_a_deleted_champion_is_not_called_the_first(nights):
    settings = nights.prepare(table(60))
    decision, place = nights.run(settings, "stump", stopped="Do not ship yet: it knows nothing")
    assert ("no", True, {"challenger": "1"}) == (decision.promoted, decision.withheld, nights.aliases(settings))
    assert "Do not ship yet: it knows nothing" in decision.reason
    assert place.endswith("@challenger")
    assert "Look: stump is not promoted" in read_morning(settings).first_line
    assert "first" == nights.run(settings, "stump")[0].promoted
    assert "Nothing to do" == read_morning(settings).first_line
    connect(settings).delete_registered_model("heldout")
    decision, _ = nights.run(settings, "tree")
    assert "first" == decision.promoted
    assert decision.reason.startswith(promotion.NO_CHAMPION)
    assert "the ledger names version 2" in decision.reason


def test_a_morning_says_what_verify_finds_of_an_alias_that_was_moved_or_lost(nights):
    settings = nights.prepare(table(60))
    for name in ("stump", "tree"):
        nights.run(settings, name)
    client = connect(settings)
    assert "Nothing to do" == read_morning(settings).first_line

    def told() -> str:
        (fault,) = [one for one in verify(history(client), entry_of).faults if "models:/" in one]
        assert read_morning(settings).first_line.startswith(f"Look: {fault}; ")
        return fault

    client.set_registered_model_alias("heldout", "champion", "1")
    assert "is on version 1, and version 2 by the ledger" in told()
    assert "rollback --accept" in told()
    client.delete_registered_model_alias("heldout", "champion")
    assert "is nowhere, and version 2 by the ledger" in told()
    client.set_registered_model_alias("heldout", "champion", "2")
    assert "Nothing to do" == read_morning(settings).first_line
    client.delete_model_version("heldout", "2")
    assert "is nowhere" in told()
    nights.run(settings, "tree")  # which begins again
    assert "Nothing to do" == read_morning(settings).first_line


def test_an_alias_that_was_moved_by_hand_is_accepted_by_one_command_and_all_agree(nights):
    settings = nights.prepare(table(60))
    for name in ("stump", "tree"):
        nights.run(settings, name)
    with pytest.raises(UserError, match="--accept: .*@champion is on version 2, as in the ledger; nothing to accept"):
        accept(settings)
    client = connect(settings)
    client.set_registered_model_alias("heldout", "champion", "1")
    assert "is version 1, instead of version 2" in accept(settings, "the shop wants it")
    made = read_morning(settings)
    assert ("Nothing to do", "version 1 (stump) was made the champion by hand: the shop wants it") == (
        made.first_line,
        reign(made.reigns[-1]),
    )
    assert [] == [fault for fault in verify(history(client), entry_of).faults if "models:/" in fault]
    assert () == pins(entries(client), made.of)
    decision, _ = nights.run(nights.prepare(table(70)), "tree")
    assert ("no", "1") == (decision.promoted, read_morning(settings).nights[-1].met)
    assert "2" == rollback(settings).version  # which it has in its place
    assert ["stump"] == [pin.candidate for pin in pins(entries(client), made.of)]


@pytest.mark.parametrize("promoted", ["first", "yes", "no"])
def test_the_advice_not_to_ship_holds_a_promotion_back_and_leaves_all_else(promoted):
    free = Promotion(promoted, "by its capital", PairRecord(), {"capital": 30.0}, np.array([7], np.uint64))
    held = free.as_advised("Do not ship yet: it leaks")
    assert ("no", promoted != "no") == (held.promoted, held.withheld)
    assert (free.record, free.numbers, free.used) == (held.record, held.numbers, held.used)
    assert "by its capital" in held.reason
    assert free is free.as_advised("")
    anyway = free.as_advised("Do not ship yet: it leaks", anyway=True)
    assert (promoted, promoted != "no") == (anyway.promoted, anyway.anyway)
    assert (
        promoted == "no"
        or "by its capital; promoted by a person (--anyway) against the advice: Do not ship yet: it leaks"
        in anyway.reason
    )


@pytest.mark.long
def test_a_rollback_pins_the_line_until_it_is_released(nights):
    """On rows from before the rollback alone the tree would be back at once."""
    settings, done = rolled_back(nights)
    assert "tree is pinned since" in str(done)
    assert all(part in str(done) for part in ("a capital of 40", "rollback --release tree"))
    decision, _ = nights.run(settings, "tree")
    assert ("no", True, False) == (decision.promoted, decision.prevented, decision.prevented_before)
    assert decision.reason.startswith("a pin prevents the promotion: tree is pinned")
    assert ("1", 0) == (nights.aliases(settings)["champion"], decision.record.process.rows)
    decision, _ = nights.run(settings, "tree")
    assert (True, True) == (decision.prevented, decision.prevented_before)
    sent = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(events, "emit_event", lambda event, *_, **__: sent.append(event))
        events.champion_decided(settings, decision, {}, {})
        events.champion_decided(settings, replace(decision, prevented_before=False), {}, {})
    assert ["kept", "kept", "prevented"] == [event.rpartition(".")[2] for event in sent]
    with pytest.raises(UserError, match="no pin of stump .*pinned are tree"):
        release(settings, "stump")
    assert "released: tree" in release(settings, "tree")
    with pytest.raises(UserError, match="nothing to lift"):
        release(settings, "")
    decision, _ = nights.run(settings, "tree")
    assert ("yes", False, None) == (decision.promoted, decision.prevented, decision.pin)
    kinds = [entry.kind for entry in entries(connect(settings))]
    assert ["rollback", "contest", "contest", "release", "champion"] == [kind for kind in kinds if kind != "adopted"][
        -5:
    ]


@pytest.mark.long
def test_a_pinned_line_comes_back_on_rows_that_came_after_the_rollback(nights):
    settings, _ = rolled_back(nights)
    decision, _ = nights.run(settings, "stump")  # whoever wins first looks at the earlier rows
    assert decision.pin is None
    settings = nights.prepare(table(930))
    decision, _ = nights.run(settings, "tree")
    few = decision.record.process.rows
    assert ("no", True) == (decision.promoted, decision.prevented)
    assert 0 < few <= 30
    assert (40, few) == (round(decision.numbers["capital_needed"]), decision.numbers["rows_of_this_night"])
    settings = nights.prepare(table(1500))
    decision, _ = nights.run(settings, "tree")
    assert ("yes", False) == (decision.promoted, decision.prevented)
    assert "outweighs the pin" in decision.reason
    champion = connect(settings).get_model_version_by_alias("heldout", "champion")
    assert int(champion.version) > 2
    assert "a capital of 80" in str(rollback(settings))  # it was rolled back twice


@pytest.mark.long
@pytest.mark.fault("clock")
def test_a_clock_that_is_set_back_changes_no_contest_and_no_rollback(nights, caplog):
    """An hour back before each night, so that none of them would follow the night before by its time."""
    clock = time.time()

    def night(settings, name):
        nonlocal clock
        clock -= 3600
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(time, "time", lambda: clock)
            return nights.run(settings, name)[0]

    settings = nights.prepare(table(24))
    assert "first" == night(settings, "stump").promoted
    first = night(settings, "tree").record.process.rows
    assert "after the clock of this machine" in caplog.text
    settings = nights.prepare(table(32))
    second = night(settings, "tree").record.process.rows
    assert 0 < first < second
    again = night(settings, "tree")  # from the night before, not from that with the latest time of a clock
    assert ("no", second) == (again.promoted, again.record.process.rows)
    assert "no new labelled rows" in again.reason
    settings = nights.prepare(table(400))
    assert "yes" == night(settings, "tree").promoted
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "time", lambda: clock - 3600)
        rollback(settings)
    assert 0 == night(settings, "tree").record.process.rows  # what it had won counts no longer
    settings = nights.prepare(table(430))
    some = night(settings, "tree").record.process.rows
    settings = nights.prepare(table(460))
    assert 0 < some < night(settings, "tree").record.process.rows  # and what it wins since counts


@pytest.mark.long
@pytest.mark.fault("two checkouts")
def test_of_two_runs_that_decide_at_the_same_moment_the_second_decides_again(nights, monkeypatch):
    """Another checkout of the store decides from the same state, and is first to enter it."""

    def overtaken(settings, name, other):
        with monkeypatch.context() as patch:
            recorded = promotion._record

            def record(*given):
                patch.setattr(promotion, "_record", recorded)
                recorded(*given)
                other(*given)

            patch.setattr(promotion, "_record", record)
            return nights.run(settings, name)[0]

    def enter(client, run, decision, numbers, kind):
        of = Of.made(numbers["name"], numbers["source"])
        said = of.said(run="of the other", candidate="stump", learner="stump", version="2", promoted=decision.promoted)
        more = {"alias": "heldout@champion"} if kind == "champion" else {}
        append(client, nights.make(), kind, {**said, "compared": True, **more})

    def first_too(client, run, decision, numbers, *of_book):
        """Its version of the same model is the first champion."""
        made = client.get_model_version("heldout", numbers["version"])
        client.create_model_version("heldout", made.source, made.run_id, tags=made.tags)
        enter(client, run, decision, numbers, "champion")
        client.set_registered_model_alias("heldout", "champion", "2")

    def bets_too(client, run, decision, numbers, seen, processes):
        """On the same rows, and some further that this checkout has not."""
        another = client.create_run(run.info.experiment_id)
        further = pd.DataFrame({WORD: np.arange(3, dtype=np.uint64), "pair": "of the other", "at": 1})
        of_other = replace(processes, used=pd.concat([processes.used, further]))
        recorded(client, another, decision, numbers, seen, of_other)
        enter(client, run, decision, numbers, "contest")

    recorded = promotion._record
    settings = nights.prepare(table(30))
    decision = overtaken(settings, "stump", first_too)
    assert ("no", "2") == (decision.promoted, nights.aliases(settings)["champion"])  # and not first, a second time
    assert "first" not in decision.reason

    decision = overtaken(settings, "tree", bets_too)
    assert "no new labelled rows" in decision.reason  # the other has bet on them
    assert 0 < decision.record.process.rows
    client = connect(settings)
    champion = client.get_model_version("heldout", "2")
    newest = promotion._read_processes(client, champion, client.get_run(champion.run_id))
    assert {0, 1, 2} < {*newest.used[WORD]}  # none of its rows is lost
    assert ["champion", "contest", "contest", "contest"] == [
        one.kind for one in entries(client) if one.said.get("name")
    ]


@pytest.mark.long
def test_a_pinned_line_is_no_first_champion_and_another_line_is_not_pinned(nights):
    settings, _ = rolled_back(nights)
    connect(settings).delete_registered_model_alias("heldout", "champion")
    decision, _ = nights.run(settings, "tree")
    assert ("no", True) == (decision.promoted, decision.prevented)
    assert "there is no champion to compare it with" in decision.reason
    assert "first" == nights.run(settings, "stump")[0].promoted


def test_there_is_nothing_to_roll_back_without_a_champion(nights):
    with pytest.raises(UserError, match="models:/heldout@champion: there is no champion of .*nothing to roll back"):
        rollback(nights.make())


@pytest.mark.slow
@pytest.mark.long
def test_a_champion_whose_rows_are_not_known_stays_and_the_remedy_is_named(nights):
    """As somebody registered it without heldout."""
    settings = nights.prepare(table(60))
    client = connect(settings)
    with lifecycle.run(settings):
        run = lifecycle.active().run_id
    client.create_registered_model("heldout")
    client.create_model_version("heldout", "models/old", run)
    client.set_registered_model_alias("heldout", "champion", "1")
    decision, _ = nights.run(settings, "tree")
    assert {"champion": "1", "challenger": "2"} == nights.aliases(settings)
    assert not decision.compared
    assert "cannot be compared with version 1" in decision.reason
    assert "remove the alias champion" in decision.reason


@pytest.mark.long
@pytest.mark.fault("outside model")
def test_a_champion_that_ends_its_process_stays_and_the_remedy_is_named(nights, checkout, monkeypatch):
    """Somebody who may write to the store put another file there."""
    shutil.copy(Path(__file__).parents[1] / "fits/strange.py", checkout)
    monkeypatch.syspath_prepend(checkout)
    monkeypatch.delitem(sys.modules, "strange", raising=False)
    from strange import Strange

    allowed = {"execution.fit_timeout": 20, "execution.allowed_modules": "[sklearn, strange]"}
    settings = nights.prepare(table(60), **allowed)
    nights.run(settings, "stump")
    client = connect(settings)
    version = client.get_model_version("heldout", "1")
    (output,) = client.get_run(version.run_id).outputs.model_outputs
    folder = client.get_logged_model(output.model_id).artifact_location.removeprefix("file://")
    tree = DecisionTreeClassifier(random_state=0).fit(*files.read_table(files.LABELED))
    skops.io.dump(tree, Path(folder, "model.skops"))
    decision, _ = nights.run(settings, "tree")
    assert decision.compared
    others = {"exit code 3": skops.io.dumps(Strange("load exit")), "is not a model": skops.io.dumps(tree)[:-100]}
    for says, content in others.items():
        Path(folder, "model.skops").write_bytes(content)
        decision, _ = nights.run(settings, "tree")
        assert ("no", False, "1") == (decision.promoted, decision.compared, nights.aliases(settings)["champion"])
        assert decision.reason.startswith("cannot be compared with version 1, the champion: ")
        assert says in decision.reason
        assert "remove the alias champion to begin again" in decision.reason
    client.delete_registered_model_alias("heldout", "champion")
    assert "first" == nights.run(settings, "tree")[0].promoted


@pytest.fixture
def prepared_nights(checkout, settings_with):
    """The same without a store: the prepared table, and two models."""
    nights = Nights(settings_with)

    def make(frame, **more):
        settings = nights.prepare(frame, **more)
        X, y = files.read_table(files.LABELED)
        stump, tree = (DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y) for depth in (1, None))
        return settings, stump, tree

    return make


NONE = np.empty(0, np.uint64)


def test_the_rows_of_a_contest_are_those_of_the_test_set_that_nobody_has_seen(prepared_nights):
    frame = table(80)
    settings, stump, tree = prepared_nights(frame)
    X, y = files.read_table(files.TEST)
    ids = read_row_ids("test").of_rows
    assert {*contents(pd.read_csv("table.csv")).tolist()} == {*read_row_ids().content.tolist()}
    assert {*read_row_ids().words().tolist()} == {*ids.tolist()} | {*read_row_ids("used").words().tolist()}
    seen, used = ids[:7], ids[7:10]
    decision = contest(settings, "tree", tree, Champion("1", stump, seen), PairRecord(), used)
    fresh = np.arange(10, len(y))
    losses = [(model.predict(X) != y)[fresh] * 1.0 for model in (stump, tree)]
    assert EProcess().after(losses[0] - losses[1]) == decision.record.process
    assert sorted(ids[10:].tolist()) == decision.used.tolist()
    assert len(fresh) == decision.numbers["rows_of_this_night"]
    assert decision.numbers["difference"] == pytest.approx(losses[0].mean() - losses[1].mean())


def test_rows_of_a_group_are_one_observation_and_are_seen_together(prepared_nights):
    frame = table(120).assign(house=[f"h{row // 4}" for row in range(120)])
    settings, stump, tree = prepared_nights(frame, **{"data.groups": "house", "data.drop": "[]"})
    ids = read_row_ids("test").of_rows
    groups = len(ids) // 4
    whole = contest(settings, "tree", tree, Champion("1", stump, NONE), PairRecord(), NONE)
    assert groups == whole.record.process.rows
    part = contest(settings, "tree", tree, Champion("1", stump, ids[:1]), PairRecord(), NONE)
    assert (groups - 1, len(ids) - 4) == (part.record.process.rows, part.numbers["rows_of_this_night"])
    # a group whose rows have left is known by its name
    gone = contest(settings, "tree", tree, Champion("1", stump, read_row_ids("test").of_units[:1]), PairRecord(), NONE)
    assert groups - 1 == gone.record.process.rows
    again = contest(settings, "tree", tree, Champion("1", stump, NONE), whole.record, whole.used)
    assert whole.record.process == again.record.process


def test_rows_of_a_time_are_one_observation(prepared_nights):
    frame = table(120).assign(day=np.arange(120) // 4)
    settings, stump, tree = prepared_nights(frame, **{"data.time": "day", "data.drop": "[]"})
    found = contest(settings, "tree", tree, Champion("1", stump, NONE), PairRecord(), NONE)
    assert (15, 60) == (found.record.process.rows, found.numbers["rows_of_this_night"])
    assert "15 times of 1 night" in found.reason


def few_values(rows: int) -> pd.DataFrame:
    """Rows of 18 contents, and of 9 without the label."""
    return table(rows).assign(a=lambda rows: (3 * rows["a"]) // 1, b=lambda rows: (3 * rows["b"]) // 1)


def test_a_table_of_few_values_bets_on_its_new_rows_until_a_row_leaves(prepared_nights):
    settings, stump, tree = prepared_nights(few_values(400))
    first = contest(settings, "tree", tree, Champion("1", stump, read_row_ids("used").words()), PairRecord(), NONE)
    seen, before = read_row_ids("used").words(), len(read_row_ids("test").content)
    assert before == first.record.process.rows
    settings, *_ = prepared_nights(few_values(500))
    second = contest(settings, "tree", tree, Champion("1", stump, seen), first.record, first.used)
    after = read_row_ids("test")
    assert (len(after.content), 0.0) == (second.record.process.rows, second.record.nights[-1]["hidden"])
    settings, *_ = prepared_nights(few_values(500).iloc[200:])
    slid = contest(settings, "tree", tree, Champion("1", stump, seen), first.record, first.used)
    assert ("no", None) == (slid.promoted, slid.record)
    assert "rows have left the table" in slid.reason


def test_rows_that_another_version_stored_are_refused_with_their_columns():
    write = Path("older.parquet")
    pd.DataFrame({"identity": [1, 2]}).to_parquet(write)
    with pytest.raises(UserError, match=r"older\.parquet has the columns identity, and no 'word'"):
        read_words(write)


def test_copies_kept_together_that_come_again_are_left_out_and_count_against_the_winner(prepared_nights):
    together = {"split.duplicates": "keep_together"}
    settings, stump, tree = prepared_nights(table(300), **together)
    first = contest(settings, "tree", tree, Champion("1", stump, NONE), PairRecord(), NONE)
    assert f"{len(read_row_ids('test').content)} distinct rows" in first.reason
    settings, *_ = prepared_nights(pd.concat([table(300), table(20), table(200, first=300)]), **together)
    second = contest(settings, "tree", tree, Champion("1", stump, NONE), first.record, first.used)
    assert 0 < second.record.nights[-1]["hidden"] < 0.5
    assert "count as" in second.reason
    third = contest(
        settings, "tree", tree, Champion("1", stump, NONE), second.record, np.concatenate([first.used, second.used])
    )
    assert (0, 0) == (third.record.nights[-1]["hidden"], third.record.nights[-1]["rows"])
    settings, *_ = prepared_nights(pd.concat([table(300)] * 3), **together)
    again = contest(settings, "tree", tree, Champion("1", stump, NONE), first.record, first.used)
    assert ("no", None) == (again.promoted, again.record)
    assert "set split.duplicates to allow" in again.reason


def test_rows_count_by_their_weight_up_to_the_limit(prepared_nights):
    frame = table(80).assign(heavy=np.arange(80) % 4 + 1)
    settings, stump, tree = prepared_nights(frame, **{"data.weight": "heavy"})
    mean = files.read_roles()["weight"].mean()
    losses = pd.DataFrame({"candidate": "tree", "scheme": "cross_validation", "unit": 0, "row": 0, "loss": [0.0, 0.5]})
    files.write_losses([losses.assign(weight=3 * mean)])
    X, y = files.read_table(files.TEST)
    weight = files.read_test_roles()["weight"]
    relative = weight / mean
    theirs, ours = (np.minimum((model.predict(X) != y) * relative, 1.485) for model in (stump, tree))
    decision = contest(settings, "tree", tree, Champion("1", stump, NONE), PairRecord(), NONE)
    assert decision.record.limit == pytest.approx(1.485)
    assert decision.numbers["difference"] == pytest.approx((theirs - ours).mean())
    wrong = np.average(stump.predict(X) != y, weights=weight)
    assert decision.record.nights[-1]["error_champion"] == pytest.approx(wrong)


def test_what_cannot_be_compared_is_a_draw_with_the_reason(prepared_nights):
    settings, stump, tree = prepared_nights(table(80))

    def reason(settings=settings, champion=stump, compared=True, **more):
        decision = contest(settings, "tree", tree, Champion("1", champion, NONE, **more), PairRecord(), NONE)
        assert ("no", None) == (decision.promoted, decision.record)
        assert compared == decision.compared
        assert ("not distinguishable from" if compared else "cannot be compared with") in decision.reason
        return decision.reason

    assert "same bytes" in reason(same=True)
    other = pd.DataFrame({"a": [0.1, 0.9], "z": [1.0, 0.0]})
    assert "the column z" in reason(champion=DecisionTreeClassifier().fit(other, [0, 1]), compared=False)
    other = pd.DataFrame({"a": [0.1, 0.9], "b": [1.0, 0.0]})
    deaf = DecisionTreeClassifier().fit(other, [0, 1])
    del deaf.tree_
    assert "remove the alias champion" in reason(champion=deaf, compared=False)
    assert "split.test_fraction is 0" in reason(prepared_nights(table(80), **{"split.test_fraction": 0})[0])


def test_costs_count_up_to_the_largest(prepared_nights):
    settings, stump, tree = prepared_nights(table(80), **{"loss": "{cost: {0: {1: 3}, 1: {0: 20}}}"})
    decision = contest(settings, "tree", tree, Champion("1", stump, NONE), PairRecord(), NONE)
    assert 20 == decision.record.limit
    X, y = files.read_table(files.TEST)
    theirs, ours = (np.select([y == model.predict(X), y == 0], [0, 3], 20).mean() for model in (stump, tree))
    assert decision.numbers["difference"] == pytest.approx(theirs - ours)


def test_a_loss_without_a_limit_has_that_of_the_cross_validation_of_the_first_night(prepared_nights):
    settings, *_ = prepared_nights(table(80), **{"loss": "log"})
    losses = pd.DataFrame({"candidate": "tree", "scheme": "cross_validation", "loss": np.linspace(0, 2, 101)})
    files.write_losses([losses.assign(unit=0, row=range(101))])
    soft = DecisionTreeClassifier(max_depth=1, min_samples_leaf=20).fit(*files.read_table(files.LABELED))
    first = contest(settings, "tree", soft, Champion("1", soft, NONE), PairRecord(), NONE)
    assert first.record.limit == pytest.approx(1.98)
    assert "above 1.98 counts as that" in first.reason
    losses["loss"] *= 9
    files.write_losses([losses.assign(unit=0, row=range(101))])
    assert (
        first.record.limit
        == contest(settings, "tree", soft, Champion("1", soft, NONE), first.record, NONE).record.limit
    )


@pytest.mark.fault("outside model")
def test_a_run_that_could_not_compare_is_complete_and_fails_once(nights):
    settings = nights.make()
    with lifecycle.run(settings):
        lifecycle.active().uncompared = "cannot be compared with version 1"
        run = lifecycle.active().run_id
    assert "FINISHED" == connect(settings).get_run(run).info.status
    with pytest.raises(NotCompared, match="cannot be compared with version 1; .*the results are complete") as caught:
        lifecycle.check_sent()
    assert 3 == report_error(caught.value)
    lifecycle.check_sent()


@pytest.mark.fault("outside model")
def test_events_tell_what_could_not_be_compared(nights, monkeypatch):
    sent = []
    monkeypatch.setattr(events, "emit_event", lambda event, _, payload: sent.append((event, payload["reason"])))
    decision = uncompared("1", "its process died: signal 11")
    events.champion_decided(nights.make(), decision, {}, {})
    assert [("heldout.champion.kept", decision.reason), ("heldout.run.failed", decision.reason)] == sent
