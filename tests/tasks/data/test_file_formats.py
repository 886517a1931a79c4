"""Every format holds the same rows; a file from a stranger unpacks to a limit, and is read from itself alone."""

import gzip
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from tasks.data import file_formats
from tasks.data.read_source import read, read_table
from tasks.data.text_form import USUAL, TextForm
from tests.tasks.mistakes import assert_names, assert_refused

_NAMESPACE = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    words = np.array(["a; b", "c, d", "e|f", None], dtype=object)
    return pd.DataFrame(
        {"x": rng.normal(size=40).round(3), "n": rng.integers(0, 9, 40), "word": rng.choice(words, 40), "yes": True}
    ).astype({"word": "str"})


def lines_of(frame: pd.DataFrame) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in json.loads(frame.to_json(orient="records")))


def zipped(name: str, **members: str | bytes) -> None:
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, content in members.items():
            archive.writestr(member, content)


def workbook(name: str, *sheets: pd.DataFrame) -> None:
    """A minimal .xlsx."""
    numbers = range(1, len(sheets) + 1)
    relations = "".join(
        f'<Relationship Id="r{n}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{n}.xml"/>' for n in numbers
    )
    named = "".join(f'<sheet name="S{n}" sheetId="{n}" r:id="r{n}"/>' for n in numbers)
    types = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    zipped(
        name,
        **{
            "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/xl/workbook.xml" ContentType="{types}.sheet.main+xml"/></Types>',
            "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r" '
            f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
            "xl/workbook.xml": f'<workbook {_NAMESPACE} xmlns:r="{_OFFICE}"><sheets>{named}</sheets></workbook>',
            "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">{relations}'
            "</Relationships>",
            **{f"xl/worksheets/sheet{n}.xml": _sheet(sheets[n - 1]) for n in numbers},
        },
    )


def _sheet(frame: pd.DataFrame) -> str:
    def cell(value: object) -> str:
        if value is None or value != value:
            return "<c/>"
        if isinstance(value, bool | np.bool_):
            return f'<c t="b"><v>{int(value)}</v></c>'
        if isinstance(value, str):
            return f'<c t="inlineStr"><is><t>{escape(value)}</t></is></c>'
        return f"<c><v>{value}</v></c>"

    header = [cell(name) for name in frame.columns]
    cells = [header, *([cell(value) for value in row] for row in frame.astype(object).to_numpy())]
    rows = "".join(f"<row>{''.join(row)}</row>" for row in cells)
    return f"<worksheet {_NAMESPACE}><sheetData>{rows}</sheetData></worksheet>"


