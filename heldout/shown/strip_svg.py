"""The decision strip as a picture: text as text, no script, 900 or 390 wide, for light and dark pages and for paper.

Ink is the colour of the text around it, so that it fits into any page. A file of its own brings its colours with it.
"""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import floor, log10

from heldout.losses.amounts import shown, with_unit
from heldout.printable import printable
from heldout.shown.strip import Mark, Strip, alternative

WIDE, NARROW = 900, 390
_ACCENT, _WARNING = "var(--accent, #2878c8)", "var(--warning, #b26a00)"
_OWN_COLOURS = (
    "<style>svg{color:#1f2328;background:#fff}"
    "@media (prefers-color-scheme:dark){svg{color:#e6e9ed;background:#14181d}}"
    "@media print{svg{color:#000;background:#fff}}</style>"
)
_FITTING = (
    ".strip-wide,.strip-narrow{margin:.8em 0}.strip-narrow{display:none}"
    "@media screen and (max-width:44em){.strip-wide{display:none}.strip-narrow{display:block}}"
)
_PER_LETTER = 0.56  # of the size of the letters: their mean width, a little more than that of usual typefaces
_MOST_RIVALS, _MOST_FLAGS, _TICKS = 12, 3, 4
_RIVAL_STEP = 5


@dataclass(frozen=True)
class _Layout:
    """Where things are, in pixels: the axis from `left` to `right`, and words above their line if `stacked`."""

    width: int
    left: float
    right: float
    row: int
    stacked: bool


_WIDE = _Layout(WIDE, 250, 620, 40, stacked=False)
_NARROW = _Layout(NARROW, 6, 372, 62, stacked=True)


def svg(made: Strip, *, narrow: bool = False, alone: bool = False) -> str:
    """The picture as an svg element.

    `alone` for a file, which has no page around it; else without verdict, flags and origin, which the page says.
    """
    drawn = _Drawn(made, _NARROW if narrow else _WIDE)
    body = "".join(drawn.all() if alone else drawn.numbers())
    size = f'viewBox="0 0 {drawn.at.width} {drawn.y:.0f}" width="{drawn.at.width}"'
    namespace = ' xmlns="http://www.w3.org/2000/svg"' if alone else ""
    return (
        f'<svg{namespace} class="strip" {size} role="img" aria-label="{escape(alternative(made))}" '
        'fill="currentColor" font-family="system-ui, sans-serif" style="max-width:100%;height:auto">'
        f"{_OWN_COLOURS if alone else ''}{body}</svg>"
    )


def fragment(made: Strip) -> str:
    """Both widths for a page, which shows the one that fits its window."""
    return (
        f"<style>{_FITTING}</style>"
        f'<figure class="strip-wide">{svg(made)}</figure><figure class="strip-narrow">{svg(made, narrow=True)}</figure>'
    )


