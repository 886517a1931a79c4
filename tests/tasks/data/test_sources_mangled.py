"""Files that are broken, each told in one line before anything is written; and odd ones that are read right."""

import gzip
import os
import socket
from pathlib import Path
from urllib.error import URLError

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

from tasks.data import file_formats, read_source
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tests.tasks.mistakes import assert_refused
from tests.variants import some

ROWS = "".join(f"{row},{row / 7:.3f},{'won' if row % 3 else 'lost'}\n" for row in range(60))
GOOD = f"id,x,kind\n{ROWS}"


def parquet(path: str, **columns: object) -> None:
    target = ["won", "lost"] * 5
    pa.parquet.write_table(pa.table({"x": range(10), **columns, "kind": target}), path)


def truncated(path: str, data: bytes) -> None:
    Path(path).write_bytes(data[: len(data) // 2])


FORMS = ("sklearn:NAME", "openml:NAME-or-ID", ".csv", ".gz", ".zip", ".parquet", ".xlsx")


def make_loop() -> None:
    Path("a.csv").symlink_to("b.csv")
    Path("b.csv").symlink_to("a.csv")


def make_socket() -> None:
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("t.csv")


BROKEN = {
    "one line of Latin-1 among lines of UTF-8": (
        lambda: Path("t.csv").write_bytes(f"{GOOD}61,1,\xe9t\xe9\n".encode() + "62,1,caf\xe9\n".encode("latin-1")),
        ["t.csv", "UTF-8", 63, "0xe9", 9, "mixes"],
    ),
    "Latin-1 after the mark of UTF-8": (
        lambda: Path("t.csv").write_bytes(GOOD.encode("utf-8-sig") + "61,1,caf\xe9\n".encode("latin-1")),
        ["t.csv", "mark", "UTF-8"],
    ),
    "UTF-16": (
        lambda: Path("t.csv").write_text(GOOD, encoding="utf-16"),
        ["t.csv", "UTF-8", "UTF-16", "utf-16"],
    ),
    "UTF-16 without its mark": (
        lambda: Path("t.csv").write_bytes(f"{GOOD}61,1,caf\xe9\n".encode("utf-16-le")),
        ["t.csv", "zero bytes", "UTF-8"],
    ),
    "UTF-32": (
        lambda: Path("t.csv").write_text(GOOD, encoding="utf-32"),
        ["t.csv", "UTF-8", "UTF-32", "utf-32"],
    ),
    "bytes of no text": (
        lambda: Path("t.csv").write_bytes(GOOD.encode() + bytes(range(1, 256)) * 9),
        ["t.csv", "control characters", "UTF-8"],
    ),
    "gzip without its name": (
        lambda: Path("t.csv").write_bytes(gzip.compress(GOOD.encode())),
        ["t.csv", "gzipped", ".csv.gz"],
    ),
    "semicolons": (
        lambda: Path("t.csv").write_text(GOOD.replace(",", ";")),
        ["t.csv", "'id;x;kind'", "comma", "data.read.separator", "semicolon"],
    ),
    "tabs": (
        lambda: Path("t.csv").write_text(GOOD.replace(",", "\t")),
        ["t.csv", "comma", "data.read.separator", "tab"],
    ),
    "more fields than names": (
        lambda: Path("t.csv").write_text("x,kind\n" + ROWS),
        ["t.csv", 3, 2],
    ),
    "a row too long": (
        lambda: Path("t.csv").write_text(GOOD + "1,2,won,4,5\n"),
        ["t.csv", 3, "line 62", 5],
    ),
    "an open quote": (
        lambda: Path("t.csv").write_text(GOOD + '"61,1,won\n'),
        ["t.csv", "csv", "EOF inside string"],
    ),
    "empty": (lambda: Path("t.csv").touch(), ["t.csv", "csv", "No columns"]),
    "zero rows": (lambda: Path("t.csv").write_text("id,x,kind\n"), ["t.csv", 0, 2]),
    "a folder": (lambda: Path("t.csv").mkdir(), ["t.csv", "folder", "Parquet", *FORMS]),
    "infinite": (
        lambda: Path("t.csv").write_text(GOOD + "60,inf,won\n"),
        ["'x'", "infinite", "row 60", "finite number"],
    ),
    "beyond the largest number": (
        lambda: Path("t.csv").write_text(GOOD + "60,1e400,won\n"),
        ["'x'", "infinite"],
    ),
    "nothing but zeros": (lambda: Path("t.csv").write_bytes(b"\0" * 100), ["t.csv", "zero bytes"]),
}
PARQUET = {
    "truncated": (
        lambda: (parquet("s.parquet"), truncated("t.parquet", Path("s.parquet").read_bytes())),
        ["t.parquet", "parquet"],
    ),
    "no Parquet": (lambda: Path("t.parquet").write_text(GOOD), ["t.parquet", "parquet"]),
    "nested": (
        lambda: parquet("t.parquet", deep=[[1, 2]] * 10),
        ["'deep'", "ndarray", "data.drop"],
    ),
    "structs": (
        lambda: parquet("t.parquet", deep=[{"a": 1}] * 10),
        ["'deep'", "dict"],
    ),
    "bytes": (lambda: parquet("t.parquet", deep=[b"x"] * 10), ["'deep'", "bytes"]),
    "folder of different columns": (
        lambda: (
            Path("t.parquet").mkdir(),
            parquet("t.parquet/a.parquet"),
            parquet("t.parquet/b.parquet", y=range(10)),
        ),
        ["t.parquet/b.parquet", "t.parquet/a.parquet", "y"],
    ),
}
CASES = {
    **{f"csv: {name}": ("t.csv", *case) for name, case in BROKEN.items()},
    **{f"parquet: {name}": ("t.parquet", *case) for name, case in PARQUET.items()},
    "truncated gzip": (
        "t.csv.gz",
        lambda: truncated("t.csv.gz", gzip.compress(np.random.default_rng(0).bytes(3000).hex().encode())),
        ["t.csv.gz", "csv", "cut short"],
    ),
    "no gzip": (
        "t.csv.gz",
        lambda: Path("t.csv.gz").write_text(GOOD),
        ["t.csv.gz", "csv", "Not a gzipped file"],
    ),
    "a loop of links": (
        "a.csv",
        make_loop,
        ["a.csv", "symbolic link", "itself"],
    ),
    "a link to nothing": (
        "t.csv",
        lambda: Path("t.csv").symlink_to("none"),
        ["t.csv", "symbolic link"],
    ),
    "a socket": ("t.csv", make_socket, ["t.csv", "regular file"]),
    "another format": ("t.xls", lambda: Path("t.xls").touch(), ["t.xls", *FORMS]),
    "an empty folder": ("t", lambda: Path("t").mkdir(), ["t", "folder", "Parquet", *FORMS]),
}


@pytest.mark.parametrize(("name", "make", "words"), CASES.values(), ids=CASES)
def test_a_broken_source_is_reported_in_one_line_and_nothing_is_written(settings_of_rows, name, make, words):
    make()
    before = sorted(Path().rglob("*"))
    settings = settings_of_rows(f"data.source={name}")
    assert_refused(lambda: write_prepared(prepare(settings)), "data.source", *words)
    assert before == sorted(Path().rglob("*"))


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ([*range(9), np.inf], ["y", "infinite", "row 9", "finite number"]),
        ([[1]] * 10, ["'y'", "nested"]),
        ([1.5] * 10, ["y", "single", "[1.5]"]),
        ([1.5] + [None] * 9, ["y", "single", "[1.5]"]),
        ([None] * 10, ["y", "single", "[]"]),
    ],
)
def test_a_target_that_cannot_be_used_is_reported(settings_of_rows, target, words):
    pd.DataFrame({"x": range(10), "y": target}).to_parquet("t.parquet")
    settings = settings_of_rows("data.source=t.parquet", "data.target=y")
    assert_refused(lambda: prepare(settings), "data.target", *words)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_without_permission_is_reported(settings_of_rows):
    Path("t.csv").write_text(GOOD)
    Path("t.csv").chmod(0)
    assert_refused(lambda: prepare(settings_of_rows("data.source=t.csv")), "data.source", "t.csv", "permission")


