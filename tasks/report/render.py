"""What people look at: the report page, and the table in the terminal."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from heldout import baseline
from heldout.dependence import DependenceKind
from heldout.intervals.dependent import assumption_of
from heldout.printable import printable
from heldout.selection import bbc
from tasks.outcome.contest import Decision
from tasks.report.sentences import sentences, why
from tasks.report.summary import SHOWN, Summary
from tasks.storage import files

_LOG_WIDTH = 120  # where there is no terminal to measure
_LEAST_WIDTH = 106  # of the table: a narrow terminal breaks its lines, but loses no digit


def write_report(summary: Summary) -> None:
    """report.html."""
    from jinja2 import Environment, FileSystemLoader

    environment = Environment(loader=FileSystemLoader(Path(__file__).parent), autoescape=True, finalize=_shown)
    page = environment.get_template("report.html.j2").render(
        summary=summary,
        sentences=sentences(summary),
        shown=SHOWN,
        baseline=baseline.NAME,
        targets=list(targets(summary)),
        shards=[report for report in summary.shards if report.bad or report.notes],
        picked_blindly=summary.settings.data.picked_blindly,
    )
    files.write_text(files.REPORT, page)


def _shown(value: object) -> object:
    """A value as the page shows it; the template's own HTML is no plain text."""
    return printable(value) if type(value) is str else value


def targets(summary: Summary) -> Iterator[dict[Any, Any]]:
    """What each estimate of the selected candidate is about, and why its interval holds."""
    for row in summary.estimates_of(summary.selected).to_dict("records"):
        estimate, interval = row["estimate"], "" if pd.isna(row["interval"]) else row["interval"]
        yield {
            **row,
            "interval": interval,
            "assumption": _assumption(estimate, interval, summary.kind) if interval else "",
            "why": why(summary, estimate),
        }


def _assumption(estimate: str, interval: str, kind: DependenceKind | None) -> str:
    if estimate == "E_bbc":
        return bbc.assumption(interval, kind)
    return assumption_of(estimate, interval, kind)


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
