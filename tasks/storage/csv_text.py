"""Text in a CSV that a spreadsheet may open: none of it is a formula (CWE-1236).

A text that begins with a sign of a formula is written with an apostrophe in front, which spreadsheets read as "this is
text". So is a text with such apostrophes in front already, so that each text is read back as it was.
"""

import csv
import re
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pandas as pd

_SIGNS = "=+@\t\r\n＝＋－＠-"  # the wide signs begin formulas in Japanese spreadsheets
_FORMULA = re.compile(f"'*[{_SIGNS}]")
_MARKED = re.compile(f"'+[{_SIGNS}]")


def safe(text: str) -> str:
    """The text as it is written."""
    return f"'{text}" if _FORMULA.match(text) else text


def original(written: str) -> str:
    """The text that `safe` wrote."""
    return written[1:] if _MARKED.match(written) else written


def safe_table(table: pd.DataFrame) -> pd.DataFrame:
    """The table with each text as it is written."""
    return _with_texts(table, safe)


def write(table: pd.DataFrame, path: Path, digits: str) -> None:
    """A CSV of the table with each text as it is written."""
    texts = safe_table(table)
    # pandas does not quote a text with a carriage return, which is the end of a line to its readers
    returns = any("\r" in cell for name in texts for cell in texts[name] if isinstance(cell, str))
    quoting: Literal[0, 2] = csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL
    texts.to_csv(path, index=False, float_format=digits, lineterminator="\n", quoting=quoting)


def original_table(written: pd.DataFrame) -> pd.DataFrame:
    """The table that `safe_table` wrote."""
    return _with_texts(written, original)


def _with_texts(table: pd.DataFrame, change: Callable[[str], str]) -> pd.DataFrame:
    texts = table.select_dtypes(["object", "string", "category"])
    cells = {name: [change(cell) if isinstance(cell, str) else cell for cell in texts[name]] for name in texts.columns}
    return table.assign(**{name: pd.Series(cells[name], table.index, object) for name in cells})
