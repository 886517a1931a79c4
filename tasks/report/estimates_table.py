"""The table of all candidates' estimates: the least criterion first, then the dropped, the failed, the baseline."""

from collections.abc import Sequence

from heldout.display import about_race, cells, text_table
from heldout.display.text_table import NOTHING, Row
from heldout.estimates import SHOWN
from heldout.fits import baseline
from heldout.printable import printable
from heldout.selection import equal_candidates
from tasks.report.section import Cell, Table
from tasks.report.summary import Summary

FAILED = "failed"
_MOST = 5  # rows of the first screen of a page


def columns_and_rows(
    summary: Summary, most_dropped: int | None = None, *, whole: bool = True
) -> tuple[list[str], list[Row]]:
    """The estimates that were computed, and a row for each candidate and the baseline.

    A table that is not `whole` is that of a first screen. Of more than `most_dropped` candidates that a race left out,
    some share a row.
    """
    computed = {*summary.estimates["estimate"]}
    columns = [estimate for estimate in SHOWN if estimate in computed]
    columns = [*(columns if whole else cells.first(columns)), cells.WORSE]
    failed = [Row(printable(name), (), note=printable(f"{FAILED}: {why}")) for name, why in summary.failures.items()]
    left_out = about_race.lines(summary.left_race, summary.loss, most_dropped)
    dropped = [Row(printable(name), (), note=printable(says)) for name, says in left_out.items()]
    notes = {name: printable(equal_candidates.line(earlier)) for name, earlier in summary.equal.items()}
    rows = [
        Row(printable(name), (), note=notes[name])
        if name in notes
        else Row(printable(name), _cells(summary, name, columns), name == summary.selected)
        for name in summary.ranked
    ]
    return columns, [*rows, *dropped, *failed, Row(baseline.NAME, _cells(summary, baseline.NAME, columns))]


def first_table(summary: Summary) -> Table:
    """The table of the page's first screen: what the candidates are compared by, since all else is pictured below."""
    every, rows = columns_and_rows(summary, about_race.FEW)
    rows = text_table.few(rows, "the table of all estimates", (baseline.NAME,), _MOST)
    places = [place for place, name in enumerate(every) if name in (summary.compared_by, cells.WORSE)]
    marked = {
        place: "selected" if row.selected else "failed" if row.note else "baseline"
        for place, row in enumerate(rows)
        if row.selected or row.note or row.name == baseline.NAME
    }
    lines = [
        [Cell(row.name, row.note), *(Cell(*row.cells[place]) if row.cells else "" for place in places)] for row in rows
    ]
    head = ["candidate", *(every[place] for place in places)]
    return Table(text_table.title(summary.scale, summary.level, ""), head, lines, marked=marked)


def _cells(summary: Summary, candidate: str, columns: Sequence[str]) -> list[tuple[str, str]]:
    lines = summary.estimates_of(candidate)
    found = {
        estimate: cells.cell(value, low, high, summary.loss, doubted=(candidate, estimate) in summary.not_credible)
        for estimate, value, low, high in zip(
            lines["estimate"], lines["value"], lines["low"], lines["high"], strict=True
        )
    }
    found |= {cells.WORSE: summary.worse[candidate]} if candidate in summary.worse else {}
    return [found.get(column, (NOTHING, "")) for column in columns]
