"""The labelled rows that most candidates get wrong."""

import pandas as pd

from heldout.printable import plain
from tasks.report.section import Section, Table
from tasks.report.summary import Summary, shown_count

_SHOWN, _MOST = 12, 100
_SHORT = 14  # letters of a label that fit on a telephone next to the numbers
_DISTANCES = ("squared", "absolute")


def section(summary: Summary) -> Section | None:
    """The first rows of hard_rows.csv; nothing without one."""
    lines = summary.tables.hard_rows
    if lines.empty:
        return None
    counted = lines["candidates_wrong"].notna().all()
    rows = []
    for line in lines.head(_SHOWN).to_dict("records"):
        row = [shown_count(line["row"]), _shown(summary, line["label"]), _shown(summary, line["answer"])]
        if summary.loss.of_classes:
            row.append(f"{100 * line['answer_share']:.0f} %")
        if counted:
            row.append(f"{line['candidates_wrong']:.0f} of {line['candidates']}")
        else:
            row += [_error(summary, line["loss"]), _error(summary, line["least_loss"])]
        rows.append(row)
    of_classes = ["of them"] if summary.loss.of_classes else []
    further = (
        ["candidates wrong"] if counted else [f"{_called(summary)} of the winner", f"least {_called(summary)} of all"]
    )
    head = ["row", "label", "models answer", *of_classes, *further]
    caption = (
        f"The rows that most candidates got wrong in cross-validation: {_count(lines)}"
        if counted
        else "The rows at which all candidates err most, by the least of their errors in cross-validation"
    )
    caption += (
        ". The answer is that of the winner's half models that did not see the row; rows of the data are counted from "
        "0. Check these labels first, where they came from: a hard row may be labelled right, so do not remove rows by "
        f"this list. reports/tables/hard_rows.csv has {'all of them' if len(lines) < _MOST else f'the first {_MOST}'}."
    )
    long = max(len(name) for row in rows for name in row[1:3]) > _SHORT
    table = Table("The rows to check first", head, rows, words=frozenset({1, 2} if long else ()))
    return Section("hard-rows", "Labels worth a second look", caption, tables=[table])


def _shown(summary: Summary, value: str) -> str:
    return value if summary.loss.of_classes else plain(float(value))


def _called(summary: Summary) -> str:
    """What the loss of a single row is called; people read a squared one as the distance from the label."""
    return "distance" if summary.loss.name in _DISTANCES else "loss"


def _error(summary: Summary, loss: float) -> str:
    return plain(loss ** (1 / summary.loss.power) if summary.loss.name in _DISTANCES else loss)


def _count(lines: pd.DataFrame) -> str:
    """How many rows there are, and how many of them every candidate got wrong."""
    every = int((lines["candidates_wrong"] == lines["candidates"]).sum())
    return f"{len(lines)} of them, {every or 'none'} by every candidate" if len(lines) < _MOST else f"{_MOST} and more"
