"""row_ids.parquet: the identity of every row with a label (decision 25), for the choice of a champion."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from heldout.rows import row_identity
from tasks.runtime.errors import UserError
from tasks.storage.files import PREPARED, existing

ROW_IDS = PREPARED / "row_ids.parquet"
Part = Literal["used", "test", "other"]
Ids = NDArray[np.uint64]
_ONE = np.uint64(1)
WORD = "word"  # the column of files of seen rows and of bets


@dataclass(frozen=True, eq=False)
class RowIds:
    """The content of rows and their numbers among equal rows; with groups, copies kept together or time, their units.

    A unit is a group, a set of copies or a time. All arrays have shape (n,). The words by which later runs know
    them are even for rows and odd for units.
    """

    content: Ids
    number: NDArray[np.uint32]
    unit: Ids | None = None

    @classmethod
    def of(cls, table: pd.DataFrame, unit: Ids | None = None) -> "RowIds":
        """From the columns of `row_ids.parquet`."""
        return cls(table["content"].to_numpy(np.uint64), table["number"].to_numpy(np.uint32), unit)

    @cached_property
    def of_rows(self) -> Ids:
        """A word for each row."""
        return row_identity.identities(self.content, self.number) & ~_ONE

    @cached_property
    def of_units(self) -> Ids | None:
        """A word for the unit of each row; None where rows are independent."""
        return None if self.unit is None else self.unit | _ONE

    def words(self, rows: Any = slice(None)) -> Ids:
        """The words of `rows`, a mask or row numbers, and of their units, each once."""
        of_rows = self.of_rows[rows]
        return np.unique(of_rows if self.of_units is None else np.concatenate([of_rows, self.of_units[rows]]))


def read_row_ids(part: Part | None = None) -> RowIds:
    """The rows of a part in its order, or of all three: `used` train and choose, `test` are those of test.parquet."""
    table = pd.read_parquet(existing(ROW_IDS), filters=None if part is None else [("part", "==", part)])
    unit = table["unit"].to_numpy(np.uint64) if "unit" in table else None
    return RowIds.of(table, unit)


def write_seen(path: Path, words: Ids) -> None:
    """A file with the `RowIds.words` of rows that a version has seen, each once."""
    pd.DataFrame({WORD: np.unique(words)}).to_parquet(path)


def read_words(path: Path) -> pd.DataFrame:
    """A table with a column `WORD`. Raises UserError for a file of another version, which has other columns."""
    table = pd.read_parquet(path)
    if WORD not in table:
        raise UserError(
            f"{path.name} has the columns {', '.join(map(str, table))}, and no {WORD!r}: another version wrote it"
        )
    return table
