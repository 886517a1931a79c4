"""What a user's rows may be, and how it is told what they may not be: before anything is written."""

from pathlib import Path

import pandas as pd
import pytest
from sklearn.datasets import load_iris

from tasks.data import read_source
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.runtime.errors import UserError
from tests.tasks.mistakes import assert_refused


@pytest.mark.parametrize("name", read_source.SKLEARN_SETS)
def test_the_sets_of_scikit_learn_come_with_features_and_target(name):
    found = read_source.read_table(f"sklearn:{name}")
    assert "target" == found.columns[-1]
    assert found.notna().all(axis=None)


def test_a_set_of_scikit_learn_is_the_one_it_ships():
    assert load_iris(as_frame=True).frame.equals(read_source.read_table("sklearn:iris"))


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_table_is_read_as_it_was_written(checkout, rows, ending):
    rows.to_csv("t.csv", index=False) if ending == "csv" else rows.to_parquet("t.parquet")
    for path in (f"t.{ending}", str(checkout / f"t.{ending}")):
        pd.testing.assert_frame_equal(rows, read_source.read_table(path), check_exact=True)


def test_a_glob_names_its_files_in_order_from_here_or_from_the_root(checkout, rows):
    Path("deep").mkdir()
    for name in ("deep/b.csv", "deep/a.csv", "c.csv"):
        rows.to_csv(name, index=False)
    assert ["deep/a.csv", "deep/b.csv"] == [str(path) for path in read_source.unlabeled_files("deep/*.csv")]
    assert [checkout / "deep/a.csv"] == read_source.unlabeled_files(str(checkout / "deep/a*"))


def test_a_glob_does_not_walk_through_a_whole_disk(checkout, rows, monkeypatch):
    for number in range(4):
        Path(f"deep/{number}/er").mkdir(parents=True)
        rows.to_csv(f"deep/{number}/er/a.csv", index=False)
    assert 4 == len(read_source.unlabeled_files("deep/**/*.csv")) == len(read_source.unlabeled_files("deep/*/er/*.csv"))
    monkeypatch.setattr(read_source, "_MOST_WALKED", 5)
    for pattern in ("deep/**/*.csv", str(checkout / "**/*.csv"), "*/*/er/*.csv"):
        with pytest.raises(UserError, match="lie below .*; name the folder"):
            read_source.unlabeled_files(pattern)
    assert 1 == len(read_source.unlabeled_files("deep/1/er/*.csv"))


COLUMNS = ("id", "x", "kind")
ENDINGS = (".csv", ".gz", ".zip", ".parquet", ".xlsx")
PATHS = ("sklearn:NAME", "openml:NAME-or-ID", *ENDINGS)
SKIP = ("data.on_bad_shard", "skip")


@pytest.mark.parametrize(
    ("change", "key", "words"),
    [
        ("data.source=rows.txt", "data.source", ["rows.txt", *PATHS]),
        ("data.source=sklearn:digit", "data.source", ["sklearn:digit", "digits", "iris", "wine"]),
        ("data.source=none.csv", "data.source", ["none.csv", "no such file", "path"]),
        ("data.source=empty.csv", "data.source", ["empty.csv", "csv", "No columns"]),
        ("data.source=head.csv", "data.source", ["head.csv", 0, 2]),
        ("data.source=clash.csv", "data.source", ["'target'", "rename", "drop"]),
        ("data.target=sort", "data.target", ["'sort'", "rows.csv", *COLUMNS]),
        ("data.target=null", "data.target", ["'target'", "rows.csv", *COLUMNS]),
        ("data.source=single.csv", "data.target", ["kind", "['won']", "two"]),
        ("data.positive=win", "data.positive", ["'win'", "kind", "'lost'", "'won'"]),
        ("data.drop=[y]", "data.drop", ["'y'", "rows.csv", *COLUMNS]),
        ("data.drop=[kind]", "data.drop", ["'kind'", "rows.csv", *COLUMNS]),
        ("data.known_after=[y]", "data.known_after", ["'y'", "rows.csv", *COLUMNS]),
        ("data.known_after=[kind]", "data.known_after", ["'kind'", "rows.csv", *COLUMNS]),
        ("data.drop=[id, x]", "data.source", ["rows.csv", 60, 0]),
        ("data.labeled_rows=61", "data.labeled_rows", [61, 60, "null"]),
        ("split.folds=21", "split.folds", [21, "'won'", 20, 20]),
        ("split.folds=61", "split.folds", [61, 2, 60]),
        ("data.source=rare.csv", "split.stratify", ["'drawn'", "single", "merge", "drop", "false"]),
        ("split.validation_fraction=0.01", "split.stratify", [1, 2]),
        ("data.unlabeled=none-*.csv", "data.unlabeled", ["none-*.csv", "path", "folder", "glob"]),
        ("data.unlabeled=empty.csv", "data.unlabeled", ["empty.csv", "csv", "No columns", *SKIP]),
        ("data.unlabeled=head.csv", "data.unlabeled", ["head.csv", "no rows", *SKIP]),
        ("data.unlabeled=lacking.csv", "data.unlabeled", ["lacking.csv", "'x'", *SKIP]),
        ("data.unlabeled=rows.txt", "data.unlabeled", ["rows.txt", *ENDINGS, *SKIP]),
    ],
)
def test_rows_that_cannot_be_used_are_reported_with_key_value_and_remedy(rows, settings_of_rows, change, key, words):
    Path("empty.csv").touch()
    Path("rows.txt").touch()
    rows.iloc[:0].to_csv("head.csv", index=False)
    rows.assign(target=1).to_csv("clash.csv", index=False)
    rows[rows["kind"] == "won"].to_csv("single.csv", index=False)
    rows.drop(columns="x").to_csv("lacking.csv", index=False)
    rows.assign(kind=(rows["id"] > 0).map({True: "won", False: "drawn"})).to_csv("rare.csv", index=False)
    before = sorted(Path().iterdir())
    assert_refused(lambda: write_prepared(prepare(settings_of_rows(change))), key, *words)
    assert before == sorted(Path().iterdir())


def test_more_shards_than_unlabelled_rows_are_refused(rows, settings_of_rows):
    four = settings_of_rows("data.labeled_rows=57", "data.shards=4")
    assert_refused(lambda: prepare(four), "data.shards", 4, 3)
    assert [1, 1, 1] == [
        len(shard) for shard in prepare(settings_of_rows("data.labeled_rows=57", "data.shards=3")).shards
    ]


def test_an_empty_glob_is_refused(rows, settings_of_rows):
    with pytest.raises(UserError):
        prepare(settings_of_rows("data.unlabeled=''"))
