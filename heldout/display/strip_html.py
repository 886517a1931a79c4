"""The decision strip for pages: a list of the numbers, which CSS draws on one axis; no script, and no picture.

Ink is the colour of the text around it, so that it fits into any page, light or dark. A reader that shows no style, and
one that reads aloud, have each number with what it is. The page says verdict, caveats and origin.
"""

from collections.abc import Iterator
from html import escape
from math import floor, log10

from heldout.display.strip import Mark, Strip, alternative
from heldout.losses.amounts import shown
from heldout.printable import printable

_MOST_RIVALS, _TICKS = 12, 4
_RIVAL_STEP = 5  # pixels
_STYLE = """
.strip { font-size: 14px; line-height: 1.35; margin: .8em 0; max-width: 64em; container-type: inline-size;
  print-color-adjust: exact; break-inside: avoid; }
.strip ul.marks { list-style: none; margin: 0; padding: 0; }
.strip .marks > li, .strip .scale { display: grid; margin: 0; padding: 0; line-height: inherit;
  grid-template-columns: 29% 37% 1fr; column-gap: 1.4em;
  grid-template-areas: "name drawn value" "rests drawn held"; grid-template-rows: auto 1fr; }
.strip .name { grid-area: name; padding-top: .35em; overflow-wrap: anywhere; }
.strip .value { grid-area: value; padding-top: .35em; font-variant-numeric: tabular-nums; }
.strip .rests { grid-area: rests; }
.strip .held { grid-area: held; }
.strip .rests, .strip .held, .strip .scale > * { font-size: .8em; opacity: .75; padding-bottom: .35em; }
.strip .planned > .name, .strip .planned > .value { font-weight: 650; }
.strip .drawn { grid-area: drawn; position: relative; min-height: 1.8em;
  background: repeating-linear-gradient(to right, rgba(127, 127, 127, .35) 0 1px, transparent 1px var(--step)); }
.strip.against .marks .drawn::after { content: ""; position: absolute; left: var(--baseline); top: 0; bottom: 0;
  border-left: 2px dashed var(--warning, #b26a00); }
.strip .drawn i { position: absolute; top: 50%; box-sizing: border-box; }
.strip .line { border-top: 2px solid; margin-top: -1px; }
.strip .limit { border-top: 2px dotted; margin-top: -1px; }
.strip .end { border-left: 3px solid; height: 12px; margin-top: -6px; }
.strip .point { border: 4.5px solid; border-radius: 50%; margin: -4.5px 0 0 -4.5px; }
.strip .beyond { left: calc(100% + 4px); margin-top: -4px;
  border: 4px solid transparent; border-left: 7px solid; border-right: 0; }
.strip .planned .drawn { color: var(--accent, #2878c8); }
.strip .planned .line { border-top-width: 3px; margin-top: -1.5px; }
.strip .others .rests { grid-area: name; padding-top: .6em; }
.strip .others .drawn i { opacity: .45; }
.strip .others .line { border-top-width: 1.4px; }
.strip .others .point { border-width: 2px; margin: -2px 0 0 -2px; }
.strip .scale .drawn { background: none; height: 1.6em; min-height: 0; }
.strip .scale .drawn span { position: absolute; transform: translateX(-50%); }
@container (max-width: 38em) {
  .strip .marks > li, .strip .scale { margin-right: 14px;
    grid-template-columns: auto 1fr; column-gap: .7em; grid-template-rows: none;
    grid-template-areas: "name value" "rests rests" "held held" "drawn drawn"; }
  .strip .rests, .strip .held { padding-bottom: 0; }
  .strip .drawn { margin-left: 5px; }
  .strip .scale .value { grid-area: rests; }
}
""".strip()


def html(made: Strip) -> str:
    """The strip as a figure of a page."""
    drawn = _Drawn(made)
    constant = None if made.baseline is None else made.baseline.value
    if constant is None or drawn.beyond(constant):
        kind, lines = "strip", f"--step: {drawn.step}"
    else:
        kind, lines = "strip against", f"--step: {drawn.step}; --baseline: {drawn.at(constant)}"
    return (
        f'<figure class="{kind}" style="{lines}" aria-label="{escape(alternative(made))}"><style>{_STYLE}</style>'
        f'<ul class="marks" role="list">{"".join(drawn.items())}</ul>{drawn.scale()}</figure>'
    )


