"""Estimates in a notebook: a table of text, and a figure."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from heldout.records import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def text(estimates: Sequence[Estimate], candidates: Sequence[str], *, percent: bool) -> str:
    """A line for each candidate, a column for each estimate; below each value its interval."""
    names = list(dict.fromkeys(record.estimate for record in estimates))
    by_name = {(record.candidate, record.estimate): record for record in estimates}
    rows = [["candidate", *names]]
    for candidate in candidates:
        records = [by_name.get((candidate, name)) for name in names]
        rows.append([candidate, *("–" if record is None else _number(record.value, percent) for record in records)])
        rows.append(["", *("" if record is None else _bounds(record, percent) for record in records)])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    levels = sorted({record.level for record in estimates if record.level is not None})
    title = "errors in percent" if percent else "mean losses"
    if levels:
        title += f", below each its interval at {100 * levels[0]:g} %"
    lines = [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    ]
    return "\n".join(line.rstrip() for line in [title, *lines])


def draw(estimates: Sequence[Estimate], candidates: Sequence[str], *, percent: bool) -> "Figure":
    """For each candidate a point and an interval for each estimate. Raises ImportError without matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("plot() needs matplotlib, which is not installed: pip install matplotlib") from None
    names = list(dict.fromkeys(record.estimate for record in estimates))
    scale = 100 if percent else 1
    figure = Figure(figsize=(max(6.0, 1.6 * len(candidates)), 4.2), layout="constrained")
    axes = figure.subplots()
    for place, name in enumerate(names):
        records = [record for record in estimates if record.estimate == name]
        shift = (place - (len(names) - 1) / 2) * 0.8 / len(names)
        x = [candidates.index(record.candidate) + shift for record in records]
        value = [scale * record.value for record in records]
        reach = [
            [0.0 if record.low is None else scale * max(record.value - record.low, 0.0) for record in records],
            [0.0 if record.high is None else scale * max(record.high - record.value, 0.0) for record in records],
        ]
        axes.errorbar(x, value, yerr=reach, fmt="o", ms=4.5, lw=1.4, label=name)
    axes.set_xticks(range(len(candidates)), list(candidates))
    axes.set_ylabel("error, %" if percent else "mean loss")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(fontsize=8, frameon=False, ncols=2)
    return figure


def _number(value: float, percent: bool) -> str:
    return f"{100 * value:.1f}" if percent else f"{value:.4g}"


def _bounds(record: Estimate, percent: bool) -> str:
    if record.low is None or record.high is None:
        return ""
    return f"{_number(record.low, percent)}–{_number(record.high, percent)}"
