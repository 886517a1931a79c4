"""The content of each row of a table as it is read: a column that is dropped, or of another kind, counts as before."""

import datetime
import numbers
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from heldout.rows import row_identity
from heldout.rows.group_names import group_names
from heldout.rows.hashing import bits, digest
from heldout.rows.row_identity import GAP, Words
from tasks.storage.seen_rows import MOST_COLUMNS

_TRUTH = ("true", "false")


def contents(table: pd.DataFrame) -> Words:
    """A 64-bit number for each row, from the names of the columns and the values of the cells.

    A value counts by what it says: the number 1.5 equals the strings "1.5" and "1,5", true equals "True", since other
    rows and the form of the file decide which of them a column is read as.
    """
    return row_identity.contents({str(name): _words(table[name]) for name in table.columns})


def key_words(keys: pd.DataFrame) -> Words:
    """A 64-bit number for each row, from the columns of data.key: their names and texts, as those of groups.

    Raises ValueError for floats beyond 2^53, a clause that follows the name of the column.
    """
    return row_identity.contents({str(name): _name_words(keys[name]) for name in keys.columns})


def group_identities(groups: pd.Series) -> Words:
    """A 64-bit number for each row, from the name of its group and of the column."""
    return row_identity.contents({str(groups.name): _name_words(groups)})


def _name_words(values: pd.Series) -> Words:
    return np.array([GAP if name is None else digest(name) for name in group_names(values)], np.uint64)


def column_digests(table: pd.DataFrame) -> str:
    """`SeenRows.columns` of a table."""
    return "" if len(table.columns) > MOST_COLUMNS else " ".join(sorted(map(column_digest, table.columns)))


def column_digest(name: str) -> str:
    """Eight hexadecimal digits for the name of a column."""
    return f"{digest(name) % 2**32:08x}"


def _words(values: pd.Series) -> Words:
    """A word for each cell, shape (n,)."""
    dtype: Any = values.dtype
    if types.is_bool_dtype(dtype):
        values = values.astype("category")
        dtype = values.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        of_categories = np.array([*(_word(value) for value in dtype.categories), GAP], np.uint64)
        return of_categories[values.cat.codes.to_numpy()]  # the code of a gap is -1
    if isinstance(dtype, pd.StringDtype):
        codes, distinct = pd.factorize(values)
        return np.array([*(_word(value) for value in distinct), GAP], np.uint64)[codes]
    if types.is_datetime64_any_dtype(dtype):
        return bits(_microseconds(values))
    if types.is_integer_dtype(dtype):
        return bits(
            values.astype("object").where(values.notna(), None).to_numpy() if values.hasnans else values.to_numpy()
        )
    if types.is_numeric_dtype(dtype) and not types.is_complex_dtype(dtype):
        return bits(values.to_numpy(dtype=np.float64, na_value=np.nan))
    return np.array([_word(value) for value in values.astype("object")], np.uint64)


def _word(value: Any) -> np.uint64:
    """The word of one value: of a number, also as a string; of a time, by its microseconds; else of its text."""
    if isinstance(value, datetime.date):  # also a datetime, and pandas' Timestamp and NaT
        return np.uint64(int(bits(_microseconds(pd.Series(pd.to_datetime([value]))))[0]))
    if value is None or value is pd.NA:
        return np.uint64(GAP)
    text = str(value).strip()
    if isinstance(value, str | numbers.Real | Decimal) and not isinstance(value, bool | np.bool_):
        for read in (int, _decimal):  # a whole number has more digits than a float
            try:
                return np.uint64(int(bits(np.array([read(text)], dtype=object))[0]))
            except ValueError:
                pass
    return np.uint64(digest(text.lower() if text.lower() in _TRUTH else text))


def _decimal(text: str) -> float:
    return float(text.replace(",", ".", 1))  # a decimal comma, whatever data.read.decimal says


def _microseconds(values: pd.Series) -> Any:
    zone = values.dt.tz_convert("UTC").dt.tz_localize(None) if values.dt.tz is not None else values
    return zone.astype("datetime64[us]").astype("int64").astype("float64").where(values.notna()).to_numpy()
