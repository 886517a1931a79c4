"""What a run prints at its end: the table, the choice, and where to look next."""

import textwrap

from heldout import baseline, table, text_table
from heldout.printable import printable
from heldout.text_table import Row
from tasks.outcome.contest import Decision
from tasks.report.estimates_table import FAILED, columns_and_rows
from tasks.report.labelled_lines import labelled_lines
from tasks.report.sentences import DECISION, sentences
from tasks.report.summary import Summary
from tasks.storage import files

SELECTED = "selected"


def print_summary(summary: Summary, decision: Decision, place: str, speed: object | None = None) -> None:
    """Print the table and the sentences, as wide as the terminal; `place` is where the model is in MLflow."""
    from rich.console import Console
    from rich.text import Text

    width, console = text_table.output_width(), Console()
    columns, rows = columns_and_rows(summary)
    title = text_table.title(summary.scale, summary.level, SELECTED) + table.marks(bool(summary.not_credible))
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
    told = {name: text for name, text in sentences(summary).items() if name != DECISION}
    cares = dict(zip(_caveat_names(summary), summary.decision.further, strict=True))
    for label, line in labelled_lines({**told, **places, **cares}, width):
        console.print(Text.assemble((label, "bold"), line), soft_wrap=True)
    print()
    console.print(Text(printable(summary.decision.advice), "bold"), soft_wrap=True)


def _caveat_names(summary: Summary) -> list[str]:
    count = len(summary.decision.further)
    return [f"caveat {place}" for place in range(1, count + 1)] if count > 1 else ["caveat"] * count


def _style(row: Row | None) -> str:
    if row is None:
        return ""
    if row.selected:
        return "bold green"
    if row.note == FAILED:
        return "red"
    return "bright_black" if row.name == baseline.NAME else ""
