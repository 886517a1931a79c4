"""Reading a user's rows: data sets of scikit-learn, OpenML, CSV (also gzipped), Parquet files and folders of them.

A file that cannot be read, or would be read wrong without notice (separator, encoding, header), raises a UserError
of one line.
"""

import csv
import gzip
import io
import warnings
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import IO, Any

import pandas as pd

from tasks.runtime.environment import CACHE
from tasks.runtime.errors import UserError

SKLEARN_SETS = ("digits", "iris", "wine", "breast_cancer", "diabetes")
_CSV = (".csv", ".csv.gz")
_ENDINGS = (*_CSV, ".parquet")
_OTHER_SEPARATORS = {";": "a semicolon", "\t": "a tab", "|": "a bar"}
_FORMS = (
    "sklearn:NAME, openml:NAME-or-ID, or a path that ends in .csv, .csv.gz or .parquet, or a folder of Parquet files"
)


def read_table(source: str, missing: Sequence[str] = (), as_strings: Collection[str] = ()) -> pd.DataFrame:
    """All rows of `source`, features and target, column names as unique strings.

    `missing` are further strings that mean a gap; the columns `as_strings` of a CSV stay strings.
    Raises UserError that names data.source.
    """
    key = "data.source"
    if source.startswith("sklearn:"):
        frame = _sklearn(source.removeprefix("sklearn:"))
    elif source.startswith("openml:"):
        frame = _openml(source.removeprefix("openml:"))
    elif Path(source).is_dir():
        frame = _folder(Path(source), key)
    else:
        frame = _read(Path(source), key, missing, as_strings)
    return _without(_named(frame, f"{key}: {source}"), missing)


def unlabeled_files(pattern: str) -> list[Path]:
    """The files that a path, a folder or a glob names, sorted. Raises UserError if there are none."""
    if not pattern.strip():
        raise UserError("data.unlabeled is empty; give a path, a folder or a glob, or null")
    if Path(pattern).is_dir():
        files = sorted(path for path in Path(pattern).iterdir() if path.name.endswith(_ENDINGS))
    elif Path(pattern).exists() or Path(pattern).is_symlink():
        files = [Path(pattern)]
    else:
        folder = Path(pattern).anchor or "."
        try:
            files = sorted(Path(folder).glob(str(Path(pattern).relative_to(folder))))
        except (ValueError, OSError) as error:
            raise UserError(f"data.unlabeled is {pattern}, which is no path and no glob: {error}") from None
    if not files:
        raise UserError(
            f"data.unlabeled is {pattern}: no such file; give the path, the folder or the glob of CSV or Parquet files"
        )
    return files


def read_shard(path: Path, missing: Sequence[str] = (), as_strings: Collection[str] = ()) -> pd.DataFrame:
    """The rows of one unlabelled file. Raises UserError that names data.unlabeled, also for a file without rows."""
    frame = _named(_read(path, "data.unlabeled", missing, as_strings), f"data.unlabeled: {path}")
    if frame.empty:
        raise UserError(f"data.unlabeled: the shard {path} has no rows; remove the file or fill it")
    return _without(frame, missing)


def _sklearn(name: str) -> pd.DataFrame:
    if name not in SKLEARN_SETS:
        raise UserError(f"data.source is sklearn:{name}; sklearn: takes {', '.join(SKLEARN_SETS)}")
    import sklearn.datasets

    loaded: Any = getattr(sklearn.datasets, f"load_{name}")(as_frame=True)
    frame: pd.DataFrame = loaded.frame
    return frame


def _openml(name: str) -> pd.DataFrame:
    from sklearn.datasets import fetch_openml

    home = str(CACHE / "openml")
    which: dict[str, Any] = {"data_id": int(name)} if name.isdecimal() else {"name": name}
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "A network error occurred")  # the UserError says it
            loaded: Any = fetch_openml(**which, as_frame=True, parser="pandas", data_home=home, n_retries=1, delay=0.1)
    except OSError as error:
        raise UserError(
            f"data.source is openml:{name}: OpenML cannot be reached ({_one_line(error)}), and the set is not in "
            f"{home}; connect to the network, or give the path of a file"
        ) from None
    except Exception as error:
        raise UserError(
            f"data.source is openml:{name}, which OpenML does not give: {_one_line(error)}; fix the name or number, "
            "or give the path of a file"
        ) from None
    frame: pd.DataFrame = loaded.frame
    return frame


def _folder(folder: Path, key: str) -> pd.DataFrame:
    """The rows of all Parquet files of a folder, in the order of their names."""
    paths = sorted(folder.glob("*.parquet"))
    if not paths:
        raise UserError(f"{key} is {folder}, a folder without Parquet files; it must be {_FORMS}")
    frames = [_read(path, key, (), ()) for path in paths]
    for path, frame in zip(paths, frames, strict=True):
        if sorted(map(str, frame.columns)) != sorted(map(str, frames[0].columns)):
            other = sorted({*map(str, frame.columns)} ^ {*map(str, frames[0].columns)})
            raise UserError(
                f"{key}: {path} and {paths[0]} do not have the same columns ({', '.join(other[:5])}); give one table"
            )
    return pd.concat(frames, ignore_index=True)


