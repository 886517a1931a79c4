"""A section of the report page: what it says, its pictures, and the tables that these were drawn from.

Texts are a user's or a learner's too: the page escapes them, and shows what nobody sees as an escape.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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

    The tables stand next to the pictures; `folded` tables are behind a line to click, for those that repeat a picture.
    """

    name: str
    title: str
    caption: str = ""
    pictures: Sequence[PagePicture] = ()
    tables: Sequence[Table] = ()
    folded: bool = False
