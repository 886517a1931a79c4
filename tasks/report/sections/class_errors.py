"""The error of each class, and what it is taken for, by cross-validation: before the test set is opened."""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd

from heldout.display.svg import ACCENT, MUTED, PAPER
from heldout.losses import ZERO_ONE, amounts
from tasks.report.section import Cell, PagePicture, Section, Table
from tasks.report.style import figure, interval_line, name_lines, short
from tasks.report.summary import Summary, shown_count

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DRAWN = 20
_PAIRS = 10  # that are mistaken most often
_WRITTEN = 12  # classes whose counts fit into their squares


def section(summary: Summary) -> Section | None:
    """The lines of class_errors.csv; nothing for a loss other than 0/1."""
    table = summary.tables.class_errors
    if table.empty:
        return None
    lines = table.sort_values("value", ascending=False, kind="stable").to_dict("records")
    caption = (
        f"What {summary.selected} errs on the rows of each class in cross-validation. Each interval holds at "
        f"{summary.level} by itself: among many classes some miss. A class with few rows says little."
    )
    if len(lines) > _DRAWN:
        caption += f" The picture has the {_DRAWN} classes of the largest error."
    numbers = [Table("Error of each class, %", ["class", "rows", "error", "interval"], [_line(line) for line in lines])]
    pictures = [PagePicture(partial(_draw, summary, lines[:_DRAWN]), "The error of each class, as in the table")]
    counts = summary.tables.confusion
    if len(lines) > 2 and not counts.empty:
        wrong = counts[counts["class_name"] != counts["taken_for"]]
        most = wrong.sort_values("rows", ascending=False, kind="stable").head(_PAIRS).to_dict("records")
        pairs = [[str(of["class_name"]), str(of["taken_for"]), f"{of['rows']:g}"] for of in most]
        numbers.append(Table("Mistaken most often", ["class", "taken for", "rows"], pairs, frozenset({1})))
        if len(lines) <= _DRAWN:
            alt = "How many rows of each class, in lines, are taken for each class, in columns"
            pictures.append(PagePicture(partial(_draw_confusion, counts), alt))
    sealed = summary.test_set.metrics.empty  # else these are among its metrics
    return Section("classes", "Errors of each class", caption, pictures, numbers=numbers, opened=sealed)


def _line(line: Mapping[Any, Any]) -> list[str | Cell]:
    ends = (
        Cell("–", line["reason"] or "") if pd.isna(line["low"]) else f"{_shown(line['low'])} to {_shown(line['high'])}"
    )
    return [str(line["class_name"]), shown_count(int(line["n_tested"])), _shown(line["value"]), ends]


def _shown(value: float) -> str:
    return "–" if pd.isna(value) else amounts.number(value, ZERO_ONE)


def _draw(summary: Summary, lines: Sequence[Mapping[Any, Any]]) -> "Figure":
    made, axes = figure(4.7, 0.8 + 0.23 * len(lines))
    ends = [
        [math.nan if pd.isna(line[name]) else 100 * line[name] for name in ("value", "low", "high")] for line in lines
    ]
    most = max([*(end for of in ends for end in of if not math.isnan(end)), 1.0])
    for place, (value, low, high) in enumerate(ends):
        if not math.isnan(value):
            interval_line(axes, place, (value, low, high), (0.0, most), ACCENT)
    overall = summary.value(summary.selected, "E_cv")
    if overall is not None:
        axes.axvline(100 * overall, color=MUTED, lw=1, ls=":", zorder=0)
    name_lines(axes, [str(line["class_name"]) for line in lines])
    axes.set_xlim(0, 1.03 * most)
    axes.set_xlabel("error in cross-validation, %; dotted: of all rows", loc="right")
    return made


def _draw_confusion(counts: pd.DataFrame) -> "Figure":
    """A square for each pair of classes: the darker, the larger its share of the line; right answers without colour."""
    from matplotlib.patches import Rectangle

    names = [*dict.fromkeys([*counts["class_name"], *counts["taken_for"]])]
    size = 0.8 + min(0.32 * len(names), 3.9)
    made, axes = figure(size + 0.3, size)
    rows = counts.groupby("class_name")["rows"].sum()
    for of in counts.to_dict("records"):
        line, column = names.index(of["class_name"]), names.index(of["taken_for"])
        right, share = line == column, of["rows"] / rows[of["class_name"]]
        look = {"fc": "none", "ec": MUTED} if right else {"fc": ACCENT, "ec": "none", "alpha": 0.2 + 0.8 * share}
        axes.add_patch(Rectangle((column - 0.46, line - 0.46), 0.92, 0.92, **look))
        if len(names) <= _WRITTEN:
            said = f"{of['rows']:.0f}" if of["rows"] >= 1 or of["rows"] == 0 else "<1"
            dark = not right and share > 0.5
            axes.text(column, line, said, ha="center", va="center", **({"color": PAPER} if dark else {}))
    shown = [short(name, 12) for name in names]
    axes.set_xticks(range(len(names)), shown, rotation=45 if max(map(len, shown)) > 2 else 0, ha="center")
    axes.set_yticks(range(len(names)), shown)
    axes.set_xlim(-0.6, len(names) - 0.4)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(length=0)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.set_xlabel("taken for, in cross-validation", loc="right")
    axes.set_ylabel("class")
    return made
