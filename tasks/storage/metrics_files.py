"""metrics.csv and confusion.csv: what was measured of the winner on the test set."""

from dataclasses import asdict, fields

import numpy as np
import pandas as pd

from heldout.metrics.measure import TestMetrics
from heldout.records import Measured
from tasks.storage import csv_text, files, report_tables

_CLASSES = ("actual", "predicted")


def write(metrics: TestMetrics) -> None:
    """metrics.csv, and confusion.csv with a line for each pair of classes; no line where there is no test set."""
    columns = [field.name for field in fields(Measured)]
    files.write_csv(files.TEST_METRICS, pd.DataFrame([asdict(line) for line in metrics.lines], columns=columns))
    pairs = [] if metrics.confusion is None else [*np.ndenumerate(metrics.confusion)]
    names = [] if metrics.classes is None else metrics.classes.tolist()
    counts = [(names[actual], names[predicted], count) for (actual, predicted), count in pairs]
    files.write_csv(files.CONFUSION, pd.DataFrame(counts, columns=[*_CLASSES, "rows"]))


def read() -> pd.DataFrame:
    """metrics.csv as it was written, with empty text where there is none."""
    return report_tables.read(files.TEST_METRICS).fillna({"slice": "", "interval": "", "reason": ""})


def read_confusion() -> pd.DataFrame:
    """The confusion matrix, a line for each class that rows have and a column for each that they were given."""
    table = pd.read_csv(files.existing(files.CONFUSION), dtype=dict.fromkeys(_CLASSES, str), keep_default_na=False)
    table = csv_text.original_table(table)
    names = table["actual"].unique()
    return table.pivot(index="actual", columns="predicted", values="rows").loc[names, names]