class _Drawn:
    """The picture as it grows downwards: `y` is where the next part begins."""

    def __init__(self, made: Strip, at: _Layout) -> None:
        self.made, self.at, self.y = made, at, 0.0
        self.end = float(shown(made.end, made.loss)) or 1.0

    def all(self) -> Iterator[str]:
        """Each part, from the top."""
        yield from self._verdict()
        yield from self.numbers()
        yield from self._words(self.made.flags[:_MOST_FLAGS], len(self.made.flags) - _MOST_FLAGS)
        if self.made.origin:
            yield _text(0, self.y + 14, self.made.origin, 11, muted=True)
            self.y += 18
        self.y += 4

    def numbers(self) -> Iterator[str]:
        """The axis with a row for each number."""
        self.y += 22
        top = self.y
        rows = [part for mark in self.made.marks for part in self._row(mark)]
        yield from self._axis(top)
        yield from rows

    def _verdict(self) -> Iterator[str]:
        made, plan = self.made, self.made.plan
        for line in _wrapped(made.verdict, self.at.width, 24, 2):
            self.y += 30
            yield _text(0, self.y - 4, line, 24, bold=True)
        if plan is not None and plan.low is not None and plan.high is not None:
            between = f"{made.number(plan.low)}–{made.number(plan.high)}"
            between = f"{between} {made.counted_in}".rstrip()
            said = f"{made.winner}: plan with {with_unit(between, made.loss)} ({plan.called}, {made.level})"
        else:
            said = f"{made.winner}: no interval to plan with"
        if made.not_ruled_out:
            said += f"; not ruled out: {', '.join(made.not_ruled_out)}"
        for line in _wrapped(said, self.at.width, 14, 3):
            self.y += 20
            yield _text(0, self.y - 3, line, 14)

    def _row(self, mark: Mark) -> Iterator[str]:
        at, planned = self.at, mark.called == self.made.planned
        numbers = _numbers(self.made, mark)
        if at.stacked:
            yield _text(0, self.y + 14, f"{mark.called}: {numbers}", 14, bold=planned)
            yield _text(0, self.y + 29, mark.rests_on, 11, muted=True)
            if mark.covered:
                yield _text(0, self.y + 43, mark.covered, 11, muted=True)
                self.y += 14
        else:
            yield _text(0, self.y + 14, mark.called, 14, bold=planned)
            yield _text(0, self.y + 29, mark.rests_on, 11, muted=True)
            yield _text(at.right + 24, self.y + 14, numbers, 14, bold=planned)
            yield _text(at.right + 24, self.y + 29, mark.covered, 11, muted=True)
        middle = self.y + (44 if at.stacked else 16)
        yield from self._interval(mark, middle, 3.0 if planned else 2.0, _ACCENT if planned else "currentColor")
        self.y += at.row
        if mark.called == self.made.compared and self.made.rivals:
            yield from self._rivals()

    def _rivals(self) -> Iterator[str]:
        """The other candidates, each a faint line."""
        rivals = self.made.rivals[:_MOST_RIVALS]
        more = len(self.made.rivals) - len(rivals)
        said = (
            f"{len(rivals)} other{'s' * (len(rivals) != 1)}"
            if not more
            else f"the {len(rivals)} least of {len(rivals) + more} others"
        )
        top = self.y + (16 if self.at.stacked else 0)
        yield _text(0, self.y + 11, said, 11, muted=True)
        yield '<g opacity=".45">'
        for place, mark in enumerate(rivals):
            yield from self._interval(mark, top + 4 + place * _RIVAL_STEP, 1.4, "currentColor", radius=2.0)
        yield "</g>"
        self.y = max(self.y + 18, top + 4 + len(rivals) * _RIVAL_STEP) + 12

    def _interval(self, mark: Mark, y: float, width: float, colour: str, radius: float = 4.5) -> Iterator[str]:
        if mark.low is not None and mark.high is not None and not self._beyond(mark.low):
            low, high = self._x(mark.low), self._x(mark.high)
            yield _line(low, y, high, y, width, colour)
        if mark.value is None:  # a limit alone
            x = self._x(mark.high or 0.0)
            yield _line(self.at.left, y, x, y, width, colour, dashes="2 4")
            yield f'<path d="M{x:.1f} {y - 6:.1f}v12" stroke="{colour}" stroke-width="2.5"/>'
        elif self._beyond(mark.value):
            yield _arrow(self.at.right + 4, y, colour)
        else:
            yield f'<circle cx="{self._x(mark.value):.1f}" cy="{y:.1f}" r="{radius}" fill="{colour}"/>'
            if mark.high is not None and self._beyond(mark.high):
                yield _arrow(self.at.right + 4, y, colour)

    def _axis(self, top: float) -> Iterator[str]:
        """Ticks with their lines, and the baseline, from `top` down to here."""
        made, bottom = self.made, self.y
        yield '<g opacity=".22">'
        ticks = list(_ticks(self.end))
        for tick in ticks:
            x = self._at(tick)
            yield _line(x, top - 4, x, bottom, 1, "currentColor")
        yield "</g>"
        for tick in ticks:
            anchor = "start" if tick == 0 and self.at.stacked else "middle"
            counted = tick / 10.0**made.power
            said = f"{counted:g}" if counted < 10_000 else f"{counted:,.0f}"
            yield _text(self._at(tick), bottom + 14, said, 11, muted=True, anchor=anchor)
        unit = "error, %" if made.loss.binary else made.loss.shown_as
        unit += f", {made.counted_in}" if made.power else ""
        self.y = bottom + (18 if not self.at.stacked else 32)
        x, down = (self.at.right + 24, 14) if not self.at.stacked else (0, 28)
        yield _text(x, bottom + down, unit, 11, muted=True)
        if made.baseline is None or made.baseline.value is None:
            return
        value = made.baseline.value
        said = f"baseline {made.number(value)} ({made.baseline.called})"
        beyond = self._beyond(value)
        x = self.at.right if beyond else self._x(value)
        if not beyond:
            yield _line(x, top - 4, x, bottom, 1.5, _WARNING, dashes="5 4")
        half = _PER_LETTER * 11 * len(said) / 2
        middle = min(max(x, half), self.at.width - half)
        yield _text(middle, top - 8, f"{said} →" if beyond else said, 11, muted=True, anchor="middle")

    def _words(self, flags: Sequence[str], more: int) -> Iterator[str]:
        self.y += 10 if flags else 0
        for place, flag in enumerate(flags):
            said = f"{flag} (and {more} more)" if place == len(flags) - 1 and more > 0 else flag
            for number, line in enumerate(_wrapped(said, self.at.width - 18, 13, 3)):
                self.y += 18
                if not number:
                    yield f'<path d="M1 {self.y:.1f}l5.5-10 5.5 10z" fill="{_WARNING}"/>'
                yield _text(18, self.y, line, 13)
        self.y += 6 if flags else 0

    def _x(self, value: float) -> float:
        return self._at(min(float(shown(value, self.made.loss)), self.end))

    def _beyond(self, value: float) -> bool:
        return float(shown(value, self.made.loss)) > self.end

    def _at(self, read: float) -> float:
        return self.at.left + (self.at.right - self.at.left) * read / self.end


