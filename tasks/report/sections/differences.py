"""Which candidates are not ruled out: how much less the winner errs than each, with intervals for all at once.

The only place of the page that says so in a picture. Who is left, and who is shown to err more or less, is read
from the same intervals as in the decision (`heldout.selection.comparison`).
"""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from heldout.display import about_winner, number_axis
from heldout.display.svg import ACCENT, INK, MUTED
from heldout.fits import baseline
from heldout.losses.amounts import apart
from heldout.records import Difference
from tasks.report.section import PagePicture, Section, Table
from tasks.report.style import drawn_names, figure, interval_line, name_lines, note_line
from tasks.report.summary import Summary

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEFT, MORE, LESS, NO_BETTER = (
    "not shown to err more",
    "shown to err more",
    "shown to err less",
    "not shown to err more, and no better than the baseline",
)
_SHORT = {LEFT: "not ruled out", MORE: "errs more", LESS: "errs less", NO_BETTER: "no better than baseline"}
_FAR = 4  # times the reach of those that are left: what lies beyond does not flatten the rest


def section(summary: Summary) -> Section | None:
    """Nothing where there is nothing to compare with."""
    lines = _lines(summary)
    if not lines:
        return None
    words = [] if summary.margin is None else ["by the margin"]
    error = summary.value(summary.selected, summary.compared_by) or 0.0
    rows = [
        [
            line.against,
            summary.points(line.difference, error),
            _ends(summary, line, error),
            *([line.by_margin or "undecided"] if words else []),
            shown(line, summary.no_better),
        ]
        for line in lines
    ]
    marked = {place: "baseline" for place, line in enumerate(lines) if line.against == baseline.NAME}
    table = Table(
        f"Differences of {summary.compared_by} on the same rows",
        ["against", "difference", "interval", *words, "at this level"],
        rows,
        words=frozenset({3, 4} if words else {3}),
        marked=marked,
    )
    reading = (
        f"{summary.compared_by} of {summary.selected} less that of each other candidate, on the same rows. The "
        f"intervals hold at {summary.level} for all comparisons of the selected candidate, whichever it is, and those "
        f"against the baseline for all candidates. Where an interval lies below 0, {summary.selected} is shown to err "
        "less. Of the others it is not shown, nor that they are as good: at this level the candidate of least error is "
        f"{summary.selected} or one of them. An arrow is what lies beyond the axis."
    )
    if summary.margin is not None:
        reading += f" {about_winner.what_words_say(summary.selected, summary.margin, summary.loss)}."
    alt = "The difference from each other candidate with its interval, as in the table"
    picture = PagePicture(partial(_draw, summary, lines, error), alt)
    return Section(
        "differences",
        "Which candidates are not ruled out?",
        _caption(summary, lines),
        [picture],
        reading=reading,
        numbers=[table],
        opened=True,
    )


def shown(line: Difference, no_better: Sequence[str]) -> str:
    """What the interval shows of the other one; `no_better` are those that err no less than the baseline."""
    if line.shown_less or line.shown_more:
        return MORE if line.shown_less else LESS
    return NO_BETTER if line.against in no_better else LEFT


def _lines(summary: Summary) -> list[Difference]:
    """The closest candidate first."""
    return sorted(summary.of_winner, key=lambda line: -line.difference)


def _ends(summary: Summary, line: Difference, error: float) -> str:
    if line.low is None or line.high is None:
        return "–"
    return summary.between_points(line.low, line.high, error)


def _caption(summary: Summary, lines: Sequence[Difference]) -> str:
    """How many there are of each kind; the picture says which."""
    others = [line for line in lines if line.against != baseline.NAME]
    if not others:
        return f"There is no other candidate; {summary.selected} is compared with the best constant answer."
    if not summary.selection["indistinguishable"]:
        text = (
            f"{summary.selection['criterion']} cannot say which candidates are ruled out; by {summary.compared_by}, at "
        )
    else:
        text = "At "
    count = {
        word: sum(shown(line, summary.no_better) == word for line in others) for word in (LEFT, NO_BETTER, MORE, LESS)
    }
    said = [f"{number} {'is' if number == 1 else 'are'} {word}" for word, number in count.items() if number]
    if len(said) == 1:
        (word,) = (word for word, number in count.items() if number)
        said = [f"the other one is {word}" if len(others) == 1 else f"all {len(others)} others are {word}"]
        return f"{text}{summary.level} {said[0]} than {summary.selected}."
    return f"{text}{summary.level}, of {len(others)} others {', '.join(said)} than {summary.selected}."


def _draw(summary: Summary, lines: Sequence[Difference], error: float) -> "Figure":
    kept = {*drawn_names([line.against for line in lines if line.against != baseline.NAME], ""), baseline.NAME}
    lines = [line for line in lines if line.against in kept]
    made, axes = figure(4.7, 0.8 + 0.23 * len(lines))
    points = [_points(summary, line, error) for line in lines]
    reach = _reach(summary, lines, points, error)
    for place, (line, ends) in enumerate(zip(lines, points, strict=True)):
        left = shown(line, summary.no_better) == LEFT
        text = number_axis.written(float(f"{ends[0]:.3g}"), max(map(abs, reach)))
        interval_line(axes, place, ends, reach, INK if left else ACCENT, text, hollow=left)
        word = _SHORT[shown(line, summary.no_better)] if summary.margin is None else line.by_margin or "undecided"
        note_line(axes, place, word, MUTED if left else ACCENT)
    axes.axvline(0, color=MUTED, lw=1, zorder=0)
    if summary.margin is not None:
        low, high = (apart(sign * summary.margin, error, summary.loss) for sign in (-1, 1))
        axes.axvspan(low, high, color=ACCENT, alpha=0.1, lw=0, zorder=-1)
    name_lines(axes, [line.against for line in lines])
    room = 0.03 * (reach[1] - reach[0])
    axes.set_xlim(reach[0] - room, reach[1] + room)
    unit = "percentage points" if summary.percent else summary.loss.shown_as
    unit += number_axis.set_ticks(axes.xaxis, max(map(abs, reach)))
    axes.set_xlabel(f"{summary.compared_by} less that of the other, {unit}", loc="right")
    return made


def _points(summary: Summary, line: Difference, error: float) -> tuple[float, float, float]:
    """Value, low and high as people read them; the value again where no interval is claimed."""
    low, high = (line.difference if end is None else end for end in (line.low, line.high))
    value, low, high = (float(apart(end, error, summary.loss)) for end in (line.difference, low, high))
    return value, low, high


def _reach(
    summary: Summary, lines: Sequence[Difference], points: Sequence[tuple[float, float, float]], error: float
) -> tuple[float, float]:
    """From the farthest of those that are left, or of the closest, and of what is not much farther, to 0 or more."""
    near = [ends for line, ends in zip(lines, points, strict=True) if not (line.shown_less or line.shown_more)] or [
        points[0]
    ]
    far = _FAR * max(abs(end) for ends in near for end in ends)
    inside = [end for ends in points for end in ends if abs(end) <= far]
    if summary.margin is not None:
        inside += [float(apart(sign * summary.margin, error, summary.loss)) for sign in (-1, 1)]
    most = max(map(abs, inside), default=1.0) or 1.0
    return min([*inside, 0.0, -0.1 * most]), max([*inside, 0.0, 0.1 * most])
