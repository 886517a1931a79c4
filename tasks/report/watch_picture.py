"""The picture of the shards over time."""

import io
from collections.abc import Sequence

import numpy as np

from tasks.storage import watch_files
from tasks.storage.watch_files import Line

_COLOUR, _BAND, _ALARM = "#4c6a92", "#8d99ae", "#d1495b"


def draw(lines: Sequence[Line], level: float) -> None:
    """Draw the disagreement of each shard above, and the evidence below."""
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
    above.set_ylabel("disagreement")
    above.legend(fontsize=8, frameon=False)
    below.plot(number, of["evidence"], lw=1.2, color=_COLOUR)
    below.axhline(1 / level, color=_ALARM, lw=0.8)
    below.set_yscale("log")
    below.set_ylabel("evidence")
    below.set_xlabel("shard, in the order of watch.csv")
    for axes in (above, below):
        axes.spines[["top", "right"]].set_visible(False)
    content = io.BytesIO()
    figure.savefig(content, dpi=110, metadata={"Software": None})
    watch_files.replace(watch_files.PICTURE, content.getvalue())
