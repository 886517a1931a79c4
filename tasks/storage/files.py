"""The files of the public contract: read and written here and nowhere else."""

import functools
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from heldout.schemes.halvings import Halvings
from heldout.splits.partition import Partition
from tasks.runtime.errors import UserError
from tasks.storage import csv_text, parquet
from tasks.storage.atomic import replacing, replacing_file
from tasks.storage.lazy_table import StoredTable, stays_in_its_file
from tasks.storage.seen_rows import SeenRows
from tasks.storage.shard_report import ShardReport

PREPARED = Path("data/prepared")
LABELED = PREPARED / "labeled.parquet"
TEST = PREPARED / "test.parquet"
PARTITION = PREPARED / "partition.parquet"
HALVES = PREPARED / "halves.parquet"
ROLES = PREPARED / "roles.parquet"
TEST_ROLES = PREPARED / "test_roles.parquet"
TEST_SLICES = PREPARED / "test_slices.parquet"
COPIES = PREPARED / "copies.parquet"
ALL_LABELED = PREPARED / "all_labeled.parquet"
ALL_ROLES = PREPARED / "all_roles.parquet"
UNLABELED = PREPARED / "unlabeled"
SHARDS = PREPARED / "shards.json"
DATA_HASH = PREPARED / "data_hash.txt"
SEEN_ROWS = PREPARED / "seen_rows.json"
COLUMNS = PREPARED / "columns.json"
FINDINGS = PREPARED / "findings.json"
RESULTS = Path("data/results")
LOSSES = RESULTS / "losses.parquet"
TESTED = RESULTS / "tested.parquet"
FITS = RESULTS / "fits"
FITTED = FITS / "validation"
VALIDATION = Path("data/results/validation")
HALVINGS = FITS / "halvings.json"
REPORTS = Path("reports")
ESTIMATES = REPORTS / "estimates.csv"
DIFFERENCES = REPORTS / "differences.csv"
TABLES = REPORTS / "tables"
MORE_ROWS = TABLES / "more_rows.csv"
COLUMNS_THAT_MATTER = TABLES / "columns.csv"
PREDICTION_SETS = TABLES / "prediction_sets.csv"
PREDICTION_POWERED = TABLES / "prediction_powered.csv"
NOT_CREDIBLE = TABLES / "not_credible.csv"
TEST_METRICS = TABLES / "metrics.csv"
CONFUSION = TABLES / "confusion.csv"
CLASS_ERRORS = TABLES / "class_errors.csv"
CV_CONFUSION = TABLES / "cv_confusion.csv"
HARD_ROWS = TABLES / "hard_rows.csv"
TO_LABEL = TABLES / "to_label.csv"
SHARD_DISAGREEMENT = TABLES / "shards.csv"
CALIBRATION = TABLES / "calibration.csv"
ROC = TABLES / "roc.csv"
RESIDUALS = TABLES / "residuals.csv"
SELECTION = REPORTS / "selection.json"
METRICS = REPORTS / "metrics.json"
PLOTS = REPORTS / "plots"
REPORT = REPORTS / "report.html"
SUMMARY = REPORTS / "summary.md"
HISTORY = REPORTS / "history.html"  # of all nights: no stage of dvc.yaml owns it
MODEL = Path("models/selected.skops")
TARGET = "target"  # the column of the labels in prepared files

DIGITS = "%.10g"  # fewer than a float holds: the same report on processors with different kernels


def read_data_hash() -> str:
    """The content hash of the labelled source rows."""
    return existing(DATA_HASH).read_text().strip()


def read_seen_rows() -> SeenRows:
    """What the contamination ledger must know of the rows."""
    return SeenRows.parsed(read_json(SEEN_ROWS))


def read_table(path: Path, version: str | None = None) -> tuple[pd.DataFrame, NDArray[np.generic]]:
    """Features and target of labeled.parquet or test.parquet, opened once for each process and version.

    `version` is the file's hash, if the caller knows it.
    """
    return _open_table(str(existing(path)), version or file_hash(path))


def open_features(path: Path, version: str) -> Any:
    """The features of labeled.parquet, with rows by `iloc`: a large table of numbers stays in its file.

    As `read_table` for each process and version: to ask a file of many columns for their types takes as long as a fit.
    """
    return _open_features(str(existing(path)), version)


@functools.lru_cache(maxsize=2)
def _open_features(path: str, version: str) -> Any:
    names = list(read_dtypes(Path(path)))
    return StoredTable(Path(path), names) if stays_in_its_file(Path(path), names) else _open_table(path, version)[0]


def read_target(path: Path, version: str | None = None) -> NDArray[np.generic]:
    """The target of labeled.parquet or test.parquet, without the features."""
    return _open_target(str(existing(path)), version or file_hash(path))


@functools.lru_cache(maxsize=2)
def _open_target(path: str, _version: str) -> NDArray[np.generic]:
    frame = pd.read_parquet(path, columns=[TARGET])
    return frame[TARGET].to_numpy()


@functools.lru_cache(maxsize=2)
def _open_table(path: str, _version: str) -> tuple[pd.DataFrame, NDArray[np.generic]]:
    frame = parquet.whole(Path(path))
    return frame.drop(columns=TARGET), frame[TARGET].to_numpy()


def read_dtypes(path: Path) -> dict[str, Any]:
    """The dtype of each feature of a prepared file, without reading a row."""
    return {name: dtype for name, dtype in parquet.dtypes(existing(path)).items() if name != TARGET}


def read_gaps(path: Path) -> dict[str, int]:
    """The features of a prepared file that have gaps, and how many, without reading a row."""
    return {name: count for name, count in parquet.gaps(existing(path)).items() if name != TARGET}


