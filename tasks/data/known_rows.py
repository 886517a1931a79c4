"""Which rows of a table were there before, also where columns were added since."""

from collections.abc import Iterable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from heldout.rows import row_identity
from tasks.data.row_contents import column_digest, column_digests, contents
from tasks.storage.row_ids import Ids, RowIds


class Identities:
    """The words of the rows of a table, as it is written, by all columns or by those that it had before.

    Equal rows have their numbers in the whole table, whatever is left out of it later.
    """

    def __init__(self, written: pd.DataFrame) -> None:
        self._written, self.columns, self.index = written, column_digests(written), written.index
        self._found: dict[str, RowIds] = {}

    def by(self, columns: str) -> RowIds | None:
        """The rows by some columns, as in `SeenRows.columns`; None where the table lacks one of them."""
        if columns not in self._found:
            digests = columns.split()
            names = [name for name in self._written.columns if column_digest(name) in digests]
            if columns not in (self.columns, "") and len(names) < len(digests):
                return None
            shared = self._written if columns in (self.columns, "") else self._written[names]
            content = contents(shared)
            self._found[columns] = RowIds(content, row_identity.numbers(content))
        return self._found[columns]

    def __len__(self) -> int:
        return len(self._written)

    def numbered(self, rows: NDArray[np.bool_], index: pd.Index) -> pd.DataFrame:
        """The content, the number and the identity of some rows by all columns."""
        ids = self.by(self.columns)
        assert ids is not None  # noqa: S101  # it has its own columns
        identity = row_identity.identities(ids.content, ids.number)
        table = pd.DataFrame({"content": ids.content, "number": ids.number, "identity": identity})[rows]
        return table.set_index(index)

    def among(self, known: Iterable[tuple[str, Ids]]) -> NDArray[np.bool_]:
        """Which rows are among the `known`, words by their columns; rows whose columns are gone are not found."""
        found = np.zeros(len(self._written), np.bool_)
        by_columns: dict[str, list[Ids]] = {}
        for columns, words in known:
            by_columns.setdefault(columns, []).append(words)
        for columns, several in by_columns.items():
            ids = self.by(columns)
            if ids is not None:
                found |= np.isin(ids.of_rows, np.concatenate(several))
        return found
