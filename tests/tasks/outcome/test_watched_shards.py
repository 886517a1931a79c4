"""New shards against what a validation left: read once, compared by the stored half models, and nothing is fitted."""

import json
import sys
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from heldout.fits.specs import hypothesis_key
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.fits import half_models, worker
from tasks.outcome.ledger import learner_id
from tasks.outcome.watched_shards import Watched, check_validated, stored, watch_shards, write
from tasks.plans.fit_plans import scheme
from tasks.plans.read_design import read_design
from tasks.plans.units import Versions
from tasks.plans.units_of_scheme import plan_units
from tasks.runtime.errors import UserError
from tasks.storage import files, fit_cache, watch_files

TREE = "{name: tree, estimator: sklearn.tree.DecisionTreeClassifier, params: {random_state: 0}}"
CHANGES = ["data.source=table.csv", "data.target=label", "data.positive=null", "data.labeled_rows=120"]
CHANGES += [f"candidates=[{TREE}]", "split.folds=3", "covalidation.repeats=4", "data.shards=3"]


def table(rows: int, seed: int = 0, *, blur: float = 0.0) -> pd.DataFrame:
    """The label is 1 where a is high, up to some noise; a `blur` brings rows to where few rows are labelled."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, rows))
    label = (a + 0.3 * rng.normal(size=rows) > 0).astype(int)
    return pd.DataFrame({"a": a * (1 - blur), "b": b, "label": label})


@pytest.fixture
def validated(checkout, settings_with, fresh_workers):
    """What a validation of a tree leaves that `watch` reads; returns settings, with changes."""
    table(600).to_csv("table.csv", index=False)
    settings = settings_with(*CHANGES)
    write_prepared(prepare(settings))
    plan = scheme(read_design(settings), "covalidation", settings.deliver)
    ((candidate, units),) = plan_units(settings, plan, Versions.current())
    assert worker.fit_units(settings, candidate, units, Versions.current()) is None
    files.write_json(files.SELECTION, {"selected": "tree"})
    Path("new").mkdir()
    return lambda *changes: settings_with(*CHANGES, *changes)


def watched(settings, *named: str, champion=None):
    """The record after `watch`, and its new lines, of which it tells."""
    record = watch_shards(settings, champion, named)
    if record.untold:
        told = replace(record, told=len(record.lines))
        write(told)
    return record, record.untold


def refitted(shard: pd.DataFrame) -> float:
    """The disagreement of trees that are fitted here, by halves.parquet."""
    X, y = files.read_table(files.LABELED)
    halves = pd.read_parquet(files.HALVES)
    apart = []
    for _, lines in halves.groupby("repeat"):
        rows = [lines["row"][lines["half"] == half].sort_values() for half in (0, 1)]
        answers = [
            DecisionTreeClassifier(random_state=0).fit(X.iloc[of], y[of]).predict(shard[X.columns]) for of in rows
        ]
        apart.append(np.mean(answers[0] != answers[1]))
    return float(np.mean(apart))


def test_before_any_validation_the_missing_file_is_named(checkout):
    with pytest.raises(UserError, match="^data/prepared/labeled.parquet is missing; run"):
        check_validated()


@pytest.mark.slow
def test_a_shard_is_read_once_and_drift_is_found(validated, monkeypatch):
    settings = validated()
    record, lines = watched(settings)  # the shards of the reference itself
    assert ["shard-00000", "shard-00001", "shard-00002"] == [line.shard for line in lines]
    assert (False, 0) == (any(line.alarm for line in lines), record.alarm.more.shards)
    assert [refitted(files.read_shard(path)) for path in files.shards()] == pytest.approx(
        [line.disagreement for line in lines]
    )
    assert () == watched(settings)[1]

    table(200, 1).to_csv("new/=quiet [b].csv", index=False)
    record, (quiet,) = watched(settings, "new")
    assert ("'=quiet [b]", 200, False, 1) == (quiet.shard, quiet.rows, quiet.alarm, record.alarm.more.shards)
    assert refitted(table(200, 1)) == pytest.approx(quiet.disagreement)
    assert quiet.low < quiet.disagreement < quiet.high

    assert record.evidence_of_answers < 20
    table(200, 2, blur=0.9).drop(columns="label").to_parquet("new/drift.parquet")
    monkeypatch.setattr(worker, "fit_units", None)
    record, (drift,) = watched(settings, "new")  # the first one has its line
    assert ("drift", True, 2) == (drift.shard, drift.alarm, record.alarm.more.shards)
    assert drift.evidence >= 20
    assert [line for line, _ in record.alarms()] == [drift]
    assert () == watched(settings, "new/drift.parquet")[1]

    written = pd.read_csv(watch_files.TABLE, dtype=str)
    assert [one.name for one in fields(watch_files.WatchedShard)] == list(written.columns)
    assert ["false"] * 4 + ["true"] == written["alarm"].tolist()
    assert "'=quiet [b]" == written["shard"][3]


@pytest.mark.slow
def test_lines_that_were_stored_and_not_told_stay_untold_until_they_are(validated):
    settings = validated()
    table(200, 2, blur=0.9).to_csv("new/drift.csv", index=False)
    record = watch_shards(settings, None, ["new"])
    write(record)  # and here the run ends
    again = stored()
    assert ["drift"] == [line.shard for line in again.untold]
    assert again.alarms() == record.alarms() != []
    watch_files.write_state(replace(again, told=1).numbers())
    assert ((), []) == (stored().untold, stored().alarms())
    numbers = again.numbers()
    numbers.pop("told")
    watch_files.write_state(numbers)
    with pytest.raises(UserError, match=r"watch\.json is no record of this version .*'told'"):  # of another one
        stored()


@pytest.mark.long
def test_one_run_or_several_leave_the_same_bytes(validated):
    for number in range(3):
        table(50, number).to_csv(f"new/{number}.csv", index=False)
    for number in range(3):
        watched(validated(), f"new/{number}.csv")
    several = [path.read_bytes() for path in (watch_files.TABLE, watch_files.STATE)]
    watch_files.TABLE.unlink()
    watched(validated(), "new")
    assert several == [path.read_bytes() for path in (watch_files.TABLE, watch_files.STATE)]


@pytest.mark.slow
def test_a_champion_is_watched_until_another_takes_its_place(validated):
    settings = validated()
    learner = learner_id(settings.candidates[0])
    for number in range(4):
        table(50, number, blur=0.9).to_csv(f"new/{number}.csv", index=False)
    first, _ = watched(settings, "new/0.csv", champion=Watched("heldout/1", learner))
    assert ("heldout/1", 1) == (first.watched, first.alarm.more.shards)
    # another night validated other rows: no half model of theirs is stored, and the champion's go on
    later = validated("data.labeled_rows=100")
    write_prepared(prepare(later))
    second, _ = watched(later, "new/1.csv", champion=Watched("heldout/1", learner))
    assert (first.keys, 2, 2) == (second.keys, second.alarm.more.shards, len(second.lines))
    assert second.alarm.log > first.alarm.log
    write_prepared(prepare(settings))
    third, _ = watched(settings, "new/2.csv", champion=Watched("heldout/2", learner))
    assert ("heldout/2", 1, 3) == (third.watched, third.alarm.more.shards, len(third.lines))


@pytest.mark.long
def test_numbers_are_cut_at_a_limit_that_the_new_rows_do_not_choose(validated):
    """The squared loss has no limit of its own: the 99 % quantile of the winner's losses in cross-validation."""
    tree = "{name: tree, estimator: sklearn.tree.DecisionTreeRegressor, params: {random_state: 0}}"
    changes = ["data.target=b", f"candidates=[{tree}]"]
    settings = validated(*changes)
    write_prepared(prepare(settings))
    plan = scheme(read_design(settings), "covalidation", settings.deliver)
    ((candidate, units),) = plan_units(settings, plan, Versions.current())
    worker.fit_units(settings, candidate, units, Versions.current())
    lines = {"candidate": "tree", "scheme": "cross_validation", "unit": 0, "row": range(101), "loss": np.arange(101.0)}
    files.write_losses([pd.DataFrame(lines)])
    table(100, 1).to_csv("new/quiet.csv", index=False)
    far = table(100, 2)
    far["a"] *= 100
    far.to_csv("new/far.csv", index=False)
    record, lines = watched(settings, "new")
    assert (99.0, "squared") == (record.limit, record.loss)
    assert all(0 <= line.low <= line.high <= 99 for line in lines)


