"""The errors along the path of each tuned candidate."""

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from heldout.display import number_axis
from heldout.display.svg import ACCENT, GRID, INK
from heldout.losses.amounts import error_label
from tasks.report.section import PagePicture, Section, Table
from tasks.report.style import figure, short
from tasks.report.summary import Summary

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def section(summary: Summary) -> Section | None:
    """A picture and a table for each family; nothing without one."""
    if summary.tuned.chosen.empty:
        return None
    pictures, tables = [], []
    for choice in summary.tuned.chosen.to_dict("records"):
        curve = _curve(summary, choice)
        name = f"{choice['candidate']}, by the values of {choice['parameter']}"
        pictures.append(PagePicture(partial(_alone, summary, choice), f"Errors of {name}, as in the table"))
        rows = [
            [line["value"], *(summary.number(line[end]) for end in ("E_in", "E_val"))]
            for line in curve.to_dict("records")
        ]
        marked = {[*curve["value"]].index(choice["chosen"]): "selected"}
        tables.append(Table(f"Errors of {name}", [choice["parameter"], "E_in", "E_val"], rows, marked=marked))
    caption = (
        "The error on the rows that trained the model and on its validation rows, along the values. The chosen value "
        "is shaded; E_val there is optimistic, because it was the least."
    )
    return Section("families", "Tuned candidates", caption, pictures, numbers=tables)


def overview(summary: Summary) -> "Figure | None":
    """All families below each other in one figure."""
    from matplotlib.figure import Figure

    if summary.tuned.chosen.empty:
        return None
    made = Figure(figsize=(6.0, 3.0 * len(summary.tuned.chosen)), layout="constrained")
    rows = np.ravel(made.subplots(len(summary.tuned.chosen), 1))
    for axes, choice in zip(rows, summary.tuned.chosen.to_dict("records"), strict=True):
        _draw(axes, summary, choice)
    return made


def _curve(summary: Summary, choice: Mapping[Any, Any]) -> pd.DataFrame:
    """The lines of one path."""
    made: pd.DataFrame = summary.tuned.paths[summary.tuned.paths["candidate"] == choice["candidate"]]
    return made


def _alone(summary: Summary, choice: Mapping[Any, Any]) -> "Figure":
    made, axes = figure(4.2, 2.9)
    _draw(axes, summary, choice)
    return made


def _draw(axes: Any, summary: Summary, choice: Mapping[Any, Any]) -> None:
    curve = _curve(summary, choice)
    values, x = list(curve["value"]), np.arange(len(curve))
    axes.plot(x, summary.shown(curve["E_in"]), "o--", ms=3, lw=1.2, color=INK, label="E_in")
    axes.plot(x, summary.shown(curve["E_val"]), "o-", ms=3.5, lw=1.6, color=ACCENT, label="E_val")
    axes.axvline(values.index(choice["chosen"]), color=GRID, lw=5, zorder=0)
    ticks = x[:: -(-len(x) // 5)]
    axes.set_xticks(ticks, [_tick(values[tick]) for tick in ticks])
    axes.set_xlabel(f"{short(choice['parameter'])}; chosen: {short(choice['chosen'], 14)}")
    unit = number_axis.set_ticks(axes.yaxis, axes.get_ylim()[1])
    axes.set_ylabel(f"{error_label(summary.loss)}{unit}")
    axes.set_title(short(choice["candidate"]))
    axes.legend()


def _tick(value: str) -> str:
    """A value of a parameter, short enough to stand next to others."""
    with suppress(ValueError):
        return f"{float(value):.3g}"
    return short(value, 7)
