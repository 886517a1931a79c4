"""Reading one file, by its ending: text in columns, JSON, Parquet, Feather, Excel; text also in .gz and .zip.

A file is data from a stranger: it is unpacked in memory alone and up to a limit, and no reader follows a reference in
it: neither an external entity in a workbook (tried with python-calamine 0.9.1) nor a pickle in the metadata of a table
(pyarrow 25.0.1). `reading_process` has it read where a reader may end. A file that cannot be read, or would be read
wrong without notice (separator, header), raises UserError; what was decided to read it is a finding next to its rows.
"""

import csv
import gzip
import io
import json
import re
import zipfile
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, Any

import pandas as pd

from heldout.rows.hashing import EXACT
from tasks.data import column_names, text_encoding, whole_numbers
from tasks.data.blocks import in_blocks
from tasks.data.text_encoding import LATIN1, NotText
from tasks.data.text_form import DECIMALS, SEPARATORS, TextForm
from tasks.runtime.errors import UserError
from tasks.storage.findings import RecordedFinding

_PACKED = ("", ".gz", ".zip")
_CSV = tuple(f"{name}{packed}" for name in (".csv", ".tsv") for packed in _PACKED)
_JSON = tuple(f"{name}{packed}" for name in (".json", ".jsonl", ".ndjson") for packed in _PACKED)
ENDINGS = (*_CSV, *_JSON, ".parquet", ".feather", ".xlsx")
NAMED_ENDINGS = ".csv, .tsv, .json, .jsonl (these also with .gz or .zip), .parquet, .feather or .xlsx"
_PIECE = 1 << 20  # bytes
_MOST_SHEETS = 5  # named
_BETWEEN = {True: re.compile(r"[\s,]*"), False: re.compile(r"\s*")}  # objects of an array; objects on lines
_LARGE, _RATIO = 100_000_000, 200  # a packed file may be unpacked to so many bytes, or to so many times its own


@dataclass(frozen=True, eq=False)
class FileRows:
    """The rows of a source, findings about how they were read, and the first line, where it need not be names."""

    frame: pd.DataFrame
    findings: tuple[RecordedFinding, ...] = ()
    header: tuple[str, ...] = ()


def read(path: Path, key: str, missing: Sequence[str], as_strings: Collection[str], text: TextForm) -> FileRows:
    """The rows of a file, in this process: call `reading_process.read`, which has limits.

    Raises UserError that names `key` and the file.
    """
    if not path.name.endswith(ENDINGS):
        raise UserError(f"{key} is {path}; its name must end in {NAMED_ENDINGS}")
    try:
        _check_is_file(path, key)
        if is_text(path):
            return _read_csv(path, key, missing, as_strings, text)
        return _read_excel(path, as_strings) if _form(path) == "xlsx" else _READERS[_form(path)](path)
    except (UserError, MemoryError):
        raise
    except NotText as error:
        raise UserError(f"{key}: {path} {error}") from None
    except UnicodeDecodeError:
        raise UserError(f"{key}: {path} {text_encoding.not_utf8(partial(open_unpacked, path))}") from None
    except PermissionError:
        raise UserError(f"{key}: {path} may not be read by this user; give it read permission") from None
    except Exception as error:  # a reader may raise any error for bytes that are not of its format
        hint = " (is the file cut short?)" if isinstance(error, EOFError) else ""
        raise UserError(f"{key}: {path} cannot be read as {_form(path)}: {_one_line(error)}{hint}") from None


def is_text(path: Path) -> bool:
    """Whether a file is text in columns, which a separator separates."""
    return path.name.endswith(_CSV)


def separator(path: Path, text: TextForm) -> str:
    """The separator of a file of text."""
    return SEPARATORS[text.separator or ("tab" if _form(path) == "tsv" else "comma")]