WRITERS: dict[str, Callable[[pd.DataFrame, str], object]] = {
    "t.csv": lambda frame, name: frame.to_csv(name, index=False),
    "t.csv.gz": lambda frame, name: frame.to_csv(name, index=False),
    "t.csv.zip": lambda frame, name: zipped(name, **{"a.csv": frame.to_csv(index=False), "__MACOSX/._a.csv": "x"}),
    "t.tsv": lambda frame, name: frame.to_csv(name, index=False, sep="\t"),
    "t.tsv.gz": lambda frame, name: frame.to_csv(name, index=False, sep="\t"),
    "t.jsonl": lambda frame, name: Path(name).write_text(lines_of(frame)),
    "t.json": lambda frame, name: Path(name).write_text(f" {frame.to_json(orient='records')}\n"),
    "t.ndjson.gz": lambda frame, name: Path(name).write_bytes(gzip.compress(lines_of(frame).encode())),
    "t.feather": lambda frame, name: frame.to_feather(name),
    "t.parquet": lambda frame, name: frame.to_parquet(name),
    "t.xlsx": lambda frame, name: workbook(name, frame, frame.iloc[:0, :0]),
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_holds_the_same_rows(frame, name):
    WRITERS[name](frame, name)
    found = read_table(name)
    pd.testing.assert_frame_equal(frame, found.astype(frame.dtypes.to_dict()), check_exact=True)
    assert ["f", "i", "b"] == [found[column].dtype.kind for column in ("x", "n", "yes")]


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
@pytest.mark.parametrize("decimal", [".", ","])
def test_text_is_read_in_the_form_that_is_said(frame, mark, decimal):
    frame.to_csv("t.csv", index=False, sep=mark, decimal=decimal)
    pd.testing.assert_frame_equal(frame, read_table("t.csv", text=TextForm.given(mark, decimal, None)))


def packed_zeros(name: str) -> None:
    content = "x,n\n" + "0,0\n" * 30_000
    if name.endswith(".xlsx"):
        workbook(name, pd.DataFrame({"x": np.zeros(5_000)}))
    elif name.endswith(".zip"):
        zipped(name, **{"t.csv": content})
    else:
        Path(name).write_bytes(gzip.compress(content.encode()))


@pytest.mark.fault("hostile")
@pytest.mark.parametrize("name", ["t.csv.zip", "t.csv.gz", "t.json.gz", "t.xlsx"])
def test_a_packed_file_is_unpacked_up_to_a_limit(name, monkeypatch):
    packed_zeros(name)
    monkeypatch.setattr(file_formats, "_LARGE", 100_000)
    monkeypatch.setattr(file_formats, "_RATIO", 20)
    assert_refused(
        lambda: file_formats.read(Path(name), "data.source", (), (), USUAL), "data.source", name, "unpacks", 20
    )


@pytest.mark.fault("hostile")
def test_a_zip_holds_one_table_and_nothing_is_written_next_to_it(tmp_path, monkeypatch):
    inside = tmp_path / "inside"
    inside.mkdir()
    monkeypatch.chdir(inside)
    zipped("none.csv.zip")
    zipped("two.csv.zip", **{"a.csv": "x,y\n1,2\n", "b.csv": "x,y\n1,2\n"})
    for name, count in (("none.csv.zip", 0), ("two.csv.zip", 2)):
        assert_refused(lambda name=name: read_table(name), "data.source", name, count, "files")
    zipped("out.csv.zip", **{"folder/t.csv": "x,y\n1,2\n"})
    before = sorted(tmp_path.parent.rglob("*"))
    assert [[1, 2]] == read_table("out.csv.zip").to_numpy().tolist()
    assert before == sorted(tmp_path.parent.rglob("*"))


@pytest.mark.fault("hostile")
def test_a_workbook_has_a_sheet_with_rows():
    workbook("none.xlsx", pd.DataFrame())
    assert_refused(lambda: read_table("none.xlsx"), "data.source", "none.xlsx", "sheet", "rows")


def test_the_first_sheet_with_rows_is_read_and_the_others_are_named(frame):
    workbook("t.xlsx", frame.iloc[:0, :0], frame, frame.head(3), frame.iloc[:0], frame.tail(3))
    rows = read("t.xlsx")
    pd.testing.assert_frame_equal(frame, rows.frame.astype(frame.dtypes.to_dict()), check_exact=True)
    (finding,) = rows.findings
    assert "note" == finding.severity
    assert_names(finding.text, "t.xlsx", 3, "'S2'", "'S3'", "'S5'")


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.tsv", "t.parquet", "t.feather", "t.xlsx"])
def test_a_name_that_occurs_again_is_numbered_alike_in_every_format(frame, name):
    written, names = ["a", "b", "a", "a_2"], ["a", "b", "a_3", "a_2"]
    twice = frame.set_axis(written, axis=1)
    if name.endswith((".parquet", ".feather")):
        table = pa.table([pa.array(twice.iloc[:, place]) for place in range(4)], names=written)
        (pa.parquet.write_table if name == "t.parquet" else pa.feather.write_feather)(table, name)
    else:
        WRITERS[name](twice, name)
    rows = read(name)
    pd.testing.assert_frame_equal(
        frame.set_axis(names, axis=1), rows.frame.astype(dict(zip(names, frame.dtypes, strict=True)))
    )
    (finding,) = rows.findings
    assert ("note", ("a_3",)) == (finding.severity, finding.columns)
    assert_names(finding.line, name, 2, "'a'", "a_3")


def test_a_name_that_pandas_would_give_is_kept_in_a_sheet():
    frame = pd.DataFrame([["005", 2, 3], ["5", 5, 6]])
    workbook("t.xlsx", frame.set_axis(["a", "a.1", "b"], axis=1))
    assert ["a", "a.1", "b"] == [*read_table("t.xlsx").columns]
    workbook("t.xlsx", frame[[1, 0, 2]].set_axis(["a", "a", "a.1"], axis=1))
    found = read_table("t.xlsx", as_strings=["a_2"])
    assert {"a": [2, 5], "a_2": ["005", "5"], "a.1": [3, 6]} == found.to_dict("list")
