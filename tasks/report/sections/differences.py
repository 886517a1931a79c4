"""How much less the winner errs than each other candidate and the baseline, with intervals for all at once."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd

from heldout.fits import baseline
from heldout.losses.amounts import apart
from heldout.shown import about_winner
from tasks.report.section import PagePicture, Section, Table
from tasks.report.style import ACCENT, INK, MUTED, figure, name_lines, short
from tasks.report.summary import Summary

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def section(summary: Summary) -> Section | None:
    """Nothing where there is nothing to compare with."""
    lines = summary.differences.sort_values("difference", ascending=False, kind="stable").to_dict("records")
    if not lines:
        return None
    words = [] if summary.margin is None else ["by the margin"]
    error = summary.value(summary.selected, summary.compared_by) or 0.0
    rows = [
        [
            line["against"],
            summary.points(line["difference"], error),
            summary.between_points(line["low"], line["high"], error),
            *([line["by_margin"]] if words else []),
        ]
        for line in lines
    ]
    marked = {place: "baseline" for place, line in enumerate(lines) if line["against"] == baseline.NAME}
    table = Table(
        f"Differences of {summary.compared_by} on the same rows",
        ["against", "difference", "interval", *words],
        rows,
        words=frozenset({3} if words else ()),
        marked=marked,
    )
    caption = (
        f"{summary.compared_by} of {summary.selected} less that of each other candidate. The intervals hold at "
        f"{summary.level} for all pairs of candidates together, whichever was selected, and those against the baseline "
        f"for all candidates. Where an interval lies below 0, {summary.selected} is shown to err less; the other "
        "candidates are those that are shaded above."
    )
    if summary.margin is not None:
        caption += f" {about_winner.what_words_say(summary.selected, summary.margin, summary.loss)}."
    alt = "The difference from each other candidate with its interval, as in the table"
    picture = PagePicture(partial(_draw, summary, lines, error), alt)
    return Section("differences", "Is the winner really better?", caption, [picture], [table])


def _draw(summary: Summary, lines: Sequence[Mapping[Any, Any]], error: float) -> "Figure":
    made, axes = figure(4.7, 0.8 + 0.23 * len(lines))
    for place, line in enumerate(lines):
        shown = not pd.isna(line["high"]) and line["high"] < 0  # to err less
        colour = ACCENT if shown else INK
        value, low, high = (apart(line[name], error, summary.loss) for name in ("difference", "low", "high"))
        if not pd.isna(low):
            axes.plot([low, high], [place, place], lw=1.6, color=colour)
        axes.plot(value, place, "o", ms=5, color=colour)
    axes.axvline(0, color=MUTED, lw=1, zorder=0)
    if summary.margin is not None:
        low, high = (apart(sign * summary.margin, error, summary.loss) for sign in (-1, 1))
        axes.axvspan(low, high, color=ACCENT, alpha=0.1, lw=0, zorder=-1)
    name_lines(axes, [line["against"] for line in lines])
    unit = ", percentage points" if summary.percent else f", {summary.loss.shown_as}"
    axes.set_xlabel(f"{summary.compared_by} of {short(summary.selected)} less that of the other{unit}")
    return made
