"""How the text of a table is written, found once by `init`: its separator and its decimal mark.

What is found is written into params.yaml, so that every later run reads the same numbers without a decision.
`csv.Sniffer` would not do: it takes any character for a separator, and always answers.
"""

import csv
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from tasks.data import file_formats, number_strings, read_source
from tasks.data.text_form import SEPARATORS, TextForm
from tasks.init import header_is_data
from tasks.params.sections import Separator
from tasks.runtime.errors import UserError
from tasks.storage.findings import RecordedFinding

_LINES, _STRINGS = 200, 1000  # lines to find the separator in; strings to see whether a column holds numbers


@dataclass(frozen=True)
class Read:
    """A table, the form in which its text was read, and what was found: printed lines, and findings about the file."""

    table: pd.DataFrame
    text: TextForm
    lines: tuple[str, ...]
    findings: tuple[RecordedFinding, ...] = ()


def read(source: str, given: TextForm) -> Read:
    """Read `source` in the form that the user gave and, where that leaves it open, in the form that is found.

    Raises UserError as `read_table` does, and where two separators fit alike.
    """
    separator = given.separator or separator_of(Path(source))
    text = replace(given, separator=separator)
    rows = read_source.read(source, text=text)
    lines = [] if given.separator or not separator else [f"found     columns are separated by a {separator}"]
    found = _with_decimal_mark(source, given, Read(rows.frame, text, tuple(lines), rows.findings))
    header = header_is_data.look(found.table, rows.header, Path(source).name)
    if header is None:
        return found
    others = tuple(finding for finding in found.findings if not finding.columns)  # what is no name has no number
    return replace(found, findings=(header, *others))


def _with_decimal_mark(source: str, given: TextForm, found: Read) -> Read:
    """The table in the decimal mark that is given, or that its columns show."""
    table, text, lines = found.table, found.text, [*found.lines]
    if given.decimal is not None:
        return found
    marks = _marks(table)
    commas = [name for name, mark in marks.items() if mark == "comma"]
    points = "point" in marks.values()
    if commas and not points:
        other = replace(text, decimal="comma")
        again = read_source.read_table(source, text=other)
        if "point" not in _marks(again).values():
            listing = ", ".join(commas[:5]) + (", …" if len(commas) > 5 else "")
            word = "found " if text.separator else "parsed"
            lines.append(f"{word}    {listing}: numbers with {_how([table[name] for name in commas])}")
            return Read(again, other, tuple(lines), found.findings)
    elif "open" in marks.values() and not commas and (points or _has_fractions(table)):
        text = replace(text, decimal="point")
    return replace(found, text=text)


def _how(columns: Sequence[pd.Series]) -> str:
    """How the columns with a decimal comma are written, with an example; prices as '320.000 €' have no comma at all."""
    strings = [string for column in columns for string in _numbers(column)]
    comma = next((string for string in strings if "," in string), None)
    return f"points between thousands, as {strings[0]!r}" if comma is None else f"a decimal comma, as {comma!r}"


def separator_of(path: Path) -> Separator | None:
    """The separator that gives the first lines the same number of fields, if it is not the usual one of the ending.

    Raises UserError where two fit alike.
    """
    if not path.is_file() or not file_formats.is_text(path):
        return None
    try:
        lines = file_formats.first_lines(path, _LINES)
    except (ValueError, OSError, EOFError):  # the reader says what is wrong
        return None
    widths = {name: _width(lines, mark) for name, mark in SEPARATORS.items()}
    widest = [name for name, width in widths.items() if width == max(widths.values()) > 1]
    if len(widest) > 1:
        raise UserError(f"{path.name} may be separated by a {' or a '.join(widest)}: say which with --sep")
    usual = file_formats.separator(path, TextForm())
    return widest[0] if widest and SEPARATORS[widest[0]] != usual else None


def _width(lines: Sequence[str], mark: str) -> int:
    """The number of fields in each record, 0 if it differs; the last record may be cut."""
    try:
        records = [record for record in csv.reader(lines, delimiter=mark) if record]
    except csv.Error:
        return 0
    widths = {len(record) for record in (records[:-1] if len(lines) >= _LINES else records)}
    return widths.pop() if len(widths) == 1 else 0


def _marks(table: pd.DataFrame) -> dict[str, str]:
    """The decimal mark of each column of strings that shows one; open if its strings can be read with both."""
    found = {str(name): number_strings.reading(_numbers(table[name])) for name in table.columns}
    return {name: mark for name, mark in found.items() if mark is not None and mark != "either"}


def _numbers(values: pd.Series) -> list[str]:
    """The distinct strings of a column that look like numbers, if they are at least half of its strings."""
    if not isinstance(values.dtype, pd.StringDtype) and values.dtype != object:
        return []
    distinct = list(dict.fromkeys(item for item in values.dropna() if isinstance(item, str)))
    first = distinct[:_STRINGS]
    if 2 * sum(map(number_strings.looks_like_a_number, first)) < max(1, len(first)):
        return []
    return [string for string in distinct if number_strings.looks_like_a_number(string)]


def _has_fractions(table: pd.DataFrame) -> bool:
    numbers = table.select_dtypes("float")
    return bool((numbers % 1 != 0).where(numbers.notna(), False).any(axis=None))
