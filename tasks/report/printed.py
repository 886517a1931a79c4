"""What a run prints at its end: the table, the choice, and where to look next."""

import textwrap
from collections.abc import Iterator, Mapping

from heldout import baseline, text_table
from heldout.printable import printable
from heldout.text_table import Row
from tasks.outcome.contest import Decision
from tasks.report.estimates_table import FAILED, columns_and_rows
from tasks.report.sentences import sentences
from tasks.report.summary import Summary
from tasks.storage import files

_WIDEST_LABEL, _LEAST_TEXT = 16, 30
SELECTED = "selected"


def print_summary(summary: Summary, decision: Decision, place: str, speed: object | None = None) -> None:
    """Print the table and the sentences, as wide as the terminal; `place` is where the model is in MLflow."""
    from rich.console import Console
    from rich.text import Text

    width, console = text_table.output_width(), Console()
    columns, rows = columns_and_rows(summary)
    title = text_table.title(summary.scale, summary.level, SELECTED)
    print(*textwrap.wrap(printable(title), width, break_long_words=False), sep="\n")
    for line, row in text_table.lines(columns, rows, width):
        console.print(Text(line, _style(row)), soft_wrap=True)
    places = {
        **({} if speed is None else {"predictions": str(speed)}),
        "report": str(files.REPORT),
        "model": f"{files.MODEL}, in MLflow {place}",
        **({} if decision.trial else {"promoted": f"{decision.promoted}: {decision.reason}"}),
        "runs": "make ui",
    }
    print()
    for label, line in labelled_lines({**sentences(summary), **places}, width):
        console.print(Text.assemble((label, "bold"), line), soft_wrap=True)


def labelled_lines(texts: Mapping[str, str], width: int) -> Iterator[tuple[str, str]]:
    """Each text next to its name, in lines of a label and what follows it; a long name has a line of its own."""
    names = [printable(name) for name in texts]
    indent = 2 + max(len(name) for name in names if len(name) <= _WIDEST_LABEL)
    for name, text in zip(names, texts.values(), strict=True):
        wrapped = textwrap.wrap(
            printable(text), max(width - indent, _LEAST_TEXT), break_long_words=False, break_on_hyphens=False
        )
        if len(name) > _WIDEST_LABEL:
            yield name, ""
        else:
            yield name.ljust(indent), wrapped.pop(0) if wrapped else ""
        for line in wrapped:
            yield "", " " * indent + line


def _style(row: Row | None) -> str:
    if row is None:
        return ""
    if row.selected:
        return "bold green"
    if row.note == FAILED:
        return "red"
    return "bright_black" if row.name == baseline.NAME else ""
