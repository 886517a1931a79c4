"""Whole numbers beyond 2^53 with all their digits, where pandas makes floats of them for the sake of a gap."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from heldout.rows.hashing import EXACT

_WHOLE = re.compile(r"\s*[-+]?[0-9]+\s*")


def of_values(values: Sequence[Any]) -> pd.Series:
    """The values as pandas reads them; whole numbers next to gaps keep their digits."""
    series = pd.Series(values)
    if series.dtype == "float64" and bool((series.abs() >= EXACT).any()):
        return _of_numbers(values) if all(value is None or isinstance(value, int) for value in values) else series
    return series


def rounded(table: pd.DataFrame) -> list[str]:
    """The columns of floats that may have been longer whole numbers."""
    floats = table.select_dtypes("float64")
    return [str(name) for name, most in floats.abs().max().items() if most >= EXACT]


def of_text(values: pd.Series, text: pd.Series) -> pd.Series:
    """The whole numbers that are written in `text`; `values` where something else is."""
    written = [None if gap else string for string, gap in zip(text, text.isna(), strict=True)]
    if not all(string is None or _WHOLE.fullmatch(string) for string in written):
        return values
    return _of_numbers([None if string is None else int(string) for string in written])


def with_gaps(values: pd.Series, gaps: pd.Series) -> pd.Series:
    """Numbers with `gaps` in some places: floats, and whole numbers beyond 2^53 as they are."""
    exact = values.dtype.kind in "iu" and bool((values.abs() >= EXACT).any())
    return (values.astype("Int64") if exact else values).mask(gaps)


def _of_numbers(numbers: Iterable[int | None]) -> pd.Series:
    whole = pd.Series(list(numbers), dtype="object")
    try:
        return whole.astype("Int64")
    except (OverflowError, TypeError, ValueError):  # beyond 2^63
        return whole