def read_shard(path: Path) -> pd.DataFrame:
    """The features of one unlabelled shard."""
    return parquet.whole(path)


def shards() -> list[Path]:
    """The unlabelled shards, in order."""
    return sorted(existing(UNLABELED).glob("shard-*.parquet"))


def read_shard_reports() -> list[ShardReport]:
    """What `prepare` found in each shard, bad shards too."""
    return [ShardReport(**{**report, "notes": tuple(report["notes"])}) for report in read_json(SHARDS)]


def read_partition() -> Partition:
    """partition.parquet, in row order."""
    frame = pd.read_parquet(existing(PARTITION)).sort_values("row")
    return Partition(
        validation=frame["validation"].to_numpy(), fold=frame["fold"].to_numpy(), step=frame["step"].to_numpy()
    )


def read_halves() -> NDArray[np.int8]:
    """halves.parquet as an array of shape (R, N)."""
    frame = pd.read_parquet(existing(HALVES))
    in_order = (
        frame["repeat"].is_monotonic_increasing
        and (frame["row"].to_numpy().reshape(frame["repeat"].nunique(), -1) == np.arange(frame["row"].max() + 1)).all()
    )
    frame = frame if in_order else frame.sort_values(["repeat", "row"])
    return frame["half"].to_numpy().reshape(frame["repeat"].nunique(), -1)


def read_halvings(partitions: str) -> Halvings | None:
    """What is known of the halvings of these partitions; None where no rule decided their number, or not yet."""
    record = read_json(HALVINGS) if HALVINGS.exists() else None
    return None if record is None or record.pop("partitions") != partitions else Halvings(**record)


def read_roles() -> dict[str, NDArray[Any]]:
    """The `group`, `time` and `weight` of each labelled row, shape (N,), as far as the parameters name them."""
    return _read_roles(ROLES)


def read_test_roles() -> dict[str, NDArray[Any]]:
    """The group, time and weight of each row of the test set."""
    return _read_roles(TEST_ROLES)


def read_test_slices() -> dict[str, NDArray[Any]]:
    """The values of each column of report.slices in the rows of the test set, as text."""
    return _read_roles(TEST_SLICES) if TEST_SLICES.exists() else {}


def read_all_roles() -> dict[str, NDArray[Any]]:
    """The roles of each row of all_labeled.parquet."""
    return _read_roles(ALL_ROLES)


def read_copies() -> NDArray[np.int64] | None:
    """A number for each set of labelled rows with equal features, shape (N,); None where all rows differ."""
    return pd.read_parquet(COPIES).sort_values("row")["copies"].to_numpy() if COPIES.exists() else None


def _read_roles(path: Path) -> dict[str, NDArray[Any]]:
    frame = pd.read_parquet(existing(path)).sort_values("row")
    return {name: frame[name].to_numpy() for name in frame.columns if name != "row"}


@contextmanager
def writing_fits(tables: Mapping[str, pd.DataFrame], halvings: Halvings | None) -> Iterator[Path]:
    """Write data/results/fits: a Parquet file for each table, the halvings, and the result that the block saves."""
    with replacing(FITS) as folder:
        yield folder / FITTED.name
        for name, table in tables.items():
            parquet.write_pieces(folder / f"{name}.parquet", table)
        known = None if halvings is None else {**asdict(halvings), "partitions": partitions_hash()}
        write_json(folder / HALVINGS.name, known)


def read_result(table: str, candidate: str | None = None) -> pd.DataFrame:
    """One table of data/results/fits, whole or the lines of one candidate."""
    path = existing(FITS / f"{table}.parquet")
    return pd.read_parquet(path, filters=None if candidate is None else [("candidate", "==", candidate)])


def write_losses(pieces: Iterable[pd.DataFrame]) -> None:
    """losses.parquet: candidate, scheme, unit, row, loss, and weight where rows have weights."""
    columns = ["candidate", "scheme", "unit", "row", "loss", "weight"]
    with replacing_file(LOSSES) as draft:
        parquet.write_pieces(draft, (piece[[name for name in columns if name in piece]] for piece in pieces))


def write_csv(path: Path, table: pd.DataFrame) -> None:
    """A CSV with ten significant digits, and without a text that a spreadsheet takes for a formula."""
    with replacing_file(path) as draft:
        csv_text.write(table, draft, DIGITS)


def write_json(path: Path, value: Any) -> None:
    """A JSON with ten significant digits, its keys in the order of `value`."""
    write_text(path, json.dumps(rounded(value), indent=2, ensure_ascii=False))


def write_text(path: Path, text: str) -> None:
    """A text, which ends with a line feed."""
    with replacing_file(path) as draft:
        draft.write_text(text + "\n", encoding="utf-8")


def read_json(path: Path) -> Any:
    """A JSON file of the contract."""
    return json.loads(existing(path).read_text(encoding="utf-8"))


def file_hash(path: Path) -> str:
    """The SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def partitions_hash() -> str:
    """The hash of the files that say how rows are split: both partitions, and the roles."""
    return "".join(file_hash(path) for path in (PARTITION, HALVES, ROLES))


def rounded(value: Any) -> Any:
    """A value as `write_json` writes it."""
    if isinstance(value, float):
        return float(DIGITS % value)
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    return [rounded(item) for item in value] if isinstance(value, list | tuple) else value


def existing(path: Path) -> Path:
    """The path of a file that another flow writes. Raises UserError where it is missing."""
    if not path.exists():
        raise UserError(f"{path} is missing; run the flow that writes it first, or `dvc repro`")
    return path
