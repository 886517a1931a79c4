"""What people look at: the report page, and the table in the terminal."""

from heldout import baseline
from heldout.printable import printable
from tasks.outcome.contest import Decision
from tasks.report.page import page
from tasks.report.sentences import sentences
from tasks.report.summary import SHOWN, Summary
from tasks.storage import files

_LOG_WIDTH = 120  # where there is no terminal to measure
_LEAST_WIDTH = 106  # of the table: a narrow terminal breaks its lines, but loses no digit


def write_report(summary: Summary) -> None:
    """report.html."""
    files.write_text(files.REPORT, page(summary))


def _texts(summary: Summary, candidate: str) -> list[str]:
    cells = [summary.cell(candidate, estimate) for estimate in SHOWN]
    return [f"{value}\n{interval}" if interval else value or "–" for value, interval in cells]


def print_summary(summary: Summary, decision: Decision, place: str, speed: object | None = None) -> None:
    """The table, the choice, and where to look next: `place` is where the model is in MLflow."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    width = max(console.width, _LEAST_WIDTH) if console.is_terminal else _LOG_WIDTH
    console = Console(width=width, markup=False, emoji=False)  # a user's text is no markup
    table = Table(
        title=f"{summary.scale}, with intervals at {summary.level} where one is claimed", title_justify="left"
    )
    table.add_column("candidate", overflow="fold")  # a grid's point may have a long name
    for estimate in SHOWN:
        table.add_column(estimate, justify="right", no_wrap=True)
    for candidate in summary.selection["candidates"]:
        if candidate in summary.failures:
            table.add_row(printable(candidate), "failed", style="red")
            continue
        table.add_row(
            printable(candidate),
            *_texts(summary, candidate),
            style="bold green" if candidate == summary.selected else None,
        )
    table.add_row(baseline.NAME, *_texts(summary, baseline.NAME), style="bright_black")
    console.print(table)
    lines = Table.grid(padding=(0, 2))
    places = {
        **({} if speed is None else {"predictions": str(speed)}),
        "report": str(files.REPORT),
        "model": f"{files.MODEL}, in MLflow {place}",
        **({} if decision.trial else {"promoted": f"{decision.promoted}: {decision.reason}"}),
        "runs": "make ui",
    }
    for name, text in {**sentences(summary), **places}.items():
        lines.add_row(Text(printable(name), style="bold"), printable(text))
    console.print(lines)
