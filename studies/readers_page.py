"""docs/how-to/predictions-of-other-tools.md: the table of conventions, made of the readers' own records.

`python -m studies.readers_page` writes the table again.
"""

from collections.abc import Sequence
from pathlib import Path

from heldout.predictions.reader import Reader
from heldout.predictions.readers import READERS

PAGE = Path("docs/how-to/predictions-of-other-tools.md")
_START, _END = "<!-- made by `python -m studies.readers_page` -->", "<!-- end -->"
_HEAD = ("format", "tool and version", "how the file is written", "what a line is", "what the tool prints", "source")


def table(readers: Sequence[Reader] = READERS) -> str:
    """A line for each reader."""
    rows = (
        (f"`{one.name}`", f"{one.tool} {one.versions}", one.call, one.holds, one.prints, one.source) for one in readers
    )
    lines = [_HEAD, ("---",) * len(_HEAD), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def page(text: str) -> str:
    """The text of the page with the table made again."""
    head, _, rest = text.partition(_START)
    return f"{head}{_START}\n\n{table()}\n\n{_END}{rest.partition(_END)[2]}"


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
