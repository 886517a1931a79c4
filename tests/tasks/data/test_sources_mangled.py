"""Files that are broken, each told in one line before anything is written; and odd ones that are read right."""

import gzip
import os
from pathlib import Path
from urllib.error import URLError

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

from tasks.data import read_source
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.runtime.errors import UserError

ROWS = "".join(f"{row},{row / 7:.3f},{'won' if row % 3 else 'lost'}\n" for row in range(60))
GOOD = f"id,x,kind\n{ROWS}"


def parquet(path: str, **columns: object) -> None:
    target = ["won", "lost"] * 5
    pa.parquet.write_table(pa.table({"x": range(10), **columns, "kind": target}), path)


def truncated(path: str, data: bytes) -> None:
    Path(path).write_bytes(data[: len(data) // 2])


def make_loop() -> None:
    Path("a.csv").symlink_to("b.csv")
    Path("b.csv").symlink_to("a.csv")


BROKEN = {
    "Latin-1": (
        lambda: Path("t.csv").write_bytes(GOOD.encode() + "61,1,caf\xe9\n".encode("latin-1")),
        "t.csv is not UTF-8: line 62 has the byte 0xe9 at place 9; save it as UTF-8 .*",
    ),
    "Latin-1 in the header": (
        lambda: Path("t.csv").write_bytes("\xe9,x,kind\n".encode("latin-1") + ROWS.encode()),
        "t.csv is not UTF-8: line 1 has the byte 0xe9 at place 1; .*",
    ),
    "UTF-16": (
        lambda: Path("t.csv").write_text(GOOD, encoding="utf-16"),
        "t.csv is not UTF-8: line 1 has the byte 0xff .*",
    ),
    "gzip without its name": (
        lambda: Path("t.csv").write_bytes(gzip.compress(GOOD.encode())),
        "t.csv is gzipped; call it .csv.gz",
    ),
    "semicolons": (
        lambda: Path("t.csv").write_text(GOOD.replace(",", ";")),
        "t.csv has one column, 'id;x;kind', whose name holds a semicolon: columns must be separated by commas; .*",
    ),
    "tabs": (lambda: Path("t.csv").write_text(GOOD.replace(",", "\t")), "t.csv has one column, .* holds a tab: .*"),
    "a name twice": (
        lambda: Path("t.csv").write_text(GOOD.replace("id,x", "x,x")),
        "t.csv has 2 columns called 'x'; rename or remove all but one",
    ),
    "more fields than names": (
        lambda: Path("t.csv").write_text("x,kind\n" + ROWS),
        "t.csv has rows of 3 fields, but its header names 2; name every column",
    ),
    "a row too long": (
        lambda: Path("t.csv").write_text(GOOD + "1,2,won,4,5\n"),
        "t.csv cannot be read as csv: Error tokenizing data. C error: Expected 3 fields in line 62, saw 5",
    ),
    "an open quote": (
        lambda: Path("t.csv").write_text(GOOD + '"61,1,won\n'),
        "t.csv cannot be read as csv: .*EOF inside string.*",
    ),
    "empty": (lambda: Path("t.csv").touch(), "t.csv cannot be read as csv: No columns to parse from file"),
    "zero rows": (lambda: Path("t.csv").write_text("id,x,kind\n"), "t.csv has 0 rows and 2 features; needs both"),
    "a folder": (lambda: Path("t.csv").mkdir(), "t.csv, a folder without Parquet files; it must be .*"),
    "infinite": (
        lambda: Path("t.csv").write_text(GOOD + "60,inf,won\n"),
        r"the column 'x' is infinite in row 60 \(counted from 0\); write a finite number, or leave it empty",
    ),
    "beyond the largest number": (
        lambda: Path("t.csv").write_text(GOOD + "60,1e400,won\n"),
        "the column 'x' is infinite .*",
    ),
    "nothing but zeros": (lambda: Path("t.csv").write_bytes(b"\0" * 100), "t.csv has a header of zero bytes: .*"),
}
PARQUET = {
    "truncated": (
        lambda: (parquet("s.parquet"), truncated("t.parquet", Path("s.parquet").read_bytes())),
        "t.parquet cannot be read as parquet: .*",
    ),
    "no Parquet": (lambda: Path("t.parquet").write_text(GOOD), "t.parquet cannot be read as parquet: .*"),
    "nested": (
        lambda: parquet("t.parquet", deep=[[1, 2]] * 10),
        r"the column 'deep' holds nested values \(ndarray\), .*; write it as one of them, or name it in data.drop",
    ),
    "structs": (
        lambda: parquet("t.parquet", deep=[{"a": 1}] * 10),
        r"the column 'deep' holds nested values \(dict\), .*",
    ),
    "bytes": (lambda: parquet("t.parquet", deep=[b"x"] * 10), "the column 'deep' holds bytes values .*"),
    "a name twice": (
        lambda: pa.parquet.write_table(pa.table([[1], [2]], names=["x", "x"]), "t.parquet"),
        "t.parquet cannot be read as parquet: it has 2 columns called 'x'; rename or remove all but one",
    ),
    "folder of different columns": (
        lambda: (
            Path("t.parquet").mkdir(),
            parquet("t.parquet/a.parquet"),
            parquet("t.parquet/b.parquet", y=range(10)),
        ),
        r"t.parquet/b.parquet and t.parquet/a.parquet do not have the same columns \(y\); give one table",
    ),
}
CASES = {
    **{f"csv: {name}": ("t.csv", *case) for name, case in BROKEN.items()},
    **{f"parquet: {name}": ("t.parquet", *case) for name, case in PARQUET.items()},
    "truncated gzip": (
        "t.csv.gz",
        lambda: truncated("t.csv.gz", gzip.compress(np.random.default_rng(0).bytes(3000).hex().encode())),
        r"t.csv.gz cannot be read as csv: .*\(is the file cut short[?]\)",
    ),
    "no gzip": (
        "t.csv.gz",
        lambda: Path("t.csv.gz").write_text(GOOD),
        "t.csv.gz cannot be read as csv: Not a gzipped file.*",
    ),
    "a loop of links": (
        "a.csv",
        make_loop,
        "a.csv, a symbolic link that leads to no file, or to itself; fix the link",
    ),
    "a link to nothing": (
        "t.csv",
        lambda: Path("t.csv").symlink_to("none"),
        "t.csv, a symbolic link that leads to no file.*",
    ),
    "a pipe": ("t.csv", lambda: os.mkfifo("t.csv"), "t.csv, which is no regular file; give the path of a file"),
    "another format": ("t.xlsx", lambda: Path("t.xlsx").touch(), "t.xlsx; it must be .*"),
    "an empty folder": ("t", lambda: Path("t").mkdir(), "t, a folder without Parquet files; it must be .*"),
}


@pytest.mark.parametrize(("name", "make", "message"), CASES.values(), ids=CASES)
def test_a_broken_source_is_told_in_one_line_and_nothing_is_written(settings_of_rows, name, make, message):
    make()
    before = sorted(Path().rglob("*"))
    with pytest.raises(UserError, match=f"^data.source(:| is) {message}$"):
        write_prepared(prepare(settings_of_rows(f"data.source={name}")))
    assert before == sorted(Path().rglob("*"))


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ([*range(9), np.inf], r"y is infinite in row 9 \(counted from 0\); write a finite number, or leave it empty"),
        ([[1]] * 10, r"the column 'y' holds nested values .*"),
        ([1.5] * 10, r"y has the single value \[1.5\]; .*"),
        ([1.5] + [None] * 9, r"y has the single value \[1.5\]; .*"),
        ([None] * 10, r"y has the single value \[\]; .*"),
    ],
)
def test_a_target_that_cannot_be_used_is_told(settings_of_rows, target, message):
    pd.DataFrame({"x": range(10), "y": target}).to_parquet("t.parquet")
    with pytest.raises(UserError, match=f"^data.target: {message}$"):
        prepare(settings_of_rows("data.source=t.parquet", "data.target=y"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_without_permission_is_told(settings_of_rows):
    Path("t.csv").write_text(GOOD)
    Path("t.csv").chmod(0)
    with pytest.raises(UserError, match="^data.source: t.csv may not be read by this user; give it read permission$"):
        prepare(settings_of_rows("data.source=t.csv"))


def test_a_reader_without_permission_is_told(monkeypatch, settings_of_rows):
    Path("t.csv").write_text(GOOD)
    monkeypatch.setattr(read_source, "_open", lambda path: (_ for _ in ()).throw(PermissionError(13, "denied")))
    with pytest.raises(UserError, match="^data.source: t.csv may not be read by this user; give it read permission$"):
        prepare(settings_of_rows("data.source=t.csv"))


RIGHT = {
    "a byte order mark": lambda: Path("t.csv").write_text(GOOD, encoding="utf-8-sig"),
    "Windows line ends": lambda: Path("t.csv").write_bytes(GOOD.replace("\n", "\r\n").encode()),
    "quotes": lambda: Path("t.csv").write_text(GOOD.replace("won", '"won"').replace("id", '"id"')),
    "blank lines first": lambda: Path("t.csv").write_text("\n\n" + GOOD),
    "no line end": lambda: Path("t.csv").write_text(GOOD.rstrip()),
}


@pytest.mark.parametrize("make", RIGHT.values(), ids=RIGHT)
def test_an_odd_but_sound_csv_is_read_as_the_plain_one(make):
    Path("plain.csv").write_text(GOOD)
    make()
    pd.testing.assert_frame_equal(read_source.read_table("plain.csv"), read_source.read_table("t.csv"))


def test_a_quoted_newline_is_part_of_its_value():
    Path("t.csv").write_text('x,kind\n1,"two\nlines"\n2,"a, b"\n')
    assert ["two\nlines", "a, b"] == read_source.read_table("t.csv")["kind"].tolist()


def test_gzip_and_folders_hold_the_same_rows():
    Path("t.csv").write_text(GOOD)
    Path("t.csv.gz").write_bytes(gzip.compress(GOOD.encode()))
    frame = read_source.read_table("t.csv")
    Path("folder").mkdir()
    frame.iloc[:20].to_parquet("folder/a.parquet")
    frame.iloc[20:][["kind", "id", "x"]].to_parquet("folder/b.parquet")
    for source in ("t.csv.gz", "folder"):
        pd.testing.assert_frame_equal(frame, read_source.read_table(source))


def test_numbers_as_names_become_strings_and_must_stay_distinct():
    pd.DataFrame({1: [1, 2], "kind": [0, 1]}).to_parquet("t.parquet")
    assert ["1", "kind"] == list(read_source.read_table("t.parquet").columns)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_further_strings_mean_a_gap(ending, settings_of_rows):
    frame = pd.DataFrame(
        {
            "x": [str(row) for row in range(50)] + ["?"] * 5,
            "c": [*["a"] * 54, "?"],
            "kind": ["w", "l", "l", "w", "w"] * 11,
        }
    )
    frame.to_csv("t.csv", index=False) if ending == "csv" else frame.to_parquet("t.parquet")
    base = (f"data.source=t.{ending}", "data.target=kind", "data.columns.x=numeric")
    with pytest.raises(
        UserError, match="the column 'x' has the value '[?]', which is no number; add it to data.missing"
    ):
        prepare(settings_of_rows(*base))
    labeled = prepare(settings_of_rows(*base, 'data.missing=["?"]')).labeled
    assert (5, 1, "float64") == (labeled["x"].isna().sum(), labeled["c"].isna().sum(), str(labeled["x"].dtype))


def test_numbers_beyond_1e300_are_kept(settings_of_rows):
    Path("t.csv").write_text(GOOD + "60,1e305,won\n61,-1.7e308,won\n")
    found = prepare(settings_of_rows("data.source=t.csv")).labeled["x"]
    assert (1e305, -1.7e308) == (found.max(), found.min())


def test_five_thousand_columns_are_prepared(settings_of_rows):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 5000)), columns=[f"x{n}" for n in range(5000)])
    frame.assign(kind=["w", "l", "l"] * 10).to_parquet("t.parquet")
    assert (30, 5001) == prepare(settings_of_rows("data.source=t.parquet")).labeled.shape


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("data.columns.y=text", "data.columns names 'y', which is no feature of rows.csv; it has id, x, kind"),
        ("data.columns.kind=text", "data.columns names 'kind', which is no feature of rows.csv; .*"),
        ("data.columns.x=boolean", "data.source: the column 'x' is set to boolean, but holds more than .*"),
    ],
)
def test_a_kind_that_cannot_be_given_is_told(rows, settings_of_rows, change, message):
    with pytest.raises(UserError, match=f"^{message}$"):
        prepare(settings_of_rows(change))


@pytest.mark.parametrize("name", ["adult", "1590"])
def test_openml_without_network_is_told(monkeypatch, settings_of_rows, name):
    def refuse(*_, **__):
        raise URLError("Name or service not known")

    monkeypatch.setattr("sklearn.datasets._openml.urlopen", refuse)
    expected = (
        f"^data.source is openml:{name}: OpenML cannot be reached .*, and the set is not in .cache/openml; connect to "
        "the network, or give the path of a file$"
    )
    with pytest.raises(UserError, match=expected):
        prepare(settings_of_rows(f"data.source=openml:{name}"))


def test_openml_gives_the_frame_of_its_set(monkeypatch, rows):
    class Found:
        frame = rows

    asked = []
    monkeypatch.setattr("sklearn.datasets.fetch_openml", lambda **how: asked.append(how) or Found)
    pd.testing.assert_frame_equal(rows, read_source.read_table("openml:some-set"))
    pd.testing.assert_frame_equal(rows, read_source.read_table("openml:7"))
    assert [("some-set", None), (None, 7)] == [(how.get("name"), how.get("data_id")) for how in asked]
    assert {".cache/openml"} == {how["data_home"] for how in asked}
