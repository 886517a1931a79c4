"""The picture of the shards over time."""

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from heldout.display import number_axis
from heldout.display.svg import ACCENT, GRID, MUTED, WARNING
from tasks.report.style import drawing, drawn, png
from tasks.storage import watch_files
from tasks.storage.watch_files import WatchedShard

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(lines: Sequence[WatchedShard], level: float) -> None:
    """Draw the disagreement of each shard above, both kinds of evidence below; no picture is left where that fails."""
    with drawing():
        made = drawn(watch_files.PICTURE.name, partial(png, partial(_figure, lines, level)))
    if made is None:
        watch_files.PICTURE.unlink(missing_ok=True)
    else:
        watch_files.replace(watch_files.PICTURE, made)


def _figure(lines: Sequence[WatchedShard], level: float) -> "Figure":
    from matplotlib.figure import Figure

    number = np.arange(len(lines))
    figure = Figure(figsize=(7.5, 5.2), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    alarm = np.array([line.alarm for line in lines])
    of = {
        name: np.array([getattr(line, name) for line in lines]) for name in ("disagreement", "low", "high", "evidence")
    }
    above.fill_between(number, of["low"], of["high"], color=GRID, lw=0, label="mean so far, at all shards at once")
    for shown, colour, label in ((~alarm, ACCENT, "shard"), (alarm, WARNING, "shard, with alarm")):
        if shown.any():
            above.plot(number[shown], of["disagreement"][shown], "o", ms=3.5, color=colour, label=label)
    above.set_ylabel(f"disagreement{number_axis.set_ticks(above.yaxis, above.get_ylim()[1])}")
    # a logarithmic axis cannot be drawn up to the evidence's limit of 1e300
    below.plot(number, np.log10(of["evidence"]), lw=1.2, color=ACCENT, label="of the half models")
    columns = np.array([line.evidence_of_columns or math.nan for line in lines])
    below.plot(number, np.log10(columns), "--", lw=1.2, color=MUTED, label="of the columns")
    raised = np.array([line.alarm_of_columns for line in lines])
    if raised.any():
        below.plot(number[raised], np.log10(columns[raised]), "o", ms=3.5, color=WARNING, label="alarm of the columns")
    below.axhline(-math.log10(level), color=WARNING, lw=0.8)
    below.set_ylabel("evidence, as a power of 10")
    below.set_xlabel("shard, in the order of watch.csv")
    for axes in (above, below):
        axes.legend()
    return figure