def open_unpacked(path: Path) -> IO[bytes]:
    """The bytes of a file, unpacked. Reading more than the limit raises ValueError, as does a zip of several files."""
    if path.name.endswith(".zip"):
        archive = zipfile.ZipFile(path)
        files = [info for info in archive.infolist() if not info.is_dir() and not info.filename.startswith("__MACOSX/")]
        if len(files) != 1:
            raise ValueError(f"the zip holds {len(files)} files; pack one table")
        if files[0].flag_bits & 1:
            raise ValueError("the zip is encrypted; pack it without a password")
        return _bounded(archive.open(files[0]), path)
    return _bounded(gzip.open(path, "rb"), path) if path.name.endswith(".gz") else path.open("rb")


def first_lines(path: Path, most: int) -> list[str]:
    """The first lines of a file of text. Raises ValueError where they are no text."""
    with open_unpacked(path) as file:
        return list(io.StringIO(text_encoding.decoded(b"".join(islice(file, most))), newline=""))


class _Bounded(io.RawIOBase):
    def __init__(self, stream: Any, most: int) -> None:
        self._stream, self._most, self._left = stream, most, most

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count: int = self._stream.readinto(buffer)
        self._left -= count
        if self._left < 0:
            raise ValueError(_too_large(self._most))
        return count


def _bounded(stream: Any, path: Path) -> IO[bytes]:
    return io.BufferedReader(_Bounded(stream, _most(path)), 1 << 20)


def _most(path: Path) -> int:
    return max(_LARGE, _RATIO * path.stat().st_size)


def _too_large(most: int) -> str:
    return f"it unpacks to more than {most} bytes, {_RATIO} times its size; unpack it yourself if you trust it"


def _form(path: Path) -> str:
    """The name of a file's format: its ending, without that of the packing."""
    return next(suffix for suffix in reversed(path.suffixes) if suffix not in _PACKED).removeprefix(".")


def _check_is_file(path: Path, key: str) -> None:
    if path.is_file():
        return
    if path.is_dir():
        raise UserError(f"{key} is {path}, a folder; give the path of a file")
    if path.is_symlink():
        raise UserError(f"{key} is {path}, a symbolic link that leads to no file, or to itself; fix the link")
    if path.exists():
        raise UserError(f"{key} is {path}, which is no regular file; give the path of a file")
    raise UserError(f"{key} is {path}: no such file; give the path of a file, from the checkout or absolute")


def _read_csv(path: Path, key: str, missing: Sequence[str], as_strings: Collection[str], text: TextForm) -> FileRows:
    mark, encoding = separator(path, text), text_encoding.of(partial(open_unpacked, path))
    with _records_of(path, mark, encoding.name) as lines:
        written = (line for line in lines if line)
        header: list[str] = next(written, [])
        first: list[str] = next(written, [])
    _check_header(header, first, mark, f"{key}: {path}")
    _check_end(path, mark, encoding.name, len(header), f"{key}: {path}")
    form: dict[str, Any] = {
        "sep": mark,
        "decimal": DECIMALS[text.decimal or "point"],
        "encoding": encoding.name,
        "low_memory": False,  # in pieces, a column could get two types
        "na_values": list(missing),
    }
    written_names = [name or f"Unnamed: {place}" for place, name in enumerate(header)]
    names = column_names.numbered(written_names)
    twice = column_names.about(path.name, written_names, names)
    if twice:
        form |= {"names": names, "header": 0}
    findings = (*_about_encoding(path, encoding), *twice)
    with open_unpacked(path) as file:
        frame: pd.DataFrame = pd.read_csv(file, **form, dtype={name: "str" for name in names if name in as_strings})
    frame = in_blocks(frame)
    rounded = whole_numbers.rounded(frame)
    if not rounded:
        return FileRows(frame, findings, tuple(header))
    with open_unpacked(path) as file:
        strings: pd.DataFrame = pd.read_csv(file, **form, usecols=rounded, dtype="str")
    exact = {name: whole_numbers.of_text(frame[name], strings[name]) for name in rounded}
    return FileRows(frame.assign(**exact), findings, tuple(header))


def _about_encoding(path: Path, encoding: text_encoding.Encoding) -> tuple[RecordedFinding, ...]:
    if not encoding.sentence:
        return ()
    severity = "care" if encoding.name == LATIN1 else "note"
    decide = "if these letters are wrong, save it as UTF-8"
    return (RecordedFinding("found", f"{path.name} {encoding.sentence}", severity=severity, decide=decide),)


