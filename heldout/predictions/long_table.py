"""What candidates answered, as lines: one for each row and candidate, in any order."""

import re
from collections.abc import Container, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.rows import frames
from heldout.rows.missing import is_missing
from heldout.rows.wide import wide
from heldout.splits.dependence import distinct

Values = NDArray[Any]
LOSS = "loss"  # the column that takes the place of answers and labels where there are no answers
_NEVER_MISSING = {str, int, bool}
_UNKNOWN = re.compile(r"(?:\d+:)?\?")
REMEDY = "leave out such rows (missing: leave_out), or count what is missing as errors (missing: wrong)"


@dataclass(frozen=True, eq=False)
class LongTable:
    """The L lines of a table about N rows and M candidates.

    `rows`, shape (N,), are the names of the rows, ascending where they can be compared, and `candidates` those of the
    candidates, in the order in which they appear. `row` and `candidate`, shape (L,), are their places, line by line,
    and `source` the place of each line in the columns of the table. `of_columns` says whether the lines are all cells
    of a column for each candidate, one column after the other.
    """

    rows: Values
    candidates: tuple[str, ...]
    row: NDArray[np.int64]
    candidate: NDArray[np.int64]
    source: NDArray[np.int64]
    of_columns: bool = False

    @classmethod
    def of(cls, rows: Values, candidates: Values) -> Self:
        """From the name of the row and of the candidate of each line, both of shape (L,).

        Raises BadArgument for a table without lines, and a gap among the names.
        """
        _check_named("row", rows)
        _check_named("candidate", candidates)
        place, first = _places(rows)
        of, firsts = _places(candidates)
        order = np.argsort(firsts)  # by appearance
        names = tuple(str(name) for name in candidates[firsts][order])
        return cls(rows[first], names, place, np.argsort(order)[of], np.arange(len(rows)))

    @classmethod
    def wide(cls, rows: Values, candidates: Sequence[str]) -> Self:
        """Of a table with a column for each of the candidates; `rows`, shape (n,), has the name of each line's row.

        The lines of the first candidate come first. Raises BadArgument as `of` does.
        """
        _check_named("row", rows)
        place, first = _places(rows)
        n, m = len(rows), len(candidates)
        return cls(
            rows[first],
            tuple(candidates),
            np.tile(place, m),
            np.repeat(np.arange(m), n),
            np.tile(np.arange(n), m),
            of_columns=True,
        )

    def column(self, table: Any, argument: str, name: str) -> Values:
        """A column of the table, line by line, shape (L,). Raises BadArgument where there is none."""
        values = column(table, argument, name)
        return np.tile(values, len(self.candidates)) if self._whole else values[self.source]

    def answered(self, filled: NDArray[np.bool_]) -> Self:
        """The lines that are `filled`, shape (L,), of the rows for which every candidate has such a line.

        Raises BadArgument where there is no such row.
        """
        kept = np.all(self._counts(filled) > 0, axis=0)
        if not np.any(kept):
            raise BadArgument("missing", "missing is leave_out, but no row has an answer of every candidate")
        lines = filled & kept[self.row]
        place = np.cumsum(kept) - 1
        return replace(
            self,
            rows=self.rows[kept],
            row=place[self.row[lines]],
            candidate=self.candidate[lines],
            source=self.source[lines],
            of_columns=False,
        )

    def in_order_of(self, keys: Values) -> Self:
        """The same with its rows in the order of the least of their lines' `keys`, shape (L,); equal ones as before."""
        rank = distinct(keys)
        least = np.full(len(self.rows), len(rank))
        np.minimum.at(least, self.row, rank)
        order = np.argsort(least, kind="stable")
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        return replace(self, rows=self.rows[order], row=place[self.row])

    def of_each(self, argument: str, values: Values) -> Iterator[Self]:
        """The lines of each distinct value, ascending, of `values`, shape (L,).

        Raises BadArgument where such lines lack one of a row and a candidate.
        """
        kind = distinct(values)
        for number in range(int(kind.max()) + 1):
            lines = kind == number
            of_lines = {"row": self.row[lines], "candidate": self.candidate[lines], "source": self.source[lines]}
            made = replace(self, **of_lines, of_columns=False)
            if len(missing := np.flatnonzero(made._counts() == 0)):
                candidate, row = divmod(int(missing[0]), len(self.rows))
                raise BadArgument(
                    argument,
                    f"{argument}: {values[lines.argmax()]} has no line for row {self.rows[row]} of "
                    f"{self.candidates[candidate]}; each partition into folds must test every row once",
                )
            yield made

    def mean(self, values: NDArray[np.float64], absent: float) -> NDArray[np.float64]:
        """The mean of a value, shape (L,), over the lines of each candidate and row, shape (M, N); `absent` of none."""
        counts = self._counts()
        if self._whole:
            return values.reshape(counts.shape)
        if counts.min() == counts.max() == 1:
            found = np.empty(counts.size)
            found[self._cells] = values
            return found.reshape(counts.shape)
        sums = np.bincount(self._cells, weights=values, minlength=counts.size).reshape(counts.shape)
        return np.where(counts > 0, sums / np.maximum(counts, 1), absent)

    def of_rows(self, argument: str, values: Values, otherwise: str = "") -> Values:
        """What all lines of a row say, shape (N,), of `values`, shape (L,).

        Raises BadArgument where two differ, whose message ends with what may be meant `otherwise`.
        """
        if self._whole:
            return values[: len(self.rows)]
        found: Values = np.empty(len(self.rows), dtype=values.dtype)
        found[self.row[::-1]] = values[::-1]
        if len(apart := np.flatnonzero(found[self.row] != values)):
            line = apart[0]
            raise BadArgument(
                argument,
                f"{argument}: row {self.rows[self.row[line]]} has {found[self.row[line]]} in one line and "
                f"{values[line]} in another; all lines of a row must say the same{otherwise}",
            )
        return found

    def line(self, number: Any) -> str:
        """The row and the candidate of a line, for messages."""
        return f"row {self.rows[self.row[number]]} of {self.candidates[self.candidate[number]]}"

    @property
    def repeated(self) -> bool:
        """Whether a candidate has several lines for some row."""
        return self.answers[1] > 1

    @property
    def answers(self) -> tuple[int, int]:
        """The least and the largest number of lines that a candidate has for a row."""
        counts = self._counts()
        return int(counts.min()), int(counts.max())

    @property
    def absent(self) -> int:
        """How many pairs of a row and a candidate have no line."""
        return int((self._counts() == 0).sum())

    def check_paired(self) -> None:
        """Raise BadArgument where a candidate has no line for some of the rows."""
        if len(missing := np.flatnonzero(self._counts() == 0)):
            candidate, row = divmod(int(missing[0]), len(self.rows))
            raise BadArgument(
                "table",
                f"table has no line for row {self.rows[row]} of {self.candidates[candidate]}, and lacks "
                f"{len(missing)} lines in all, but candidates are compared on the same rows; {REMEDY}",
            )

    @cached_property
    def _cells(self) -> NDArray[np.int64]:
        return self.candidate * len(self.rows) + self.row

    def _counts(self, lines: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
        """How many of the `lines`, or of all, each candidate has for each row, shape (M, N)."""
        if lines is None:
            return self._of_all
        return self._counted(self._cells[lines])

    @cached_property
    def _of_all(self) -> NDArray[np.int64]:
        if self._whole:
            return np.broadcast_to(np.int64(1), (len(self.candidates), len(self.rows)))
        return self._counted(self._cells)

    @cached_property
    def _whole(self) -> bool:
        """Whether the lines are those of a column for each candidate, each with every row once and in order."""
        n = len(self.rows)
        return (
            self.of_columns and len(self.row) == n * len(self.candidates) and bool(np.all(self.row[:n] == np.arange(n)))
        )

    def _counted(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        shape = (len(self.candidates), len(self.rows))
        return np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)


def column(table: Any, argument: str, name: str) -> Values:
    """A column of a data frame or a mapping, shape (L,), in a wide type. Raises BadArgument where there is none."""
    known = by_text(table)
    if str(name) not in known:
        raise BadArgument(
            argument, f"{argument} is {name!r}, but table has the columns {', '.join(known)}; name the column there"
        )
    values = np.asarray(table[known[str(name)]])
    if values.ndim != 1:
        raise BadArgument(argument, f"{argument}: column {name!r} has the shape {values.shape}; it must be a column")
    return wide(values, argument)


def others(table: Any, used: Container[str]) -> Iterator[tuple[str, Values]]:
    """The columns that are not `used`, without those that cannot be read (numbers beyond int64), which have no role."""
    for name in columns(table):
        if name not in used:
            with suppress(BadArgument):
                yield name, column(table, "table", name)


def columns(table: Any) -> Sequence[str]:
    """The names of the columns. Raises BadArgument for what is neither a data frame nor a mapping of columns."""
    return [*by_text(table)]


def by_text(table: Any) -> dict[str, Any]:
    """The names of the columns by their text: those of a frame that was made of an array are numbers."""
    frames.checked_frame(table, "table")
    names = table.keys() if hasattr(table, "keys") else getattr(table, "column_names", getattr(table, "columns", None))
    if names is None:
        raise BadArgument(
            "table", f"table is a {type(table).__name__}; it must be a data frame, or map names to columns"
        )
    return {str(name): name for name in names}


def gaps(values: Values) -> NDArray[np.bool_]:
    """Where a value is missing: None, NaN or NaT, which is not equal to itself; or `?`, in Weka `1:?`."""
    if values.dtype != object:
        return np.asarray(values != values, dtype=np.bool_)
    listed = values.tolist()
    if {*map(type, listed)} <= _NEVER_MISSING:
        unknown = {value for value in {*listed} if isinstance(value, str) and _UNKNOWN.fullmatch(value)}
        return np.array([value in unknown for value in listed] if unknown else np.zeros(len(listed)), dtype=np.bool_)
    return np.array(
        [is_missing(value) or (isinstance(value, str) and bool(_UNKNOWN.fullmatch(value))) for value in listed],
        dtype=np.bool_,
    )


def _check_named(argument: str, values: Values) -> None:
    if not len(values):
        raise BadArgument("table", "table has no line; it needs one for each row and candidate")
    if len(lines := np.flatnonzero(gaps(values))):
        raise BadArgument(argument, f"{argument}: line {lines[0]} of the table has no name there; fill it in")


def _places(values: Values) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The place of each value among the distinct values, and the first line of each of these."""
    if values.dtype.kind in "iu" and bool(np.all(values[1:] > values[:-1])):
        return np.arange(len(values)), np.arange(len(values))
    place = distinct(values)
    first = np.empty(int(place.max()) + 1, dtype=np.int64)
    first[place[::-1]] = np.arange(len(place))[::-1]
    return place, first
