"""The picture of all nights: panels on one axis of time, drawn by hand as the decision strip, so that text stays text.

Ink is that of the page around it. Over each night lies a part that nobody sees, with all that is known of the night as
its hint; the page's table has the same for who cannot point.
"""

import math
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from html import escape
from itertools import groupby, pairwise

from heldout.losses.amounts import shown
from heldout.printable import printable
from heldout.shown import number_axis
from tasks.outcome.nights import Morning, Night
from tasks.report import history_lines
from tasks.report.style import short

WIDE, NARROW = 1300, 358
LANES = ("nights", "alarms", "batches", "by hand")
_ACCENT, _WARNING, _INK, _GRID = "var(--accent)", "var(--warning)", "currentColor", "var(--line)"
_PER_LETTER = 0.56  # of the size of the letters: their mean width, a little more than that of usual typefaces
_SMALL, _LARGE = 12, 14
_MOST_DOTS = 45  # nights, from which on a line has no dots
_LEAST_CAPITAL, _MOST_CAPITAL = 1e-3, 1e6  # a capital outside is drawn at the edge; the hint has its number
_STEPS = [60 * step for step in (1, 5, 15, 60, 180, 360, 720)] + [86400 * step for step in (1, 2, 7, 14, 28, 56, 91)]
_DAY = 86400
_YEARLY = 250 * _DAY  # from this span on the axis names years
_LANE = 16

Point = tuple[datetime, float]


@dataclass(frozen=True)
class _Layout:
    """Where things are: plots from `left` to `right`, and titles above their plot if `stacked`."""

    width: int
    left: int
    right: int
    ticks: int
    stacked: bool


_WIDE = _Layout(WIDE, 186, 1050, 8, stacked=False)
_NARROW = _Layout(NARROW, 58, 352, 4, stacked=True)


@dataclass(frozen=True)
class _Panel:
    """A panel: its name, what it is counted in, the newest value, more about that, its height, and what it draws."""

    name: str
    counted_in: str
    newest: str
    more: str
    height: int
    draw: Callable[["_Drawn", float], Iterator[str]]


@dataclass(frozen=True)
class _Band:
    """The error of a night and its ends, as people read them."""

    night: Night
    value: float
    low: float
    high: float


def svg(made: Morning, *, narrow: bool = False) -> str:
    """The picture as an svg element; `made` has a night at least."""
    drawn = _Drawn(made, _NARROW if narrow else _WIDE)
    body = "".join(drawn.all())
    return (
        f'<svg class="nights" viewBox="0 0 {drawn.at.width} {drawn.y:.0f}" width="{drawn.at.width}" role="img" '
        f'aria-label="{escape(printable(alternative(made)))}" fill="currentColor">{body}</svg>'
    )


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


