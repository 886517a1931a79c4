"""The kind of a column, and its one dtype: all later code reads the kind from the dtype.

| kind | dtype |
|---|---|
| numeric | int or float |
| boolean | bool; truth values with gaps are the category "False"/"True" |
| category | pandas category of strings |
| date | datetime64[us], in UTC |
| text | str |
"""

from typing import Any, Literal

import pandas as pd
from pandas.api import types

ColumnKind = Literal["numeric", "boolean", "category", "date", "text"]

# strings are a category if their distinct values are at most _FEW, or at most _SHARE of the values and _MOST
_FEW, _SHARE, _MOST = 20, 0.05, 1000


def are_categories(distinct: int, present: int) -> bool:
    """Whether so many different strings in so many rows are categories, and no text."""
    return distinct <= max(_FEW, min(_SHARE * present, _MOST))


def kind_of_dtype(dtype: Any) -> ColumnKind:
    """The kind of a column in the dtype of its kind."""
    if isinstance(dtype, pd.CategoricalDtype):
        return "category"
    if types.is_bool_dtype(dtype):
        return "boolean"
    if types.is_datetime64_any_dtype(dtype):
        return "date"
    return "numeric" if types.is_numeric_dtype(dtype) else "text"
