"""What a reader looks at: a table in memory, or a file, whose text and columns are read when somebody asks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from heldout.errors import BadArgument
from heldout.predictions.long_table import Values, by_text, column

HEAD = 400  # lines of a file by which it is recognised


@dataclass(frozen=True, eq=False)
class Source:
    """A table, or a file: its `name`, the name of its `folder`, and the `candidate` that a user named before it.

    `head` are the first lines of a file of text, without their ends; empty for a table. `text` reads all of them, and
    `load` the columns, if it `has_columns`.
    """

    name: str
    load: Callable[[], Any]
    folder: str = ""
    candidate: str = ""
    head: tuple[str, ...] = ()
    text: Callable[[], list[str]] = list
    has_columns: bool = True

    @classmethod
    def of(cls, table: Any) -> "Source":
        """A data frame, or a mapping of columns."""
        return cls("table", lambda: table)

    @cached_property
    def table(self) -> Any:
        """The columns."""
        return self.load()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the columns. Raises BadArgument for what is no table."""
        return tuple(by_text(self.table))

    @cached_property
    def lines(self) -> list[str]:
        """All lines of a file of text."""
        return self.text()

    def column(self, name: str) -> Values:
        """A column, shape (L,). Raises BadArgument where there is none."""
        return column(self.table, "table", name)

    def needs(self, names: Sequence[str], give: str) -> None:
        """Raise BadArgument with what to `give` where a column is not there."""
        for name in names:
            if name not in self.names:
                raise BadArgument("table", f"table has no {name!r}: give {give}")

    def columns(self) -> Mapping[str, Values]:
        """All columns."""
        return {name: self.column(name) for name in self.names}


@dataclass(frozen=True)
class Asked:
    """What a user said: the names of some columns; that of the metric which is the credit of a row (`correct`); whether
    rows were tested before they were trained on; and the `only` values of the lines, where a text has no columns.
    """

    label: str | None = None
    fold: str | None = None
    correct: str | None = None
    progressive: bool = False
    only: Sequence[str] = ()
