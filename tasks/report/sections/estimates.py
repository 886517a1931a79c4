"""Every estimate of every candidate: a panel for each estimate, candidates below each other, the best first.

The first panel is of the winner alone: the estimates that one plans with, and the bound.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from heldout.display import number_axis
from heldout.display.cells import marks
from heldout.display.svg import ACCENT, INK, MUTED
from heldout.estimates import BY_COLUMN, ESTIMATES, OF_THE_WINNER, OF_UNLABELED, SHOWN
from heldout.estimates.definition import Kind
from heldout.fits import baseline
from tasks.report.decision_strip import decision_strip
from tasks.report.section import Cell, PagePicture, Section, Table
from tasks.report.style import DRAWN, drawn_names, figure, interval_line, name_lines, note_line, short
from tasks.report.summary import Summary

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# the panels that share an axis: what is about other rows has axes of its own
_TOGETHER: tuple[tuple[Kind, ...], ...] = (("error", "training error"), ("disagreement",), ("implied error",))
_COLUMNS_OF_PANELS, _IN_VIEW = 3, 6
_MOST_COLUMNS = 6  # of a table, so that it fits on a page
_FAR = 4  # times the winner's upper end: what lies beyond is drawn at the edge, so that it does not flatten the rest
_BOUND, _NEW_ROWS = "bound", "E_test"

Ends = tuple[float, float, float]  # value, low and high; the value again where no interval is claimed


@dataclass(frozen=True)
class _Panel:
    """What it is `called`, its unit, and a line with a point and its interval for each of `lines`.

    The axis ends at `top`. `constant` is the baseline's error, None where it has none; `planned` is the line that
    stands out. `numbers` stand next to the lines.
    """

    called: str
    unit: str
    lines: dict[str, Ends]
    planned: str
    constant: float | None
    top: float
    of_errors: bool = True
    numbers: Mapping[str, str] = field(default_factory=dict)

    @property
    def height(self) -> float:
        """In inches."""
        return 0.75 + 0.23 * len(self.lines)


def section(summary: Summary) -> Section:
    """A panel for each estimate, and behind a line to click the table of all numbers."""
    names = drawn_names(summary.ranked, summary.selected)
    panels = list(_panels(summary, names))
    pictures = [
        PagePicture(partial(_alone, panel), f"{panel.called}, each line with its interval, as in the table")
        for panel in panels
    ]
    shown = min(sum(panel.of_errors for panel in panels), _IN_VIEW)
    reading = (
        f"Each panel has an estimate of each candidate, sorted by {summary.selection['criterion']}. The dashed line is "
        "the baseline, the best constant answer, by its E_cv where it has no such estimate. An arrow is what lies "
        "beyond the axis, with its number. Panels of errors have one axis."
    )
    if panels and panels[0].numbers:
        reading = (
            f"The first panel has the estimates of {summary.selected} that one plans with, and the bound, and the "
            f"baseline by the estimate to plan with. {reading.replace('Each panel', 'Each other panel')}"
        )
    if any(summary.value(summary.selected, name) is not None for name in OF_UNLABELED):
        reading += " What the unlabelled rows say has axes of its own: it is about their population, and is no error."
    caption = f"Each point is an estimate, each line its interval at {summary.level}, where one can be claimed."
    if len(names) < len(summary.ranked):
        others = len(summary.ranked) - 1
        caption += f" The pictures have {summary.selected} and the best {DRAWN - 1} of {others} others."
    return Section(
        "estimates",
        f"Estimates: {summary.scale}",
        caption,
        pictures[:shown],
        reading=reading,
        further=pictures[shown:],
        numbers=[*_tables(summary)],
        opened=True,
        wide=True,
        linked="All estimates in tables",
    )


def overview(summary: Summary) -> "Figure":
    """All panels in one figure."""
    from matplotlib.figure import Figure

    panels = list(_panels(summary, drawn_names(summary.ranked, summary.selected)))
    rows = [panels[start : start + _COLUMNS_OF_PANELS] for start in range(0, len(panels), _COLUMNS_OF_PANELS)]
    heights = [max(panel.height for panel in row) for row in rows]
    made = Figure(figsize=(10.4, sum(heights) + 0.3), layout="constrained")
    grid = made.subplots(len(rows), _COLUMNS_OF_PANELS, squeeze=False, height_ratios=heights)
    for axes, panel in zip(np.ravel(grid), panels, strict=False):
        axes.set_title(_draw(axes, panel))
    for empty in np.ravel(grid)[len(panels) :]:
        empty.set_visible(False)
    key = (
        f"each estimate with its interval at {summary.level}; blue: selected; dashed: baseline; arrow: beyond the axis"
    )
    made.supxlabel(key, fontsize=9, color=MUTED)
    return made


def _panels(summary: Summary, names: Sequence[str]) -> Iterator[_Panel]:
    """That of the winner, and one for each estimate that some candidate has; comparable estimates share an axis."""
    plan = _plan(summary)
    for kinds in _TOGETHER:
        shown = [one.name for one in BY_COLUMN if one.name in SHOWN and one.kind in kinds]
        found = [estimate for estimate in shown if summary.value(summary.selected, estimate) is not None]
        lines = {estimate: {name: _ends(summary, name, estimate) for name in names} for estimate in found}
        errors = "error" in kinds
        top = _top(summary, [*lines.values(), *([plan] if errors else [])], errors=errors)
        constant = {estimate: _constant(summary, estimate) for estimate in found} if errors else {}
        if errors and len(plan) > 1:
            of_plan = decision_strip(summary).baseline
            known = None if of_plan is None or of_plan.value is None else float(summary.shown(of_plan.value))
            title = f"{short(summary.selected, 17)}: to plan with"
            yield _Panel(title, "", plan, _planned(summary), known, top, numbers=_numbers(summary, plan, top))
        for estimate, of in lines.items():
            of_baseline = {baseline.NAME: constant[estimate]} if estimate in constant else {}
            value = constant[estimate][0] if estimate in constant else None
            yield _Panel(estimate, _unit(summary, estimate), of | of_baseline, summary.selected, value, top, errors)


def _plan(summary: Summary) -> dict[str, Ends]:
    """The estimates of the winner that one plans with, from the optimistic to the honest, and the bound."""
    marks = {mark.called: mark for mark in decision_strip(summary).marks if mark.called != "E_in"}
    lines: dict[str, Ends] = {}
    for name in [*(name for name in marks if name not in (_BOUND, _NEW_ROWS)), *OF_THE_WINNER, _NEW_ROWS]:
        if name not in lines and summary.value(summary.selected, name) is not None:
            lines[name] = _ends(summary, summary.selected, name)
    if _BOUND in marks:
        bound = summary.shown(marks[_BOUND].high or 0.0)
        lines[_BOUND] = (bound, 0.0, bound)
    return lines


def _planned(summary: Summary) -> str:
    return "" if summary.planned is None else summary.planned.record.estimate


def _top(summary: Summary, panels: Sequence[dict[str, Ends]], *, errors: bool) -> float:
    """The end of an axis: above every end of the winner and most of the others."""
    ends = np.array([line[::2] for lines in panels for line in lines.values()]).ravel()
    winners = [lines[summary.selected][2] if summary.selected in lines else max(line[2] for line in lines.values())
               for lines in panels if lines]  # fmt: skip
    if not len(ends):
        return 1.0
    far = _FAR * max([*winners, float(np.nanmedian(ends))])
    shown = [*ends, *(_constant(summary, "E_cv")[::2] if errors else ())]
    return 1.06 * max([one for one in shown if one <= far], default=1.0) or 1.0


def _constant(summary: Summary, estimate: str) -> Ends:
    """The baseline's estimate, or its E_cv where it has no such one."""
    if summary.value(baseline.NAME, estimate) is not None:
        return _ends(summary, baseline.NAME, estimate)
    value = float(summary.shown(summary.selection["baseline"]))
    return value, value, value


