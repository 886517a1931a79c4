"""What was measured on the test set: metrics, the error of each class, the errors of slices, the confusion matrix."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from heldout.losses import ZERO_ONE, amounts
from heldout.metrics import METRICS
from tasks.report.section import Cell, Section, Table
from tasks.report.sentences import sentences
from tasks.report.summary import Summary, shown_count
from tasks.storage import files

_TITLE = "Metrics on the test set"
_LABELS = {metric.name: metric.label for metric in METRICS}
_OF_CLASS = "class_error"
_MOST_CLASSES, _MOST_COLUMNS = 4, 5  # of a table that stays in view


def section(summary: Summary) -> Section:
    """The lines of metrics.csv and confusion.csv, or why there are none."""
    if summary.test_set.metrics.empty:
        return Section("test-set", _TITLE, sentences(summary)["metrics"])
    whole = [line for _, line in summary.test_set.headline]
    classes = [line for line in summary.test_set.slices if line["metric"] == _OF_CLASS]
    slices = [line for line in summary.test_set.slices if line["metric"] != _OF_CLASS]
    few = len(classes) <= _MOST_CLASSES
    in_view, folded = [*whole, *(classes if few else [])], [*([] if few else classes), *slices]
    numbers = [_table(summary, "Parts of the test set", folded)] if folded else []
    confusion = [_confusion(summary)] if len(summary.test_set.confusion) else []
    small = len(summary.test_set.confusion.columns) < _MOST_COLUMNS
    caption = (
        f"Of what is delivered, on rows that no choice has used. Each interval holds at {summary.level} by itself: "
        "among many parts some miss. The calibration error and its interval are on the high side."
    )
    return Section(
        "test-set",
        _TITLE,
        caption,
        tables=[*([_table(summary, "Metrics", in_view)] if in_view else []), *(confusion if small else [])],
        numbers=[*numbers, *([] if small else confusion)],
        opened=True,
    )


def _table(summary: Summary, caption: str, lines: list[dict[Any, Any]]) -> Table:
    return Table(caption, ["metric", "rows", "value", "interval"], [_line(summary, line) for line in lines])


def _line(summary: Summary, line: Mapping[Any, Any]) -> list[str | Cell]:
    value = "–" if pd.isna(line["value"]) else _number(summary, line, "value")
    ends: str | Cell = "–"
    if not pd.isna(line["low"]):
        ends = Cell(f"{_number(summary, line, 'low')} to {_number(summary, line, 'high')}", line["interval"])
    about = "; ".join(filter(None, (_of(summary, line), line["reason"])))
    return [Cell(_called(summary, line), about), shown_count(int(line["n_tested"])), value, ends]


def _number(summary: Summary, line: Mapping[Any, Any], end: str) -> str:
    """A metric as it is, and an error as people read it."""
    if line["metric"] in _LABELS:
        return f"{line[end]:.3g}"
    return amounts.number(line[end], ZERO_ONE if line["metric"] == _OF_CLASS else summary.loss)


def _called(summary: Summary, line: Mapping[Any, Any]) -> str:
    if line["metric"] in _LABELS:
        return _LABELS[line["metric"]]
    return "error, %" if line["metric"] == _OF_CLASS or summary.percent else summary.loss.shown_as


def _of(summary: Summary, line: Mapping[Any, Any]) -> str:
    """Which rows, in words: class won, kind = won; empty for all."""
    if line["metric"] == _OF_CLASS:
        return f"class {line['slice'].removeprefix(f'{summary.settings.data.target or files.TARGET}=')}"
    return str(line["slice"]).replace("=", " = ", 1)


def _confusion(summary: Summary) -> Table:
    names = list(summary.test_set.confusion.columns)
    rows: list[list[str | Cell]] = [
        [str(name), *(str(count) for count in counts)] for name, counts in summary.test_set.confusion.iterrows()
    ]
    return Table("Rows of each class (in lines) that were given each class (in columns)", ["actual", *names], rows)
