"""The kind of a prepared column, from its dtype: the table in `tasks.data.column_types` has both."""

from typing import Any

import pandas as pd
from pandas.api import types

from tasks.params.sections import ColumnKind


def kind_of_dtype(dtype: Any) -> ColumnKind:
    """The kind of a prepared column."""
    if isinstance(dtype, pd.CategoricalDtype):
        return "category"
    if types.is_bool_dtype(dtype):
        return "boolean"
    if types.is_datetime64_any_dtype(dtype):
        return "date"
    return "numeric" if types.is_numeric_dtype(dtype) else "text"
