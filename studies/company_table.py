"""A table as a company exports it: its files, and each finding that `init` must print about it."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import escape

import pandas as pd

_NAMESPACE = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml"


@dataclass(frozen=True)
class Expected:
    """A finding that must be printed: a line that starts with one of `words` and contains each of `says`."""

    trap: str
    words: tuple[str, ...]
    says: tuple[str, ...]

    def is_met_by(self, line: str) -> bool:
        """Whether a printed line, or a finding as one, is this finding."""
        return line.split(maxsplit=1)[0] in self.words and all(part in line for part in self.says)


@dataclass(frozen=True)
class CompanyTable:
    """A file called `file`, its target, what must be found, and the files of rows without a label, if there are any."""

    name: str
    file: str
    content: bytes
    target: str
    expected: tuple[Expected, ...] = ()
    shards: Mapping[str, bytes] = field(default_factory=dict)

    def write(self, folder: Path) -> tuple[Path, Path | None]:
        """Write the files into a folder of their own; the paths of the table and of the folder of shards."""
        folder.mkdir(parents=True)
        path = folder / self.file
        path.write_bytes(self.content)
        if not self.shards:
            return path, None
        shards = folder / "open"
        shards.mkdir()
        for name, content in self.shards.items():
            (shards / name).write_bytes(content)
        return path, shards


def expect(trap: str, words: str, *says: str) -> Expected:
    """A finding; `words` are the first words, of which one must be there, with a space between them."""
    return Expected(trap, tuple(words.split()), says)


def text(frame: pd.DataFrame, sep: str = ",", decimal: str = ".", encoding: str = "utf-8") -> bytes:
    """A text file with a line of names."""
    return frame.to_csv(index=False, sep=sep, decimal=decimal).encode(encoding)


def german(frame: pd.DataFrame) -> bytes:
    """A text file as a German Excel writes it: Windows-1252, semicolons, decimal commas."""
    return text(frame, ";", ",", "cp1252")


def workbook(sheets: Mapping[str, Sequence[Sequence[object]]]) -> bytes:
    """An .xlsx file of sheets of rows of cells; None and NaN are empty cells."""
    numbers = range(1, len(sheets) + 1)
    relations = "".join(
        f'<Relationship Id="r{n}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{n}.xml"/>' for n in numbers
    )
    named = "".join(
        f'<sheet name="{escape(name)}" sheetId="{n}" r:id="r{n}"/>' for n, name in zip(numbers, sheets, strict=True)
    )
    members = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPES}.sheet.main+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="r" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook {_NAMESPACE} xmlns:r="{_OFFICE}"><sheets>{named}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">{relations}</Relationships>',
        **{f"xl/worksheets/sheet{n}.xml": _sheet(rows) for n, rows in zip(numbers, sheets.values(), strict=True)},
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content)  # without the time of day
    return packed.getvalue()


def cells(frame: pd.DataFrame) -> list[list[object]]:
    """The rows of a sheet: the names of the columns, then the values."""
    return [[*frame.columns], *frame.astype(object).to_numpy().tolist()]


def _sheet(rows: Sequence[Sequence[object]]) -> str:
    written = "".join(f"<row>{''.join(map(_cell, row))}</row>" for row in rows)
    return f"<worksheet {_NAMESPACE}><sheetData>{written}</sheetData></worksheet>"


def _cell(value: object) -> str:
    if value is None or value != value:
        return "<c/>"
    if isinstance(value, str):
        return f'<c t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f"<c><v>{value}</v></c>"
