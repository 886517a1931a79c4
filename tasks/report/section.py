"""A section of the report page: what it says, its pictures, and the tables that these were drawn from.

Texts are a user's or a learner's too: the page escapes them, and shows what nobody sees as an escape.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MANY = 8  # columns
_MILLIONS = re.compile(r"\d,\d{3},\d{3}")


@dataclass(frozen=True)
class Cell:
    """What a cell of a table shows: its `text`, and in smaller letters below it what `explains` it."""

    text: str
    explains: str = ""


@dataclass(frozen=True)
class Table:
    """A table of texts. The first cell of each row is its head; `words` are the other columns that hold no numbers.

    `marked` are the rows that stand out, by their number: "selected", "baseline" or "failed".
    """

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str | Cell]]
    words: frozenset[int] = frozenset()
    marked: Mapping[int, str] = field(default_factory=dict)

    @property
    def long(self) -> bool:
        """Whether the columns need much room: there are many, or some number has millions."""
        numbers = [cell for row in self.rows for place, cell in enumerate(row) if place and place not in self.words]
        texts = [cell if isinstance(cell, str) else cell.text for cell in numbers]
        return len(self.head) > _MANY or any(_MILLIONS.search(text) for text in texts)


@dataclass(frozen=True, eq=False)
class PagePicture:
    """A figure that is drawn inside of `tasks.report.style.drawing`, and what it shows, for people who do not see it.

    It is drawn when it is needed: what it may raise then keeps no number of its section from the reader.
    """

    draw: Callable[[], "Figure"]
    alt: str


@dataclass(frozen=True, eq=False)
class Section:
    """A section: `name` is its address in the page, `caption` what a reader takes from it.

    In view are the caption, the pictures, the tables that say what no picture says, and `terms` with their texts.
    Behind a line to click are how to read it, `further` pictures, and `numbers`, the tables that repeat a picture. A
    section that is not `opened` is a line to click as a whole; one that is `wide` takes the width of the page.
    `linked` is what the contents call the folded rest of an open section, empty for no link to it.
    """

    name: str
    title: str
    caption: str = ""
    pictures: Sequence[PagePicture] = ()
    tables: Sequence[Table] = ()
    reading: str = ""
    further: Sequence[PagePicture] = ()
    numbers: Sequence[Table] = ()
    terms: Mapping[str, str] = field(default_factory=dict)
    opened: bool = False
    wide: bool = False
    linked: str = ""

    @property
    def inside(self) -> str:
        """What the line says that hides the rest of an open section."""
        parts = [
            "the numbers" if self.numbers else "",
            "further pictures" if self.further else "",
            "how to read this" if self.reading else "",
        ]
        shown = [part for part in parts if part]
        return f"{shown[0][:1].upper()}{', '.join(shown)[1:]}" if shown else ""
