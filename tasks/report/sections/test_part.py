"""What was measured on the test part: metrics, the errors of slices, and the confusion matrix."""

from collections.abc import Mapping
from typing import Any

from tasks.report.section import Cell, Section, Table
from tasks.report.sentences import sentences
from tasks.report.summary import Summary

_TITLE = "Metrics on the test part"


def section(summary: Summary) -> Section:
    """The lines of metrics.csv and confusion.csv, or why there are none."""
    if summary.test_part.metrics.empty:
        return Section("test-part", _TITLE, sentences(summary)["metrics"])
    lines = [_line(metric.label, line) for metric, line in summary.test_part.headline]
    lines += [_line(line["metric"], line) for line in summary.test_part.slices]
    head = ["metric", "part", "value", "interval", "method", "tested on"]
    tables = [Table("Metrics", head, lines, words=frozenset({1, 4}))]
    if len(summary.test_part.confusion):
        tables.append(_confusion(summary))
    caption = (
        f"Of what is delivered, on rows that no choice has used. Each interval holds at {summary.level} by itself: "
        "among many parts some miss. The calibration error and its interval are on the high side."
    )
    return Section("test-part", _TITLE, caption, tables=tables)


def _line(label: str, line: Mapping[Any, Any]) -> list[str | Cell]:
    ends = f"{line['low']:.3g} to {line['high']:.3g}" if line["low"] == line["low"] else "–"
    value = f"{line['value']:.3g}" if line["value"] == line["value"] else "–"
    return [label, line["slice"], value, ends, Cell(line["interval"], line["reason"]), str(line["n_tested"])]


def _confusion(summary: Summary) -> Table:
    names = list(summary.test_part.confusion.columns)
    rows: list[list[str | Cell]] = [
        [str(name), *(str(count) for count in counts)] for name, counts in summary.test_part.confusion.iterrows()
    ]
    return Table("Rows of each class (in lines) that were given each class (in columns)", ["actual", *names], rows)