@pytest.mark.long
def test_without_unlabelled_rows_the_test_set_is_the_reference(validated):
    settings = validated("data.labeled_rows=null")
    write_prepared(prepare(settings))
    plan = scheme(read_design(settings), "covalidation", settings.deliver)
    ((candidate, units),) = plan_units(settings, plan, Versions.current())
    worker.fit_units(settings, candidate, units, Versions.current())
    table(100, 1).to_csv("new/quiet.csv", index=False)
    record, _ = watched(settings, "new")
    assert len(pd.read_parquet(files.TEST)) == record.alarm.more.reference.rows


@pytest.mark.slow
def test_what_cannot_be_used_is_refused_and_nothing_is_written(validated):
    settings = validated()
    table(5).to_csv("new/a.csv", index=False)
    table(5).drop(columns="a").to_csv("new/b.csv", index=False)
    table(5).assign(a="high").to_csv("new/c.csv", index=False)

    def refused(*named, of=settings, champion=None):
        with pytest.raises(UserError) as refusal:
            watched(of, *named, champion=champion)
        assert not watch_files.TABLE.exists()
        return str(refusal.value)

    said = refused("new")
    assert "--shard: the shard new/b.csv lacks the column 'a'" in said
    assert "--shard: the shard new/c.csv has the column 'a', which holds strings, but numbers" in said
    assert "--shard is nowhere" in refused("nowhere")
    said = refused("new/a.csv", champion=Watched("heldout/7", "another"))
    assert said.startswith("candidates: the learner of heldout/7")
    (key, *_) = half_models.keys_of(settings, settings.candidates[0])
    fit_cache.store.remove(hypothesis_key(key))
    said = refused("new/a.csv")
    assert "1 of the 8 half models of tree" in said
    assert "python -m flows validate" in said


