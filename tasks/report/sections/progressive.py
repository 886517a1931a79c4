"""The progressive error of each candidate along the stream, and the band of the winner."""

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.display import number_axis
from heldout.display.svg import ACCENT, INK, MUTED
from heldout.losses.amounts import error_label
from tasks.report.section import PagePicture, Section, Table
from tasks.report.style import figure, short, spread
from tasks.report.summary import Summary, shown_count, shown_steps

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DRAWN = 12  # curves: the winner's and the best of the others
_SETTLED = 10  # steps: before them the curves vary most
_AT = (0.1, 0.25, 0.5, 1.0)  # the shares of the stream in the table


def section(summary: Summary) -> Section | None:
    """Nothing without progressive validation."""
    curves = summary.curves.progressive_errors
    names = [name for name in summary.ranked if name in curves and len(curves[name])]
    if not names:
        return None
    others, winner = ([name for name in names if (name == summary.selected) is same] for same in (False, True))
    drawn = [*others[: _DRAWN - 1], *winner]
    length = max(len(curves[name]) for name in drawn)
    caption = "Each row is tested before it is trained on; a curve is the mean loss of the rows tested so far."
    if summary.curves.band is not None:
        caption += f" The band holds at {summary.level} for the winner at all steps at once."
    if len(drawn) < len(names):
        whose = "the winner and " * len(winner)
        caption += f" The picture has {whose}the best {_DRAWN - 1} of the {len(others)} others."
    return Section(
        "progressive",
        "Along the stream of rows",
        caption,
        [
            PagePicture(
                partial(_draw, summary, drawn, length), "The progressive error of each candidate, as in the table"
            )
        ],
        numbers=[_table(summary, names, length)],
        opened=True,
    )


def _draw(summary: Summary, drawn: list[str], length: int) -> "Figure":
    curves = {name: summary.shown(errors) for name, errors in summary.curves.progressive_errors.items()}
    made, axes = figure(4.7, 3.2)
    for name in drawn:
        steps = shown_steps(len(curves[name]))
        colour, width = (ACCENT, 2.0) if name == summary.selected else (MUTED, 0.9)
        axes.plot(steps + 1, curves[name][steps], lw=width, color=colour)
        if name == summary.selected and summary.curves.band is not None:
            low, high = (summary.shown(bound[steps]) for bound in summary.curves.band)
            axes.fill_between(steps + 1, low, high, color=ACCENT, alpha=0.12, lw=0)
    top = _top(summary, drawn)
    axes.set_ylim(-0.015 * top, top)
    axes.set_xlim(1, length)
    _label_ends(axes, {name: float(curves[name][-1]) for name in drawn}, summary.selected, length, top)
    axes.grid(axis="y")
    axes.set_axisbelow(True)
    axes.set_xlabel(f"examples tested{number_axis.set_ticks(axes.xaxis, length)}")
    axes.set_ylabel(f"{error_label(summary.loss)}{number_axis.set_ticks(axes.yaxis, top)}")
    axes.set_title("the last value is E_prog")
    return made


def _table(summary: Summary, names: list[str], length: int) -> Table:
    steps = sorted({max(round(share * length), 1) for share in _AT})
    rows = [
        [name, *(summary.number(float(summary.curves.progressive_errors[name][step - 1])) for step in steps)]
        for name in names
    ]
    head = ["candidate", *(f"after {shown_count(step)}" for step in steps)]
    return Table(
        "Progressive error after some of the rows",
        head,
        rows,
        marked={place: "selected" for place, name in enumerate(names) if name == summary.selected},
    )


def _top(summary: Summary, names: list[str]) -> float:
    """Room for every curve after its first steps."""
    settled = [summary.curves.progressive_errors[name] for name in names]
    highest = [float(errors[min(len(errors) - 1, _SETTLED) :].max()) for errors in settled]
    most = 1.25 * summary.shown(min(max(highest), 3 * float(np.median(highest))))
    return min(max(most, 5.0), 105.0) if summary.percent else min(most, 1.05 * summary.shown(summary.loss.limit)) or 1.0


def _label_ends(axes: Any, ends: dict[str, float], selected: str, length: int, top: float) -> None:
    """The name of each curve at its end, without one on top of another."""
    names = sorted(ends, key=ends.__getitem__)
    places = spread([min(ends[name], top) for name in names], 0.065 * top, 0.0, top)
    for name, place in zip(names, places, strict=True):
        style = {"color": ACCENT, "fontweight": "bold"} if name == selected else {"color": INK}
        shown = f"{short(name)} ↑" if ends[name] > top else short(name)
        axes.annotate(shown, (length, min(ends[name], top)), xytext=(length * 1.03, place), textcoords="data",
                      va="center", fontsize=9, annotation_clip=False,
                      arrowprops={"arrowstyle": "-", "color": MUTED, "lw": 0.5, "relpos": (0, 0.5)},
                      **style)  # fmt: skip
