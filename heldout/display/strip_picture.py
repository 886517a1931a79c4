"""The decision strip as a picture of matplotlib's: for a notebook that nobody trusts, and for MLflow's charts.

It has a white ground, since neither says whether the page around it is light or dark.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from heldout.display import number_axis
from heldout.display.picture import Picture
from heldout.display.strip import Mark, Strip, alternative
from heldout.display.svg import ACCENT, GRID, INK, MUTED, WARNING
from heldout.losses.amounts import error_label, shown
from heldout.printable import printable

_LARGE, _SMALL = 9, 7  # letters, in points
_UP, _DOWN = 0.16, 0.24  # of a name, and of what it rests on: shares of a line


@dataclass(frozen=True)
class _Layout:
    """Inches: the whole, a line, and the axis; shares of the whole: where the axis begins and how wide it is."""

    width: float = 8.6
    line: float = 0.42
    foot: float = 0.5
    left: float = 0.31
    drawn: float = 0.36


_NARROW = _Layout(3.3, 0.34, 0.45, 0.2, 0.36)


@dataclass(frozen=True)
class _Line:
    """A name and what it rests on, the number, and what is drawn between them."""

    name: str
    rests_on: str
    number: str
    marks: Sequence[Mark]


def draw(made: Strip, *, narrow: bool = False) -> Picture:
    """A line for each number of the winner, one with the other candidates as points, and one for the baseline.

    The `narrow` one is about as wide as high, and does not say on what a number rests.
    """
    lines, layout = _lines(made, narrow=narrow), _NARROW if narrow else _Layout()
    height = layout.line * len(lines) + layout.foot
    figure = Picture(figsize=(layout.width, height), facecolor="white")
    figure.says = f"{alternative(made)} {'; '.join(f'{line.name} {line.number}' for line in lines)}"
    axes = figure.add_axes(
        (layout.left, layout.foot / height, layout.drawn, 1 - layout.foot / height), facecolor="none"
    )
    end, first = float(shown(made.end, made.loss)) or 1.0, -(layout.left - 0.01) / layout.drawn
    for place, line in enumerate(lines):
        planned, others = line.name == made.planned, len(line.marks) > 1
        said: dict[str, Any] = {"va": "center", "parse_math": False, "transform": axes.get_yaxis_transform()}
        large = {**said, "color": INK, "size": _LARGE, "weight": "bold" if planned else "normal"}
        axes.text(first, -place + (_UP if line.rests_on else 0), printable(line.name), **large)
        axes.text(first, -place - _DOWN, printable(line.rests_on), **said, color=MUTED, size=_SMALL)
        axes.text(1.05, -place, printable(line.number), **large)
        for mark in line.marks:
            _draw(axes, -place, mark, made, end, ACCENT if planned else MUTED if others else INK)
    if made.baseline is not None and made.baseline.value is not None:
        axes.axvline(float(shown(made.baseline.value, made.loss)), color=WARNING, linestyle="--", linewidth=1.2)
    axes.set(xlim=(0, end), ylim=(-len(lines) + 0.5, 0.5), yticks=[])
    axes.locator_params(axis="x", nbins=4 if narrow else 8)
    axes.grid(axis="x", color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[:].set_visible(False)
    axes.tick_params(colors=MUTED, labelsize=_SMALL, length=0)
    label = "error, %" if made.loss.binary else error_label(made.loss)
    counted = number_axis.set_ticks(axes.xaxis, end)
    axes.set_xlabel(f"{label}{counted}", color=MUTED, size=_SMALL, parse_math=False)
    return figure


def _lines(made: Strip, *, narrow: bool) -> list[_Line]:
    unit = " %" if made.loss.binary else ""
    lines = []
    for mark in made.marks:
        number = made.numbers(mark, unit)
        lines.append(_Line(mark.called, mark.rests_on, number, [mark]))
        if mark.called == made.compared and made.rivals:
            points, count = [Mark("", "", rival.value) for rival in made.rivals], len(made.rivals)
            lines.append(_Line(f"{count} other{'s' * (count > 1)}", "", made.beyond, points))
    if (constant := made.baseline) is not None and constant.value is not None:
        point = Mark("", "", constant.value)
        lines.append(_Line(f"baseline, by {constant.called}", "", made.numbers(point, unit), [point]))
    if not narrow:
        return lines
    return [_Line(line.name.partition(",")[0], "", line.number.partition("  ")[0], line.marks) for line in lines]


def _draw(axes: Any, y: float, mark: Mark, made: Strip, end: float, colour: str) -> None:
    """An interval with its value, or a limit; an arrow for what is beyond the axis."""
    ends = (mark.low, mark.value, mark.high)
    low, value, high = (None if one is None else float(shown(one, made.loss)) for one in ends)
    if value is None and high is not None:
        axes.plot([0, min(high, end)], [y, y], ":", color=colour, linewidth=1.4)
        axes.plot([min(high, end)], [y], "|", color=colour, markersize=9, markeredgewidth=2)
    elif low is not None and high is not None and low <= end:
        axes.plot([low, min(high, end)], [y, y], color=colour, linewidth=1.8, solid_capstyle="butt")
    if value is not None and value <= end:
        axes.plot([value], [y], "o", color=colour, markersize=6, clip_on=False)
    if any(one is not None and one > end for one in (value, high)):
        axes.plot([1.02], [y], ">", color=colour, markersize=5, clip_on=False, transform=axes.get_yaxis_transform())
