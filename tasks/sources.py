"""Reading a user's rows, from scikit-learn's own sets, CSV or Parquet."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from tasks.errors import UserError

SKLEARN_SETS = ("digits", "iris", "wine", "breast_cancer", "diabetes")
_READERS: dict[str, Callable[[Path], pd.DataFrame]] = {".csv": pd.read_csv, ".parquet": pd.read_parquet}


def read_table(source: str) -> pd.DataFrame:
    """All rows of `source`, features and target. Raises UserError that names data.source."""
    if source.startswith("sklearn:"):
        return _sklearn(source.removeprefix("sklearn:"))
    return _read(Path(source), "data.source")


def unlabeled_files(pattern: str) -> list[Path]:
    """The files that the glob names, in order. Raises UserError if there are none."""
    if not pattern.strip():
        raise UserError("data.unlabeled is empty; give a path or a glob, or null")
    folder = Path(pattern).anchor or "."
    files = sorted(Path(folder).glob(str(Path(pattern).relative_to(folder))))
    if not files:
        raise UserError(f"data.unlabeled is {pattern}: no such file; give the path or glob of CSV or Parquet files")
    return files


def read_shard(path: Path) -> pd.DataFrame:
    """The rows of one unlabelled file. Raises UserError if it has none."""
    frame = _read(path, "data.unlabeled")
    if frame.empty:
        raise UserError(f"data.unlabeled: the shard {path} has no rows; remove the file or fill it")
    return frame


def _sklearn(name: str) -> pd.DataFrame:
    if name not in SKLEARN_SETS:
        raise UserError(f"data.source is sklearn:{name}; sklearn: takes {', '.join(SKLEARN_SETS)}")
    import sklearn.datasets

    loaded: Any = getattr(sklearn.datasets, f"load_{name}")(as_frame=True)
    frame: pd.DataFrame = loaded.frame
    return frame


def _read(path: Path, key: str) -> pd.DataFrame:
    if path.suffix not in _READERS:
        raise UserError(f"{key} is {path}; it must be sklearn:NAME, or a path that ends in {' or '.join(_READERS)}")
    if not path.is_file():
        raise UserError(f"{key} is {path}: no such file; give the path of a file, from the checkout or absolute")
    try:
        return _READERS[path.suffix](path)
    except (ValueError, OSError) as error:
        raise UserError(f"{key}: {path} cannot be read as {path.suffix[1:]}: {' '.join(str(error).split())}") from None
