"""What people look at: the report page, the metrics file, and the table in the terminal."""

from pathlib import Path

import pandas as pd
from jinja2 import Environment, FileSystemLoader
from rich.console import Console
from rich.table import Table

from tasks.report.summary import SHOWN, Summary, why
from tasks.storage import files

_LOG_WIDTH = 120  # where there is no terminal to measure
_LEAST_WIDTH = 106  # of the table: a narrow terminal breaks its lines, but loses no digit


def write_report(summary: Summary) -> None:
    """report.html, and metrics.json with the selected candidate's estimates."""
    environment = Environment(loader=FileSystemLoader(Path(__file__).parent), autoescape=True)
    selected = summary.estimates[summary.estimates["candidate"] == summary.selection["selected"]]
    page = environment.get_template("report.html.j2").render(
        summary=summary,
        sentences=summary.sentences(),
        shown=SHOWN,
        targets=[
            {
                **row,
                "interval": "" if pd.isna(row["interval"]) else row["interval"],
                "assumption": summary.assumptions.get(row["estimate"], ""),
                "why": why(summary, row["estimate"]),
            }
            for row in selected.to_dict("records")
        ],
        shards=[report for report in summary.shards if report.bad or report.notes],
        sampling=summary.settings.data.sampling,
    )
    files.REPORT.parent.mkdir(parents=True, exist_ok=True)
    files.REPORT.write_text(page + "\n", encoding="utf-8")
    metrics = dict(zip(selected["estimate"], selected["value"].astype(float), strict=True))
    files.write_json(files.METRICS, {**metrics, "bound": summary.selection["bound"]})


def print_summary(summary: Summary, model_address: str, speed: object | None = None) -> None:
    """The table, the choice, and where to look next."""
    console = Console()
    console = Console(width=max(console.width, _LEAST_WIDTH) if console.is_terminal else _LOG_WIDTH)
    title = "errors in percent" if summary.percent else "mean losses"
    level = 100 * summary.settings.selection.level
    table = Table(title=f"{title}, with intervals at {level:g} % where one is claimed", title_justify="left")
    table.add_column("candidate", overflow="fold")  # a grid's point may have a long name
    for estimate in SHOWN:
        table.add_column(estimate, justify="right", no_wrap=True)
    for candidate in summary.selection["candidates"]:
        style = "bold green" if candidate == summary.selection["selected"] else None
        if candidate in summary.failures:
            table.add_row(candidate, "failed", style="red")
            continue
        cells = [summary.cell(candidate, estimate) for estimate in SHOWN]
        table.add_row(candidate, *("\n".join(cell) if cell[1] else cell[0] or "–" for cell in cells), style=style)
    console.print(table)
    places = {
        "report": str(files.REPORT),
        "model": f"{files.MODEL}, in MLflow {model_address}",
        "runs": "make ui",
    }
    lines = Table.grid(padding=(0, 2))
    if speed is not None:
        places = {"predictions": str(speed), **places}
    for name, text in {**summary.sentences(), **places}.items():
        lines.add_row(f"[bold]{name}[/bold]", text)
    console.print(lines)
