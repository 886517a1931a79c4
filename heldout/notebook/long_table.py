"""A long table of what candidates answered: one line for each row and candidate, in any order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.parts.dependence import distinct
from heldout.rows import frames
from heldout.rows.missing import is_missing

Values = NDArray[Any]


@dataclass(frozen=True, eq=False)
class LongTable:
    """The L lines of a table about N rows and M candidates.

    `rows`, shape (N,), are the names of the rows, ascending where they can be compared, and `candidates` those of the
    candidates, in the order in which they appear. `row` and `candidate`, shape (L,), are their places, line by line.
    """

    rows: Values
    candidates: tuple[str, ...]
    row: NDArray[np.int64]
    candidate: NDArray[np.int64]

    @classmethod
    def of(cls, rows: Values, candidates: Values) -> Self:
        """From the name of the row and of the candidate of each line, both of shape (L,).

        Raises BadArgument for a table without lines, a gap among the names, and candidates that miss some of the rows.
        """
        if not len(rows):
            raise BadArgument("table", "table has no line; it needs one for each row and candidate")
        for argument, values in (("row", rows), ("candidate", candidates)):
            if len(lines := np.flatnonzero(gaps(values))):
                raise BadArgument(argument, f"{argument}: line {lines[0]} of the table has no name there; fill it in")
        place, first = _places(rows)
        of, firsts = _places(candidates)
        order = np.argsort(firsts)  # by appearance
        made = cls(rows[first], tuple(str(name) for name in candidates[firsts][order]), place, np.argsort(order)[of])
        made._check_paired()
        return made

    def mean(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean of a value, shape (L,), over the lines of each candidate and row, shape (M, N)."""
        shape = (len(self.candidates), len(self.rows))
        cells = self._cells
        sums = np.bincount(cells, weights=values, minlength=shape[0] * shape[1])
        return (sums / np.bincount(cells, minlength=shape[0] * shape[1])).reshape(shape)

    def of_rows(self, argument: str, values: Values) -> Values:
        """What all lines of a row say, shape (N,), of `values`, shape (L,). Raises BadArgument where two differ."""
        found: Values = np.empty(len(self.rows), dtype=values.dtype)
        found[self.row[::-1]] = values[::-1]
        if len(apart := np.flatnonzero(found[self.row] != values)):
            line = apart[0]
            raise BadArgument(
                argument,
                f"{argument}: row {self.rows[self.row[line]]} has {found[self.row[line]]} in one line and "
                f"{values[line]} in another; all lines of a row must say the same",
            )
        return found

    def line(self, number: Any) -> str:
        """The row and the candidate of a line, for messages."""
        return f"row {self.rows[self.row[number]]} of {self.candidates[self.candidate[number]]}"

    @property
    def repeated(self) -> bool:
        """Whether a candidate has several lines for some row."""
        return len(self.row) > len(self.candidates) * len(self.rows)

    @property
    def _cells(self) -> NDArray[np.int64]:
        return self.candidate * len(self.rows) + self.row

    def _check_paired(self) -> None:
        counts = np.bincount(self._cells, minlength=len(self.candidates) * len(self.rows))
        if len(missing := np.flatnonzero(counts == 0)):
            candidate, row = divmod(int(missing[0]), len(self.rows))
            raise BadArgument(
                "table",
                f"table has no line for row {self.rows[row]} of {self.candidates[candidate]}, and lacks "
                f"{len(missing)} lines in all: candidates are compared on the same rows; leave out rows or candidates",
            )


def column(table: Any, argument: str, name: str) -> Values:
    """A column of a data frame or a mapping, shape (L,). Raises BadArgument where there is none."""
    known = columns(table)
    if name not in known:
        raise BadArgument(
            argument, f"{argument} is {name!r}, but table has the columns {', '.join(known)}; name the column there"
        )
    values = np.asarray(table[name])
    if values.ndim != 1:
        raise BadArgument(argument, f"{argument}: column {name!r} has the shape {values.shape}; it must be a column")
    return values


def columns(table: Any) -> Sequence[str]:
    """The names of the columns. Raises BadArgument for what is neither a data frame nor a mapping of columns."""
    frames.checked_frame(table, "table")
    names = table.keys() if hasattr(table, "keys") else getattr(table, "column_names", getattr(table, "columns", None))
    if names is None:
        raise BadArgument(
            "table", f"table is a {type(table).__name__}; it must be a data frame, or map names to columns"
        )
    return [str(name) for name in names]


def gaps(values: Values) -> NDArray[np.bool_]:
    """Where a value is missing: None, NaN or NaT, which is not equal to itself."""
    if values.dtype != object:
        return np.asarray(values != values, dtype=np.bool_)
    return np.array([is_missing(value) for value in values.tolist()], dtype=np.bool_)


def _places(values: Values) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The place of each value among the distinct values, and the first line of each of these."""
    place = distinct(values)
    first = np.empty(int(place.max()) + 1, dtype=np.int64)
    first[place[::-1]] = np.arange(len(place))[::-1]
    return place, first
