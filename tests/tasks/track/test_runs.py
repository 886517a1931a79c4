"""The runs in a store: how they start, end and die, and the contamination ledger that later runs read."""

import shutil
import sys
from dataclasses import replace

import numpy as np
import pytest

from heldout.rows.row_sketch import Sketch
from tasks.outcome.items import DATA_HASH, Tag, TrackedMetric
from tasks.outcome.ledger import Ledger, Opened, winner_id
from tasks.runtime import pages_address
from tasks.runtime.environment import CACHE
from tasks.runtime.errors import UserError
from tasks.runtime.process_identity import HOST, identity
from tasks.storage import files
from tasks.storage.row_ids import write_seen
from tasks.storage.seen_rows import SeenRows
from tasks.track import ledger_tags, lifecycle, operations_ledger
from tasks.track.changed import GIT_COMMIT
from tasks.track.experiments import experiment_id
from tasks.track.ledger_tags import HIDDEN, PROCESS, RUNS_ON, known_since, ledger_items
from tasks.track.store import connect, runs
from tests.tasks.track.conftest import SAID

TWO = (
    "candidates=[{name: bayes, estimator: sklearn.naive_bayes.GaussianNB}, "
    "{name: wide, estimator: sklearn.naive_bayes.GaussianNB, params: {var_smoothing: 0.1}}]"
)


@pytest.fixture
def settings(checkout, empty_store, settings_with):
    """Two candidates, and a store of their own."""
    shutil.copy(empty_store, checkout / "mlflow.db")
    return settings_with(TWO, f"tracking.uri=sqlite:///{checkout}/mlflow.db")


def all_runs(settings):
    client = connect(settings)
    return client.search_runs([experiment_id(client, settings)], order_by=["attributes.start_time ASC"])


def test_a_run_holds_its_settings_and_ends_as_finished(settings):
    with pytest.raises(RuntimeError):
        lifecycle.active()
    with lifecycle.run(settings):
        assert lifecycle.active()
        lifecycle.send_to_run([TrackedMetric("E_cv", 0.25)])
    (run,) = all_runs(settings)
    assert ("FINISHED", {"E_cv": 0.25}) == (run.info.status, run.data.metrics)
    assert {GIT_COMMIT, RUNS_ON, PROCESS} <= {*run.data.tags}
    assert str(settings.seed) == run.data.params["seed"]


def test_a_run_that_may_promote_or_is_asked_to_opens_the_test_set_and_a_trial_does_not(settings):
    for trial, asked in (("", {}), ("a trial", {}), ("a trial", {"opens_test": True})):
        with lifecycle.run(settings, trial, **asked):
            assert lifecycle.active().opens_test == (not trial or bool(asked))


@pytest.mark.fault("lost store")
def test_a_new_store_under_results_of_another_is_said_to_have_lost_what_was_compared(settings, caplog):
    files.write_json(files.SELECTION, {"contamination": 12, "test_openings": 1})
    with lifecycle.run(settings):
        lifecycle.send_to_run([Tag(DATA_HASH, "of a table"), *SAID])
    (said,) = [line for line in caplog.messages if "has no validation" in line]
    assert "what was compared before (12) does not count in the bounds of this run" in said
    assert "E_test may be a second look. If the store was lost, stop, and put a copy back" in said
    caplog.clear()
    with lifecycle.run(settings):
        pass
    assert [] == [line for line in caplog.messages if "has no validation" in line]


def test_a_run_inside_of_another_is_that_one(settings):
    with lifecycle.run(settings):
        with lifecycle.run(settings):
            pass
        assert lifecycle.active()
    assert 1 == len(all_runs(settings))


@pytest.mark.parametrize(
    ("error", "status", "reason"),
    [(ValueError("oh"), "FAILED", "oh"), (KeyboardInterrupt(), "KILLED", "interrupted")],
)
def test_a_run_that_is_stopped_ends_with_the_reason(settings, error, status, reason):
    with pytest.raises(type(error)), lifecycle.run(settings):
        raise error
    (run,) = all_runs(settings)
    assert (status, reason) == (run.info.status, run.data.tags["failure"])


