"""A night in words: its cells, which the page's table, the terminal and the hint over the picture share."""

import textwrap
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from heldout.display import strip_text
from heldout.losses.amounts import error_label, number, with_unit
from heldout.printable import printable
from tasks.outcome.nights import Morning, Night, Reign, shown_day
from tasks.report.outcome_page import in_markdown
from tasks.report.style import short

COLUMNS = ("night (UTC)", "champion", "E_champion", "challenger", "capital", "rows", "took", "stores")
HAPPENED = "what happened"
WORDS = frozenset({1, 3, 8})  # the columns that hold no numbers, with the last
NOTHING = "–"
_HOW = {
    "first": "is the first champion",
    "yes": "was promoted on evidence",
    "rollback": "is the champion again",
    "by hand": "was made the champion by hand",
}
_INDENT = "    "
_WIDTH_OF_OTHERS, _MOST_OF_OTHERS = 110, 14  # nights


def cells(night: Night, made: Morning) -> list[str]:
    """The cells of a night, in the order of `COLUMNS`."""
    sized = NOTHING if night.size is None else shown_bytes(night.size)
    if night.capital is None:
        capital = NOTHING
    else:
        capital = f"{night.capital:.3g}" + (f" of {night.needed:.3g}" if night.needed else "")
    error = error_of(night, made)
    if error and night.met != night.champion:  # the night of a promotion has the error of the one that it replaced
        error = f"v{night.met}: {error}"
    return [
        shown_day(night.time),
        f"version {night.champion}" if night.champion else NOTHING,
        error or NOTHING,
        night.candidate or NOTHING,
        capital,
        NOTHING if night.rows is None else f"{night.rows:,}",
        NOTHING if night.seconds is None else shown_seconds(night.seconds),
        sized,
    ]


def error_of(night: Night, made: Morning) -> str:
    """The error of the champion that a night met, with its interval; empty where it is not known in this unit."""
    if not is_comparable(night, made) or night.error is None or made.unit is None:
        return ""
    read = number(night.error, made.unit)
    if night.low is None or night.high is None:
        return with_unit(read, made.unit)
    return with_unit(f"{read} [{number(night.low, made.unit)}–{number(night.high, made.unit)}]", made.unit)


def is_comparable(night: Night, made: Morning) -> bool:
    """Whether the error of a night is read as that of the newest one."""
    return night.unit is None or night.unit == made.unit


def unit_of_errors(made: Morning) -> str:
    """In which unit errors are."""
    return "" if made.unit is None else error_label(made.unit).removeprefix("error, ")


def reign(one: Reign) -> str:
    """What made a version the champion."""
    learner = f" ({one.candidate})" if one.candidate else ""
    why = f": {one.why}" if one.why else ""
    return f"version {one.version}{learner} {_HOW.get(one.how, one.how)}{why}"


def happened_at(made: Morning, *, quiet: bool = True) -> Mapping[datetime, list[str]]:
    """What happened, by the night that is the next one after it; what came after the last is with the last.

    With `quiet` also what is as usual.
    """
    found: dict[datetime, list[str]] = {night.time: [] for night in made.nights}
    times = sorted(found)
    told = [(one.time, reign(one)) for one in made.reigns if one.how in ("first", "yes")]
    told += [(one.time, one.text) for one in made.happened if quiet or not one.quiet]
    for time, text in sorted(told):
        if times:
            found[next((night for night in times if night >= time), times[-1])].append(text)
    return found


def text(made: Morning, width: int, most: int) -> list[str]:
    """The page for a terminal: whether somebody must do something, where things stand, and a line for each night."""
    first = textwrap.wrap(printable(f"{made.first_line}."), width, break_long_words=False)
    return [*first, *_below(made, width, most)]


def _below(made: Morning, width: int, most: int) -> list[str]:
    """What follows the first line."""
    lines = [line for matter in made.matters[1:] for line in _wrapped(f"Also: {matter}.", width)]
    lines += ["", *_wrapped(standing(made), width)]
    shown = made.newest(most)
    if not shown.nights:
        return lines
    happened = happened_at(shown, quiet=False)
    rows = [[printable(short(cell)) for cell in cells(night, shown)] for night in shown.nights]
    widths = [max(_places(row[place]) for row in [COLUMNS, *rows]) for place in range(len(COLUMNS))]
    lines += ["", _row(COLUMNS, widths), "─" * (sum(widths) + 2 * len(widths) - 2)]
    for night, row in zip(shown.nights, rows, strict=True):
        lines.append(_row(row, widths))
        for told in happened[night.time]:
            lines += _wrapped(told, width)
    if len(shown.nights) < len(made.nights):
        lines += ["", f"the last {len(shown.nights)} of {len(made.nights)} nights; the page has up to a year"]
    return lines


def as_markdown(made: Morning) -> str:
    """The same for a page of others, in signs that every font has in one width."""
    lines = [line.translate(strip_text.PLAIN) for line in _below(made, _WIDTH_OF_OTHERS, _MOST_OF_OTHERS)]
    return "\n".join([f"# {in_markdown(made.first_line)}", "", "```", *lines, "```"])


def standing(made: Morning) -> str:
    """Where things stand: the champion since when, its error, the newest night."""
    if not made.reigns:
        return f"{made.of.name}: no champion, {len(made.nights)} nights in the ledger ({_source(made)})"
    last = made.reigns[-1]
    learner = f", {last.candidate}" if last.candidate else ""
    parts = [f"{made.of.name}: champion version {last.version}{learner}, since {shown_day(last.time)}"]
    newest = next((night for night in reversed(made.nights) if night.error is not None), None)
    if newest is not None and newest.met == last.version and (error := error_of(newest, made)):
        parts.append(f"errs {error} on {newest.error_rows:,} rows that it never used")
    parts.append(f"{len(made.nights)} night{'s' * (len(made.nights) != 1)} ({_source(made)})")
    return "; ".join(parts)


def _source(made: Morning) -> str:
    return made.of.source.removeprefix("source ").removesuffix(", positive None")


def shown_seconds(seconds: float) -> str:
    """A duration.

    >>> shown_seconds(41.3), shown_seconds(700), shown_seconds(9000)
    ('41 s', '11.7 min', '2.5 h')
    """
    for least, unit in ((3600, "h"), (100, "min")):
        if seconds >= least:
            return f"{seconds / (3600 if unit == 'h' else 60):.1f} {unit}"
    return f"{seconds:.0f} s"


def shown_bytes(size: float) -> str:
    """A size.

    >>> shown_bytes(512), shown_bytes(3_400_000), shown_bytes(12_000_000_000)
    ('0.001 MB', '3.4 MB', '12 GB')
    """
    return f"{size / 1e9:.3g} GB" if size >= 1e9 else f"{size / 1e6:.3g} MB" if size >= 1e4 else f"{size / 1e6:.1g} MB"


def _wrapped(line: str, width: int) -> list[str]:
    return textwrap.wrap(printable(line), width, initial_indent=_INDENT, subsequent_indent=_INDENT)


def _row(row: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(_padded(row, widths)).rstrip()


def _padded(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    for place, (cell, width) in enumerate(zip(row, widths, strict=True)):
        gap = " " * (width - _places(cell))
        yield cell + gap if place == 0 or place in WORDS else gap + cell


def _places(cell: str) -> int:
    return sum(1 + (unicodedata.east_asian_width(sign) in "WF") for sign in cell if not unicodedata.combining(sign))
