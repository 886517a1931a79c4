"""Where the winner's half models disagree: by shard, and the unlabelled rows with the largest disagreement."""

from typing import Any

import numpy as np
import pandas as pd

from tasks.report.section import Picture, Section, Table
from tasks.report.style import ACCENT, GRID, figure, short
from tasks.report.summary import Summary, shown_count

_DRAWN, _SHOWN = 40, 12


def section(summary: Summary) -> Section | None:
    """The lines of shards.csv, and the first of to_label.csv; nothing without unlabelled rows."""
    shards, rows = summary.tables.shards, summary.tables.to_label
    if shards.empty:
        return None
    scale = _Scale(summary)
    named = [_name(line) for line in shards.to_dict("records")]
    lines = [
        [name, shown_count(line["rows"]), scale.text(line["disagreement"]), scale.ends(line)]
        for name, line in zip(named, shards.to_dict("records"), strict=True)
    ]
    tables = [Table("Disagreement by shard", ["shard", "rows", f"disagreement{scale.unit}", "interval"], lines)]
    caption = (
        f"How far {summary.selected}'s two models of a repeat, trained on different halves of the labelled rows, "
        f"differ on the rows of each shard; the line is the mean over all rows. Each interval holds at {summary.level} "
        "by itself. A shard far above the others has other rows than they have."
    )
    if len(rows):
        picked = [
            [_name(line), shown_count(line["row"]), scale.text(line["disagreement"])]
            for line in rows.head(_SHOWN).to_dict("records")
        ]
        head = ["shard", "row", f"disagreement{scale.unit}"]
        tables.append(Table("The rows on which they differ most, counted from 0", head, picked))
        caption += (
            " Labels of the rows in the second table (reports/to_label.csv has up to 100) teach the models most, but "
            "an estimate that uses them as if they were random draws is biased: for labels that keep estimates right, "
            "use label-next, which draws rows with known probabilities."
        )
    pictures = (
        [] if len(shards) < 2 else [Picture(_draw(summary, named, scale), "Disagreement by shard, as in the table")]
    )
    return Section("disagreement", "Where the models disagree on unlabelled rows", caption, pictures, tables)


class _Scale:
    """Shares in percent, distances as they are."""

    def __init__(self, summary: Summary) -> None:
        compared_by = summary.loss.disagreement_loss or summary.loss
        self.factor, self.unit = (100, ", %") if compared_by.binary else (1, "")

    def text(self, value: float) -> str:
        return f"{self.factor * value:.3g}"

    def ends(self, line: dict[Any, Any]) -> str:
        return "–" if pd.isna(line["low"]) else f"{self.text(line['low'])} to {self.text(line['high'])}"


def _name(line: dict[Any, Any]) -> str:
    return str(line["shard"]) if pd.isna(line["file"]) else str(line["file"])


def _draw(summary: Summary, named: list[str], scale: _Scale) -> Any:
    """A point with its interval for each shard, the first above; of many shards those that differ most."""
    shards = summary.tables.shards
    values = scale.factor * shards["disagreement"].to_numpy()
    mean = float(np.average(values, weights=shards["rows"]))
    kept = np.sort(np.argsort(-np.abs(values - mean), kind="stable")[:_DRAWN])
    made, axes = figure(5.2, 0.9 + 0.26 * len(kept))
    low, high = (scale.factor * shards[end].fillna(shards["disagreement"]).to_numpy() for end in ("low", "high"))
    reach = np.clip([values - low, high - values], 0, None)[:, kept]
    places = np.arange(len(kept))
    axes.axvline(mean, color=GRID, lw=2, zorder=0)
    axes.errorbar(values[kept], places, xerr=reach, fmt="o", ms=4.5, lw=1.4, color=ACCENT)
    axes.set_yticks(places, [short(named[place]) for place in kept])
    axes.set_ylim(len(kept) - 0.5, -0.5)
    axes.set_xlim(left=0)
    axes.grid(axis="x")
    axes.set_axisbelow(True)
    axes.set_xlabel(f"disagreement{scale.unit}")
    return made
