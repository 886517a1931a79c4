"""reports/summary.md: the winner, the table and the sentences, for a comment on a pull request.

A text of the user's stands in code alone, where no reader of Markdown looks for markup, addresses, mentions or HTML:
names in code spans, sentences in a code block.
"""

import re
from collections.abc import Iterator

from heldout.display import strip_text
from heldout.display.cells import marks
from heldout.display.text_table import MARK
from heldout.printable import printable
from tasks.report.decision_strip import decision_strip
from tasks.report.estimates_table import columns_and_rows
from tasks.report.headline import headline
from tasks.report.labelled_lines import labelled_lines
from tasks.report.sentences import sentences
from tasks.report.summary import Summary
from tasks.storage import files

_WIDTH = 100


def write_summary(summary: Summary) -> None:
    """Write the page; it is the same for the same results."""
    files.write_text(files.SUMMARY, "\n".join(lines(summary)))


def lines(summary: Summary) -> Iterator[str]:
    """The page, line by line."""
    yield f"# {code(summary.selected)}"
    yield ""
    screen = headline(summary)
    yield f"**{code(screen.advice)}**"
    yield ""
    if screen.others:
        yield code(screen.others)
        yield ""
    for text in (*screen.caveats, *(f"{label} {fact}" for label, fact in screen.facts.items())):
        yield f"- {code(text)}"
    yield ""
    if strip := [*strip_text.lines(decision_strip(summary), _WIDTH)]:
        yield from _block(strip)
        yield ""
    yield from _table(summary)
    yield ""
    yield "<details><summary>What is known, and what that rests on</summary>"
    yield ""
    yield from _block([label + text for label, text in labelled_lines(sentences(summary), _WIDTH)])
    yield ""
    yield "</details>"


def code(text: str) -> str:
    r"""A code span, also for a cell of a table: a bar would end the cell, so it is written as \x7c."""
    shown = printable(text).replace("|", r"\x7c")
    fence = "`" * (_longest_run(shown) + 1)
    space = " " if "`" in shown or shown[:1] + shown[-1:] == "  " else ""
    return f"{fence}{space}{shown or ' '}{space}{fence}"


def _table(summary: Summary) -> Iterator[str]:
    columns, rows = columns_and_rows(summary)
    yield (
        f"{code(summary.scale)}, below each its interval at {summary.level}; \\{MARK} is selected"
        f"{marks(bool(summary.not_credible))}:"
    )
    yield ""
    yield _row("", "candidate", *columns)
    yield _row(":-", ":-", *["-:"] * len(columns))
    for row in rows:
        mark = f"**\\{MARK}**" if row.selected else ""
        cells = [code(row.note)] if row.note else ["<br>".join(filter(None, cell)) for cell in row.cells]
        yield _row(mark, code(row.name), *cells)


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _block(texts: list[str]) -> Iterator[str]:
    fence = "`" * max(3, 1 + max(map(_longest_run, texts)))
    yield f"{fence}text"
    yield from texts
    yield fence


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
