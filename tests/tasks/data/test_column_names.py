"""Columns with one name are numbered: none is lost, and init, prepare and each shard give the same names."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.data.column_names import numbered
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.init import start
from tasks.params import load
from tasks.storage import dvc_commands
from tests.tasks.mistakes import assert_names

ROWS = 120


@given(st.lists(st.sampled_from(["a", "a_2", "a_3", "a_2_2", "b"])))
def test_numbered_names_are_unique_and_no_written_name_is_taken(written):
    names = numbered(written)
    assert len(written) == len({*names})
    assert {*written} <= {*names}
    for place, (old, new) in enumerate(zip(written, names, strict=True)):
        assert new == old if old not in written[:place] else new.startswith(f"{old}_")
    assert names == numbered(names)


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(ROWS, 2)).round(3)
    who = rng.choice([f"{number:03d}" for number in range(30)], ROWS)
    kind = np.where(x.sum(axis=1) + rng.normal(size=ROWS) > 0, "won", "lost")
    return pd.DataFrame({"x": x[:, 0], "who": who, "x_": x[:, 1], "who_": np.roll(who, 7), "kind": kind})


NAMES = ["x", "who", "x", "who", "kind"]


def test_a_run_has_the_columns_of_init_and_each_shard_has_them_too(frame, monkeypatch):
    monkeypatch.setattr(dvc_commands, "track", lambda paths: None)
    Path("given/shards").mkdir(parents=True)
    frame.set_axis(NAMES, axis=1).to_csv("given/t.csv", index=False)
    frame.set_axis(NAMES, axis=1).iloc[:, :4].head(40).to_csv("given/shards/a.csv", index=False)
    lines = start.initialize("given/t.csv", "kind", "given/shards", Path.cwd())
    (line,) = [line for line in lines if "are called" in line and line.startswith("found")]
    assert_names(line, "t.csv", "2 columns", "'x'", "2 columns", "'who'", "x_2", "who_2")
    settings = load("params.yaml", ["data.groups=who_2", "split.test_fraction=0", "split.rows=null"])
    made = prepare(settings)
    (report,) = write_prepared(made)
    assert ["x", "who", "x_2", "target"] == [*made.labeled.columns]
    assert report.bad is None
    assert report.notes[0].startswith("2 columns are called 'x'")
    shard = pd.read_parquet("data/prepared/unlabeled/shard-00000.parquet")
    assert frame["x_"].head(40).tolist() == shard["x_2"].tolist()
    groups = made.roles.labeled["group"]  # the names as they are written: 005 stays
    assert frame["who_"].nunique() == groups.nunique()
    assert any("x_2" in warning for warning in made.warnings)


def test_the_rows_are_those_of_the_table_with_numbered_names(frame, settings_of_rows):
    frame.set_axis(NAMES, axis=1).to_csv("twice.csv", index=False)
    frame.set_axis(numbered(NAMES), axis=1).to_csv("once.csv", index=False)
    twice, once = (prepare(settings_of_rows(f"data.source={name}.csv")) for name in ("twice", "once"))
    assert once.data_hash == twice.data_hash
    pd.testing.assert_frame_equal(once.row_ids, twice.row_ids)
