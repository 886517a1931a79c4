"""Reading a user's rows: data sets of scikit-learn, OpenML, files, and folders of Parquet files."""

import os
import warnings
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from glob import has_magic
from pathlib import Path
from typing import Any

import pandas as pd

from tasks.data import reading_process, total_row, whole_numbers
from tasks.data.blocks import in_blocks
from tasks.data.file_formats import ENDINGS, NAMED_ENDINGS, FileRows
from tasks.data.text_form import USUAL, TextForm
from tasks.runtime.environment import CACHE
from tasks.runtime.errors import UserError

SKLEARN_SETS = ("digits", "iris", "wine", "breast_cancer", "diabetes")
_MOST_WALKED = 100_000  # files and folders below that of a glob
_FORMS = f"sklearn:NAME, openml:NAME-or-ID, or a path that ends in {NAMED_ENDINGS}, or a folder of Parquet files"


def read_table(
    source: str, missing: Sequence[str] = (), as_strings: Collection[str] = (), text: TextForm = USUAL
) -> pd.DataFrame:
    """All rows of `source`, features and target, column names as unique strings.

    `missing` are further strings that mean a gap; the columns `as_strings` of a CSV, which is written in the form
    `text`, stay strings. Raises UserError that names data.source.
    """
    return read(source, missing, as_strings, text).frame


def read(
    source: str, missing: Sequence[str] = (), as_strings: Collection[str] = (), text: TextForm = USUAL
) -> FileRows:
    """As `read_table`, with findings about how the file was read."""
    key = "data.source"
    if source.startswith("sklearn:"):
        rows = FileRows(_sklearn(source.removeprefix("sklearn:")))
    elif source.startswith("openml:"):
        rows = FileRows(_openml(source.removeprefix("openml:")))
    elif Path(source).is_dir():
        rows = _folder(Path(source), key)
    elif not source.endswith(ENDINGS):
        raise UserError(f"{key} is {source}; it must be {_FORMS}")
    else:
        rows = reading_process.read(Path(source), key, missing, as_strings, text)
    return replace(rows, frame=_without(_named(in_blocks(rows.frame), f"{key}: {source}"), missing))


def parts(folder: Path) -> list[Path]:
    """The Parquet files of a folder, in the order of their names: a table."""
    return sorted(folder.glob("*.parquet"))


def unlabeled_files(pattern: str) -> list[Path]:
    """The files that a path, a folder or a glob names, sorted.

    Raises UserError if there are none, and for a glob that would walk through more than `_MOST_WALKED` entries.
    """
    if not pattern.strip():
        raise UserError("data.unlabeled is empty; give a path, a folder or a glob, or null")
    if Path(pattern).is_dir():
        files = sorted(path for path in Path(pattern).iterdir() if path.name.endswith(ENDINGS))
    elif Path(pattern).exists() or Path(pattern).is_symlink():
        files = [Path(pattern)]
    else:
        folder = Path(pattern).anchor or "."
        try:
            below = Path(pattern).relative_to(folder)
            _check_walk(Path(folder), below, pattern)
            files = sorted(Path(folder).glob(str(below)))
        except (ValueError, OSError) as error:
            raise UserError(f"data.unlabeled is {pattern}, which is no path and no glob: {error}") from None
    if not files:
        raise UserError(f"data.unlabeled is {pattern}: no such file; give the path, the folder or the glob of files")
    return files


def _check_walk(folder: Path, below: Path, pattern: str) -> None:
    """Raise UserError for a glob of folders, such as /**/*.csv, below which lies too much to look at."""
    first = next((place for place, part in enumerate(below.parts) if has_magic(part)), len(below.parts))
    base, left = folder.joinpath(*below.parts[:first]), below.parts[first:]
    if len(left) < 2:  # the files of one folder
        return
    depth = None if "**" in left else len(left)
    walked = 0
    for at, folders, names in os.walk(base):
        walked += len(folders) + len(names)
        if walked > _MOST_WALKED:
            raise UserError(
                f"data.unlabeled is {pattern}, and more than {_MOST_WALKED:,} files and folders lie below {base}; name "
                "the folder of the files"
            )
        if depth is not None and len(Path(at).relative_to(base).parts) + 1 >= depth:
            folders.clear()


def read_shard(
    path: Path, missing: Sequence[str] = (), as_strings: Collection[str] = (), text: TextForm = USUAL
) -> FileRows:
    """The rows of one unlabelled file, without a total at its end.

    Raises UserError that names data.unlabeled, also for a file without rows.
    """
    rows = reading_process.read(path, "data.unlabeled", missing, as_strings, text)
    frame = _named(rows.frame, f"data.unlabeled: {path}")
    if frame.empty:
        raise UserError(f"data.unlabeled: the shard {path} has no rows; remove the file or fill it")
    frame, of_total = total_row.without(_without(frame, missing), target=None)
    return replace(rows, frame=frame, findings=(*rows.findings, *of_total))


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


def _folder(folder: Path, key: str) -> FileRows:
    """The rows of all Parquet files of a folder, in the order of their names."""
    paths = parts(folder)
    if not paths:
        raise UserError(f"{key} is {folder}, a folder without Parquet files; it must be {_FORMS}")
    read_files = [reading_process.read(path, key, (), (), USUAL) for path in paths]
    frames = [rows.frame for rows in read_files]
    for path, frame in zip(paths, frames, strict=True):
        if sorted(map(str, frame.columns)) != sorted(map(str, frames[0].columns)):
            other = sorted({*map(str, frame.columns)} ^ {*map(str, frames[0].columns)})
            raise UserError(
                f"{key}: {path} and {paths[0]} do not have the same columns ({', '.join(other[:5])}); give one table"
            )
    findings = [finding for rows in read_files for finding in rows.findings]
    return FileRows(pd.concat(frames, ignore_index=True), tuple(findings))


def _without(frame: pd.DataFrame, missing: Sequence[str]) -> pd.DataFrame:
    """The table with gaps in place of `missing`, for sources other than CSV: strings, and the numbers that they are."""
    if not missing:
        return frame
    gaps, numbers = set(missing), [number for text in missing if (number := _number(text)) is not None]
    changed = {}
    for name, values in frame.items():
        if isinstance(values.dtype, pd.CategoricalDtype):
            changed[str(name)] = values.cat.remove_categories([item for item in values.cat.categories if item in gaps])
        elif values.dtype == object or isinstance(values.dtype, pd.StringDtype):
            changed[str(name)] = values.mask(values.map(lambda item: _is_gap(item, gaps, numbers)).astype("bool"))
        elif numbers and values.dtype.kind in "iuf" and (marked := values.isin(numbers)).any():
            changed[str(name)] = whole_numbers.with_gaps(values, marked)
    return frame.assign(**changed) if changed else frame


def _is_gap(item: object, gaps: Collection[str], numbers: Collection[float]) -> bool:
    if isinstance(item, str):
        return item in gaps
    return isinstance(item, int | float) and not isinstance(item, bool) and item in numbers


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _named(frame: pd.DataFrame, place: str) -> pd.DataFrame:
    names = [str(name) for name in frame.columns]
    twice, count = Counter(names).most_common(1)[0] if names else ("", 1)
    if count > 1:
        raise UserError(f"{place} has {count} columns called {twice!r}; rename or remove all but one")
    return frame.set_axis(names, axis=1)


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__
