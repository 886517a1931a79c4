"""Features that stay in their file: the rows of a large table are read when a fit or a test uses them."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet
from numpy.typing import NDArray
from pyarrow import types

ROWS_A_GROUP = 100_000  # of a prepared file; a group is read at once


class StoredTable:
    """The features `names` of a Parquet file of numbers and truth values, with `shape`, and rows by `iloc`.

    `iloc[rows]` equals `iloc[rows]` of the data frame of all rows, for places of shape (n,) or a slice.
    """

    def __init__(self, path: Path, names: list[str]) -> None:
        self._path, self._names = path, names
        with pyarrow.parquet.ParquetFile(path) as file:
            schema = file.schema_arrow
            groups = [file.metadata.row_group(number).num_rows for number in range(file.num_row_groups)]
        self._ends = np.cumsum(groups, dtype=np.intp)
        self._by_dtype: dict[np.dtype[Any], list[str]] = {}
        for name in names:
            self._by_dtype.setdefault(np.dtype(schema.field(name).type.to_pandas_dtype()), []).append(name)

    @property
    def shape(self) -> tuple[int, int]:
        return int(self._ends[-1]), len(self._names)

    @property
    def iloc(self) -> "StoredTable":
        return self

    def __getitem__(self, rows: NDArray[np.intp] | slice) -> pd.DataFrame:
        if isinstance(rows, slice):
            rows = np.arange(self.shape[0])[rows]
        blocks = {dtype: np.empty((len(names), len(rows)), dtype) for dtype, names in self._by_dtype.items()}
        group = np.searchsorted(self._ends, rows, side="right")
        with pyarrow.parquet.ParquetFile(self._path) as file:
            for number in np.unique(group):
                table = file.read_row_group(int(number), self._names, use_threads=False)
                to = np.flatnonzero(group == number)
                within = rows[to] - (self._ends[number] - table.num_rows)
                for dtype, names in self._by_dtype.items():
                    for place, name in enumerate(names):
                        blocks[dtype][place, to] = table.column(name).to_numpy()[within]
        index = pd.Index(rows)
        frames = [
            pd.DataFrame(block.T, index, pd.Index(self._by_dtype[dtype]), copy=False) for dtype, block in blocks.items()
        ]
        return frames[0] if len(frames) == 1 else pd.concat(frames, axis=1)[self._names]


def stays_in_its_file(path: Path, names: list[str]) -> bool:
    """Whether a prepared table has several row groups, and only numbers and truth values."""
    with pyarrow.parquet.ParquetFile(path) as file:
        schema = file.schema_arrow  # made from the file each time that it is asked for
        return file.num_row_groups > 1 and all(_plain(schema.field(name).type) for name in names)


def _plain(type_: Any) -> bool:
    return bool(types.is_floating(type_) or types.is_integer(type_) or types.is_boolean(type_))
