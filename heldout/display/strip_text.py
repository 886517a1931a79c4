"""The decision strip for a terminal: a line for each number, on one axis."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from heldout.display.strip import Mark, Strip
from heldout.losses.amounts import amount, error_label, shown
from heldout.printable import printable

_LABEL, _GAP, _LEAST, _MOST = 8, 2, 20, 60
_POINT, _LINE, _LOW, _HIGH, _UP_TO, _OTHER, _BASELINE, _BEYOND = _SIGNS = "●─├┤◂·┆▸"
PLAIN = str.maketrans(_SIGNS, "o-||<.:>")  # for pages whose font has not all signs in one width: line.translate(PLAIN)


@dataclass(frozen=True)
class _Axis:
    """From 0 to `end` in numbers that people read, over `cells` letters."""

    made: Strip
    end: float
    cells: int

    def place(self, value: float) -> int:
        """The letter at which a value is; the last of all for one beyond the end."""
        at = float(shown(value, self.made.loss)) / self.end
        return self.cells - 1 if at > 1 else round(at * (self.cells - 2))

    def put(self, values: Sequence[float], sign: str) -> list[str]:
        """A line with a sign at each value; a value beyond the end is an arrow."""
        line = [" "] * self.cells
        if (constant := self.baseline) is not None and constant < self.cells - 1:
            line[constant] = _BASELINE
        for at in map(self.place, values):
            line[at] = _BEYOND if at == self.cells - 1 else sign
        return line

    @property
    def baseline(self) -> int | None:
        """The letter at which the baseline is."""
        constant = self.made.baseline
        return None if constant is None or constant.value is None else self.place(constant.value)


def lines(made: Strip, width: int) -> Iterator[str]:
    """The lines, at most `width` wide; none where an axis has no room, or no length."""
    numbers = {mark.called: made.numbers(mark) for mark in made.marks}
    others = f"{len(made.rivals)} by {made.compared}{f', {_BEYOND} {printable(made.beyond)}' if made.beyond else ''}"
    room = width - _LABEL - _GAP - max(map(len, [*numbers.values(), others]))
    axis = _Axis(made, float(shown(made.end, made.loss)), min(room, _MOST))
    if axis.cells < _LEAST or axis.end <= 0 or _LABEL + len(_scale(axis)) > width:
        return
    for mark in made.marks:
        yield _line(mark.called, _drawn(axis, mark), numbers[mark.called])
        if mark.called == made.compared and made.rivals:
            points = [rival.value for rival in made.rivals if rival.value is not None]
            yield _line("others", axis.put(points, _OTHER), others)
    yield " " * _LABEL + _scale(axis)


def _line(label: str, drawn: list[str], numbers: str) -> str:
    return f"{label.ljust(_LABEL)}{''.join(drawn)}{' ' * _GAP}{numbers}".rstrip()


def _drawn(axis: _Axis, mark: Mark) -> list[str]:
    line = axis.put([], _POINT)
    if mark.low is not None and mark.high is not None:
        low, high = axis.place(mark.low), axis.place(mark.high)
        line[low : high + 1] = [_LOW, *_LINE * (high - low - 1), _HIGH][: high + 1 - low]
    if mark.value is not None:
        line[axis.place(mark.value)] = _POINT
    elif mark.high is not None:
        line[axis.place(mark.high)] = _UP_TO
    return line


def _scale(axis: _Axis) -> str:
    """What the axis is, and what its signs are."""
    made = axis.made
    parts = [f"0 to {amount(made.end, made.loss)}" if made.loss.binary else f"0 to {made.number(made.end)}"]
    parts[0] = f"{parts[0]} {made.counted_in}".rstrip()
    parts += [] if made.loss.binary else [error_label(made.loss)]
    if made.baseline is not None and made.baseline.value is not None:
        sign = _BEYOND if axis.baseline == axis.cells - 1 else _BASELINE
        parts.append(f"{sign} baseline {made.number(made.baseline.value)}")
    return ", ".join(parts)
