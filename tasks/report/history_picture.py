"""The picture of all nights: panels on one axis of time, in the style of the report's.

Over each night of the wide one lies a part that nobody sees, with all that is known of the night as its hint; the
page's table has the same for who cannot point.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any

from heldout.display import number_axis
from heldout.display.svg import ACCENT, INK, MUTED, PAPER, WARNING, Hint
from heldout.losses.amounts import shown
from heldout.printable import printable
from tasks.outcome.nights import Morning, Night
from tasks.report import history_lines
from tasks.report.style import short

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LANES = ("nights", "alarms", "batches", "by hand")
_MOST_DOTS = 45  # nights, from which on a line has no dots
_MOST_NAMED = 3  # versions, from which on only the newest has its number
_LEAST_CAPITAL, _MOST_CAPITAL = 1e-3, 1e6  # a capital outside is drawn at the edge; the hint has its number
_FORMATS = ["%Y", "%b %Y", "%-d %b", "%-d %b %H:%M", "%H:%M", "%H:%M:%S"]  # of years, months, days, hours, and smaller
# in points, of which a page shows 1.5 dots each
_SMALL, _LARGE = 8, 9.3
_PER_LETTER = 0.6 * _SMALL  # the mean width, a little more than that of usual typefaces
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 8, 3, 18

Point = tuple[datetime, float]


@dataclass(frozen=True)
class _Layout:
    """How wide the picture is, how high the words above a panel, and how many days the axis names; all in points."""

    width: int
    words: int
    days: int


_WIDE, _NARROW = _Layout(867, 18, 9), _Layout(239, 36, 4)


@dataclass(frozen=True)
class _Panel:
    """A panel: its name, what it is counted in, the newest value, more about that, its height, and what it draws."""

    name: str
    counted_in: str
    newest: str
    more: str
    height: int
    draw: Callable[[Any, Morning], None]


def alternative(made: Morning) -> str:
    """The picture in words."""
    promoted = sum(one.how == "yes" for one in made.reigns)
    back = sum(one.how == "rollback" for one in made.reigns)
    alarms = sum(one.lane == "alarms" and one.bad for one in made.happened)
    return (
        f"{len(made.nights)} nights: the champion, its error, capitals of challengers, what happened, rows, durations "
        f"and sizes over time. {history_lines.standing(made)}. Promotions {promoted}, rollbacks {back}, alarms "
        f"{alarms}. The table has each night."
    )


def hints(made: Morning) -> Iterator[Hint]:
    """What is known of each night, from the middle before it to the middle after it on the wide picture."""
    happened = history_lines.happened_at(made)
    low, high = _span(made)
    times = [night.time for night in made.nights]
    moments = [low, *(before + (after - before) / 2 for before, after in pairwise(times)), high]
    plot = _WIDE.width - _LEFT - _RIGHT
    edges = [(_LEFT + plot * ((moment - low) / (high - low))) / _WIDE.width for moment in moments]
    for night, (left, right) in zip(made.nights, pairwise(edges), strict=True):
        said = dict(zip(history_lines.COLUMNS, history_lines.cells(night, made), strict=True))
        known = [f"{name}: {cell}" for name, cell in said.items() if cell != history_lines.NOTHING]
        yield left, right, "\n".join(printable(part) for part in (*known, *happened[night.time]))


def draw(made: Morning, *, narrow: bool = False) -> "Figure":
    """The figure, inside of `tasks.report.style.drawing`; `made` has a night at least."""
    from matplotlib.figure import Figure

    at = _NARROW if narrow else _WIDE
    panels = [*_panels(made)]
    heights = [panel.height for panel in panels]
    high = _TOP + sum(heights) + at.words * len(panels) + _BOTTOM
    place = {
        "left": _LEFT / at.width,
        "right": 1 - _RIGHT / at.width,
        "top": 1 - (_TOP + at.words) / high,
        "bottom": _BOTTOM / high,
        "hspace": at.words * len(panels) / sum(heights),
    }
    figure = Figure(figsize=(at.width / 72, high / 72))
    parts = figure.subplots(len(panels), 1, sharex=True, height_ratios=heights, gridspec_kw=place)
    _time(parts[-1], made, at.days)
    for axes, panel in zip(parts, panels, strict=True):
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0, labelsize=_SMALL, labelcolor=MUTED)
        axes.grid()
        axes.set_axisbelow(True)
        panel.draw(axes, made)
        _words(axes, panel, at)
    return figure


def _time(axes: Any, made: Morning, most: int) -> None:
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    axes.set_xlim(*_span(made))
    locator = AutoDateLocator(minticks=most // 2, maxticks=most)  # type: ignore[no-untyped-call]
    said = {"formats": _FORMATS, "zero_formats": _FORMATS, "show_offset": False}
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator, **said))  # type: ignore[no-untyped-call]


def _words(axes: Any, panel: _Panel, at: _Layout) -> None:
    """Above a panel its name and what it is counted in, and on the right the newest value and more about that."""
    up = at.words - (7 if at is _NARROW else 4)
    _say(axes, 0, up, panel.name, _LARGE, fontweight="bold")
    _say(axes, at.width, up, panel.newest, _LARGE, fontweight="bold", ha="right")
    if at is _NARROW:
        _say(axes, 0, 15, panel.counted_in, _SMALL, color=MUTED)
        return
    _say(axes, 100, 13, panel.counted_in, _SMALL, color=MUTED)
    _say(axes, at.width - 125, 13, panel.more, _SMALL, color=MUTED, ha="right")


def _say(axes: Any, x: float, up: float, said: str, size: float, **look: Any) -> None:
    """Words at `x` points from the edge of the figure, `up` points above a panel."""
    width = 72 * axes.figure.get_figwidth()
    axes.annotate(
        short(said, 80), (x / width, 1), (0, up), xycoords=("figure fraction", "axes fraction"),
        textcoords="offset points", annotation_clip=False, fontsize=size, va="top", **look,
    )  # fmt: skip


def _span(made: Morning) -> tuple[datetime, datetime]:
    """From a little before the first night to a little after whatever happened last."""
    first = made.nights[0].time
    moments = [*(one.time for one in made.nights), *(one.time for one in made.happened)]
    last = max([*moments, *(one.time for one in made.reigns)])
    # matplotlib has no ticks for less than seconds
    room = max((last - first) / 100, timedelta(minutes=10)) if last > first else timedelta(hours=12)
    return first - room, last + room


def _panels(made: Morning) -> Iterator[_Panel]:
    nights = made.nights
    last = made.reigns[-1] if made.reigns else None
    learner = "" if last is None else f"{last.candidate}, since {last.time:%-d %b %Y}".lstrip(", ")
    yield _Panel(
        "Champion", "▲ promoted, ▼ rolled back", f"version {last.version}" if last else "none", learner, 32, _champion
    )
    newest = next((one for one in reversed(nights) if one.error is not None), None)
    error = "" if newest is None else history_lines.error_of(newest, made)
    of = "" if newest is None or not error else f"version {newest.met} on {newest.error_rows:,} rows it never used"
    unit = history_lines.unit_of_errors(made)
    yield _Panel("Its error", f"E_champion, {unit}".rstrip(", "), error or "not known", of, 56, _error)
    challenge = next((one for one in reversed(nights) if one.capital is not None), None)
    capital = "none" if challenge is None else f"{challenge.capital:.3g} of {challenge.needed or 0:.3g}"
    by = "no challenger yet" if challenge is None else f"{challenge.candidate}, on {challenge.time:%-d %b}"
    yield _Panel("Capitals", "of challengers; the broken line promotes", capital, by, 50, _capitals)
    event = next((one for one in reversed(made.happened) if not one.quiet), None)
    when = "nothing yet" if event is None else f"{event.time:%-d %b %H:%M}"
    yield _Panel("What happened", "", when, "" if event is None else event.text, 38, _lanes)
    yield from _of_numbers(nights)


def _of_numbers(nights: Sequence[Night]) -> Iterator[_Panel]:
    """Rows, duration and sizes: each from 0, in a unit that fits the most."""
    rows = [(night.time, float(night.rows)) for night in nights if night.rows is not None]
    gained = f"{rows[-1][1] - rows[-2][1]:+,.0f} in the last night" if len(rows) > 1 else ""
    most = max((value for _, value in rows), default=0.0)
    newest = f"{rows[-1][1]:,.0f}" if rows else "not known"
    yield _Panel("Rows", f"labelled{number_axis.counted_in(most)}", newest, gained, 32, partial(_numbers, rows, 1.0))
    took = [(night.time, night.seconds) for night in nights if night.seconds is not None]
    most = max((value for _, value in took), default=0.0)
    of_unit, unit = (3600.0, "hours") if most >= 7200 else (60.0, "minutes") if most >= 200 else (1.0, "seconds")
    newest = history_lines.shown_seconds(took[-1][1]) if took else "not known"
    yield _Panel("Duration", unit, newest, "", 32, partial(_numbers, took, of_unit))
    sizes = [(night.time, float(night.size)) for night in nights if night.size is not None]
    most = max((value for _, value in sizes), default=0.0)
    of_unit, unit = (1e9, "GB") if most >= 2e9 else (1e6, "MB")
    last = next((night for night in reversed(nights) if night.sizes), None)
    parts = {} if last is None else dict(sorted(last.sizes.items(), key=lambda one: -one[1]))
    more = ", ".join(f"{name} {history_lines.shown_bytes(size)}" for name, size in parts.items())
    newest = history_lines.shown_bytes(sizes[-1][1]) if sizes else "not known"
    yield _Panel("Stores", unit, newest, more, 32, partial(_numbers, sizes, of_unit))


def _champion(axes: Any, made: Morning) -> None:
    """A bar for each reign, one lane a version, with its number where it has room."""
    axes.set_yticks([])
    reigns = made.reigns
    if not reigns:
        _nothing(axes, "no champion yet")
        return
    low, high = _span(made)
    lanes = {version: place for place, version in enumerate(dict.fromkeys(one.version for one in reigns))}
    axes.set_ylim(-0.4, len(lanes) - 0.3)
    of_letter = (high - low) * _PER_LETTER / (72 * axes.figure.get_figwidth() - _LEFT - _RIGHT)
    for one, end in zip(reigns, [*(one.time for one in reigns[1:]), high], strict=True):
        newest, y, start, said = one is reigns[-1], lanes[one.version], max(one.time, low), f"v{one.version}"
        axes.plot([start, end], [y, y], color=ACCENT if newest else INK, lw=2.6 if newest else 2, solid_capstyle="butt")
        if one.how in ("yes", "rollback"):
            up = one.how == "yes"
            axes.plot(start, y, "^" if up else "v", ms=7, mew=0, color=ACCENT if up else WARNING, clip_on=False)
        room = (end - start) / of_letter - len(said) - 1
        if newest or (room >= 0 and len(lanes) <= _MOST_NAMED):
            near = (high, 0, "right") if room < 0 else (start, 6, "left")
            axes.annotate(
                said, (near[0], y), (near[1], 2), textcoords="offset points", fontsize=_SMALL, ha=near[2], va="bottom",
                annotation_clip=False,
            )  # fmt: skip


def _error(axes: Any, made: Morning) -> None:
    """The error of the champion that each night met, with its band; a line for each champion."""
    known = [one for one in made.nights if one.error is not None and history_lines.is_comparable(one, made)]
    unit = made.unit
    if not known or unit is None:
        _nothing(axes, "no new labelled rows since promotion")
        return

    def read(end: float | None, night: Night) -> float:
        return float(shown((night.error or 0.0) if end is None else end, unit))

    lows, highs = [read(one.low, one) for one in known], [read(one.high, one) for one in known]
    low, high = min(lows), 1.05 * max(highs) or 1.0
    _scale(axes, 0.95 * low if low > 0.5 * high else 0.0, high, 4)
    for reign, group in groupby(zip(known, lows, highs, strict=True), key=lambda of: of[0].reign):
        nights, below, above = zip(*group, strict=True)
        times = [one.time for one in nights]
        colour = ACCENT if reign == known[-1].reign else INK
        if len(nights) > 1:
            axes.fill_between(times, below, above, color=colour, alpha=0.16, lw=0)
        else:
            axes.plot(times * 2, [*below, *above], color=colour, lw=1)
        _curve(axes, made, [(one.time, read(one.error, one)) for one in nights], colour)


def _capitals(axes: Any, made: Morning) -> None:
    """A line for each challenger of each champion, on a logarithmic axis, and what promotes."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    known = [one for one in made.nights if one.capital is not None]
    if not known:
        _nothing(axes, "no challenger yet")
        return
    capitals = [min(max(one.capital or 0.0, _LEAST_CAPITAL), _MOST_CAPITAL) for one in known]
    needed = [(one.time, one.needed) for one in known if one.needed]
    low, high = min(0.5, *capitals) / 1.2, max([20.0, *capitals, *(value for _, value in needed)]) * 1.6
    axes.set_yscale("log")
    axes.set_ylim(low, high)
    axes.yaxis.set_major_locator(LogLocator(numticks=5))
    axes.yaxis.set_minor_locator(NullLocator())
    line_at = needed[-1][1] if needed else math.inf
    near = (high / low) ** 0.18  # whose label would lie on that of the line
    axes.yaxis.set_major_formatter(
        FuncFormatter(lambda value, _: "" if value / near < line_at < value * near else f"{value:,g}")
    )
    if needed:
        first, last = _span(made)
        times, values = zip((first, needed[0][1]), *needed, (last, line_at), strict=True)
        axes.step(times, values, where="post", color=WARNING, lw=1, ls="--")
        axes.annotate(
            f"{line_at:.3g}", (0, line_at), (-4, 0), xycoords=("axes fraction", "data"), textcoords="offset points",
            fontsize=_SMALL, color=WARNING, ha="right", va="center", annotation_clip=False,
        )  # fmt: skip
    pairs: dict[tuple[int, str], list[Point]] = {}
    for one, capital in zip(known, capitals, strict=True):
        pairs.setdefault((one.reign, one.candidate), []).append((one.time, capital))
    newest = (known[-1].reign, known[-1].candidate)
    for pair, points in pairs.items():
        _curve(axes, made, points, ACCENT if pair == newest else MUTED)