@pytest.mark.slow
def test_answers_that_are_distributed_otherwise_are_evidence_of_their_own(validated):
    far = table(1000, 1)
    far[far["a"] > 1].to_csv("new/far.csv", index=False)  # where all say 1, and half models agree
    record, _ = watched(validated(), "new")
    assert record.evidence_of_answers > 1e6


def high(rows: int, seed: int) -> pd.DataFrame:
    """Rows of one side alone, far from the boundary: their half models agree."""
    far = table(20 * rows, seed)
    return far[far["a"] > 1][:rows]


@pytest.mark.long
def test_rows_of_one_side_raise_the_second_alarm_which_goes_on_for_every_champion(validated):
    settings = validated()
    learner = learner_id(settings.candidates[0])
    table(100, 1).to_csv("new/quiet.csv", index=False)
    high(40, 2).to_csv("new/high.csv", index=False)
    record, (quiet, found) = watched(settings, "new/quiet.csv", "new/high.csv", champion=Watched("heldout/1", learner))
    assert (False, True, "") == (quiet.alarm_of_columns, found.alarm_of_columns, quiet.columns)
    assert found.columns.startswith("a is above ")
    ((_, reason),) = [(line, reason) for line, reason in record.alarms() if line == found]
    assert f"distributed otherwise than those of the reference: {found.columns}" in reason
    # the next champion, of a night whose unlabelled rows are those of one side: neither moves the reference
    nights = pd.concat([table(150, 0), high(600, 3)])
    nights.to_csv("table.csv", index=False)
    write_prepared(prepare(settings))
    plan = scheme(read_design(settings), "covalidation", settings.deliver)
    ((candidate, units),) = plan_units(settings, plan, Versions.current())
    worker.fit_units(settings, candidate, units, Versions.current())
    high(40, 4).to_csv("new/again.csv", index=False)
    second, (again,) = watched(settings, "new/again.csv", champion=Watched("heldout/2", learner))
    assert (record.reference.content, 3) == (second.reference.content, second.columns.shares.shards)
    assert (1, 1) == (second.alarm.more.shards, len(list(Path("reports").glob("watch-reference-*.parquet"))))
    assert (True, []) == (again.alarm_of_columns, [reason for _, reason in second.alarms() if "distributed" in reason])
    # a person moves it: evidence begins again, and an alarm that is raised at once is told, also after an earlier one
    table(8000, 6).query("a < -1")[:40].to_csv("new/low.csv", index=False)
    at_once = watch_shards(settings, Watched("heldout/2", learner), ["new/low.csv"], new_reference=True)
    assert at_once.lines[-2].alarm_of_columns
    assert [at_once.lines[-1]] == [line for line, reason in at_once.alarms() if "distributed" in reason]
    assert at_once.columns_began == at_once.numbers()["columns_began"] == 3
    high(40, 5).to_csv("new/moved.csv", index=False)
    moved = watch_shards(settings, Watched("heldout/2", learner), ["new/moved.csv"], new_reference=True)
    write(moved)
    assert (1, False) == (moved.columns.shares.shards, moved.lines[-1].alarm_of_columns)
    assert second.reference.content != moved.reference.content
    assert [str(watch_files.reference(moved.reference.content))] == [
        str(path) for path in Path("reports").glob("watch-reference-*.parquet")
    ]


