"""Tables in Markdown that a study makes, and their place in a page."""

from collections.abc import Sequence
from pathlib import Path


def markdown(lines: Sequence[Sequence[str]]) -> str:
    """A table; the first line is its head."""
    lines = [lines[0], ["---"] * len(lines[0]), *lines[1:]]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def write_between(page: Path, begin: str, end: str, text: str) -> None:
    """Replace what stands in the page between two marks, which stay."""
    before, rest = page.read_text(encoding="utf-8").split(begin)
    page.write_text(f"{before}{begin}\n{text}\n{end}{rest.split(end, 1)[1]}", encoding="utf-8")
