"""data.known_after leaves columns out as data.drop does: the reasons differ, the rows do not."""

from dataclasses import fields

import numpy as np
import pandas as pd
import pytest

from tasks.data import new_shards
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tests.tasks.mistakes import assert_refused

PARTS = ("split.test_fraction=0.3", "split.folds=2", "data.labeled_rows=30", "report.slices=[reason]")


@pytest.fixture
def cancelled(rows):
    """rows.csv with a reason that only rows that won have."""
    reason = np.where(rows["kind"] == "won", "price", None)
    rows.assign(reason=reason).to_csv("rows.csv", index=False)
    return rows.assign(reason=reason)


def test_both_keys_make_the_same_tables_and_the_same_parts(cancelled, settings_of_rows):
    dropped, after = (
        prepare(settings_of_rows(*PARTS, f"data.{key}=[reason]", "data.shards=2")) for key in ("drop", "known_after")
    )
    for name in ("labeled", "test", "test_slices", "row_ids"):
        pd.testing.assert_frame_equal(getattr(dropped, name), getattr(after, name))
    assert "reason" not in after.labeled
    assert {"price", "(missing)"} == {*after.test_slices["reason"]}
    assert [list(shard.columns) for shard in after.shards] == [["id", "x"]] * 2
    assert (dropped.data_hash, dropped.columns) == (after.data_hash, after.columns)
    for one in fields(dropped.seen):
        assert getattr(dropped.seen, one.name) == getattr(after.seen, one.name)


def test_a_column_of_both_keys_is_left_out_once(cancelled, settings_of_rows):
    data = settings_of_rows("data.drop=[reason, id]", "data.known_after=[reason, x]").data
    assert {"reason": "data.drop", "x": "data.known_after", "id": "data.drop"} == data.left_out
    made = prepare(settings_of_rows("data.drop=[reason]", "data.known_after=[reason]"))
    assert ["id", "x", "target"] == list(made.labeled.columns)


@pytest.mark.parametrize("key", ["data.drop", "data.known_after"])
@pytest.mark.parametrize("lacks", [True, False])
def test_a_shard_may_lack_the_column_and_may_have_it(cancelled, settings_of_rows, key, lacks):
    shard = cancelled.drop(columns=["kind", "reason"]) if lacks else cancelled.drop(columns="kind")
    shard.to_csv("shard.csv", index=False)
    settings = settings_of_rows("data.unlabeled=shard.csv", f"{key}=[reason]")
    assert [()] == [report.notes for report in write_prepared(prepare(settings))]
    watched = [report for _, report in new_shards.checked(settings, new_shards.shard_files(settings, []), named=False)]
    assert [(None, ())] == [(report.bad, report.notes) for report in watched]
    if lacks:
        lacking = settings_of_rows("data.unlabeled=shard.csv")
        assert_refused(lambda: write_prepared(prepare(lacking)), "data.unlabeled", "lacks the column 'reason'")