def _numbers(made: Strip, mark: Mark) -> str:
    """Value and interval; the axis says what they are."""
    unit = " %" if made.loss.binary else ""
    if mark.value is None:
        return f"at most {made.number(mark.high or 0.0)}{unit}"
    value = f"{made.number(mark.value)}{unit}"
    if mark.low is None or mark.high is None:
        return value
    return f"{value} [{made.number(mark.low)}–{made.number(mark.high)}]"


def _ticks(end: float) -> Iterator[float]:
    """Round numbers from 0 to the end."""
    rough = end / _TICKS
    power = 10.0 ** floor(log10(rough))
    step = next(step * power for step in (1, 2, 2.5, 5, 10) if step * power >= rough)
    for place in range(int(end / step + 1e-9) + 1):
        yield float(f"{place * step:.10g}")


def _wrapped(text: str, width: float, size: int, most: int) -> list[str]:
    letters = int(width / (_PER_LETTER * size))
    return textwrap.wrap(printable(text), letters, max_lines=most, placeholder=" …")


def _text(
    x: float,
    y: float,
    text: str,
    size: int,
    *,
    bold: bool = False,
    muted: bool = False,
    anchor: str = "",
) -> str:
    if not text:
        return ""
    more = ' font-weight="650"' if bold else ""
    more += ' opacity=".75"' if muted else ""
    more += f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}"{more}>{escape(printable(text))}</text>'


def _line(x: float, y: float, to_x: float, to_y: float, width: float, colour: str, dashes: str = "") -> str:
    more = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (
        f'<path d="M{x:.1f} {y:.1f}L{to_x:.1f} {to_y:.1f}" stroke="{colour}" stroke-width="{width:g}" '
        f'stroke-linecap="round"{more}/>'
    )


def _arrow(x: float, y: float, colour: str) -> str:
    return f'<path d="M{x:.1f} {y - 4:.1f}l7 4-7 4z" fill="{colour}"/>'