@contextmanager
def _records_of(path: Path, mark: str, encoding: str) -> Iterator[Any]:
    """The reader of a file's records."""
    with open_unpacked(path) as file:
        yield csv.reader(io.TextIOWrapper(file, encoding=encoding, newline=""), delimiter=mark)


def _check_end(path: Path, mark: str, encoding: str, fields: int, place: str) -> None:
    """Raise UserError where the last line has no end and, unlike all others, too few fields."""
    end = b""
    with open_unpacked(path) as file:
        while piece := file.read(_PIECE):
            end = piece
    if not end or end.endswith((b"\n", b"\r")):
        return
    ends, begins, last, short = 0, 0, fields, 0
    with suppress(csv.Error), _records_of(path, mark, encoding) as lines:  # a field longer than the limit of `csv`
        for record in lines:
            if record:
                begins, last, short = ends + 1, len(record), short + (len(record) < fields)
            ends = lines.line_num
    if last < fields and short == 1:
        raise UserError(
            f"{place} ends in the middle of line {begins}, which has {last} of {fields} fields and no end of line: the "
            "file is cut short; get the whole file, or remove that line"
        )


def _check_header(header: Sequence[str], first: Sequence[str], mark: str, place: str) -> None:
    if any("\0" in name for name in header):
        raise UserError(f"{place} has a header of zero bytes: it is no text file; save it as CSV")
    if len(first) > len(header) > 0:  # pandas would use the first field as the name of the row
        raise UserError(
            f"{place} has rows of {len(first)} fields, but its header names {len(header)}; name every column, or say "
            f"by data.read.separator (--sep) what separates columns, if it is not a {_called(mark)}"
        )
    other = next(
        (sign for sign in SEPARATORS.values() if len(header) == 1 and sign != mark and sign in header[0]), None
    )
    if other is not None:
        raise UserError(
            f"{place} has one column, {header[0][:80]!r}, whose name holds a {_called(other)}, but a {_called(mark)} "
            f"separates columns; say it by data.read.separator (--sep): {_called(other)}"
        )


def _called(mark: str) -> str:
    return next(name for name, sign in SEPARATORS.items() if sign == mark)


def _read_json(path: Path) -> FileRows:
    with open_unpacked(path) as file:
        records = list(_records(file.read().decode("utf-8-sig")))
    names = dict.fromkeys(name for record in records for name in record)
    values = {name: whole_numbers.of_values([record.get(name) for record in records]) for name in names}
    return FileRows(pd.DataFrame(values))


def _records(text: str) -> Iterator[dict[str, Any]]:
    """The objects of an array, or of lines. Raises ValueError that names the line of anything else."""
    decoder = json.JSONDecoder(object_pairs_hook=_object)
    in_array = text.lstrip().startswith("[")
    between, end = _BETWEEN[in_array], "]" if in_array else "}"
    match = between.match(text, text.index("[") + 1 if in_array else 0)
    while match is not None and (place := match.end()) < len(text):
        if in_array and text[place] == "]":
            return
        try:
            record, after = decoder.raw_decode(text, place)
            if not isinstance(record, dict):
                raise ValueError(f"holds {text[place:after][:40]!r}, which is no object of names and values")
        except (ValueError, RecursionError) as error:
            what = f"is no JSON ({error})" if isinstance(error, json.JSONDecodeError) else str(error)
            cut = "" if text.rstrip().endswith(end) else "; is the file cut short?"
            raise ValueError(f"line {text.count(chr(10), 0, place) + 1} {what}{cut}") from None
        yield record
        match = between.match(text, after)
    if in_array:
        raise ValueError("its array has no end; is the file cut short?")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        twice, count = Counter(name for name, _ in pairs).most_common(1)[0]
        raise ValueError(f"has the key {twice!r} {count} times; rename or remove all but one")
    return made


