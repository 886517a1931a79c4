"""What each number is about, and under which assumption its interval holds."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from heldout.estimates.methods import assumption_of
from heldout.selection import bbc
from heldout.splits.dependence import DependenceKind
from tasks.report.section import Cell, Section, Table
from tasks.report.sentences import why
from tasks.report.summary import Summary


def section(summary: Summary) -> Section:
    """A line for each estimate of the winner."""
    rows = [
        [
            row["estimate"],
            row["target"],
            row["interval"] or "none claimed",
            Cell(row["assumption"], row["why"]),
            str(row["n_train"]),
            str(row["n_tested"]),
        ]
        for row in targets(summary)
    ]
    head = ["estimate", "target", "interval", "valid under", "trained on", "tested on"]
    table = Table(f"The estimates of {summary.selected}", head, rows, words=frozenset({1, 2, 3}))
    caption = (
        "A low disagreement promises nothing: a learner can agree with itself and be wrong. Intervals assume that rows "
        "are independent draws from the population that the model will meet"
    )
    if summary.settings.data.picked_blindly:
        caption += "; here they were picked (sampling: active), so cross-validation is about another population"
    return Section("targets", "What each number is about", f"{caption}.", tables=[table])


def targets(summary: Summary) -> Iterator[dict[Any, Any]]:
    """What each estimate of the selected candidate is about, and why its interval holds."""
    for row in summary.estimates_of(summary.selected).to_dict("records"):
        estimate, interval = row["estimate"], "" if pd.isna(row["interval"]) else row["interval"]
        yield {
            **row,
            "interval": interval,
            "assumption": _assumption(estimate, interval, summary.rows.kind) if interval else "",
            "why": why(summary, estimate),
        }


def _assumption(estimate: str, interval: str, kind: DependenceKind | None) -> str:
    if estimate == "E_bbc":
        return bbc.assumption(interval, kind)
    return assumption_of(estimate, interval, kind)
