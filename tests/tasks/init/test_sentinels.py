"""Nines far from all other values are named with their remedy; the remedy makes gaps of them in every format."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets

from heldout.checks import sentinels
from tasks.data.prepare_tables import prepare
from tasks.data.read_source import read_table
from tasks.init import start
from tasks.params import load
from tasks.storage import dvc_commands
from tests.tasks.data.test_file_formats import WRITERS
from tests.tasks.mistakes import assert_names

ROWS = 200


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    warm = rng.normal(20, 5, ROWS).round(2)
    some = np.arange(ROWS) % 20 == 0
    return pd.DataFrame(
        {
            "warm": np.where(some, -999, warm),
            "visits": np.where(np.roll(some, 3), 9999, rng.integers(0, 90, ROWS)),
            "kind": np.where(warm + rng.normal(0, 5, ROWS) > 20, "won", "lost"),
        }
    )


def test_init_names_the_column_the_value_and_how_often(frame, monkeypatch):
    monkeypatch.setattr(dvc_commands, "track", lambda paths: None)
    frame.to_csv("t.csv", index=False)
    lines = [line for line in start.initialize("t.csv", "kind", None, Path.cwd()) if "data.missing" in line]
    assert 2 == len(lines)
    assert_names(lines[0], "-999", 10, ROWS, "warm", '"-999"', "data.missing")
    assert_names(lines[1], "9999", 10, ROWS, "visits", '"9999"', "data.missing")
    settings = load("params.yaml", ['data.missing=["-999", "9999"]', "split.test_fraction=0", "split.rows=null"])
    labeled = prepare(settings).labeled
    assert [10, 10] == labeled[["warm", "visits"]].isna().sum().tolist()


@pytest.mark.parametrize("name", [name for name in WRITERS if name != "t.ndjson.gz"])
def test_data_missing_makes_gaps_of_numbers_in_every_format(frame, name):
    frame.insert(0, "x", np.where(np.arange(ROWS) < 3, 99.9, frame["warm"]))
    WRITERS[name](frame, name)
    found = read_table(name, missing=["-999", "9999", "99.9", "?"])
    expected = frame.isin([-999, 9999, 99.9])
    pd.testing.assert_frame_equal(expected, found.isna())
    assert ["f", "f", "f"] == [found[column].dtype.kind for column in ("x", "warm", "visits")]


def test_long_whole_numbers_next_to_such_a_gap_keep_their_digits():
    pd.DataFrame({"id": [2**53 + 1, -999, 5]}).to_parquet("t.parquet")
    assert [2**53 + 1, None, 5] == read_table("t.parquet", missing=["-999"])["id"].astype(object).where(
        lambda values: values.notna(), None
    ).tolist()


RNG = np.random.default_rng(1)
HONEST = {
    "twice": [-999.0] * 2 + [*RNG.random(ROWS)],
    "99 among ages": [99.0] * 3 + [*RNG.integers(0, 98, ROWS)],
    "999 of a long tail": [999.0] * 3 + [*RNG.exponential(300, ROWS).clip(0, 998)],
    "-99 among losses": [-99.0] * 3 + [*RNG.normal(0, 60, ROWS).clip(-98)],
    "99 and 0": [99.0] * 50 + [0.0] * 50,
    "prices": [9.99] * 9 + [*RNG.choice([0.5, 0.6, 0.7, 0.8, 0.9], ROWS)],
    "nines within": [99.0] * 9 + [*RNG.integers(0, 300, ROWS)],
}


@pytest.mark.parametrize("values", HONEST.values(), ids=HONEST)
def test_nines_that_may_be_numbers_are_not_named(values):
    assert [] == sentinels.look(pd.DataFrame({"x": values}), ["x"])


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "diabetes", "digits"])
def test_the_sets_of_scikit_learn_have_none(name):
    table = getattr(datasets, f"load_{name}")(as_frame=True).frame
    assert [] == sentinels.look(table, table.columns)


def test_a_negative_mark_is_found_among_large_numbers_and_columns_share_a_finding():
    large = [-999.0] * 3 + [*RNG.integers(0, 90_000, ROWS)]
    table = pd.DataFrame({"a": large, "b": large[::-1], "c": [*range(-1100, -1100 + len(large))]})
    (finding,) = sentinels.look(table, table.columns)
    assert_names(f"{finding.text}: {finding.decide}", "-999", "a", "b", "3 of 203", "3 of 203", "1 where")
