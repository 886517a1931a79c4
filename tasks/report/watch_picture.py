"""The picture of the shards over time."""

import io
import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from heldout.shown import number_axis
from tasks.report.style import drawn
from tasks.storage import watch_files
from tasks.storage.watch_files import WatchedShard

_COLOUR, _BAND, _ALARM, _INK = "#4c6a92", "#8d99ae", "#d1495b", "#1f2328"


def draw(lines: Sequence[WatchedShard], level: float) -> None:
    """Draw the disagreement of each shard above, both kinds of evidence below; no picture is left where that fails."""
    made = drawn(watch_files.PICTURE.name, partial(_png, lines, level))
    if made is None:
        watch_files.PICTURE.unlink(missing_ok=True)
    else:
        watch_files.replace(watch_files.PICTURE, made)


def _png(lines: Sequence[WatchedShard], level: float) -> bytes:
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib.figure import Figure

    number = np.arange(len(lines))
    figure = Figure(figsize=(7.5, 5.2), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    alarm = np.array([line.alarm for line in lines])
    of = {
        name: np.array([getattr(line, name) for line in lines]) for name in ("disagreement", "low", "high", "evidence")
    }
    above.fill_between(
        number, of["low"], of["high"], color=_BAND, alpha=0.3, lw=0, label="mean so far, at all shards at once"
    )
    for shown, colour, label in ((~alarm, _COLOUR, "shard"), (alarm, _ALARM, "shard, with alarm")):
        if shown.any():
            above.plot(number[shown], of["disagreement"][shown], "o", ms=3.5, color=colour, label=label)
    above.set_ylabel(f"disagreement{number_axis.set_ticks(above.yaxis, above.get_ylim()[1])}")
    above.legend(fontsize=8, frameon=False)
    # a logarithmic axis cannot be drawn up to the evidence's limit of 1e300
    below.plot(number, np.log10(of["evidence"]), lw=1.2, color=_COLOUR, label="of the half models")
    columns = np.array([line.evidence_of_columns or math.nan for line in lines])
    below.plot(number, np.log10(columns), "--", lw=1.2, color=_INK, label="of the columns")
    raised = np.array([line.alarm_of_columns for line in lines])
    if raised.any():
        below.plot(number[raised], np.log10(columns[raised]), "o", ms=3.5, color=_ALARM, label="alarm of the columns")
    below.legend(fontsize=8, frameon=False)
    below.axhline(-math.log10(level), color=_ALARM, lw=0.8)
    below.set_ylabel("evidence, as a power of 10")
    below.set_xlabel("shard, in the order of watch.csv")
    for axes in (above, below):
        axes.spines[["top", "right"]].set_visible(False)
    content = io.BytesIO()
    figure.savefig(content, dpi=110, metadata={"Software": None})
    return content.getvalue()
