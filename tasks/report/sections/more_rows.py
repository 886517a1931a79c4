"""The winner's error against the number of training rows: whether further rows are worth their price."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from heldout.diagnosis.more_rows import AT_2N, AT_N, GAIN
from heldout.losses.amounts import error_label
from tasks.report.section import PagePicture, Section, Table
from tasks.report.sentences import sentences
from tasks.report.style import ACCENT, MUTED, figure, short
from tasks.report.summary import Summary, shown_count

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_AHEAD = ("E_cv", AT_N, AT_2N)


def section(summary: Summary) -> Section | None:
    """Nothing without a learning curve."""
    curve = summary.learning_curve()
    if curve.empty:
        return None
    of_halves = curve["value"][curve["estimate"] == "E_2cv"].iloc[0]
    rows = [
        [
            line["estimate"],
            shown_count(line["rows"]),
            *_value_and_ends(summary, line, float(of_halves)),
        ]
        for line in curve.to_dict("records")
    ]
    caption = (
        "Filled points were measured, grey points are parts of E_prog, and hollow points are a forecast. The gain is "
        "E_2cv less E_cv, on the same rows. E_N (all rows) and E_2N (twice the rows) hold at "
        f"{summary.level} for learners whose error falls with each doubling of the rows, and by no more than with the "
        "one before; about 15 % of learning curves are not so regular. reports/more_rows.csv has all candidates."
    )
    table = Table("Errors by the number of training rows", ["estimate", "training rows", "value", "interval"], rows)
    picture = PagePicture(partial(_draw, summary, curve), sentences(summary)["more rows"])
    return Section("more-rows", "Would more rows help?", caption, [picture], [table])


def _value_and_ends(summary: Summary, line: Mapping[Any, Any], of_halves: float) -> tuple[str, str]:
    """Of an error, or of the gain over E_2cv."""
    if line["estimate"] == GAIN:
        return summary.points(line["value"], of_halves), summary.between_points(line["low"], line["high"], of_halves)
    return summary.number(line["value"]), summary.between(line["low"], line["high"])


def _draw(summary: Summary, curve: pd.DataFrame) -> "Figure":
    made, axes = figure()
    points = curve[curve["estimate"] != GAIN]
    points = points.assign(**{end: summary.shown(points[end]) for end in ("value", "low", "high")})
    ahead = points[points["estimate"].isin(_AHEAD)]
    axes.fill_between(ahead["rows"], ahead["low"], ahead["high"], color=ACCENT, alpha=0.12, lw=0)
    axes.plot(ahead["rows"], ahead["value"], ls=(0, (4, 3)), lw=1.2, color=ACCENT)
    for line in points.to_dict("records"):
        future = line["estimate"] in (AT_N, AT_2N)
        if not np.isnan(line["low"]):
            axes.plot([line["rows"]] * 2, [line["low"], line["high"]], lw=1.2, color=ACCENT)
        if line["estimate"] == "E_prog":  # a part of its steps: few rows each
            axes.plot(line["rows"], line["value"], "o", ms=3, color=MUTED)
            continue
        face = {"markerfacecolor": "none"} if future else {}
        axes.plot(line["rows"], line["value"], "o", ms=5, color=ACCENT, **face)
        axes.annotate(line["estimate"], (line["rows"], line["value"]), xytext=(5, 4),
                      textcoords="offset points", fontsize=8.5)  # fmt: skip
    of_baseline = summary.shown(summary.selection["baseline"])
    if of_baseline <= 1.3 * axes.get_ylim()[1]:
        axes.axhline(of_baseline, color=MUTED, lw=1.2, ls=(0, (4, 3)), zorder=0)
    axes.set_ylim(bottom=min(0.0, -0.015 * axes.get_ylim()[1]))
    axes.set_xscale("log", base=2)
    axes.minorticks_off()
    ticks = points["rows"][points["estimate"].isin(["E_2cv", "E_cv", AT_2N])]
    axes.set_xticks(ticks, [shown_count(rows) for rows in ticks])
    axes.set_xlabel("training rows")
    axes.set_ylabel(error_label(summary.loss))
    axes.set_title(f"error of {short(summary.selected)}")
    axes.grid(axis="y")
    axes.set_axisbelow(True)
    return made