def test_a_run_that_was_ended_inside_stays_as_it_ended(settings):
    with lifecycle.run(settings):
        lifecycle.end_run("FAILED", "select ended with exit code 2")
    (run,) = all_runs(settings)
    assert ("FAILED", "select ended with exit code 2") == (run.info.status, run.data.tags["failure"])


def test_the_page_of_a_run_is_shown_without_a_login(settings, settings_with):
    with lifecycle.run(settings):
        run = lifecycle.active()
    for uri, pages in {
        "https://me:secret@host/mlflow/": "https://host/mlflow",
        "sqlite:///a.db": pages_address.USUAL,
    }.items():
        page = lifecycle.page(settings_with(f"tracking.uri={uri}"))
        assert f"{pages}/#/experiments/{run.experiment}/runs/{run.run_id}" == page


def test_without_a_run_nothing_is_sent(settings):
    lifecycle.send_to_run([Tag("a", "b")])
    lifecycle.end_run("FAILED", "oh")
    assert [] == all_runs(settings)


def test_a_run_whose_process_is_gone_is_marked_and_logged(settings, monkeypatch, caplog):
    monkeypatch.setattr(lifecycle.log, "propagate", True)
    client = connect(settings)
    experiment = experiment_id(client, settings)
    alive = client.create_run(experiment, tags={RUNS_ON: HOST, PROCESS: identity()}, run_name="alive")
    dead = {RUNS_ON: HOST, PROCESS: "1:0.00"}
    client.create_run(experiment, tags=dead, run_name="dead")
    client.create_run(experiment, tags={**dead, RUNS_ON: "elsewhere"}, run_name="elsewhere")
    with lifecycle.run(settings):
        pass
    left = {run.info.run_name: run.info.status for run in all_runs(settings)}
    assert {"alive": "RUNNING", "dead": "KILLED", "elsewhere": "RUNNING"}.items() <= left.items()
    (message,) = caplog.messages
    assert "the run dead died" in message
    client.set_terminated(alive.info.run_id)


def test_a_child_is_below_its_parent_and_ends_by_its_candidate(settings):
    with lifecycle.run(settings):
        parent = lifecycle.active()
        for name, failed in (("bayes", False), ("tree", True)):
            parent.send_candidate(name, [TrackedMetric("E_cv", 0.5)], failed=failed)
    children = list(runs(parent.client, f"tags.`mlflow.parentRunId` = '{parent.run_id}'"))
    assert {"bayes": "FINISHED", "tree": "FAILED"} == {run.info.run_name: run.info.status for run in children}
    assert [{"E_cv": 0.5}] * 2 == [run.data.metrics for run in children]


ROWS = np.random.default_rng(0).integers(0, 2**64, 3000, dtype=np.uint64)


def seen(first: int, last: int, partition: str = "one") -> SeenRows:
    """Rows of which every fifth is in the test set."""
    rows = ROWS[first:last]
    test = rows % 5 == 0
    tested, made_of = Sketch.of(rows[test]), f"all of {partition}"
    return SeenRows(Sketch.of(rows), Sketch.of(rows[~test]), tested, partition, made_of)


def read_ledger(settings, rows, compared) -> Ledger:
    earlier = ledger_tags.tags_of(ledger_tags.validations(connect(settings)))
    return ledger_tags.read_ledger(
        settings, rows, compared, lambda columns: pytest.fail(f"asked for {columns}"), earlier
    )


def record(settings, rows: SeenRows, compared, *, opened: bool, data_hash: str = "table", tested=()) -> None:
    files.RESULTS.mkdir(parents=True, exist_ok=True)
    write_seen(files.TESTED, np.array(tested, np.uint64))
    with lifecycle.run(settings):
        lifecycle.send_to_run(ledger_items(settings, data_hash, rows, compared[0], compared, test_opened=opened))


