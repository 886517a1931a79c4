"""How far the winner's half models disagree on each shard of unlabelled rows."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from heldout.display import number_axis
from heldout.display.svg import ACCENT, MUTED
from tasks.report.section import PagePicture, Section, Table
from tasks.report.style import figure, short
from tasks.report.summary import Summary, shown_count
from tasks.report.written_disagreement import Scale, shard_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DRAWN = 40


def section(summary: Summary) -> Section | None:
    """The lines of shards.csv; nothing without unlabelled rows."""
    shards = summary.tables.shards
    if shards.empty:
        return None
    scale = Scale.of(summary)
    named = [shard_name(line) for line in shards.to_dict("records")]
    lines = [
        [name, shown_count(line["rows"]), scale.text(line["disagreement"]), scale.ends(line)]
        for name, line in zip(named, shards.to_dict("records"), strict=True)
    ]
    table = Table("Each shard", ["shard", "rows", f"disagreement{scale.unit}", "interval"], lines)
    caption = (
        f"How far two models of {summary.selected}, trained on different halves of the labelled rows, differ on the "
        f"rows of each shard; the dashed line is the mean over all rows. Each interval holds at {summary.level} by "
        "itself. Where an interval does not reach the line, the rows of its shard are unlike those of the others."
    )
    pictures = (
        [PagePicture(partial(_draw, summary, named, scale), "Disagreement by shard, as in the table")]
        if len(shards) > 1
        else []
    )
    if len(shards) > _DRAWN:
        caption += f" The picture has the {_DRAWN} shards farthest from the mean."
    # a single shard has no picture, so that its table repeats none
    numbers, tables = ([table], []) if pictures else ([], [table])
    return Section("shard-disagreement", "Disagreement by shard", caption, pictures, tables, numbers=numbers)


def _draw(summary: Summary, named: Sequence[str], scale: Scale) -> "Figure":
    """A point with its interval for each shard, the first above; of many shards those farthest from the mean."""
    shards = summary.tables.shards
    values = scale.shown(shards["disagreement"].to_numpy())
    of_all = float(np.average(shards["disagreement"], weights=shards["rows"]))
    mean = scale.shown(of_all)
    kept = np.sort(np.argsort(-np.abs(values - mean), kind="stable")[:_DRAWN])
    made, axes = figure(4.7, 0.9 + 0.28 * len(kept))
    low, high = (scale.shown(shards[end].fillna(shards["disagreement"]).to_numpy()) for end in ("low", "high"))
    reach, places = np.clip([values - low, high - values], 0, None)[:, kept], np.arange(len(kept))
    axes.errorbar(values[kept], places, xerr=reach, fmt="o", ms=5, lw=1.6, color=ACCENT)
    axes.axvline(mean, color=MUTED, lw=1, ls=(0, (4, 3)), zorder=0)
    axes.text(mean, -0.62, f"all rows: {scale.text(of_all)}", ha="center", va="bottom", color=MUTED)
    axes.set_yticks(places, [short(named[place]) for place in kept])
    axes.set_ylim(len(kept) - 0.5, -0.6)
    axes.set_xlim(left=0)
    unit = number_axis.set_ticks(axes.xaxis, axes.get_xlim()[1])
    axes.set_xlabel(f"disagreement{scale.unit}{unit}")
    return made
