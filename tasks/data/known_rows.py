"""Which rows of a table were there before, also where columns were added since."""

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from heldout.rows import row_identity
from tasks.data.row_contents import column_digest, column_digests, contents, key_words
from tasks.storage.row_ids import Ids, RowIds
from tasks.storage.seen_rows import KEY


class Identities:
    """The words of the rows of a table, as it is written, by all columns or by those that it had before.

    With data.key they are those of the `key` columns, and rows of the past that were known by their content still are.
    Equal rows have their numbers in the whole table, whatever is left out of it later.
    """

    def __init__(self, written: pd.DataFrame, key: Sequence[str] = ()) -> None:
        self._written, self.index = written, written.index
        self.columns = f"{KEY} {column_digests(written[[*key]])}" if key else column_digests(written)
        self._found: dict[str, RowIds] = {}

    @cached_property
    def content(self) -> Ids:
        """A word for the content of each row by all columns."""
        return contents(self._written)

    def by(self, columns: str) -> RowIds | None:
        """The rows by some columns, as in `SeenRows.columns`; None where the table lacks one of them."""
        if columns not in self._found:
            keyed, digests = columns.split()[:1] == [KEY], [one for one in columns.split() if one != KEY]
            names = [name for name in self._written.columns if column_digest(name) in digests]
            if digests and len(names) < len(digests):
                return None
            if keyed:
                content = key_words(self._written[names])
            else:
                content = self.content if columns in (self.columns, "") else contents(self._written[names])
            self._found[columns] = RowIds(content, row_identity.numbers(content))
        return self._found[columns]

    def differ(self, columns: str, words: Ids, content: Ids | None) -> bool:
        """Whether one of the rows with these words has another content than it had; False where none was kept."""
        if content is None or (ids := self.by(columns)) is None:
            return False
        known = dict(zip(words.tolist(), content.tolist(), strict=True))
        return any(
            known.get(word, one) != one for word, one in zip(ids.of_rows.tolist(), self.content.tolist(), strict=True)
        )

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
