"""The columns of report.slices: their values in each row, as text."""

import pandas as pd

from heldout.rows import missing
from tasks.params import Settings
from tasks.runtime.errors import UserError, one_line

MOST_VALUES = 20


def read(table: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    """A column for each of report.slices, which may be a column that is no feature.

    Raises UserError for a column that is not there, or one with many values: a slice is a set of rows.
    """
    known = one_line(", ".join(map(str, table.columns[:20])) + (", …" if len(table.columns) > 20 else ""))
    values = {}
    for place, column in enumerate(settings.report.slices):
        key = f"report.slices[{place}] is {column!r}"
        if column not in table.columns:
            raise UserError(f"{key}, which is no column of {settings.data.source}; it has {known}")
        texts = table[column].astype(object)
        texts = texts.where(table[column].notna(), missing.SHOWN).map(str)
        if (count := texts.nunique()) > MOST_VALUES:
            raise UserError(
                f"{key}, which has {count} values; at most {MOST_VALUES} make slices: name a column with fewer, or add "
                "a column of ranges to the table"
            )
        values[column] = texts
    return pd.DataFrame(values, index=table.index)