def _alone(panel: _Panel) -> "Figure":
    made, axes = figure(3.5, panel.height)
    # at the left edge of the picture, where a long title has room
    made.suptitle(_draw(axes, panel), x=0.01, ha="left", fontsize=9.5, fontweight="bold")
    return made


def _draw(axes: Any, panel: _Panel) -> str:
    """Draw the panel; returns its title."""
    reach = (0.0, panel.top)
    for place, (name, ends) in enumerate(panel.lines.items()):
        bold = name == panel.planned
        colour = ACCENT if bold else MUTED if name == baseline.NAME else INK
        text = "" if panel.numbers else _written(ends[0], panel.top)
        if name == _BOUND and panel.numbers:  # a limit alone
            axes.plot([0, min(ends[0], panel.top)], [place, place], lw=1.4, color=colour, ls=(0, (1, 2.5)))
            axes.plot(ends[0], place, "|", ms=8, mew=1.8, color=colour, clip_on=False)
        elif not math.isnan(ends[0]):
            interval_line(axes, place, ends, reach, colour, text, bold=bold)
        note_line(axes, place, panel.numbers.get(name, ""), colour)
    if panel.constant is not None and panel.constant <= panel.top:
        axes.axvline(panel.constant, color=MUTED, lw=1.2, ls=(0, (4, 3)), zorder=0)
    name_lines(axes, [*panel.lines], panel.planned)
    axes.set_xlim(-0.015 * panel.top, panel.top)
    axes.locator_params(axis="x", nbins=5)
    return panel.called + panel.unit + number_axis.set_ticks(axes.xaxis, panel.top)


