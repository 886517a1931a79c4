"""The table of all candidates' estimates: the least criterion first, then the dropped, the failed, the baseline."""

from collections.abc import Sequence

from heldout.estimates import SHOWN
from heldout.fits import baseline
from heldout.printable import printable
from heldout.shown import about_race, cells
from heldout.shown.text_table import NOTHING, Row
from tasks.report.summary import Summary

FAILED = "failed"


def columns_and_rows(summary: Summary, most_dropped: int | None = None) -> tuple[list[str], list[Row]]:
    """The estimates that were computed, and a row for each candidate and the baseline.

    Of more than `most_dropped` candidates that a race left out, some share a row.
    """
    computed = {*summary.estimates["estimate"]}
    columns = [estimate for estimate in SHOWN if estimate in computed]
    failed = [Row(printable(name), (), note=printable(f"{FAILED}: {why}")) for name, why in summary.failures.items()]
    left_out = about_race.lines(summary.left_race, summary.loss, most_dropped)
    dropped = [Row(printable(name), (), note=printable(says)) for name, says in left_out.items()]
    rows = [Row(printable(name), _cells(summary, name, columns), name == summary.selected) for name in summary.ranked]
    return columns, [*rows, *dropped, *failed, Row(baseline.NAME, _cells(summary, baseline.NAME, columns))]


def _cells(summary: Summary, candidate: str, columns: Sequence[str]) -> list[tuple[str, str]]:
    lines = summary.estimates_of(candidate)
    found = {
        estimate: cells.cell(value, low, high, summary.loss, doubted=(candidate, estimate) in summary.not_credible)
        for estimate, value, low, high in zip(
            lines["estimate"], lines["value"], lines["low"], lines["high"], strict=True
        )
    }
    return [found.get(column, (NOTHING, "")) for column in columns]