def test_a_reader_without_permission_is_reported(monkeypatch, settings_of_rows):
    Path("t.csv").write_text(GOOD)
    monkeypatch.setattr(
        file_formats, "open_unpacked", lambda path: (_ for _ in ()).throw(PermissionError(13, "denied"))
    )
    assert_refused(lambda: prepare(settings_of_rows("data.source=t.csv")), "data.source", "t.csv", "permission")


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
    base = (f"data.source=t.{ending}", "data.target=kind")
    assert_refused(lambda: prepare(settings_of_rows(*base)), "data.source", "'x'", "'?'", "number", "data.missing")
    labeled = prepare(settings_of_rows(*base, "data.columns.x=numeric", 'data.missing=["?"]')).labeled
    assert (5, 1, "float64") == (labeled["x"].isna().sum(), labeled["c"].isna().sum(), str(labeled["x"].dtype))


def test_numbers_beyond_1e300_are_kept(settings_of_rows):
    Path("t.csv").write_text(GOOD + "60,1e305,won\n61,-1.7e308,won\n")
    found = prepare(settings_of_rows("data.source=t.csv")).labeled["x"]
    assert (1e305, -1.7e308) == (found.max(), found.min())


@pytest.mark.slow
@pytest.mark.long
def test_five_thousand_columns_are_prepared(settings_of_rows):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 5000)), columns=[f"x{n}" for n in range(5000)])
    frame.assign(kind=["w", "l", "l"] * 10).to_parquet("t.parquet")
    assert (30, 5001) == prepare(settings_of_rows("data.source=t.parquet")).labeled.shape


@pytest.mark.parametrize(
    ("change", "key", "words"),
    [
        ("data.columns.y=text", "data.columns", ["'y'", "rows.csv", "id", "x", "kind"]),
        ("data.columns.kind=text", "data.columns", ["'kind'", "rows.csv"]),
        ("data.columns.x=boolean", "data.source", ["'x'", "boolean"]),
    ],
)
def test_a_kind_that_cannot_be_given_is_reported(rows, settings_of_rows, change, key, words):
    assert_refused(lambda: prepare(settings_of_rows(change)), key, *words)


@pytest.mark.parametrize("name", some(["adult", "1590"], "adult"))
@pytest.mark.long
def test_openml_without_network_is_reported(monkeypatch, settings_of_rows, name):
    def refuse(*_, **__):
        raise URLError("Name or service not known")

    monkeypatch.setattr("sklearn.datasets._openml.urlopen", refuse)
    settings = settings_of_rows(f"data.source=openml:{name}")
    assert_refused(lambda: prepare(settings), "data.source", f"openml:{name}", ".cache/openml", "network", "path")


def test_openml_gives_the_frame_of_its_set(monkeypatch, rows):
    class Found:
        frame = rows

    asked = []
    monkeypatch.setattr("sklearn.datasets.fetch_openml", lambda **how: asked.append(how) or Found)
    pd.testing.assert_frame_equal(rows, read_source.read_table("openml:some-set"))
    pd.testing.assert_frame_equal(rows, read_source.read_table("openml:7"))
    assert [("some-set", None), (None, 7)] == [(how.get("name"), how.get("data_id")) for how in asked]
    assert {".cache/openml"} == {how["data_home"] for how in asked}
