"""What a user's rows may be, and how it is told what they may not be: before anything is written."""

from pathlib import Path

import pandas as pd
import pytest
from sklearn.datasets import load_iris

from tasks.data import read_source
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.runtime.errors import UserError


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


COLUMNS = "it has id, x, kind"
ONE_ROW = "has a single row, which no stratified split can divide; merge or drop that class, or set stratify to false"
PATHS = (
    "it must be sklearn:NAME, openml:NAME-or-ID, or a path that ends in .csv, .csv.gz or .parquet, or a folder of .*"
)
SKIP = "; fix it, or set data.on_bad_shard to skip"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("data.source=rows.txt", f"data.source is rows.txt; {PATHS}"),
        ("data.source=sklearn:digit", "data.source is sklearn:digit; sklearn: takes digits, iris, wine, .*"),
        ("data.source=none.csv", "data.source is none.csv: no such file; give the path of a file, .*"),
        ("data.source=empty.csv", "data.source: empty.csv cannot be read as csv: No columns to parse from file"),
        ("data.source=head.csv", "data.source: head.csv has 0 rows and 2 features; needs both"),
        ("data.source=clash.csv", "data.source: a feature is called 'target', the name of the .*; rename or drop it"),
        ("data.target=sort", f"data.target is 'sort', which is no column of rows.csv; {COLUMNS}"),
        ("data.target=null", f"data.target is 'target', which is no column of rows.csv; {COLUMNS}"),
        ("data.source=single.csv", r"data.target: kind has the single value \['won'\]; at least two classes .*"),
        ("data.positive=win", "data.positive is 'win', which no row of kind has; it has 'lost', 'won'"),
        ("data.drop=[y]", f"data.drop names 'y', which is no feature of rows.csv; {COLUMNS}"),
        ("data.drop=[kind]", f"data.drop names 'kind', which is no feature of rows.csv; {COLUMNS}"),
        ("data.drop=[id, x]", "data.source: rows.csv has 60 rows and 0 features; needs both"),
        ("data.labeled_rows=61", "data.labeled_rows is 61, but 60 rows have a label; use at most that, or null"),
        ("split.folds=21", "split.folds: folds is 21, but class 'won' has 20 rows; use at most 20 folds"),
        ("split.folds=61", "split.folds: folds is 61; it must lie between 2 and 60, the number of labelled rows"),
        ("data.source=rare.csv", f"split.stratify: class 'drawn' {ONE_ROW}"),
        ("split.validation_fraction=0.01", "split.stratify: a part of 1 rows cannot hold all 2 classes; .*"),
        (
            "data.unlabeled=none-*.csv",
            r"data.unlabeled is none-\*.csv: no such file; give the path, the folder or the glob .*",
        ),
        (
            "data.unlabeled=empty.csv",
            f"data.unlabeled: the shard empty.csv cannot be read as csv: No columns to parse from file{SKIP}",
        ),
        (
            "data.unlabeled=head.csv",
            f"data.unlabeled: the shard head.csv has no rows; remove the file or fill it{SKIP}",
        ),
        ("data.unlabeled=lacking.csv", f"data.unlabeled: the shard lacking.csv lacks the column 'x' .*{SKIP}"),
        ("data.unlabeled=rows.txt", f"data.unlabeled: the shard rows.txt cannot be read; {PATHS}{SKIP}"),
    ],
)
def test_rows_that_cannot_be_used_are_told_with_key_value_and_remedy(rows, settings_of_rows, change, message):
    Path("empty.csv").touch()
    Path("rows.txt").touch()
    rows.iloc[:0].to_csv("head.csv", index=False)
    rows.assign(target=1).to_csv("clash.csv", index=False)
    rows[rows["kind"] == "won"].to_csv("single.csv", index=False)
    rows.drop(columns="x").to_csv("lacking.csv", index=False)
    rows.replace({"id": {0: -1}}).assign(kind=rows["kind"].where(rows["id"] > 0, "drawn")).to_csv(
        "rare.csv", index=False
    )
    before = sorted(Path().iterdir())
    with pytest.raises(UserError, match=f"^{message}$"):
        write_prepared(prepare(settings_of_rows(change)))
    assert before == sorted(Path().iterdir())


def test_more_shards_than_unlabelled_rows_are_refused(rows, settings_of_rows):
    expected = "^data.shards is 4, but 3 rows have no label: a shard would be empty; use at most that$"
    with pytest.raises(UserError, match=expected):
        prepare(settings_of_rows("data.labeled_rows=57", "data.shards=4"))
    assert [1, 1, 1] == [
        len(shard) for shard in prepare(settings_of_rows("data.labeled_rows=57", "data.shards=3")).shards
    ]


def test_an_empty_glob_is_refused(rows, settings_of_rows):
    with pytest.raises(UserError):
        prepare(settings_of_rows("data.unlabeled=''"))
