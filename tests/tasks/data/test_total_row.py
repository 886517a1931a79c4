"""A total at the end of a table is no row of it: everything is as without it, in the source and in each shard."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets

from tasks.data import total_row
from tasks.data.prepare_tables import prepare
from tasks.data.read_source import read_shard
from tasks.data.write_prepared import write_prepared
from tasks.init import start
from tasks.params import load
from tasks.storage import dvc_commands
from tests.tasks.mistakes import assert_names

ROWS = 120


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    sales = rng.gamma(2, 50, ROWS).round(2)
    region = rng.choice(["north", "south", "east"], ROWS)
    kind = np.where(sales + rng.normal(0, 50, ROWS) > 90, "won", "lost")
    units, store = rng.integers(1, 90, ROWS), rng.integers(100, 999, ROWS)
    return pd.DataFrame({"region": region, "sales": sales, "units": units, "store": store, "kind": kind})


def text(frame, last):
    return f"{frame.to_csv(index=False)}{last}\n"


def named(frame):
    return text(frame, f"Total,{frame['sales'].sum():.2f},{frame['units'].sum()},,")


def unnamed(frame):
    return text(frame, f",{frame['sales'].sum():.2f},{frame['units'].sum()},,")


@pytest.mark.parametrize("with_total", [named, unnamed])
@pytest.mark.parametrize("missing", ["null", '["?"]'])
def test_the_prepared_rows_are_those_of_the_table_without_its_total(frame, with_total, missing, settings_of_rows):
    Path("with.csv").write_text(with_total(frame))
    frame.to_csv("without.csv", index=False)
    found, plain = (
        prepare(settings_of_rows(f"data.source={name}.csv", f"data.missing={missing}")) for name in ("with", "without")
    )
    pd.testing.assert_frame_equal(plain.labeled, found.labeled)
    pd.testing.assert_frame_equal(plain.row_ids, found.row_ids)
    assert (plain.data_hash, []) == (found.data_hash, [*found.shards])
    (warning,) = [warning for warning in found.warnings if "total" in warning]
    assert_names(warning, "data.source", "last row", "left out")


def test_a_total_of_a_shard_is_left_out_and_its_report_says_so(frame, settings_of_rows):
    frame.to_csv("t.csv", index=False)
    Path("shards").mkdir()
    Path("shards/a.csv").write_text(named(frame.head(40)))
    frame.head(40).to_csv("shards/b.csv", index=False)
    reports = write_prepared(prepare(settings_of_rows("data.source=t.csv", "data.unlabeled=shards")))
    shards = [pd.read_parquet(f"data/prepared/unlabeled/shard-0000{number}.parquet") for number in (0, 1)]
    pd.testing.assert_frame_equal(*shards)
    assert [40, 40] == [report.rows for report in reports]
    assert_names(reports[0].notes[0], "last row", "total", "'Total'", "region", "left out")
    assert not any("total" in note for note in reports[1].notes)


def test_init_names_it_and_asks_where_it_has_a_value_of_the_target(frame, monkeypatch):
    monkeypatch.setattr(dvc_commands, "track", lambda paths: None)
    Path("t.csv").write_text(named(frame))
    lines = start.initialize("t.csv", "kind", None, Path.cwd())
    (line,) = [line for line in lines if "a total" in line]
    assert_names(line, "'Total'", "region", "left out")
    assert any(line.startswith(f"table     t.csv: {ROWS} rows") for line in lines)
    start.initialize("t.csv", "sales", None, Path.cwd())
    about = Path("table_checks.yaml").read_text()
    assert_names(about, "last row", "severity: care")
    assert ROWS + 1 == len(prepare(load("params.yaml", ["split.test_fraction=0", "split.rows=null"])).labeled)


RNG = np.random.default_rng(1)
NO_TOTAL = {
    "a category that other rows have too": pd.DataFrame({"sex": ["total", "m", "f"] * 9 + ["total"], "x": range(28)}),
    "a name whose numbers are no sums": pd.DataFrame(
        {"brand": [*(f"b{row}" for row in range(20)), "Total"], "price": RNG.random(21), "sold": RNG.random(21)}
    ),
    "one column that sums by chance": pd.DataFrame({"a": [1, 1, 0, 0, 0, 0, 2], "b": RNG.random(7)}),
    "zeros": pd.DataFrame(np.zeros((9, 3))),
    "two rows": pd.DataFrame({"name": ["a", "Total"], "x": [1, 1]}),
    "few rows": pd.DataFrame({"x": [1, 2, 3], "y": [2, 4, 6]}),
    "a total that is first": pd.DataFrame({"name": ["Total", "a", "b", "c"], "x": [6, 1, 2, 3]}),
}


@pytest.mark.parametrize("table", NO_TOTAL.values(), ids=NO_TOTAL)
def test_other_last_rows_are_rows(table):
    assert total_row.reason(table) is None
    found, findings = total_row.without(table, None)
    assert found is table
    assert () == findings


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "diabetes", "digits"])
def test_the_sets_of_scikit_learn_end_in_a_row(name):
    assert total_row.reason(getattr(datasets, f"load_{name}")(as_frame=True).frame) is None


def test_a_total_of_a_table_of_strings_is_known_by_its_word():
    Path("s.csv").write_text("name,size\na,small\nb,large\nGesamt:,\n")
    rows = read_shard(Path("s.csv"))
    assert ["a", "b"] == rows.frame["name"].tolist()
    assert_names(rows.findings[0].text, "'Gesamt:'", "name")
