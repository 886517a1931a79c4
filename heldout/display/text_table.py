"""A table of estimates as text: a line for the values of each candidate, and below it their intervals.

It is as wide as what it holds. Columns that do not fit follow in further blocks, each with the names; no name and no
number is cut.
"""

import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

MARK = "*"  # at the name of the selected candidate: a log has no colours
NOTHING = "–"
_LOG_WIDTH = 120  # where there is no terminal to measure
_GAP = "  "
MOST = 10  # candidates with numbers that a table of text has lines for; the others share one


@dataclass(frozen=True)
class Row:
    """A candidate, with a value and its interval for each column; or a `note` in their place."""

    name: str
    cells: Sequence[tuple[str, str]]
    selected: bool = False
    note: str = ""


Line = tuple[str, Row | None]  # the text, and the row that it is a part of


def output_width() -> int:
    """The columns of the terminal that standard output is, or those of a log."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else _LOG_WIDTH


def title(scale: str, level: str, meaning: str) -> str:
    """What the numbers are, and what the mark means; empty parts are left out."""
    parts = [scale, *([f"intervals at {level}"] if level else [])]
    return ", ".join(parts) + (f"; {MARK} {meaning}" if meaning else "")


def few(rows: Sequence[Row], elsewhere: str, always: Sequence[str] = (), most: int = MOST) -> list[Row]:
    """The first `most` rows with numbers; a line says how many others are `elsewhere`.

    Those that are selected, that have a note, or whose name is among `always`, stay.
    """
    far = [row for row in rows if not row.note and row.name not in always][most:]
    gone = [row.name for row in far if not row.selected]
    others = Row(f"{len(gone)} others", (), note=f"in {elsewhere}")
    return [others if row.name in gone else row for row in rows if row.name not in gone[1:]]


def lines(columns: Sequence[str], rows: Sequence[Row], width: int) -> Iterator[Line]:
    """The lines of the table, at most `width` wide where a name and one column are not wider.

    Names that would take more than half of the width have lines of their own.
    """
    heads = [Row("candidate", [(column, "") for column in columns]), *rows]
    longest = max(_width(row.name) for row in heads) + len(_GAP)
    own_line = 2 * longest > width
    first = len(_GAP) if own_line else longest
    widths = [
        max(_width(text) for row in heads if row.cells for text in row.cells[place]) for place in range(len(columns))
    ]
    for number, block in enumerate(_blocks(widths, width - first)):
        if number:
            yield "", None
        taken = [widths[place] for place in block]
        for line in _row_lines(heads[0], block, taken, first, width):
            yield line.rstrip(), None
        yield "─" * (first + sum(taken) + len(_GAP) * len(taken)), None
        for row in rows:
            for line in _row_lines(row, block, taken, first, width):
                yield line.rstrip(), row


def _blocks(widths: Sequence[int], room: int) -> list[list[int]]:
    """The places of the columns, in as few blocks as there have to be, none of them wider than necessary."""
    fewest = _filled(widths, room)
    narrower = (_filled(widths, less) for less in range(max(widths), room))
    return next((blocks for blocks in narrower if len(blocks) == len(fewest)), fewest)


def _filled(widths: Sequence[int], room: int) -> list[list[int]]:
    """The places of the columns, each in the last block if it has room there."""
    blocks: list[list[int]] = [[]]
    left = room
    for place, width in enumerate(widths):
        if blocks[-1] and left < width + len(_GAP):
            blocks.append([])
            left = room
        blocks[-1].append(place)
        left -= width + len(_GAP)
    return blocks


def _row_lines(row: Row, block: Sequence[int], widths: Sequence[int], first: int, width: int) -> Iterator[str]:
    head = f"{MARK if row.selected else ' '} {row.name}"
    if _width(head) > first:
        yield head
        head = ""
    head += " " * (first - _width(head))
    if row.note:
        for line in textwrap.wrap(row.note, max(20, width - first - len(_GAP)), break_long_words=False):
            yield f"{head}{_GAP}{line}"
            head = " " * first
        return
    for part in (0, 1):  # values, then intervals
        texts = [row.cells[place][part] for place in block]
        if any(texts):
            yield head + "".join(_right(text, width) for text, width in zip(texts, widths, strict=True))
        head = " " * first


def _right(text: str, width: int) -> str:
    return _GAP + " " * (width - _width(text)) + text


def _width(text: str) -> int:
    """The places that a text takes in a terminal: two for each wide letter, none for an accent of its own."""
    return sum(0 if unicodedata.combining(sign) else 1 + (unicodedata.east_asian_width(sign) in "WF") for sign in text)
