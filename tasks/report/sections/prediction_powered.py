"""What the unlabelled rows add to E_val and E_cv."""

import pandas as pd

from tasks.report.section import Cell, Section, Table
from tasks.report.summary import Summary


def section(summary: Summary) -> Section | None:
    """Nothing without unlabelled rows, or for a loss of numbers."""
    if not summary.unlabeled.present or summary.prediction_powered.empty:
        return None
    rows: list[list[str | Cell]] = []
    for line in summary.prediction_powered.to_dict("records"):
        name = [line["candidate"], line["estimate"]]
        if not pd.isna(line["value"]):
            value, ends = summary.number(line["value"]), summary.between(line["low"], line["high"])
            rows.append([*name, value, ends, f"{line['width']:.2f}", f"{line['labels_gained']:.0f}", ""])
        else:
            rows.append([*name, "–", "–", "–", "–", str(line["reason"])])
    head = ["candidate", "estimate", "value", "interval", "width against the plain interval", "labels gained", "reason"]
    caption = (
        "E_val and E_cv, corrected by how far the half models disagree on labelled and on unlabelled rows; the targets "
        "are those of the plain estimates. A row without a value says why the unlabelled rows cannot be used. "
        "Experimental: how often these intervals hold was measured in few samples, so decide by the plain estimates."
    )
    table = Table("E_val and E_cv with the unlabelled rows", head, rows, words=frozenset({1, 6}))
    return Section("unlabelled", "What the unlabelled rows add to E_val and E_cv", caption, tables=[table])
