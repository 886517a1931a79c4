"""Every estimate of every candidate: a panel for each estimate, candidates below each other, the best first."""

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from heldout.estimates import BY_COLUMN, ESTIMATES, OF_UNLABELED, SHOWN
from heldout.estimates.definition import Kind
from heldout.fits import baseline
from heldout.shown.cells import marks
from tasks.report.section import Cell, PagePicture, Section, Table
from tasks.report.style import ACCENT, INK, MUTED, figure, name_lines
from tasks.report.summary import Summary

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# the panels that share an axis: what is about other rows has axes of its own
_TOGETHER: tuple[tuple[Kind, ...], ...] = (("error", "training error"), ("disagreement",), ("implied error",))
_COLUMNS_OF_PANELS = 3
_FAR = 4  # times the winner's upper end: what lies beyond is drawn at the edge, so that it does not flatten the rest


def section(summary: Summary) -> Section:
    """A panel for each estimate, and the table of all numbers."""
    caption = (
        f"Each point is an estimate, each line its interval at {summary.level}, where an interval can be claimed. "
        f"Candidates are sorted by {summary.selection['criterion']}; {summary.selected} was selected."
    )
    if len(summary.selection["indistinguishable"]) > 1:
        caption += f" The shaded candidates are not shown to err more than {summary.selected}."
    caption += " The dashed line is the baseline, the best constant answer; an arrow is a value beyond the axis."
    if any(summary.value(summary.selected, name) is not None for name in OF_UNLABELED):
        caption += " What the unlabelled rows say has axes of its own: it is about their population, and is no error."
    names = summary.ranked
    pictures = [
        PagePicture(
            partial(_alone, summary, estimate, names, top), f"{estimate} of each candidate, as in the table below"
        )
        for estimate, top in _panels(summary, names)
    ]
    return Section("estimates", f"Estimates: {summary.scale}", caption, pictures, [_table(summary, names)])


def overview(summary: Summary) -> "Figure":
    """All panels in one figure."""
    from matplotlib.figure import Figure

    names = summary.ranked
    panels = list(_panels(summary, names))
    rows = math.ceil(len(panels) / _COLUMNS_OF_PANELS)
    made = Figure(figsize=(9.6, rows * _height(names)), layout="constrained")
    axes = np.ravel(made.subplots(rows, _COLUMNS_OF_PANELS, squeeze=False))
    for place, (estimate, top) in enumerate(panels):
        _draw(axes[place], summary, estimate, names, top)
        axes[place].tick_params(labelleft=place % _COLUMNS_OF_PANELS == 0)
    for empty in axes[len(panels) :]:
        empty.set_visible(False)
    key = f"each estimate with its interval at {summary.level}; blue: selected; dashed: baseline"
    shaded = (
        "; shaded: not shown to err more than the selected" if len(summary.selection["indistinguishable"]) > 1 else ""
    )
    made.supxlabel(f"{key}{shaded}", fontsize=9, color=MUTED)
    return made


def _panels(summary: Summary, names: Sequence[str]) -> Iterator[tuple[str, float]]:
    """Each estimate that some candidate has, with the end of its axis, which comparable estimates share."""
    for kinds in _TOGETHER:
        shown = [one.name for one in BY_COLUMN if one.name in SHOWN and one.kind in kinds]
        known = [estimate for estimate in shown if summary.value(summary.selected, estimate) is not None]
        top = _top(summary, known, names, errors="error" in kinds)
        yield from ((estimate, top) for estimate in known)


def _top(summary: Summary, estimates: Sequence[str], names: Sequence[str], *, errors: bool) -> float:
    ends = np.array([_ends(summary, name, estimate)[::2] for estimate in estimates for name in names]).ravel()
    winners = [_ends(summary, summary.selected, estimate)[2] for estimate in estimates]
    if not len(ends):
        return 1.0
    far = _FAR * max([*winners, float(np.nanmedian(ends))])
    shown = [*ends[ends <= far], *([summary.selection["baseline"]] * errors)]
    return 1.06 * summary.shown(max([one for one in shown if one <= far], default=1.0)) or 1.0


def _alone(summary: Summary, estimate: str, names: Sequence[str], top: float) -> "Figure":
    made, axes = figure(3.5, _height(names))
    _draw(axes, summary, estimate, names, top)
    return made


def _height(names: Sequence[str]) -> float:
    return 0.75 + 0.23 * len(names)


