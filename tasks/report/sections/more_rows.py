"""The winner's error against the number of training rows: whether further rows are worth their price."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from heldout.diagnosis.more_rows import AT_2N, AT_N, GAIN
from heldout.display import number_axis
from heldout.display.svg import ACCENT, MUTED
from heldout.losses.amounts import error_label
from tasks.report.section import PagePicture, Section, Table
from tasks.report.sentences import sentences
from tasks.report.style import figure, spread
from tasks.report.summary import Summary, shown_count

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_AHEAD = ("E_cv", AT_N, AT_2N)
_NAME_WIDTH = 0.12  # of the picture, with the space to the next


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
    reading = (
        "Filled points were measured, grey points are parts of E_prog, and hollow points are a forecast. The gain is "
        "E_2cv less E_cv, on the same rows. E_N (all rows) and E_2N (twice the rows) hold at "
        f"{summary.level} for learners whose error falls with each doubling of the rows, and by no more than with the "
        "one before; about 15 % of learning curves are not so regular. reports/tables/more_rows.csv has all candidates."
    )
    table = Table("Errors by the number of training rows", ["estimate", "training rows", "value", "interval"], rows)
    says = sentences(summary)["more rows"]
    picture = PagePicture(partial(_draw, summary, curve), "The errors by the number of training rows, as in the table")
    return Section(
        "more-rows",
        "Would more rows help?",
        f"{says[:1].upper()}{says[1:]}.",
        [picture],
        reading=reading,
        numbers=[table],
        opened=True,
    )


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
    of_baseline = summary.shown(summary.selection["baseline"])
    if of_baseline <= 1.3 * axes.get_ylim()[1]:
        axes.axhline(of_baseline, color=MUTED, lw=1.2, ls=(0, (4, 3)), zorder=0)
    axes.set_ylim(bottom=min(0.0, -0.015 * axes.get_ylim()[1]))
    axes.set_xscale("log", base=2)
    axes.minorticks_off()
    ticks = points["rows"][points["estimate"].isin(["E_2cv", "E_cv", AT_2N])]
    axes.set_xticks(ticks, [shown_count(rows) for rows in ticks])
    _name_points(axes, points[points["estimate"] != "E_prog"])
    axes.set_xlabel("training rows")
    unit = number_axis.set_ticks(axes.yaxis, axes.get_ylim()[1])
    axes.set_ylabel(f"{error_label(summary.loss)}{unit}")
    axes.grid(axis="y")
    axes.set_axisbelow(True)
    return made


def _name_points(axes: Any, points: pd.DataFrame) -> None:
    """The names of the points above them, at the upper edge, where none lies on another."""
    low, high = np.log2(axes.get_xlim())
    at = spread([*np.log2(points["rows"].astype(float))], _NAME_WIDTH * (high - low), low, high)
    top = axes.get_ylim()[1]
    for name, rows, place in zip(points["estimate"], points["rows"], at, strict=True):
        axes.annotate(name, (rows, top), xytext=(2.0**place, 1.04), textcoords=axes.get_xaxis_transform(), ha="center",
                      va="bottom", fontsize=8.5, color=ACCENT, annotation_clip=False,
                      arrowprops={"arrowstyle": "-", "color": MUTED, "lw": 0.5, "relpos": (0.5, 0)})  # fmt: skip