class _Drawn:
    """The list and its axis, from 0 to the end of the strip."""

    def __init__(self, made: Strip) -> None:
        self.made = made
        self.end = float(shown(made.end, made.loss)) or 1.0
        self.ticks = [*_ticks(self.end)]

    @property
    def step(self) -> str:
        """How far the lines of the axis are apart."""
        return self._share(self.ticks[1])

    def at(self, value: float) -> str:
        """Where a mean loss is on the axis."""
        return self._share(float(shown(value, self.made.loss)))

    def beyond(self, value: float) -> bool:
        """Whether a mean loss is above the end of the axis."""
        return float(shown(value, self.made.loss)) > self.end

    def items(self) -> Iterator[str]:
        """A line for each number of the winner, the others below the one by which they were compared, the baseline."""
        made = self.made
        for mark in made.marks:
            kind = "planned" if mark.called == made.planned else "mark"
            yield self._item(mark.called, mark, self._interval(mark), kind)
            if mark.called == made.compared and made.rivals:
                yield self._rivals()
        if (constant := made.baseline) is not None and constant.value is not None:
            called = f"baseline, by {constant.called}"
            point = Mark(called, "", constant.value)
            yield self._item(called, point, self._beyond() if self.beyond(constant.value) else "", "baseline")

    def scale(self) -> str:
        """The numbers of the axis, and what they are."""
        made = self.made
        unit = "error, %" if made.loss.binary else made.loss.shown_as
        unit += f", {made.counted_in}" if made.power else ""
        marks = " ".join(f'<span style="left: {self._share(tick)}">{self._counted(tick)}</span>' for tick in self.ticks)
        return (
            f'<div class="scale"><span class="drawn" aria-hidden="true">{marks}</span>'
            f'<span class="value">{_text(unit)}</span></div>'
        )

    def _item(self, name: str, mark: Mark, drawn: str, kind: str) -> str:
        value = self.made.numbers(mark, " %" if self.made.loss.binary else "")
        said = {"name": name, "value": value, "rests": mark.rests_on, "held": mark.covered}
        words = " ".join(f'<span class="{one}">{_text(text)}</span>' for one, text in said.items() if text)
        return f'<li class="{kind}">{words}<span class="drawn" aria-hidden="true">{drawn}</span></li>'

    def _rivals(self) -> str:
        """The other candidates, each a faint line."""
        rivals = self.made.rivals[:_MOST_RIVALS]
        count = len(self.made.rivals)
        said = (
            f"{count} other{'s' * (count != 1)}"
            if count == len(rivals)
            else f"the {len(rivals)} least of {count} others"
        )
        lines = [self._interval(mark, f"; top: {10 + place * _RIVAL_STEP}px") for place, mark in enumerate(rivals)]
        height = 20 + len(rivals) * _RIVAL_STEP
        far = self.made.beyond
        beyond = f'<span class="value">beyond the axis: {_text(far)}</span>' if far else ""
        return (
            f'<li class="others"><span class="rests">{said}</span>{beyond}'
            f'<span class="drawn" aria-hidden="true" style="min-height: {height}px">{"".join(lines)}</span></li>'
        )

    def _interval(self, mark: Mark, top: str = "") -> str:
        parts = []
        if mark.value is None:  # a limit alone
            high = self.at(mark.high or 0.0)
            parts += [
                f'<i class="limit" style="left: 0; width: {high}"></i>',
                f'<i class="end" style="left: {high}"></i>',
            ]
        elif mark.low is not None and mark.high is not None and not self.beyond(mark.low):
            ends = [float(shown(end, self.made.loss)) for end in (mark.low, mark.high)]
            width = self._share(min(ends[1], self.end) - ends[0])
            parts.append(f'<i class="line" style="left: {self.at(mark.low)}; width: {width}{top}"></i>')
        if mark.value is not None and not self.beyond(mark.value):
            parts.append(f'<i class="point" style="left: {self.at(mark.value)}{top}"></i>')
        if any(map(self.beyond, mark.ends)):
            parts.append(self._beyond(top))
        return "".join(parts)

    def _beyond(self, top: str = "") -> str:
        """An arrow."""
        style = f' style="{top[2:]}"' if top else ""
        return f'<i class="beyond"{style}></i>'

    def _share(self, read: float) -> str:
        return f"{100 * min(read / self.end, 1.0):.2f}%"

    def _counted(self, tick: float) -> str:
        counted = tick / 10.0**self.made.power
        return f"{counted:g}" if counted < 10_000 else f"{counted:,.0f}"


def _ticks(end: float) -> Iterator[float]:
    """Round numbers from 0 to the end."""
    rough = end / _TICKS
    power = 10.0 ** floor(log10(rough))
    step = next(step * power for step in (1, 2, 2.5, 5, 10) if step * power >= rough)
    for place in range(int(end / step + 1e-9) + 1):
        yield float(f"{place * step:.10g}")


def _text(said: str) -> str:
    return escape(printable(said))
