"""The error of each class, by cross-validation: it is there before the test set is opened."""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd

from heldout.display.svg import ACCENT, MUTED
from heldout.losses import ZERO_ONE, amounts
from tasks.report.section import Cell, PagePicture, Section, Table
from tasks.report.style import figure, interval_line, name_lines
from tasks.report.summary import Summary, shown_count

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DRAWN = 20


def section(summary: Summary) -> Section | None:
    """The lines of class_errors.csv; nothing for a loss other than 0/1."""
    table = summary.tables.class_errors
    if table.empty:
        return None
    lines = table.sort_values("value", ascending=False, kind="stable").to_dict("records")
    caption = (
        f"What {summary.selected} errs on the rows of each class in cross-validation. Each interval holds at "
        f"{summary.level} by itself: among many classes some miss. A class with few rows says little."
    )
    if len(lines) > _DRAWN:
        caption += f" The picture has the {_DRAWN} classes of the largest error."
    numbers = Table("Error of each class, %", ["class", "rows", "error", "interval"], [_line(line) for line in lines])
    picture = PagePicture(partial(_draw, summary, lines[:_DRAWN]), "The error of each class, as in the table")
    sealed = summary.test_set.metrics.empty  # else these are among its metrics
    return Section("classes", "Errors of each class", caption, [picture], numbers=[numbers], opened=sealed)


def _line(line: Mapping[Any, Any]) -> list[str | Cell]:
    ends = (
        Cell("–", line["reason"] or "") if pd.isna(line["low"]) else f"{_shown(line['low'])} to {_shown(line['high'])}"
    )
    return [str(line["class_name"]), shown_count(int(line["n_tested"])), _shown(line["value"]), ends]


def _shown(value: float) -> str:
    return "–" if pd.isna(value) else amounts.number(value, ZERO_ONE)


def _draw(summary: Summary, lines: Sequence[Mapping[Any, Any]]) -> "Figure":
    made, axes = figure(4.7, 0.8 + 0.23 * len(lines))
    ends = [
        [math.nan if pd.isna(line[name]) else 100 * line[name] for name in ("value", "low", "high")] for line in lines
    ]
    most = max([*(end for of in ends for end in of if not math.isnan(end)), 1.0])
    for place, (value, low, high) in enumerate(ends):
        if not math.isnan(value):
            interval_line(axes, place, (value, low, high), (0.0, most), ACCENT)
    overall = summary.value(summary.selected, "E_cv")
    if overall is not None:
        axes.axvline(100 * overall, color=MUTED, lw=1, ls=":", zorder=0)
    name_lines(axes, [str(line["class_name"]) for line in lines])
    axes.set_xlim(0, 1.03 * most)
    axes.set_xlabel("error in cross-validation, %; dotted: of all rows", loc="right")
    return made
