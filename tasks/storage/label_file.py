"""The file of `label-next`: rows for somebody who labels them, and who may already have begun."""

import csv
from pathlib import Path

import pandas as pd

from tasks.runtime.errors import UserError
from tasks.storage import csv_text


def write(path: Path, table: pd.DataFrame, target: str) -> None:
    """Write the rows, completely or not at all. Raises UserError for a file that may hold labels."""
    if path.exists() and not _is_without_labels(path, target):
        raise UserError(f"{path} is there already, and may hold labels; move it, or name another file with --output")
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.new")
    header = [csv_text.safe(str(name)) for name in table.columns]
    # every text is quoted: a carriage return in a text that is not would begin a line, and perhaps a formula
    csv_text.safe_table(table).to_csv(
        fresh, index=False, header=header, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC
    )
    fresh.replace(path)


def _is_without_labels(path: Path, target: str) -> bool:
    """Whether it is a file of an earlier `write` in which nobody has written a label."""
    try:
        known = pd.read_csv(path, dtype="str", keep_default_na=False)
    except (OSError, ValueError):  # also what is no CSV, or no UTF-8
        return False
    column = csv_text.safe(target)
    return {"label_id", "label_order", column} <= {*known.columns} and bool((known[column] == "").all())