def _lanes(axes: Any, made: Morning) -> None:
    """A mark for each thing that happened: filled where somebody has to know."""
    axes.set_yticks(range(len(LANES)), LANES)
    axes.set_ylim(len(LANES) - 0.4, -0.6)
    quiet = {"marker": "|", "ms": 4, "color": MUTED}
    bad = {"marker": "o", "ms": 6, "mew": 0, "color": WARNING}
    other = {"marker": "o", "ms": 4.4, "mew": 1, "markerfacecolor": PAPER, "color": INK}
    for order, look in enumerate((quiet, other, bad)):  # what matters lies above
        some = [one for one in made.happened if (2 if one.bad else 0 if one.quiet else 1) == order]
        if some:
            axes.plot(
                [one.time for one in some],
                [LANES.index(one.lane) for one in some],
                ls="",
                zorder=3 + order,
                clip_on=False,
                **look,
            )


def _numbers(points: Sequence[Point], of_unit: float, axes: Any, made: Morning) -> None:
    """Numbers from 0, in a unit."""
    if not points:
        _nothing(axes, "not in the ledger yet")
        return
    _scale(axes, 0.0, max(value for _, value in points) / of_unit * 1.05 or 1.0, 2)
    _curve(axes, made, [(time, value / of_unit) for time, value in points], ACCENT)


def _scale(axes: Any, low: float, high: float, ticks: int) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.set_ylim(low - 0.05 * (high - low), high)
    axes.yaxis.set_major_locator(MaxNLocator(ticks, steps=[1, 2, 2.5, 5, 10]))
    number_axis.set_ticks(axes.yaxis, max(abs(low), high))


def _curve(axes: Any, made: Morning, points: Sequence[Point], colour: str) -> None:
    """A line through points, with dots where there are few."""
    times, values = zip(*points, strict=True)
    dots = "o" if len(made.nights) <= _MOST_DOTS or len(points) == 1 else ""
    axes.plot(times, values, marker=dots, ms=3.4, mew=0, lw=1.2, color=colour)


def _nothing(axes: Any, said: str) -> None:
    axes.set_yticks([])
    axes.text(0.01, 0.5, said, fontsize=_SMALL, color=MUTED, va="center", transform=axes.transAxes)