def _draw(axes: Any, summary: Summary, estimate: str, names: Sequence[str], top: float) -> None:
    alike = summary.selection["indistinguishable"]
    for place, name in enumerate(names):
        if name in alike and len(alike) > 1:
            axes.axhspan(place - 0.5, place + 0.5, color=ACCENT, alpha=0.1, lw=0)
        value, low, high = (summary.shown(end) for end in _ends(summary, name, estimate))
        colour = ACCENT if name == summary.selected else INK
        if value > top:
            axes.plot(top, place, ">", ms=5, color=MUTED, clip_on=False)
            continue
        axes.plot([low, high], [place, place], lw=2.2 if name == summary.selected else 1.4, color=colour)
        size = 5.5 if name == summary.selected else 4.5
        axes.plot(value, place, "o", ms=size, color=colour, clip_on=False, zorder=3)
    if not ESTIMATES[estimate].of_unlabeled:
        _draw_baseline(axes, summary, estimate, top)
    name_lines(axes, names)
    axes.set_xlim(-0.015 * top, top)
    axes.set_title(estimate + _unit(summary, estimate))
    labels = dict(zip(axes.get_yticklabels(), names, strict=True))
    for label, name in labels.items():
        if name == summary.selected:
            label.set(color=ACCENT, fontweight="bold")


def _unit(summary: Summary, estimate: str) -> str:
    """What follows the name of an estimate; a disagreement is no error, so it has the unit alone."""
    if summary.percent:
        return " (%)"
    called = "" if ESTIMATES[estimate].kind == "disagreement" else summary.loss.mean_called
    return f" ({called})" if called else ""


def _draw_baseline(axes: Any, summary: Summary, estimate: str, top: float) -> None:
    """A dashed line at the baseline's error, or an arrow where that is far above everything else."""
    value = summary.value(baseline.NAME, estimate)
    value = summary.selection["baseline"] if value is None else value
    if summary.shown(value) <= top:
        axes.axvline(summary.shown(value), color=MUTED, lw=1.2, ls=(0, (4, 3)), zorder=0)
    else:
        text = f"baseline {summary.number(value)} →"
        axes.annotate(text, (1, 1), xycoords="axes fraction", xytext=(0, 4), textcoords="offset points",
                      ha="right", va="bottom", fontsize=8, color=MUTED)  # fmt: skip


def _ends(summary: Summary, candidate: str, estimate: str) -> tuple[float, float, float]:
    """Value, low and high of an estimate; the value again where no interval is claimed."""
    lines = summary.estimates_of(candidate)
    lines = lines[lines["estimate"] == estimate]
    if lines.empty:
        return float("nan"), float("nan"), float("nan")
    line = lines.iloc[0]
    ends = (line["value"] if pd.isna(line[end]) else line[end] for end in ("low", "high"))
    return (float(line["value"]), *map(float, ends))  # type: ignore[return-value]


def _table(summary: Summary, names: Sequence[str]) -> Table:
    known = {*summary.estimates["estimate"]}
    columns = [one.name for one in BY_COLUMN if one.name in known]
    shares = ["R²"] if summary.loss.power == 2 else []
    head = ["candidate", *shares, *columns]
    gone = summary.dropped | {name: f"failed: {reason}" for name, reason in summary.failures.items()}
    rows: list[list[str | Cell]] = []
    marked: dict[int, str] = {}
    for name in [*names, baseline.NAME]:
        cells = [Cell(*summary.cell(name, estimate)) for estimate in columns]
        rows.append(
            [name, *(_share(summary, name) for _ in shares), *(cell if cell.text else Cell("–") for cell in cells)]
        )
    for place, (name, says) in enumerate(gone.items(), len(rows)):
        rows.append([Cell(name, says), *["–"] * (len(head) - 1)])
        marked[place] = "failed"
    marked |= {names.index(summary.selected): "selected", len(names): "baseline"}
    caption = f"Below each value its interval at {summary.level}{marks(bool(summary.not_credible))}"
    return Table(f"{caption}; R² is that of E_cv" if shares else caption, head, rows, marked=marked)


def _share(summary: Summary, candidate: str) -> str:
    """R^2 against the baseline, of E_cv."""
    value = summary.value(candidate, "E_cv")
    share = "" if value is None else summary.loss.share(value, summary.selection["baseline"])
    return share.removeprefix("R² ") or "–"
