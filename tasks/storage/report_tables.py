"""The tables of reports/ that hold records: a line for each record, its fields as columns."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import pandas as pd

from heldout.records import (
    CalibrationBin,
    ColumnReliance,
    Difference,
    Estimate,
    MoreRows,
    Powered,
    PredictionSets,
    Residual,
    RocPoint,
    ShardDisagreement,
)
from tasks.storage import csv_text, files

_ESTIMATE_COLUMNS = [
    "candidate",
    "estimate",
    "value",
    "low",
    "high",
    "level",
    "target",
    "interval",
    "n_train",
    "n_tested",
]
# the columns of words, in any of the tables
_TEXTS = (
    *("candidate", "against", "estimate", "target", "interval", "assumption", "metric", "slice", "reason"),
    *("columns", "not_credible", "shard", "file", "label", "answer", "class_name", "hypothesis", "part", "by_margin"),
)


def write_estimates(estimates: Sequence[Estimate]) -> None:
    """estimates.csv, ten significant digits, empty where there is no interval."""
    _write(files.ESTIMATES, _ESTIMATE_COLUMNS, estimates)


def read_estimates() -> pd.DataFrame:
    """estimates.csv as it was written."""
    return read(files.ESTIMATES)


def write_differences(differences: Sequence[Difference]) -> None:
    """differences.csv, a line for each comparison with the winner, empty where there is no interval.

    The column `by_margin` is there where a margin was stated.
    """
    columns = _columns(Difference)
    if not any(record.by_margin for record in differences):
        columns.remove("by_margin")
    _write(files.DIFFERENCES, columns, differences)


def read_differences() -> pd.DataFrame:
    """differences.csv as it was written."""
    return read(files.DIFFERENCES)


def write_more_rows(lines: Sequence[MoreRows]) -> None:
    """more_rows.csv, the learning curve of each candidate, empty where there is no interval."""
    _write(files.MORE_ROWS, _columns(MoreRows), lines)


def read_more_rows() -> pd.DataFrame:
    """more_rows.csv as it was written."""
    return read(files.MORE_ROWS)


def write_prediction_sets(line: PredictionSets) -> None:
    """prediction_sets.csv, a line for the winner, empty where there is no threshold or no coverage."""
    _write(files.PREDICTION_SETS, _columns(PredictionSets), [line])


def read_prediction_sets() -> PredictionSets:
    """The line of prediction_sets.csv."""
    table = read(files.PREDICTION_SETS).astype(object)
    (values,) = table.where(table.notna(), None).to_numpy().tolist()
    line = PredictionSets(*values)
    return replace(line, reason=line.reason or "")


def write_powered(lines: Sequence[Powered]) -> None:
    """powered.csv, E_val and E_cv of each candidate with its unlabelled rows, empty where they cannot be used."""
    _write(files.POWERED, _columns(Powered), lines)


def read_powered() -> pd.DataFrame:
    """powered.csv as it was written."""
    return read(files.POWERED)


def write_columns(lines: Sequence[ColumnReliance]) -> None:
    """columns.csv, what the winner errs more without what columns say; often it has no line."""
    named = [replace(line, columns=" with ".join(map(str, line.columns))) for line in lines]  # type: ignore[arg-type]
    _write(files.COLUMNS_THAT_MATTER, _columns(ColumnReliance), named)


def write_not_credible(reasons: Iterable[tuple[str, str, str]]) -> None:
    """not_credible.csv: a candidate, an estimate, and why its interval cannot be right; often it has no line."""
    files.write_csv(files.NOT_CREDIBLE, pd.DataFrame(list(reasons), columns=["candidate", "estimate", "reason"]))


def read_not_credible() -> pd.DataFrame:
    """not_credible.csv as it was written."""
    return read(files.NOT_CREDIBLE)


def write_shards(lines: Sequence[ShardDisagreement]) -> None:
    """shards.csv, the winner's disagreement on each shard, empty where there is no interval."""
    _write(files.SHARD_DISAGREEMENT, _columns(ShardDisagreement), lines)


def write_curves(
    whose: Mapping[str, str],
    calibration: Sequence[CalibrationBin],
    roc: Sequence[RocPoint],
    residuals: Sequence[Residual],
) -> None:
    """calibration.csv, roc.csv and residuals.csv, each with the columns `whose` in front."""
    of_files: Sequence[tuple[Path, Any, Sequence[Any]]] = [
        (files.CALIBRATION, CalibrationBin, calibration),
        (files.ROC, RocPoint, roc),
        (files.RESIDUALS, Residual, residuals),
    ]
    for path, kind, lines in of_files:
        table = pd.DataFrame([{**whose, **asdict(line)} for line in lines], columns=[*whose, *_columns(kind)])
        files.write_csv(path, table)


def _columns(kind: Any) -> list[str]:
    return [field.name for field in fields(kind)]


def _write(path: Path, columns: Sequence[str], records: Sequence[Any]) -> None:
    """A line for each record; the columns are there without records too."""
    files.write_csv(path, pd.DataFrame([asdict(record) for record in records], columns=list(columns)))


def read(path: Path) -> pd.DataFrame:
    """A table of reports/ as it was written: a candidate may be called 1 or NA, and an empty cell alone is missing."""
    table = pd.read_csv(files.existing(path), dtype=dict.fromkeys(_TEXTS, str), keep_default_na=False, na_values=[""])
    return csv_text.original_table(table)
