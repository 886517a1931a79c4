"""Unlabelled shards: held against the labelled rows, mended, skipped or refused, and read one at a time."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tasks.data import unlabeled
from tasks.data.file_formats import FileRows
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.runtime.errors import UserError
from tasks.storage import files
from tasks.storage.shard_report import ShardReport
from tests.tasks.mistakes import assert_names, assert_refused

OWN = 'data.unlabeled="shard-*.parquet"'


@pytest.fixture
def mixed(checkout):
    """mixed.csv: 60 rows with a column of each kind, and a good shard of ten of them."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "number": rng.normal(size=60).round(3),
            "whole": rng.integers(0, 9, 60),
            "truth": rng.random(60) < 0.5,
            "colour": rng.choice(["amber", "beige"], 60),
            "day": pd.date_range("2024-01-01", periods=60).astype(str),
            "words": [f"some words {row}" for row in range(60)],
            "kind": ["won", "lost", "lost"] * 20,
        }
    )
    frame.to_csv("mixed.csv", index=False)
    return frame


def shard(mixed: pd.DataFrame, place: int = 0, **changes: object) -> pd.DataFrame:
    """Ten rows of the table in a file, with changed columns."""
    made = mixed.drop(columns="kind").head(10).assign(**changes)
    made.to_parquet(f"shard-{place:02d}.parquet")
    return made


def written(settings_of_rows, *changes) -> list[unlabeled.ShardReport]:
    return write_prepared(prepare(settings_of_rows("data.source=mixed.csv", OWN, *changes)))


def test_a_shard_of_the_same_rows_is_used_without_a_word(mixed, settings_of_rows):
    shard(mixed)
    assert [unlabeled.ShardReport("shard-00.parquet", 10, "shard-00000.parquet")] == written(settings_of_rows)
    labeled, (path,) = pd.read_parquet(files.LABELED), files.shards()
    assert labeled.drop(columns="target").dtypes.to_dict() == pd.read_parquet(path).dtypes.to_dict()
    pd.testing.assert_frame_equal(labeled.drop(columns="target").head(10), files.read_shard(path))


def test_csv_shards_come_out_as_parquet_ones_do(mixed, settings_of_rows):
    shard(mixed)
    written(settings_of_rows)
    expected = files.read_shard(files.shards()[0])
    mixed.drop(columns="kind").head(10).to_csv("shard-00.csv.gz", index=False)
    write_prepared(prepare(settings_of_rows("data.source=mixed.csv", "data.unlabeled=shard-00.csv.gz")))
    pd.testing.assert_frame_equal(expected, files.read_shard(files.shards()[0]))


def test_what_can_be_mended_is_mended_and_told(mixed, settings_of_rows):
    turned = mixed[mixed.columns[::-1]].head(10).assign(more=1, target=2)
    turned.to_parquet("shard-00.parquet")
    (report,) = written(settings_of_rows)
    assert (
        "the column of labels 'kind' was dropped",
        "the column of labels 'target' was dropped",
        "1 columns that the labelled rows do not have were left out ('more')",
        "the columns were put in the order of the labelled rows",
    ) == report.notes
    pd.testing.assert_frame_equal(
        pd.read_parquet(files.LABELED).drop(columns="target").head(10), files.read_shard(files.shards()[0])
    )


def test_values_beyond_the_labelled_ones_are_told_with_their_share(mixed, settings_of_rows):
    colours = ["amber"] * 7 + ["cyan", "cyan", None]
    made = shard(mixed, colour=colours, number=[9.5, *[0.0] * 9], day=["2030-01-01", *["2024-01-05"] * 9])
    (report,) = written(settings_of_rows)
    assert (10, 3) == (report.rows, report.noted)
    low, high = mixed["number"].min(), mixed["number"].max()
    assert (
        f"'number' lies outside of {low:.6g} to {high:.6g} in 10.0 % of the rows",
        "'colour' has gaps in 10.0 % of the rows, but none in the labelled rows",
        "'colour' has categories that no labelled row has in 20.0 % of the rows",
        "'day' lies outside of 2024-01-01 00:00:00 to 2024-02-29 00:00:00 in 10.0 % of the rows",
    ) == report.notes
    found = files.read_shard(files.shards()[0])["colour"]
    assert made["colour"].tolist()[:9] == found.tolist()[:9]
    assert report == files.read_shard_reports()[0]


def test_columns_that_are_rarely_beyond_the_labelled_ones_are_named_in_one_note(mixed, settings_of_rows):
    many = pd.concat([mixed.drop(columns="kind").head(10)] * 30, ignore_index=True)
    many.loc[[3, 5], "number"] = 99.0
    many.loc[3, "whole"] = 99
    many.to_parquet("shard-00.parquet")
    (report,) = written(settings_of_rows)
    assert (300, 2) == (report.rows, report.noted)
    assert (
        "values outside of the labelled rows' range or categories, in under 1 % of the rows: 'number', 'whole'",
    ) == report.notes