@pytest.mark.slow
def test_a_reference_may_begin_at_a_shard_and_those_before_it_are_no_evidence(validated):
    settings = validated()
    of = [files.read_shard(path) for path in files.shards()]
    for since in ("shard-00001", str(files.shards()[1])):
        record = watch_shards(settings, None, (), new_reference=True, since=since)
        pd.testing.assert_frame_equal(pd.concat(of[1:], ignore_index=True), record.reference.rows)
        assert [len(shard) for shard in of[1:]] == [*record.reference.shards]
        assert f"{sum(map(len, of[1:]))} rows of 2 files, " in str(record.reference)
        assert (3, 0, 0) == (len(record.lines), record.alarm.more.shards, record.columns.shares.shards)
    write(record)
    assert record.reference.numbers() == stored().reference.numbers()
    none = (
        r"since: '5' is no shard of the validated run, which are \S*shard-00000.parquet to \S*shard-00002.parquet; give"
    )
    with pytest.raises(UserError, match=none):
        watch_shards(settings, None, (), new_reference=True, since="5")
    with pytest.raises(UserError, match="since: '5' names the first shard of a new reference; give new_reference too"):
        watch_shards(settings, None, (), since="5")


@pytest.mark.long
def test_a_file_of_the_reference_with_other_rows_is_no_part_of_it(validated):
    settings = validated()
    path = files.shards()[0]
    record, _ = watched(settings, str(path))
    assert (0, 3) == (record.columns.shares.shards, len(record.reference.files))
    high(60, 1).drop(columns="label").to_parquet(path)
    record, (line,) = watched(settings, str(path))
    assert (1, True) == (record.columns.shares.shards, line.alarm_of_columns)