class _Drawn:
    """The picture as it grows downwards: `y` is where the next panel begins."""

    def __init__(self, made: Morning, at: _Layout) -> None:
        self.made, self.at, self.y = made, at, 0.0
        moments = [night.time for night in made.nights]
        moments += [*(one.time for one in made.happened), *(one.time for one in made.reigns)]
        first = made.nights[0].time
        self.first, self.last = first, max(moments)
        self.dotted = len(made.nights) <= _MOST_DOTS // (2 if at.stacked else 1)

    def all(self) -> Iterator[str]:
        """Each panel, from the top, then the axis; the hints last, over everything."""
        panels = [*_panels(self.made)]
        body = [part for panel in panels for part in self._panel(panel)]
        yield from self._axis()
        yield from body
        if not self.at.stacked:  # where nobody points with a finger
            yield from self._hints()

    def x(self, time: datetime) -> float:
        """The place of a moment; that of the only one is the middle."""
        room, span = 8.0, (self.last - self.first).total_seconds()
        share = 0.5 if span == 0 else min(max((time - self.first).total_seconds() / span, 0.0), 1.0)
        return self.at.left + room + share * (self.at.right - self.at.left - 2 * room)

    def _panel(self, panel: _Panel) -> Iterator[str]:
        at = self.at
        if at.stacked:
            yield text(0, self.y + 13, panel.name, _LARGE, bold=True)
            yield text(at.width, self.y + 13, panel.newest, _SMALL, anchor="end")
            yield text(0, self.y + 29, panel.counted_in, _SMALL, muted=True)
            self.y += 44 if panel.counted_in else 28
        else:
            yield text(0, self.y + 13, panel.name, _LARGE, bold=True)
            for number, line in enumerate(_wrapped(panel.counted_in, 132, _SMALL, 3)):
                yield text(0, self.y + 29 + 15 * number, line, _SMALL, muted=True)
            yield text(at.right + 18, self.y + 13, panel.newest, _LARGE, bold=True)
            room = at.width - at.right - 18
            for number, line in enumerate(_wrapped(panel.more, room, _SMALL, max(1, (panel.height - 14) // 15))):
                yield text(at.right + 18, self.y + 29 + 15 * number, line, _SMALL, muted=True)
        yield from panel.draw(self, panel.height)
        self.y += panel.height + (18 if at.stacked else 11)

    def _axis(self) -> Iterator[str]:
        """A line for each round moment, under everything, and its name below."""
        bottom = self.y - 6
        span = (self.last - self.first).total_seconds()
        step = next((step for step in _STEPS if span / step <= self.at.ticks), _STEPS[-1] * 2)
        place = math.ceil(self.first.timestamp() / step) * step
        last_end = -math.inf
        while place <= self.last.timestamp() or last_end == -math.inf:
            time = self.first if span == 0 else datetime.fromtimestamp(place, UTC)
            x = self.x(time)
            yield line(x, 0, x, bottom, _GRID, 1)
            said = time.strftime("%-d %b" if step >= _DAY else "%-d %b %H:%M")
            said = time.strftime("%b %Y") if span > _YEARLY else said
            half = _PER_LETTER * _SMALL * len(said) / 2
            middle = min(max(x, half), self.at.width - half)
            if middle - half > last_end:
                yield text(middle, bottom + 15, said, _SMALL, muted=True, anchor="middle")
                last_end = middle + half + 6
            place += step
        self.y = bottom + 22

    def _hints(self) -> Iterator[str]:
        happened = history_lines.happened_at(self.made)
        places = [self.x(night.time) for night in self.made.nights]
        edges = [float(self.at.left), *((a + b) / 2 for a, b in pairwise(places)), float(self.at.right)]
        for night, left, right in zip(self.made.nights, edges, edges[1:], strict=False):
            said = dict(zip(history_lines.COLUMNS, history_lines.cells(night, self.made), strict=True))
            known = [f"{name}: {cell}" for name, cell in said.items() if cell != history_lines.NOTHING]
            told = escape("\n".join(printable(part) for part in (*known, *happened[night.time])))
            yield (
                f'<rect class="night" x="{left:.1f}" y="0" width="{right - left:.1f}" height="{self.y:.0f}">'
                f"<title>{told}</title></rect>"
            )

    def scale(self, height: float, low: float, high: float, *, log: bool = False) -> Callable[[float], float]:
        """Where a number is in the panel that begins here."""
        top = self.y
        if log:
            low, high = math.log10(low), math.log10(high)

        def place(value: float) -> float:
            value = math.log10(min(max(value, _LEAST_CAPITAL), _MOST_CAPITAL)) if log else value
            share = (value - low) / (high - low) if high > low else 0.5
            return top + height - min(max(share, 0.0), 1.0) * height

        return place

    def tick(self, y: float, said: str) -> str:
        """A number of the axis of a panel, with its line."""
        at = self.at
        return line(at.left, y, at.right, y, _GRID, 1) + text(
            at.left - 6, y + 4, said, _SMALL, muted=True, anchor="end"
        )

    def curve(self, points: Sequence[Point], y: Callable[[float], float], colour: str, width: float = 1.8) -> str:
        """A line through points, with dots where there are few."""
        places = [(self.x(time), y(value)) for time, value in points]
        made = path(places, colour, width) if len(places) > 1 else ""
        if self.dotted or len(places) == 1:
            made += "".join(f'<circle cx="{x:.1f}" cy="{v:.1f}" r="2.6" fill="{colour}"/>' for x, v in places)
        return made


def _panels(made: Morning) -> Iterator[_Panel]:
    nights = made.nights
    last = made.reigns[-1] if made.reigns else None
    learner = "" if last is None else f"{last.candidate}, since {last.time:%-d %b %Y}".lstrip(", ")
    yield _Panel(
        "Champion", "▲ promoted, ▼ rolled back", f"version {last.version}" if last else "none", learner, 66, _champion
    )
    newest = next((one for one in reversed(nights) if one.error is not None), None)
    error = "" if newest is None else history_lines.error_of(newest, made)
    of = "" if newest is None or not error else f"version {newest.met} on {newest.error_rows:,} rows it never used"
    unit = history_lines.unit_of_errors(made)
    yield _Panel("Its error", f"E_champion, {unit}".rstrip(", "), error or "not known", of, 108, _error)
    challenge = next((one for one in reversed(nights) if one.capital is not None), None)
    capital = "none" if challenge is None else f"{challenge.capital:.3g} of {challenge.needed or 0:.3g}"
    by = "no challenger has bet" if challenge is None else f"{challenge.candidate}, on {challenge.time:%-d %b}"
    yield _Panel("Capitals", "of challengers; the broken line promotes", capital, by, 102, _capitals)
    event = next((one for one in reversed(made.happened) if not one.quiet), None)
    when = "nothing yet" if event is None else f"{event.time:%-d %b %H:%M}"
    yield _Panel("What happened", "", when, "" if event is None else event.text, _LANE * len(LANES), _lanes)
    yield from _of_numbers(nights)


def _of_numbers(nights: Sequence[Night]) -> Iterator[_Panel]:
    """Rows, duration and sizes: each from 0, in a unit that fits the most."""
    rows = [(night.time, float(night.rows)) for night in nights if night.rows is not None]
    gained = f"{rows[-1][1] - rows[-2][1]:+,.0f} in the last night" if len(rows) > 1 else ""
    most = max((value for _, value in rows), default=0.0)
    counted = number_axis.counted_in(most).removeprefix(", ")
    newest = f"{rows[-1][1]:,.0f}" if rows else "not known"
    yield _Panel(
        "Rows", f"labelled{f', {counted}' if counted else ''}", newest, gained, 58, partial(_numbers, rows, 1.0)
    )
    took = [(night.time, night.seconds) for night in nights if night.seconds is not None]
    most = max((value for _, value in took), default=0.0)
    of_unit, unit = (3600.0, "hours") if most >= 7200 else (60.0, "minutes") if most >= 200 else (1.0, "seconds")
    newest = history_lines.shown_seconds(took[-1][1]) if took else "not known"
    yield _Panel("Duration", unit, newest, "", 58, partial(_numbers, took, of_unit))
    sizes = [(night.time, float(night.size)) for night in nights if night.size is not None]
    most = max((value for _, value in sizes), default=0.0)
    of_unit, unit = (1e9, "GB") if most >= 2e9 else (1e6, "MB")
    last = next((night for night in reversed(nights) if night.sizes), None)
    parts = {} if last is None else dict(sorted(last.sizes.items(), key=lambda one: -one[1]))
    more = ", ".join(f"{name} {history_lines.shown_bytes(size)}" for name, size in parts.items())
    newest = history_lines.shown_bytes(sizes[-1][1]) if sizes else "not known"
    yield _Panel("Stores", unit, newest, more, 58, partial(_numbers, sizes, of_unit))


def _champion(drawn: _Drawn, height: float) -> Iterator[str]:
    """A bar for each reign, one lane a version, with its number where it has room."""
    reigns = drawn.made.reigns
    if not reigns:
        yield _nothing(drawn, height, "no champion yet")
        return
    lanes = {version: place for place, version in enumerate(dict.fromkeys(one.version for one in reigns))}
    step = (height - 24) / max(len(lanes) - 1, 1)
    ends = [*(one.time for one in reigns[1:]), drawn.last]
    for one, end in zip(reigns, ends, strict=True):
        y = drawn.y + height - 2 - (lanes[one.version] * step if len(lanes) > 1 else height / 2 - 8)
        left, right = drawn.x(one.time), drawn.x(end)
        newest = one is reigns[-1]
        yield line(left, y, max(right, left + 6), y, _ACCENT if newest else _INK, 4 if newest else 3)
        if one.how == "yes":
            yield f'<path d="M{left:.1f} {y - 6:.1f}l6 11h-12z" fill="{_ACCENT}"/>'
        elif one.how == "rollback":
            yield f'<path d="M{left:.1f} {y + 6:.1f}l6 -11h-12z" fill="{_WARNING}"/>'
        said = f"v{one.version}"
        has_room = left + 9 + _length(said) <= right and (step >= _SMALL or len(lanes) == 1)
        if has_room or newest:
            begin = min(left + 9, drawn.at.right - _length(said))
            yield text(begin, y - 5, said, _SMALL)


def _error(drawn: _Drawn, height: float) -> Iterator[str]:
    """The error of the champion that each night met, with its band; a line for each champion."""
    made = drawn.made
    known = [one for one in made.nights if one.error is not None and history_lines.is_comparable(one, made)]
    unit = made.unit
    if not known or unit is None:
        yield _nothing(drawn, height, "the champion has met no new rows yet")
        return

    def read(value: float | None, instead: float) -> float:
        return float(shown(instead if value is None else value, unit))

    values = [_Band(one, *(read(end, one.error or 0.0) for end in (one.error, one.low, one.high))) for one in known]
    high = max(of.high for of in values) * 1.05 or 1.0
    low = min(of.low for of in values)
    low = low * 0.95 if low > 0.5 * high else 0.0
    y = drawn.scale(height, low, high)
    counted = max(abs(low), high)
    yield from (drawn.tick(y(tick), number_axis.written(tick, counted)) for tick in round_numbers(low, high, 4))
    for reign, group in groupby(values, key=lambda of: of.night.reign):
        some = [*group]
        xs = [drawn.x(of.night.time) for of in some]
        above = [(x, y(of.high)) for x, of in zip(xs, some, strict=True)]
        below = [(x, y(of.low)) for x, of in zip(xs, some, strict=True)]
        colour = _ACCENT if reign == values[-1].night.reign else _INK
        if len(some) > 1:
            outline = "L".join(f"{x:.1f} {v:.1f}" for x, v in (*above, *reversed(below)))
            yield f'<path d="M{outline}Z" fill="{colour}" opacity=".16"/>'
        else:
            yield line(xs[0], above[0][1], xs[0], below[0][1], colour, 1.4)
        yield drawn.curve([(of.night.time, of.value) for of in some], y, colour)


def _capitals(drawn: _Drawn, height: float) -> Iterator[str]:
    """A line for each challenger of each champion, on a logarithmic axis, and what promotes."""
    known = [one for one in drawn.made.nights if one.capital is not None]
    if not known:
        yield _nothing(drawn, height, "no challenger has bet yet")
        return
    capitals = [min(max(one.capital or 0.0, _LEAST_CAPITAL), _MOST_CAPITAL) for one in known]
    needed = [one.needed for one in known if one.needed]
    low, high = min(0.5, *capitals, 1) / 1.2, max(20.0, *capitals, *needed) * 1.6
    y = drawn.scale(height, low, high, log=True)
    line_at = needed[-1] if needed else None
    for power in range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1):
        apart = math.inf if line_at is None else abs(y(10.0**power) - y(line_at))
        yield drawn.tick(y(10.0**power), f"{10.0**power:,g}" if apart > _SMALL else "")
    if line_at is not None:
        yield text(drawn.at.left - 6, y(line_at) + 4, f"{line_at:.3g}", _SMALL, anchor="end", colour=_WARNING)
        steps = [(drawn.x(one.time), y(one.needed)) for one in known if one.needed]
        yield path([(float(drawn.at.left), steps[0][1]), *_stairs(steps), (float(drawn.at.right), steps[-1][1])],
                   _WARNING, 1.4, dashes="5 4")  # fmt: skip
    pairs: dict[tuple[int, str], list[Point]] = {}
    for one, capital in zip(known, capitals, strict=True):
        pairs.setdefault((one.reign, one.candidate), []).append((one.time, capital))
    newest = (known[-1].reign, known[-1].candidate)
    for pair, points in pairs.items():
        if pair != newest:
            yield f'<g opacity=".55">{drawn.curve(points, y, _INK, 1.4)}</g>'
    yield drawn.curve(pairs[newest], y, _ACCENT)


def _lanes(drawn: _Drawn, height: float) -> Iterator[str]:
    """A mark for each thing that happened: filled where somebody has to know."""
    del height
    for place, lane in enumerate(LANES):
        y = drawn.y + _LANE * place + _LANE / 2
        yield drawn.tick(y, lane)
        of_lane = [one for one in drawn.made.happened if one.lane == lane]
        for one in sorted(of_lane, key=lambda one: (one.bad, not one.quiet)):  # what matters lies above
            x = drawn.x(one.time)
            if one.quiet:
                yield line(x, y - 3, x, y + 3, "var(--muted)", 1)
                continue
            look = f'fill="{_WARNING}"' if one.bad else f'fill="var(--page)" stroke="{_INK}" stroke-width="1.4"'
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{4.5 if one.bad else 3.2}" {look}/>'


def _numbers(points: Sequence[Point], of_unit: float, drawn: _Drawn, height: float) -> Iterator[str]:
    """Numbers from 0, in a unit."""
    if not points:
        yield _nothing(drawn, height, "not in the ledger yet")
        return
    high = max(value for _, value in points) / of_unit * 1.05 or 1.0
    y = drawn.scale(height, 0.0, high)
    yield from (drawn.tick(y(tick), number_axis.written(tick, high)) for tick in round_numbers(0.0, high, 3))
    yield drawn.curve([(time, value / of_unit) for time, value in points], y, _ACCENT)


def _nothing(drawn: _Drawn, height: float, said: str) -> str:
    return text(drawn.at.left + 8, drawn.y + height / 2 + 4, said, _SMALL, muted=True)


def _stairs(places: Sequence[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    yield places[0]
    for (_, before), (x, y) in pairwise(places):
        if y != before:
            yield x, before
        yield x, y


def round_numbers(low: float, high: float, most: int) -> Iterator[float]:
    """Round numbers from `low` to `high`, at most one more than `most`.

    >>> [*round_numbers(0, 9.2, 4)], [*round_numbers(0.41, 0.52, 2)]
    ([0.0, 2.5, 5.0, 7.5], [0.45, 0.5])
    """
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(step * power for step in (1, 2, 2.5, 5, 10) if step * power >= rough * (1 - 1e-9))
    for place in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1):
        yield float(f"{place * step:.10g}")


def _length(said: str) -> float:
    return _PER_LETTER * _SMALL * len(said)


def _wrapped(said: str, width: float, size: int, most: int) -> list[str]:
    return textwrap.wrap(printable(said), int(width / (_PER_LETTER * size)), max_lines=most, placeholder=" …")


def text(
    x: float, y: float, said: str, size: int, *, bold: bool = False, muted: bool = False, anchor: str = "",
    colour: str = "",
) -> str:  # fmt: skip
    """A text, at most as long as a reader looks at."""
    if not said:
        return ""
    more = ' font-weight="650"' if bold else ""
    more += ' fill="var(--muted)"' if muted else f' fill="{colour}"' if colour else ""
    more += f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}"{more}>{escape(short(said, 44))}</text>'


def line(x: float, y: float, to_x: float, to_y: float, colour: str, width: float) -> str:
    """A straight line."""
    return f'<path d="M{x:.1f} {y:.1f}L{to_x:.1f} {to_y:.1f}" stroke="{colour}" stroke-width="{width:g}"/>'


def path(places: Iterable[tuple[float, float]], colour: str, width: float, dashes: str = "") -> str:
    """A line through places."""
    more = f' stroke-dasharray="{dashes}"' if dashes else ""
    through = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    return (
        f'<path d="M{through}" fill="none" stroke="{colour}" stroke-width="{width:g}" stroke-linejoin="round"{more}/>'
    )
