"""The picture of a `Validation`: a panel for each estimate, in it a line for each candidate."""

from base64 import b64encode
from collections.abc import Sequence
from html import escape
from io import BytesIO
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from heldout.display import number_axis, svg
from heldout.display.svg import ACCENT, GRID, INK, MUTED
from heldout.estimates import OF_UNLABELED
from heldout.losses import Loss
from heldout.losses.amounts import error_label, rounded, shown
from heldout.printable import printable
from heldout.records import Estimate

_PANELS_A_ROW = 4
_LONGEST = 32  # letters of a name
_BASELINE = "#8c8c8c"  # legible on white and on black
_FAR_ABOVE = 1.5  # of everything else: a line there would leave no room for the intervals


class Picture(Figure):
    """A figure that a notebook shows as the value of a cell, on a white ground.

    A program that shows no HTML takes the PNG. Matplotlib's own way needs `matplotlib.pyplot` to be imported before;
    where it is, its settings count for the PNG.
    """

    says = ""  # in words, for who does not see it

    def svg(self) -> str:
        """An svg element for a page of HTML: text as text, in the colours of the page."""
        return svg.element(self, "plot", self.says)

    def image(self) -> str:
        """An element of a page that has everything in its address.

        JupyterLab shows it of a notebook that nobody trusts, where it leaves the letters alone of an svg element.
        """
        written = BytesIO()
        with rc_context(svg.SETTINGS):
            self.savefig(written, format="svg", facecolor="white", metadata={"Date": None})
        address = f"data:image/svg+xml;base64,{b64encode(written.getvalue()).decode()}"
        width = round(self.get_figwidth() * self.dpi)
        return f'<img src="{address}" alt="{escape(printable(self.says))}" width="{width}" style="max-width:100%"/>'

    def _repr_html_(self) -> str:
        return self.image()

    def png(self) -> tuple[bytes, dict[str, int]]:
        """Twice as many dots as the figure is wide and high on the screen."""
        png = BytesIO()
        self.savefig(png, format="png", dpi=2 * self.dpi)
        width, height = self.get_size_inches() * self.dpi
        return png.getvalue(), {"width": round(width), "height": round(height)}

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        return self.png()


def draw(
    estimates: Sequence[Estimate], ranked: Sequence[str], baseline: Sequence[Estimate], loss: Loss, headline: str
) -> Picture:
    """For each estimate the candidates in their order, the first at the top: a point each, and its interval.

    The estimates that come from labelled rows have one axis, so that their panels can be compared.
    """
    names = list(dict.fromkeys(record.estimate for record in estimates))
    of_baseline = {record.estimate: record for record in baseline}
    columns = min(len(names), _PANELS_A_ROW)
    rows = -(-len(names) // columns)
    size = (1.9 + 1.9 * columns, 0.7 + rows * (0.75 + 0.27 * len(ranked)))
    figure = Picture(figsize=size, layout="constrained")
    figure.says = printable(f"Each estimate, every candidate with its interval. {headline}")
    panels = figure.subplots(rows, columns, sharey=True, squeeze=False)
    limits = _limits([record for record in estimates if record.estimate not in OF_UNLABELED], of_baseline, loss)
    for place, axes in enumerate(panels.flat):
        if place >= len(names):
            axes.set_visible(False)
            continue
        name = names[place]
        by_name = {record.candidate: record for record in estimates if record.estimate == name}
        _panel(axes, [by_name.get(candidate) for candidate in ranked], loss)
        axes.set_xlim(_limits([*by_name.values()], {}, loss) if name in OF_UNLABELED else limits)
        unit = number_axis.set_ticks(axes.xaxis, max(map(abs, axes.get_xlim())))
        axes.set_title(f"{name}{unit}", fontsize=10, loc="left", pad=16)  # the baseline's number is below it
        if name in of_baseline:
            _line(axes, of_baseline[name], loss)
    panels[0, 0].set_yticks(range(len(ranked)), [_drawn(candidate) for candidate in ranked])
    panels[0, 0].set_ylim(len(ranked) - 0.4, -0.6)
    figure.supxlabel(error_label(loss), fontsize=9)
    figure.suptitle(_drawn(headline, 90), fontsize=10, x=0.01, ha="left")
    return figure


def _panel(axes: Any, records: Sequence[Estimate | None], loss: Loss) -> None:
    for y, record in enumerate(records):
        if record is None:
            continue
        value, low, high = (shown(end, loss) for end in _ends(record))
        reach = [[max(value - low, 0)], [max(high - value, 0)]]
        colour = INK if y else ACCENT
        axes.errorbar([value], [y], xerr=reach, fmt="o", ms=5, lw=1.6, color=colour)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0, labelsize=9)
    axes.tick_params(axis="x", labelsize=8)
    axes.xaxis.set_major_locator(MaxNLocator(3))  # few, as the numbers may be long
    axes.grid(axis="x", color=GRID, lw=0.8)
    axes.set_axisbelow(True)


def _limits(estimates: Sequence[Estimate], baseline: dict[str, Estimate], loss: Loss) -> tuple[float, float]:
    """From 0 or a little below the least number to a little above the largest; a baseline far above has no room."""
    ends = [shown(end, loss) for record in estimates for end in _ends(record)] or [0.0, shown(1.0, loss)]
    low, top = min(ends), max(ends)
    lines = [shown(record.value, loss) for record in baseline.values()]
    high = max([top, *(line for line in lines if line <= _FAR_ABOVE * top)])
    room = 0.05 * (high - low) or 0.05
    return low - room if low > 0.5 * high else min(0, low) - room / 2, high + room


def _ends(record: Estimate) -> tuple[float, float, float]:
    """Value, low and high; the value again where no interval is claimed."""
    low, high = (record.value if end is None else end for end in (record.low, record.high))
    return record.value, low, high


def _line(axes: Any, record: Estimate, loss: Loss) -> None:
    """A line at the error of the baseline; an arrow where that is far above everything else."""
    at, end = shown(record.value, loss), axes.get_xlim()[1]
    above = at > end
    if not above:
        axes.axvline(at, color=_BASELINE, lw=1.4, ls="--", zorder=0)
    axes.annotate(
        f"baseline {_value(record, loss, end)}{' →' if above else ''}",
        (end if above else at, 1.0),
        xycoords=("data", "axes fraction"),
        ha="right",
        va="bottom",
        fontsize=7.5,
        color=MUTED,
    )


def _value(record: Estimate, loss: Loss, end: float) -> str:
    """An error in the numbers of an axis that ends there."""
    if not number_axis.power(end):
        return rounded(record.value, loss) + (" %" if loss.binary else "")
    return number_axis.written(float(f"{shown(record.value, loss):.3g}"), end)


def _drawn(name: str, longest: int = _LONGEST) -> str:
    r"""A name in a picture: matplotlib would read what is between two dollars as mathematics, and may refuse it."""
    shown = printable(name)
    return (shown if len(shown) <= longest else f"{shown[: longest - 1]}…").replace("$", r"\$")