def _read(path: Path, key: str, missing: Sequence[str], as_strings: Collection[str]) -> pd.DataFrame:
    if not path.name.endswith(_ENDINGS):
        raise UserError(f"{key} is {path}; it must be {_FORMS}")
    try:
        _check_is_file(path, key)
        return _read_csv(path, key, missing, as_strings) if path.name.endswith(_CSV) else _read_parquet(path)
    except UserError:
        raise
    except UnicodeDecodeError:
        raise UserError(f"{key}: {path} {_not_utf8(path)}") from None
    except PermissionError:
        raise UserError(f"{key}: {path} may not be read by this user; give it read permission") from None
    except Exception as error:  # a reader may raise any error for bytes that are not of its format
        form = "csv" if path.name.endswith(_CSV) else "parquet"
        hint = " (is the file cut short?)" if isinstance(error, EOFError) else ""
        raise UserError(f"{key}: {path} cannot be read as {form}: {_one_line(error)}{hint}") from None


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


def _read_csv(path: Path, key: str, missing: Sequence[str], as_strings: Collection[str]) -> pd.DataFrame:
    with _open(path) as file:
        lines = csv.reader(io.TextIOWrapper(file, encoding="utf-8-sig", newline=""))
        written = (line for line in lines if line)
        header, first = next(written, []), next(written, [])
    _check_header(header, first, f"{key}: {path}")
    frame: pd.DataFrame = pd.read_csv(
        path,
        encoding="utf-8-sig",
        low_memory=False,  # in pieces, a column could get two types
        na_values=list(missing),
        dtype={name: "str" for name in header if name in as_strings},
    )
    return frame


def _check_header(header: Sequence[str], first: Sequence[str], place: str) -> None:
    if any("\0" in name for name in header):
        raise UserError(f"{place} has a header of zero bytes: it is no text file; save it as CSV")
    if len(first) > len(header) > 0:  # pandas would use the first field as the name of the row
        raise UserError(
            f"{place} has rows of {len(first)} fields, but its header names {len(header)}; name every column"
        )
    if len(header) == 1:
        for mark, called in _OTHER_SEPARATORS.items():
            if mark in header[0]:
                raise UserError(
                    f"{place} has one column, {header[0][:80]!r}, whose name holds {called}: columns must be separated "
                    "by commas; save it with commas"
                )
    twice = [name for name in dict.fromkeys(header) if name and header.count(name) > 1]
    if twice:
        raise UserError(
            f"{place} has {header.count(twice[0])} columns called {twice[0]!r}; rename or remove all but one"
        )


def _read_parquet(path: Path) -> pd.DataFrame:
    import pyarrow.parquet

    with pyarrow.parquet.ParquetFile(path, memory_map=True) as file:
        names = file.schema_arrow.names
        table = file.read()
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise ValueError(f"it has {names.count(twice[0])} columns called {twice[0]!r}; rename or remove all but one")
    frame: pd.DataFrame = table.to_pandas(self_destruct=True)
    return frame.reset_index(drop=True)


def _without(frame: pd.DataFrame, missing: Sequence[str]) -> pd.DataFrame:
    """The table with gaps in place of the strings `missing`, for sources other than CSV."""
    if not missing:
        return frame
    gaps = set(missing)
    changed = {}
    for place, name in enumerate(frame.columns):
        values = frame.iloc[:, place]
        if isinstance(values.dtype, pd.CategoricalDtype):
            changed[name] = values.cat.remove_categories([item for item in values.cat.categories if item in gaps])
        elif values.dtype == object or isinstance(values.dtype, pd.StringDtype):
            changed[name] = values.mask(values.map(lambda item: isinstance(item, str) and item in gaps))
    return frame.assign(**changed) if changed else frame


def _named(frame: pd.DataFrame, place: str) -> pd.DataFrame:
    names = [str(name) for name in frame.columns]
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise UserError(
            f"{place} has {names.count(twice[0])} columns called {twice[0]!r}; rename or remove all but one"
        )
    return frame.set_axis(names, axis=1)


def _open(path: Path) -> IO[bytes]:
    return gzip.open(path, "rb") if path.name.endswith(".gz") else path.open("rb")  # type: ignore[return-value]


def _not_utf8(path: Path) -> str:
    """Where the first byte is that is not UTF-8, and what to do."""
    with _open(path) as file:
        if file.read(2) == b"\x1f\x8b":
            return "is gzipped; call it .csv.gz"
        file.seek(0)
        for number, line in enumerate(file, start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                byte = f"0x{line[error.start]:02x}"
                return (
                    f"is not UTF-8: line {number} has the byte {byte} at place {error.start + 1}; save it as UTF-8 "
                    "(from Latin-1: iconv -f latin1 -t utf-8)"
                )
    return "is not UTF-8; save it as UTF-8"


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__