BAD = {
    "missing column": ({"drop": "whole"}, ["'whole'"]),
    "numbers for words": (
        {"colour": 5},
        ["'colour'", "numbers", "strings"],
    ),
    "words for numbers": (
        {"number": "x"},
        ["'number'", "strings", "numbers"],
    ),
    "infinite": ({"number": [0.0] * 3 + [np.inf] + [0.0] * 6}, ["'number'", "infinite", "row 3"]),
    "another date": (
        {"day": "31.01.2024"},
        ["'day'", "'31.01.2024'", "date"],
    ),
    "nested": ({"words": [[1]] * 10}, ["'words'", "nested"]),
}


@pytest.mark.parametrize(("changes", "words"), BAD.values(), ids=BAD)
def test_a_shard_that_cannot_be_used_is_refused_and_leaves_nothing(mixed, settings_of_rows, changes, words):
    shard(mixed)
    if "drop" in changes:
        mixed.drop(columns=["kind", changes["drop"]]).to_parquet("shard-01.parquet")
    else:
        shard(mixed, 1, **changes)
    remedy = ("data.on_bad_shard", "skip")
    assert_refused(lambda: written(settings_of_rows), "data.unlabeled", "shard-01.parquet", *words, *remedy)
    assert not files.PREPARED.exists()
    skipped = written(settings_of_rows, "data.on_bad_shard=skip")
    assert skipped[0].bad is None
    assert_names(skipped[1].bad, *words)
    assert 1 == len(files.shards())
    assert skipped == files.read_shard_reports()
    assert_names(unlabeled.messages(skipped)[0], "shard-01.parquet", "skipped", 60 if "drop" in changes else 10)


def test_a_refused_prepare_leaves_an_older_one_as_it_was(mixed, settings_of_rows):
    shard(mixed)
    written(settings_of_rows)
    before = {path: path.read_bytes() for path in files.PREPARED.rglob("*") if path.is_file()}
    shard(mixed, 1, number="x")
    with pytest.raises(UserError):
        written(settings_of_rows)
    assert before == {path: path.read_bytes() for path in files.PREPARED.rglob("*") if path.is_file()}


def test_a_truncated_shard_is_skipped_with_rows_unknown(mixed, settings_of_rows):
    shard(mixed)
    shard(mixed, 1)
    Path("shard-01.parquet").write_bytes(Path("shard-01.parquet").read_bytes()[:-20])
    reports = written(settings_of_rows, "data.on_bad_shard=skip")
    assert [10, None] == [report.rows for report in reports]
    assert_names(unlabeled.messages(reports)[0], "shard-01.parquet", "skipped", "parquet")


def test_at_most_ten_bad_shards_are_listed(mixed, settings_of_rows):
    for number in range(13):
        shard(mixed, number, number="x")
    with pytest.raises(UserError) as caught:
        written(settings_of_rows)
    lines = str(caught.value).splitlines()
    assert (11, "… and 3 more") == (len(lines), lines[-1])
    with pytest.raises(UserError, match="no shard is left"):
        written(settings_of_rows, "data.on_bad_shard=skip")


def test_one_shard_at_a_time_is_read(mixed, settings_of_rows, monkeypatch):
    for number in range(5):
        shard(mixed, number)
    made, read = prepare(settings_of_rows("data.source=mixed.csv", OWN)), []
    monkeypatch.setattr(
        unlabeled.read_source, "read_shard", lambda path, *_: read.append(path) or FileRows(pd.read_parquet(path))
    )
    for count, _ in enumerate(made.shards, start=1):
        assert count == len(read)


def test_a_folder_of_files_is_one_shard_a_file(mixed, settings_of_rows):
    Path("folder").mkdir()
    for number in (1, 0):
        shard(mixed, number)
        Path(f"shard-{number:02d}.parquet").rename(f"folder/{number}.parquet")
    Path("folder/notes.txt").write_text("not a shard")
    made = prepare(settings_of_rows("data.source=mixed.csv", "data.unlabeled=folder"))
    assert ["folder/0.parquet", "folder/1.parquet"] == [report.file for _, report in made.shards.checked()]


def test_the_reports_are_told_to_people(mixed, settings_of_rows):
    shard(mixed, 0, number=99.0)
    written(settings_of_rows)
    assert [{"file": "shard-00.parquet", "rows": 10, "noted": 10}] == [
        {key: found[key] for key in ("file", "rows", "noted")} for found in json.loads(files.SHARDS.read_text())
    ]
    (line,) = unlabeled.messages(files.read_shard_reports())
    assert_names(line, "shard-00.parquet", "'number'")
    assert "10 unlabelled in 1 shard" == unlabeled.summary(files.read_shard_reports())


def test_shards_with_the_same_notes_have_one_line():
    alike = [ShardReport(f"{number}.parquet", 10, notes=("a", "b")) for number in range(20)]
    reports = [*alike, ShardReport("other.parquet", 10, notes=("a",)), ShardReport("bad.parquet", 7, bad="ends")]
    assert [["bad.parquet", "7"], ["0.parquet", "19"], ["other.parquet"]] == [
        re.findall(r"\w+\.parquet|\d+(?= rows| more)", line) for line in unlabeled.messages(reports)
    ]
