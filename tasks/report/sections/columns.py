"""Which columns matter: what the winner errs more where a column has the values of other rows."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd

from heldout.display import number_axis
from heldout.display.cells import DOUBTED, marks
from heldout.display.svg import ACCENT, INK, MUTED
from heldout.losses.amounts import apart
from tasks.report.section import PagePicture, Section, Table
from tasks.report.style import figure, name_lines
from tasks.report.summary import Summary

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DRAWN = 20


def section(summary: Summary) -> Section | None:
    """Nothing where nobody asked for it."""
    lines = summary.tables.columns.to_dict("records")
    if not lines:
        return None
    error = summary.value(summary.selected, "E_cv") or 0.0
    rows = [[line["columns"], *_increase(summary, line, error)] for line in lines]
    doubted = any(not pd.isna(line["not_credible"]) for line in lines)
    table = Table(f"Increase of E_cv{marks(doubted)}", ["column", "increase", "interval"], rows)
    caption = (
        f"What the fold hypotheses of {summary.selected} err more where a column has the values of other tested rows. "
        f"The intervals hold at {summary.level} for all columns at once. Where an interval lies above 0, the column is "
        "used. Columns that say the same hide each other: name them as a set in report.columns. It says what the model "
        "uses, not what causes the target."
    )
    if len(lines) > _DRAWN:
        caption += f" The picture has the {_DRAWN} columns of the largest increase."
    alt = "The increase for each column with its interval, as in the table"
    picture = PagePicture(partial(_draw, summary, lines[:_DRAWN], error), alt)
    return Section("columns", "Which columns matter", caption, [picture], numbers=[table])


def _increase(summary: Summary, line: Mapping[Any, Any], error: float) -> tuple[str, str]:
    """The increase from the error, and its interval."""
    value, low, high = (-apart(-line[name], error, summary.loss) for name in ("increase", "low", "high"))
    ends = "–" if pd.isna(low) else f"{summary.written(low)} to {summary.written(high)}"
    return summary.written(value), ends if pd.isna(line["not_credible"]) else f"{ends} {DOUBTED}"


def _draw(summary: Summary, lines: Sequence[Mapping[Any, Any]], error: float) -> "Figure":
    made, axes = figure(4.7, 0.8 + 0.23 * len(lines))
    most = 0.0
    for place, line in enumerate(lines):
        value, low, high = (-apart(-line[name], error, summary.loss) for name in ("increase", "low", "high"))
        colour = ACCENT if low > 0 else INK  # shown to be used
        most = max(most, abs(value), *([] if pd.isna(low) else [abs(low), abs(high)]))
        if not pd.isna(low):
            axes.plot([low, high], [place, place], lw=1.6, color=colour)
        axes.plot(value, place, "o", ms=5, color=colour)
    axes.axvline(0, color=MUTED, lw=1, zorder=0)
    name_lines(axes, [line["columns"] for line in lines])
    unit = "percentage points" if summary.percent else summary.loss.shown_as
    unit += number_axis.set_ticks(axes.xaxis, most)
    axes.set_xlabel(f"increase of E_cv, {unit}", loc="right")
    return made