@pytest.mark.long
def test_a_reference_that_is_gone_changed_or_of_other_columns_is_refused_with_the_remedy(validated):
    table(50, 1).to_csv("new/quiet.csv", index=False)
    record, _ = watched(validated(), "new/quiet.csv")
    path = watch_files.reference(record.reference.content)
    stored_ = path.read_bytes()
    for content in (stored_[:-1], None):
        path.unlink() if content is None else path.write_bytes(content)
        with pytest.raises(UserError, match=f"{path}.* is gone or was changed; put it back, or remove"):
            watched(validated(), "new/quiet.csv")
    path.write_bytes(stored_)
    columns = files.LABELED
    labeled = pd.read_parquet(columns)
    labeled.drop(columns="b").to_parquet(columns)
    with pytest.raises(UserError, match=r"differ in the column 'b'; .*watch --new-reference"):
        watched(validated(), "new/quiet.csv")


@pytest.mark.long
def test_bad_shards_may_be_skipped(validated, caplog):
    table(5).to_csv("new/a.csv", index=False)
    table(5).drop(columns="a").to_csv("new/b.csv", index=False)
    _, lines = watched(validated("data.on_bad_shard=skip"), "new")
    assert ["a"] == [line.shard for line in lines]
    assert "new/b.csv was skipped, 5 rows lost" in caplog.text


@pytest.mark.long
def test_a_table_whose_record_is_lost_is_not_overwritten(validated):
    table(5).to_csv("new/a.csv", index=False)
    watched(validated(), "new")
    watch_files.STATE.write_text(json.dumps({"lines": []})[:-3])
    before = watch_files.TABLE.read_bytes()
    table(5).to_csv("new/b.csv", index=False)
    with pytest.raises(UserError, match=r"watch\.json.*remove reports/watch.csv to begin again"):
        watched(validated(), "new")
    watch_files.STATE.write_text("{}")
    with pytest.raises(UserError, match=r"watch\.json.*remove reports/watch.csv to begin again"):
        watched(validated(), "new")
    assert before == watch_files.TABLE.read_bytes()


@pytest.mark.fault("hostile")
@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("plain.v2.csv", "plain.v2"),
        ("=1+1.csv", "'=1+1"),
        ("@cmd.csv", "'@cmd"),
        ("a\x1b[31m.csv", "a\N{REPLACEMENT CHARACTER}[31m"),
        ("\t=1.csv", "\N{REPLACEMENT CHARACTER}=1"),
    ],
)
def test_names_are_harmless_where_they_are_shown(name, shown):
    assert shown == watch_files.shown_name(Path(name))


DYING = """
import os, time
from sklearn.tree import DecisionTreeClassifier

class Dying(DecisionTreeClassifier):
    def predict(self, X):
        if len(X) > 250:
            {}
        return super().predict(X)
"""


@pytest.mark.slow
@pytest.mark.fault("outside model")
@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("os._exit(3)", "died twice, the second time alone: exit code 3"),
        pytest.param("time.sleep(999)", "execution.fit_timeout", marks=pytest.mark.long),
    ],
)
@pytest.mark.long
def test_half_models_that_end_their_process_are_a_message(how, says, validated, checkout):
    """On the rows of a new shard, which is larger than those that the validation knows."""
    (checkout / "dying.py").write_text(DYING.format(how))
    sys.path.insert(0, str(checkout))
    sys.modules.pop("dying", None)
    changes = ["candidates=[{name: tree, estimator: dying.Dying, params: {random_state: 0}}]"]
    settings = validated(*changes, "execution.allowed_modules=[sklearn, dying]", "execution.fit_timeout=1")
    plan = scheme(read_design(settings), "covalidation", settings.deliver)
    ((candidate, units),) = plan_units(settings, plan, Versions.current())
    assert worker.fit_units(settings, candidate, units, Versions.current()) is None
    watched(settings)
    table(300, 1).to_csv("new/large.csv", index=False)
    with pytest.raises(UserError, match=f"new/large.csv: the half models do not answer its rows: .*{says}"):
        watch_shards(settings, None, ["new"])
