"""Parquet files whose rows need not be in memory together: read whole without a second copy, or in pieces."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet

Pieces = pd.DataFrame | Iterable[pd.DataFrame]  # a table, or its parts one below the other


_AT_ONCE = 100_000  # values of a few columns, of which a second copy is small


def whole(path: Path) -> pd.DataFrame:
    """The table as pandas reads it, with the floats read a few columns at a time: no second copy of all is made."""
    with pyarrow.parquet.ParquetFile(path) as file:
        schema = file.schema_arrow
        names, is_float = schema.names, {field.name: field.type == pa.float64() for field in schema}
        floats = [name for name in names if is_float[name]]
        others = file.read([name for name in names if not is_float[name]]).to_pandas(self_destruct=True)
        values = np.empty((len(floats), rows := file.metadata.num_rows))
        few = max(1, _AT_ONCE // max(rows, 1))
        for first in range(0, len(floats), few):
            some = file.read(floats[first : first + few], use_threads=False)
            for place, column in enumerate(some.columns, first):
                values[place] = column.to_numpy()
    frame = pd.DataFrame(values.T, columns=floats, index=others.index if len(others.columns) else None, copy=False)
    if not len(others.columns):
        return frame
    table: pd.DataFrame = pd.concat([frame, others], axis=1)[names] if floats else others
    return table


def dtypes(path: Path) -> dict[str, Any]:
    """The dtype of each column, without reading a row."""
    empty = pyarrow.parquet.read_schema(path).empty_table().to_pandas()
    return {str(name): dtype for name, dtype in empty.dtypes.items()}


def gaps(path: Path) -> dict[str, int]:
    """The columns that have gaps, and how many, without reading a row."""
    with pyarrow.parquet.ParquetFile(path) as file:
        metadata = file.metadata
    counts: dict[str, int] = {}
    for group in range(metadata.num_row_groups):
        for place in range(metadata.num_columns):
            column = metadata.row_group(group).column(place)
            counts[column.path_in_schema] = counts.get(column.path_in_schema, 0) + column.statistics.null_count
    return {name: count for name, count in counts.items() if count}


def write_pieces(path: Path, tables: Pieces) -> None:
    """Write one or more tables of the same columns to a file; an iterable is read one table at a time."""
    writer = None
    try:
        for piece in [tables] if isinstance(tables, pd.DataFrame) else tables:
            table = pa.Table.from_pandas(piece, None if writer is None else writer.schema, preserve_index=False)
            writer = writer or pyarrow.parquet.ParquetWriter(path, table.schema)
            writer.write_table(table)
    finally:
        if writer is not None:
            writer.close()