def _numbers(summary: Summary, plan: Mapping[str, Ends], top: float) -> dict[str, str]:
    """Value and interval of each line, as tables have them, or as large numbers of the axis."""
    texts = {}
    for name, (value, low, high) in plan.items():
        if number_axis.power(top):
            shown, ends = _written(value, top), f"{_written(low, top)}–{_written(high, top)}" if low < high else ""
        elif name == _BOUND:
            shown, ends = summary.written(value), ""
        else:
            shown, ends = summary.cell(summary.selected, name)
        texts[name] = f"at most {shown}" if name == _BOUND else f"{shown} [{ends}]" if ends else shown
    return texts


def _written(value: float, top: float) -> str:
    return number_axis.written(float(f"{value:.3g}"), top)


def _unit(summary: Summary, estimate: str) -> str:
    """What follows the name of an estimate; a disagreement is no error, so it has the unit alone."""
    if summary.percent:
        return ", %"
    called = "" if ESTIMATES[estimate].kind == "disagreement" else summary.loss.mean_called
    return f", {called}" if called else ""


def _ends(summary: Summary, candidate: str, estimate: str) -> Ends:
    """Those of an estimate, as people read them."""
    lines = summary.estimates_of(candidate)
    lines = lines[lines["estimate"] == estimate]
    if lines.empty:
        return float("nan"), float("nan"), float("nan")
    line = lines.iloc[0]
    ends = (line["value"] if pd.isna(line[end]) else line[end] for end in ("low", "high"))
    return tuple(float(summary.shown(float(end))) for end in (line["value"], *ends))  # type: ignore[return-value]


def _tables(summary: Summary) -> Iterator[Table]:
    """All numbers, in tables that fit on a page: of errors, of unlabelled rows, and of the winner alone."""
    known = {*summary.estimates["estimate"]}
    columns = [one for one in BY_COLUMN if one.name in known and one.name in SHOWN]
    errors = [one.name for one in columns if one.kind in ("error", "training error")]
    others = [one.name for one in BY_COLUMN if one.name in known and one.name not in errors and one.of_candidate]
    shares = ["R²"] if summary.loss.power == 2 else []
    interval = f"Below each value its interval at {summary.level}{marks(bool(summary.not_credible))}"
    for place, part in enumerate([*_parts([*shares, *errors]), *_parts(others)]):
        about = "; R² is that of E_cv" if "R²" in part else ""
        yield _table(summary, f"{interval}{about}" if not place else "Continued", part, gone=not place)
    of_winner = [one.name for one in BY_COLUMN if one.name in known and one.name not in (*errors, *others)]
    if of_winner:
        head = ["candidate", *of_winner]
        rows = [[name, *_cells(summary, name, of_winner)] for name in (summary.selected, baseline.NAME)]
        yield Table("After the choice", head, rows, marked={0: "selected", 1: "baseline"})


def _parts(columns: Sequence[str]) -> Iterator[Sequence[str]]:
    """In parts of nearly one length, each short enough for a page."""
    count = math.ceil(len(columns) / _MOST_COLUMNS)
    for part in range(count):
        yield columns[part * len(columns) // count : (part + 1) * len(columns) // count]


def _table(summary: Summary, caption: str, columns: Sequence[str], *, gone: bool) -> Table:
    """A row for each candidate and the baseline; with those that are `gone`, and why."""
    names = summary.ranked
    rows: list[list[str | Cell]] = [[name, *_cells(summary, name, columns)] for name in [*names, baseline.NAME]]
    marked = {names.index(summary.selected): "selected", len(names): "baseline"}
    left = summary.dropped | {name: f"failed: {reason}" for name, reason in summary.failures.items()}
    for place, (name, says) in enumerate(left.items() if gone else (), len(rows)):
        rows.append([Cell(name, says), *["–"] * len(columns)])
        marked[place] = "failed"
    return Table(caption, ["candidate", *columns], rows, marked=marked)


def _cells(summary: Summary, name: str, columns: Sequence[str]) -> list[str | Cell]:
    return [_share(summary, name) if column == "R²" else _cell(summary, name, column) for column in columns]


def _cell(summary: Summary, name: str, estimate: str) -> Cell:
    made = Cell(*summary.cell(name, estimate))
    return made if made.text else Cell("–")


def _share(summary: Summary, candidate: str) -> str:
    """R^2 against the baseline, of E_cv."""
    value = summary.value(candidate, "E_cv")
    share = "" if value is None else summary.loss.share(value, summary.selection["baseline"])
    return share.removeprefix("R² ") or "–"