def test_the_ledger_counts_learners_and_partitions_over_runs_and_experiments_of_one_store(
    settings, settings_with, empty_store, checkout
):
    bayes, wide = settings.candidates
    assert Ledger(1) == read_ledger(settings, seen(0, 1000), ["bayes"])
    elsewhere = settings_with(TWO, f"tracking.uri={settings.tracking.uri}", "tracking.experiment=other")
    record(settings, seen(0, 1000), [bayes], opened=False)
    record(elsewhere, seen(0, 1000), [bayes, wide], opened=True)
    record(settings, seen(2000, 3000), [wide], opened=True, data_hash="other table")
    (run,) = all_runs(elsewhere)
    opened = (Opened(winner_id(bayes, settings, seen(0, 1000)), run.info.run_id),)
    assert Ledger(2, opened) == read_ledger(settings, seen(0, 1000), ["bayes"])
    assert Ledger(2, opened) == read_ledger(settings, seen(0, 1000), ["bayes", "wide"])
    assert Ledger(3, opened) == read_ledger(settings, seen(0, 1100, "grown"), ["wide"])  # no new start
    assert Ledger(4, opened) == read_ledger(settings, seen(0, 1000, "other seed"), ["bayes", "wide"])
    assert Ledger(2) == read_ledger(settings, seen(1200, 1900), ["bayes", "wide"])
    shutil.copy(empty_store, checkout / "second.db")
    second = settings_with(TWO, f"tracking.uri=sqlite:///{checkout}/second.db")  # it knows nothing of the first
    assert Ledger(1) == read_ledger(second, seen(0, 1000), ["bayes"])


def test_the_rows_on_which_earlier_runs_tested_a_winner_are_known_to_later_runs(settings):
    CACHE.mkdir()
    bayes, wide = settings.candidates
    record(settings, seen(0, 1000), [bayes], opened=True, tested=[2, 4])
    record(settings, seen(0, 1000), [wide], opened=True, tested=[4, 8])
    record(settings, seen(0, 1000), [wide], opened=False)
    first, second, third = (run.info.run_id for run in all_runs(settings))
    with lifecycle.run(settings):
        tested = lifecycle.active().tested
        assert [[2, 4], [2, 4, 8], []] == [tested(asked).tolist() for asked in ([first], [first, second], [])]
        assert None is tested([first, third])  # the third left no list


def test_a_validation_that_somebody_removed_is_counted_by_the_ledger_of_operations(settings):
    """Whom it opened the test set for is known by its entry."""
    CACHE.mkdir()
    files.RESULTS.mkdir(parents=True)
    bayes, rows = settings.candidates[0], seen(0, 1000)
    for other in (rows, rows, seen(2000, 3000)):
        with lifecycle.run(settings):
            run = lifecycle.active()
            run.send(ledger_items(settings, "table", other, bayes, [bayes], test_opened=False))
            run.enter(settings, "compared", {"compared": 1, "winner": "bayes", "of": settings.data.source, "after": 0})
            tested = {"winner": "another", "rows": 200, "others": 0, "reopened": False, "tested": str(other.test)}
            run.enter(settings, "opened", tested)
    client, (first, _, third) = connect(settings), all_runs(settings)

    def ledger() -> Ledger:
        with lifecycle.run(settings):
            return Ledger(1).with_removed(lifecycle.active().removed, settings.data.source, rows)

    assert Ledger(1) == ledger()
    for run in (first, third):  # the third opened other rows
        client.delete_run(run.info.run_id)
    key = first.data.tags[ledger_tags.KEY]
    assert Ledger(1, (Opened("another", key),), removed=2) == ledger()
    assert None is ledger_tags.read_tested([key])  # so that no row of the test set is known to be new
    gone = Ledger(1).with_removed(operations_removed(client), "another table", rows)
    assert Ledger(1) == gone


def operations_removed(client):
    return operations_ledger.removed(client, operations_ledger.entries(client), ledger_tags.validations(client))


def test_a_run_on_a_table_with_a_column_less_is_found_by_the_columns_that_it_had(settings):
    bayes, asked = settings.candidates[0], []
    before = replace(seen(0, 1000), columns="a b")
    for _ in range(2):
        record(settings, before, [bayes], opened=True)

    def seen_in(columns: str) -> SeenRows:
        asked.append(columns)
        return before

    gained = replace(seen(1000, 2000, "gained"), columns="a b c")
    earlier = ledger_tags.tags_of(ledger_tags.validations(connect(settings)))
    found = ledger_tags.read_ledger(settings, gained, ["bayes"], seen_in, earlier)
    opened = [Opened(winner_id(bayes, settings, before), run.info.run_id) for run in all_runs(settings)]
    assert Ledger(2, tuple(opened)) == found
    assert ["a b"] == asked


