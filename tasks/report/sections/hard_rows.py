"""The labelled rows that most candidates get wrong."""

import pandas as pd

from tasks.report.section import Section, Table
from tasks.report.summary import Summary, shown_count

_SHOWN, _MOST = 12, 100


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
            row += [f"{line['loss']:.4g}", f"{line['least_loss']:.4g}"]
        rows.append(row)
    of_classes = ["of them"] if summary.loss.of_classes else []
    further = ["candidates wrong"] if counted else ["loss of the winner", "least loss of all candidates"]
    head = ["row", "label", "models answer", *of_classes, *further]
    caption = (
        f"The rows that most candidates got wrong in cross-validation: {_count(lines)}"
        if counted
        else "The rows at which even the candidate that errs least there errs most, in cross-validation"
    )
    caption += (
        ". The answer is that of the winner's half models that did not see the row; rows of the data are counted from "
        "0. Check these labels first, where they came from: a hard row may be labelled right, so do not remove rows by "
        f"this list. reports/hard_rows.csv has {'all of them' if len(lines) < _MOST else f'the first {_MOST}'}."
    )
    table = Table("The rows to check first", head, rows, words=frozenset({1, 2}))
    return Section("hard-rows", "Labels worth a second look", caption, tables=[table])


def _shown(summary: Summary, value: str) -> str:
    return value if summary.loss.of_classes else f"{float(value):.4g}"


def _count(lines: pd.DataFrame) -> str:
    """How many rows there are, and how many of them every candidate got wrong."""
    every = int((lines["candidates_wrong"] == lines["candidates"]).sum())
    return f"{len(lines)} of them, {every or 'none'} by every candidate" if len(lines) < _MOST else f"{_MOST} and more"
