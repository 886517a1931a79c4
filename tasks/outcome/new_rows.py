"""Which rows of the test set are new, and whether these are a fair sample of the new rows (decision 25)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tasks.params import Settings
from tasks.storage.row_ids import Ids, RowIds


@dataclass(frozen=True, eq=False)
class KnownRows:
    """`RowIds.words` of the rows that are not new."""

    words: Ids

    def rows(self, ids: RowIds) -> NDArray[np.bool_]:
        """Which of the rows are known."""
        return np.isin(ids.of_rows, self.words)

    def all_in(self, every: RowIds) -> bool:
        """Whether the table still has all of them."""
        return bool(np.isin(self.words[self.words % 2 == 0], every.of_rows).all())


def fresh(test: RowIds, known: KnownRows) -> NDArray[np.intp]:
    """The rows of the test set that are new. Of a group, of copies kept together, of a time, all rows are or none."""
    seen = known.rows(test)
    if test.of_units is not None:
        seen = np.isin(test.of_units, np.concatenate([known.words, test.of_units[seen]]))
    return np.flatnonzero(~seen)


def hidden(test: RowIds, every: RowIds, known: KnownRows, *, copies: bool) -> float:
    """The share of the new rows that `fresh` leaves out, so that the others are no fair sample of them (decision 25).

    With groups or time it is 0: the claim is about new groups or times. Where `copies` are kept together, new rows with
    the features of known ones are left out, and counted as far as their numbers show them. An independent row that left
    the table leaves its number to a new row of the same content, which then is taken for the old one: the share of such
    rows is estimated by that of the rows of the table that equal another.
    """
    if test.unit is not None:
        new = int((~known.rows(test)).sum())
        again = new - len(fresh(test, known)) if copies else 0
        return again / max(new, 1)
    if known.all_in(every):
        return 0.0
    _, place, size = np.unique(every.content, return_inverse=True, return_counts=True)
    return float((size[place] > 1).mean())


def unit_of(settings: Settings, ids: RowIds) -> str:
    """What one observation is called, in the plural."""
    if ids.unit is None:
        return "rows"
    if settings.data.groups is not None:
        return "groups"
    return "distinct rows" if settings.split.duplicates == "keep_together" else "times"
