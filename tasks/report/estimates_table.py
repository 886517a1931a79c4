"""The table of all candidates' estimates: the least criterion first, then what failed, the baseline last."""

import math
from collections.abc import Sequence

from heldout import baseline, table
from heldout.printable import printable
from heldout.selection.criteria import criterion_value
from heldout.text_table import NOTHING, Row
from tasks.report.summary import SHOWN, Summary

FAILED = "failed"


def columns_and_rows(summary: Summary) -> tuple[list[str], list[Row]]:
    """The estimates that were computed, and a row for each candidate and the baseline."""
    computed = {*summary.estimates["estimate"]}
    columns = [estimate for estimate in SHOWN if estimate in computed]
    fitted = [name for name in summary.selection["candidates"] if name not in summary.failures]
    failed = [Row(printable(name), (), note=FAILED) for name in summary.failures]
    ranked = sorted(fitted, key=lambda name: _criterion(summary, name))
    rows = [Row(printable(name), _cells(summary, name, columns), name == summary.selected) for name in ranked]
    return columns, [*rows, *failed, Row(baseline.NAME, _cells(summary, baseline.NAME, columns))]


def _criterion(summary: Summary, candidate: str) -> float:
    lines = summary.estimates_of(candidate)
    values = dict(zip(lines["estimate"], lines["value"], strict=True))
    return criterion_value(summary.selection["criterion"], values) if values else math.inf


def _cells(summary: Summary, candidate: str, columns: Sequence[str]) -> list[tuple[str, str]]:
    lines = summary.estimates_of(candidate)
    found = {
        estimate: table.cell(value, low, high, summary.loss, doubted=(candidate, estimate) in summary.not_credible)
        for estimate, value, low, high in zip(
            lines["estimate"], lines["value"], lines["low"], lines["high"], strict=True
        )
    }
    return [found.get(column, (NOTHING, "")) for column in columns]
