"""The tables of reports/ that hold records: a line for each record, its fields as columns."""

from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from heldout.notebook.result import Validation
from heldout.records import ColumnReliance, PredictionSets, ShardDisagreement
from tasks.storage import csv_text, files, source_rows

OF_RESULT = {
    "estimates": files.ESTIMATES,
    "differences": files.DIFFERENCES,
    "more_rows": files.MORE_ROWS,
    "prediction_powered": files.PREDICTION_POWERED,
    "not_credible": files.NOT_CREDIBLE,
    "class_errors": files.CLASS_ERRORS,
    "confusion": files.CV_CONFUSION,
    "hard_rows": files.HARD_ROWS,
    "calibration": files.CALIBRATION,
    "roc": files.ROC,
    "residuals": files.RESIDUALS,
}
# the columns of words, in any of the tables
_TEXTS = (
    *("candidate", "against", "estimate", "target", "interval", "assumption", "metric", "slice", "reason", "taken_for"),
    *("columns", "not_credible", "shard", "file", "label", "answer", "class_name", "hypothesis", "part", "by_margin"),
)


def write(validation: Validation) -> None:
    """Every file that is a table of the result, ten significant digits, empty where there is no interval."""
    for kind, path in OF_RESULT.items():
        table = validation.to_frame(kind)
        if kind == "hard_rows":
            numbers = source_rows.read_source_rows(source_rows.LABELED)
            table.insert(0, "row", None if numbers is None else numbers[table["prepared_row"].to_numpy(np.intp)])
        files.write_csv(path, table[[name for name in table if not name.startswith("RMSE")]])


def read_estimates() -> pd.DataFrame:
    """estimates.csv as it was written."""
    return read(files.ESTIMATES)


def read_differences() -> pd.DataFrame:
    """differences.csv as it was written."""
    return read(files.DIFFERENCES)


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


def read_prediction_powered() -> pd.DataFrame:
    """prediction_powered.csv as it was written."""
    return read(files.PREDICTION_POWERED)


def write_columns(lines: Sequence[ColumnReliance]) -> None:
    """columns.csv, what the winner errs more without what columns say; often it has no line."""
    named = [replace(line, columns=" with ".join(map(str, line.columns))) for line in lines]  # type: ignore[arg-type]
    _write(files.COLUMNS_THAT_MATTER, _columns(ColumnReliance), named)


def read_not_credible() -> pd.DataFrame:
    """not_credible.csv as it was written."""
    return read(files.NOT_CREDIBLE)


def write_shards(lines: Sequence[ShardDisagreement]) -> None:
    """shards.csv, the winner's disagreement on each shard, empty where there is no interval."""
    _write(files.SHARD_DISAGREEMENT, _columns(ShardDisagreement), lines)


def _columns(kind: Any) -> list[str]:
    return [field.name for field in fields(kind)]


def _write(path: Path, columns: Sequence[str], records: Sequence[Any]) -> None:
    """A line for each record; the columns are there without records too."""
    files.write_csv(path, pd.DataFrame([asdict(record) for record in records], columns=list(columns)))


def read(path: Path) -> pd.DataFrame:
    """A table of reports/ as it was written: a candidate may be called 1 or NA, and an empty cell alone is missing."""
    table = pd.read_csv(files.existing(path), dtype=dict.fromkeys(_TEXTS, str), keep_default_na=False, na_values=[""])
    return csv_text.original_table(table)
