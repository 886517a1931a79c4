"""What people look at: the report page, and the metrics file."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from heldout import baseline
from heldout.dependence import DependenceKind
from heldout.intervals.dependent import assumption_of
from heldout.printable import printable
from heldout.selection import bbc
from tasks.report.sentences import sentences, why
from tasks.report.summary import SHOWN, Summary
from tasks.storage import files


def write_report(summary: Summary) -> None:
    """report.html, and metrics.json with the selected candidate's estimates."""
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
    selected = summary.estimates_of(summary.selected)
    metrics = dict(zip(selected["estimate"], selected["value"].astype(float), strict=True))
    further = {name: summary.selection[name] for name in ("bound", "baseline")}
    files.write_json(files.METRICS, {**metrics, **further})


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
