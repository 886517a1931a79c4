"""Columns from which no learner can generalise: empty, constant, or an identifier of the row."""

import re

import numpy as np
import pandas as pd

FEWEST = 20  # below so many rows, different values mean nothing
_FIRST = 1000
_NAMED_LIKE_AN_IDENTIFIER = re.compile(r"(^|[_\W])(id|idx|index|uuid|guid|key|row|rownum|rownames|nr)$|[a-z]I[dD]$|id$")
# by R's write.csv, readr, and pandas' to_csv with its index
_NAMED_LIKE_A_ROW_NUMBER = re.compile(
    r"|\.\.\.1|unnamed: ?\d+|row[\W_]*(names?|num(ber)?|nr|no|id|index)?|index|idx", re.IGNORECASE
)
IDENTIFIER = "identifier"  # with which the reason for one begins
_DIGITS = re.compile(r"[0-9a-fA-F]*[0-9][0-9a-fA-F]*")


def useless(table: pd.DataFrame) -> dict[str, str]:
    """The columns to leave out, and why."""
    return {str(name): why for name, column in table.items() if (why := why_useless(column)) is not None}


def why_useless(column: pd.Series) -> str | None:
    """The reason to leave a column out, from its values and its name; None if there is no reason.

    A column is an identifier if its values (gaps aside) differ in at least 20 rows and are
    - whole numbers that only rise or only fall down the file, or fill an interval without a gap, or are named so;
    - strings of one word, or strings that differ in their digits alone.
    Dates, fractions and free text are no identifiers, though they differ too. `column` has the dtype of its kind.
    """
    if is_fraction(column) and column.min() < column.max():
        return None
    if column.isna().all():
        return "every value is missing"
    head = column.iloc[:_FIRST]  # enough to decide for most columns
    if head.nunique() == 1 and column.notna().all() and column.nunique() == 1:
        return f"constant: every value is {_short(column.iloc[0])}"
    present = column.dropna()
    if len(present) < FEWEST or not present.iloc[:_FIRST].is_unique or pd.api.types.is_bool_dtype(column):
        return None
    if pd.api.types.is_numeric_dtype(column):
        return _numbers(present, str(column.name))
    return _strings(present.astype(str)) if isinstance(present.iloc[0], str) else None


def is_fraction(column: pd.Series) -> bool:
    """Whether a column of floats has a value that is not whole; a gap is none."""
    values = column.to_numpy() if column.dtype == "float64" else np.empty(0)
    return any(bool(((part != np.floor(part)) & (part == part)).any()) for part in (values[:_FIRST], values[_FIRST:]))


def named_like_a_row_number(name: str) -> bool:
    """Whether programs give this name to the numbers of rows, which are others after each export."""
    return _NAMED_LIKE_A_ROW_NUMBER.fullmatch(name.strip()) is not None


def is_row_number(column: pd.Series) -> bool:
    """Whether a column has the numbers of the rows, which rise, under a name that programs give them."""
    named = named_like_a_row_number(str(column.name))
    return named and pd.api.types.is_numeric_dtype(column) and column.is_monotonic_increasing and column.is_unique


def _numbers(present: pd.Series, name: str) -> str | None:
    values = present.to_numpy(dtype=np.float64)
    if (values % 1 != 0).any() or not present.is_unique:
        return None
    what = f"{IDENTIFIER}: whole numbers, each once"
    if present.is_monotonic_increasing or present.is_monotonic_decreasing:
        return f"{what}, in the order of the file"
    if values.max() - values.min() + 1 == len(values):
        return f"{what}, without a gap"
    if _NAMED_LIKE_AN_IDENTIFIER.search(name):
        return f"{what}, and called {name}"
    return None


def _strings(texts: pd.Series) -> str | None:
    if not texts.is_unique:
        return None
    if not texts.str.contains(r"\s").any():
        return f"{IDENTIFIER}: one-word strings, each once, as {_short(texts.iloc[0])}"
    if texts.str.replace(_DIGITS, "#", regex=True).nunique() <= len(texts) // FEWEST:
        return f"{IDENTIFIER}: strings that differ in their digits alone, as {_short(texts.iloc[0])}"
    return None


def _short(value: object) -> str:
    text = repr(value.item() if isinstance(value, np.generic) else value)
    return text if len(text) <= 40 else f"{text[:37]}…"
