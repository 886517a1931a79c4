"""Estimates as text: a table, and sentences about the winner."""

import math
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from heldout.display import text_table
from heldout.display.text_table import Row
from heldout.estimates import FIRST
from heldout.fits import baseline
from heldout.losses import Loss
from heldout.losses.amounts import rounded, rounded_worse
from heldout.printable import printable
from heldout.records import Difference, Estimate

DOUBTED = "?"  # at an interval that is not credible
_FEW = 4  # estimates
WORSE = "worse by"  # the column of `worse`


def text(
    estimates: Sequence[Estimate],
    candidates: Sequence[str],
    loss: Loss,
    winner: str = "",
    why: str = "",
    notes: Mapping[str, str] = MappingProxyType({}),
    further: Mapping[str, Mapping[str, tuple[str, str]]] = MappingProxyType({}),
    *,
    elsewhere: str = "",
) -> str:
    """A line for each candidate, a column for each estimate; below each value its interval.

    The `winner` is marked, and the title says what the mark means: `why`. A candidate of `notes` has its note in place
    of numbers. `further` columns have a cell, a value and its interval, for some candidates. The width is that of the
    terminal. Of many candidates some share a line if their numbers are `elsewhere` too.
    """
    columns = [*dict.fromkeys(record.estimate for record in estimates), *further]
    cells = {
        (record.candidate, record.estimate): cell(
            record.value, record.low, record.high, loss, doubted=record.not_credible is not None
        )
        for record in estimates
    }
    cells |= {(candidate, column): shown for column, of in further.items() for candidate, shown in of.items()}
    rows = [
        Row(
            printable(candidate),
            [cells.get((candidate, column), (text_table.NOTHING, "")) for column in columns],
            selected=candidate == winner,
            note=printable(notes.get(candidate, "")),
        )
        for candidate in candidates
    ]
    if elsewhere:
        rows = text_table.few(rows, elsewhere, (baseline.NAME,))
    levels = sorted({record.level for record in estimates if record.level is not None})
    title = text_table.title(loss.scale("y"), f"{100 * levels[0]:g} %" if levels else "", why if winner else "")
    title += marks(any(record.not_credible is not None for record in estimates))
    return "\n".join([title, *(line for line, _ in text_table.lines(columns, rows, text_table.output_width()))])


def cell(value: float, low: float | None, high: float | None, loss: Loss, *, doubted: bool = False) -> tuple[str, str]:
    """A value and its interval as a table shows them; the interval is empty where there is none.

    One that is `doubted`, since its losses show that it cannot be right, has a mark.
    """
    if low is None or high is None or math.isnan(low):
        return rounded(value, loss), ""
    return rounded(value, loss), f"{rounded(low, loss)}–{rounded(high, loss)}{f' {DOUBTED}' if doubted else ''}"


def first(computed: Iterable[str]) -> list[str]:
    """The estimates of a first screen, of those that were computed; all of these if they are few."""
    found = list(dict.fromkeys(computed))
    return found if len(found) <= _FEW else [name for name in found if name in FIRST] or found


def worse(of_winner: Iterable[Difference], error: float, loss: Loss) -> dict[str, tuple[str, str]]:
    """How much more than the winner, with its `error`, each other candidate errs, and how much that may be.

    `of_winner` are the winner's errors less the others', on the same rows.
    """
    found = {}
    for one in of_winner:
        ends = (
            ""
            if one.low is None or one.high is None
            else " to ".join(rounded_worse(end, error, loss) for end in (one.high, one.low))
        )
        found[one.against] = rounded_worse(one.difference, error, loss), ends
    return found


def marks(doubted: bool) -> str:
    """What the mark of an interval means, for the end of a title; empty where no interval has it."""
    return f"; {DOUBTED} not credible" if doubted else ""