def test_a_learner_is_known_since_its_first_run_with_the_same_columns_and_form(settings, settings_with):
    bayes, wide = settings.candidates
    rows = seen(0, 1000)
    assert sys.maxsize == known_since(connect(settings), bayes, settings, rows)
    record(settings, rows, [bayes], opened=False)
    record(settings, rows, [bayes, wide], opened=False)
    first, second = (run.info.start_time for run in all_runs(settings))
    assert [first, second] == [known_since(connect(settings), one, settings, rows) for one in (bayes, wide)]
    assert sys.maxsize == known_since(connect(settings), bayes, settings, seen(0, 1000, "other columns"))
    other = settings_with(TWO, f"tracking.uri={settings.tracking.uri}", "deliver=vote")
    assert sys.maxsize == known_since(connect(settings), bayes, other, rows)


@pytest.mark.fault("another version")
def test_a_store_in_which_a_run_has_not_said_its_rows_takes_no_run_and_the_tags_are_named(settings):
    with lifecycle.run(settings):
        lifecycle.send_to_run([Tag(DATA_HASH, "table"), Tag(f"{HIDDEN}compared.0", "0")])
    with pytest.raises(UserError) as error, lifecycle.run(settings):
        pytest.fail("the run began")
    (run,) = all_runs(settings)
    assert run.info.run_id in str(error.value)
    assert f"{HIDDEN}rows.labeled, {HIDDEN}rows.used" in str(error.value)


def test_learners_are_one_tag_that_no_page_shows(settings):
    """As many as fit, then another tag."""
    bayes = settings.candidates[0]
    many = [bayes.model_copy(update={"params": {"var_smoothing": 0.5**power}}) for power in range(300)]
    rows = seen(0, 1000)
    record(settings, rows, [*many, bayes], opened=True)
    (run,) = all_runs(settings)
    hidden = {name for name in run.data.tags if name.startswith("mlflow.heldout.")}
    assert 2 == len([name for name in hidden if "compared" in name])
    assert [] == [
        name for name in {*run.data.tags} - hidden if "compared" in name or name.startswith(("rows.", "test_"))
    ]
    assert 302 == read_ledger(settings, rows, ["wide"]).compared
    assert all_runs(settings)[0].info.start_time == known_since(connect(settings), bayes, settings, rows)


def test_a_run_is_called_by_its_source_and_names_its_experiment_of_dvc(settings, monkeypatch):
    monkeypatch.setenv("DVC_EXP_NAME", "five-folds")
    monkeypatch.setenv("DVC_EXP_BASELINE_REV", "abc")
    with lifecycle.run(settings):
        pass
    for name in ("DVC_EXP_NAME", "DVC_EXP_BASELINE_REV"):
        monkeypatch.delenv(name)
    with lifecycle.run(settings):
        pass
    inside, outside = all_runs(settings)
    assert ["digits", "digits"] == [inside.info.run_name, outside.info.run_name]
    assert ("five-folds", "abc") == (inside.data.tags["dvc.exp_name"], inside.data.tags["dvc.baseline_rev"])
    assert [] == [name for name in outside.data.tags if name.startswith("dvc.")]


def test_the_artifacts_of_a_store_in_the_checkout_have_a_relative_place(settings, settings_with):
    client = connect(settings_with("tracking.uri=sqlite:///mlflow.db"))
    created = experiment_id(client, settings_with("tracking.uri=sqlite:///mlflow.db"))
    assert "artifacts" == client.get_experiment(created).artifact_location


@pytest.mark.parametrize("uri", ["sqlite:///a/folder", "http://127.0.0.1:1", "nonsense://x"])
def test_a_store_that_cannot_be_reached_is_named_with_its_key(checkout, settings_with, monkeypatch, uri):
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    (checkout / "a/folder").mkdir(parents=True)
    with pytest.raises(UserError, match=f"^tracking.uri is {uri}, which "):
        connect(settings_with(f"tracking.uri={uri}"))