def _read_arrow(path: Path, table: Any) -> FileRows:
    import pyarrow

    table.validate(full=True)  # what follows believes the lengths and the offsets in it
    names = column_names.numbered(table.schema.names)
    findings = column_names.about(path.name, table.schema.names, names)
    table = table.rename_columns(names) if findings else table
    wide: dict[Any, Any] = {pyarrow.int64(): pd.Int64Dtype(), pyarrow.uint64(): pd.UInt64Dtype()}
    exact = any(column.type in wide and column.null_count and _is_long(column) for column in table.columns)
    frame: pd.DataFrame = table.to_pandas(
        self_destruct=True, use_threads=False, types_mapper=wide.get if exact else None
    )
    return FileRows(frame.reset_index(drop=True), findings)


def _is_long(column: Any) -> bool:
    """Whether a column of whole numbers has some beyond 2^53, which no float holds."""
    import pyarrow.compute

    least, most = pyarrow.compute.min_max(column).as_py().values()
    return least is not None and max(abs(least), abs(most)) >= EXACT


def _read_parquet(path: Path) -> FileRows:
    import pyarrow.parquet

    with pyarrow.parquet.ParquetFile(path) as file:
        table = file.read(use_threads=False)  # a thread that lacks memory is waited for without an end
    return _read_arrow(path, table)


def _read_feather(path: Path) -> FileRows:
    import pyarrow.feather

    return _read_arrow(path, pyarrow.feather.read_table(path, memory_map=False, use_threads=False))


def _read_excel(path: Path, as_strings: Collection[str]) -> FileRows:
    with zipfile.ZipFile(path) as archive:
        if sum(info.file_size for info in archive.infolist()) > _most(path):
            raise ValueError(_too_large(_most(path)))
    with pd.ExcelFile(path, engine="calamine") as book:
        form: dict[str, Any] = {"dtype": dict.fromkeys(as_strings, "object")}
        sheets = pd.read_excel(book, sheet_name=None, **form)
        filled = {name: sheet for name, sheet in sheets.items() if not sheet.empty}
        if not filled:
            raise ValueError("it has no sheet with rows; fill one")
        name, sheet = next(iter(filled.items()))
        written = _header_of_sheet(book, name, [*map(str, sheet.columns)])
        names = column_names.numbered(written)
        findings = column_names.about(path.name, written, names)
        sheet = pd.read_excel(book, sheet_name=name, names=names, header=0, **form) if findings else sheet
    sheet = sheet.set_axis(names, axis=1)
    exact = {name: _as_in_excel(sheet[name]) for name in sheet.columns if sheet[name].dtype.kind in "Oi"}
    return FileRows(sheet.assign(**exact), (*_about_sheets(path, [*map(str, filled)]), *findings), tuple(written))


def _about_sheets(path: Path, filled: Sequence[str]) -> tuple[RecordedFinding, ...]:
    first, *others = map(repr, filled)
    if not others:
        return ()
    listed = ", ".join(others[:_MOST_SHEETS]) + (", …" if len(others) > _MOST_SHEETS else "")
    text = f"{path.name} has {len(filled)} sheets with rows: {first} is read, and not {listed}"
    return (RecordedFinding("found", text, decide="if another is the table, save it as a file of its own"),)


def _header_of_sheet(book: Any, name: Any, read: list[str]) -> list[str]:
    """The names of the columns `read` of a sheet as they are written, before a name that occurs again was changed."""
    first = pd.read_excel(book, sheet_name=name, header=None, nrows=1, dtype="object")
    written = [str(value) for value in first.iloc[0]] if len(first) else []
    if len(written) != len(read):
        return read
    return [old if new.startswith(f"{old}.") else new for old, new in zip(written, read, strict=True)]


def _as_in_excel(values: pd.Series) -> pd.Series:
    """Numbers of a sheet are floats: beyond 2^53 a whole number is none that was written."""
    return values.map(lambda value: float(value) if isinstance(value, int) and abs(value) >= EXACT else value)


_READERS = {
    "json": _read_json,
    "jsonl": _read_json,
    "ndjson": _read_json,
    "parquet": _read_parquet,
    "feather": _read_feather,
}


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__
