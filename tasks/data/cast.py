"""Values converted to the dtype of a kind; values that cannot be converted raise ColumnError."""

from datetime import timedelta
from typing import Any, Literal

import numpy as np
import pandas as pd
from pandas.api import types

from tasks.data import dates, foreign_strings, loose_numbers, number_strings
from tasks.data.dates import ColumnError
from tasks.params.sections import ColumnKind

ValueType = Literal[
    "numbers", "truth values", "strings", "dates", "durations", "nothing"
]  # the type of the values in a source

_DAY = timedelta(days=1)
_TRUTH = {"true": True, "false": False}


def as_kind(
    values: pd.Series, value_type: ValueType, kind: ColumnKind, form: str | None
) -> tuple[pd.Series, str | None]:
    """The values in the dtype of `kind`, and the format of dates or the form of numbers that were strings."""
    if kind == "numeric" and value_type == "strings" and form is not None:
        if foreign_strings.is_foreign(form):
            return foreign_strings.parsed(values, form), form
        loose = loose_numbers.is_loose(form)
        return _finite((loose_numbers if loose else number_strings).parsed(values, form)), form
    if kind == "numeric":
        return _numeric(values, value_type), None
    if kind == "boolean":
        return _boolean(values, value_type), None
    if kind == "date":
        return dates.parsed(values, value_type == "dates", form)
    strings = _strings(values, value_type)
    if kind == "text":
        return strings, None
    present = {*strings.dropna()}
    dtype: Any = values.dtype
    stated = isinstance(dtype, pd.CategoricalDtype) and dtype.ordered
    order = _strings(dtype.categories.to_series(), value_type).tolist() if stated else sorted(present)
    categories = pd.Index([text for text in dict.fromkeys(order) if text in present], dtype="str")
    return strings.astype(pd.CategoricalDtype(categories, ordered=stated)), None


def _numeric(values: pd.Series, value_type: ValueType) -> pd.Series:
    if value_type == "dates":
        raise ColumnError("holds dates, which are no numbers; remove it from data.columns, or set date there")
    if value_type == "durations":
        if values.dtype == object:
            return values.map(lambda value: value / _DAY, na_action="ignore").astype("float64")
        return values.astype("timedelta64[us]") / _DAY
    if isinstance(values.dtype, pd.CategoricalDtype):
        values = values.astype("object")
    converted = values
    if converted.dtype == object or isinstance(converted.dtype, pd.StringDtype):
        converted = converted.map(_number, na_action="ignore").astype("float64")
    if types.is_bool_dtype(converted.dtype):
        converted = converted.astype("Int64")
    if types.is_extension_array_dtype(converted.dtype) or converted.dtype == "float16":
        whole = types.is_integer_dtype(converted.dtype) and not converted.isna().any()
        converted = converted.astype("int64" if whole else "float64")
    return _finite(converted)


def _finite(converted: pd.Series) -> pd.Series:
    if converted.dtype.kind == "f":
        infinite = np.isinf(converted.to_numpy())
        if infinite.any():
            row = int(infinite.argmax())
            raise ColumnError(
                f"is infinite in row {row} (counted from 0); write a finite number, or add {converted.iloc[row]} to "
                "data.missing"
            )
    return converted


def _number(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf")
    except (ValueError, TypeError):
        raise ColumnError(
            f"has the value {value!r}, which is no number; add it to data.missing, or set another kind"
        ) from None


def _boolean(values: pd.Series, value_type: ValueType) -> pd.Series:
    present = values.dropna()
    if value_type == "numbers":
        ok = bool(present.isin([0, 1]).all())
        converted = present.astype("float64").astype("bool") if ok else present
    elif value_type == "truth values":
        ok, converted = True, present.astype("bool")
    else:
        lower = present.astype("str").str.strip().str.lower()
        ok = value_type == "strings" and bool(lower.isin(list(_TRUTH)).all())
        converted = lower.map(_TRUTH).astype("bool") if ok else present
    if not ok:
        raise ColumnError("is set to boolean, but holds more than true and false, or 0 and 1; set it to category")
    if len(converted) == len(values):
        return converted
    with_gaps = converted.astype("str").reindex(values.index)
    return with_gaps.astype(pd.CategoricalDtype(pd.Index(["False", "True"], dtype="str")))


def _strings(values: pd.Series, value_type: ValueType) -> pd.Series:
    if isinstance(values.dtype, pd.CategoricalDtype):
        values = values.astype("object")
    if value_type == "numbers" and (values.dropna() % 1 == 0).all():
        values = values.astype("object").map(lambda value: str(int(value)), na_action="ignore")
    elif value_type == "truth values":
        values = values.astype("object")
    converted = values.astype("object").where(values.notna(), None).map(str, na_action="ignore")
    return converted.astype("str")


def nothing(values: pd.Series, dtype: Any) -> pd.Series:
    """Only gaps, in `dtype` if it can hold gaps."""
    gaps = "float64" if isinstance(dtype, str | np.dtype) and np.dtype(dtype).kind in "iub" else dtype
    return pd.Series([None] * len(values), index=values.index, dtype=gaps, name=values.name)


def truth_like(converted: pd.Series, dtype: Any) -> pd.Series:
    """Truth values as in the labelled rows: bool, or the category "False"/"True" if those rows have gaps."""
    if isinstance(dtype, pd.CategoricalDtype):
        return converted.astype("str").astype(dtype)
    return converted if converted.dtype == dtype else converted.map({"True": 1.0, "False": 0.0}).astype("float64")


def number_like(converted: pd.Series, dtype: Any) -> pd.Series:
    """Numbers in the dtype of the labelled rows if no value changes, else as float64."""
    if converted.dtype == dtype:
        return converted
    wide = converted.astype("float64")
    if wide.isna().any() and dtype.kind in "iu":
        return wide
    cast = wide.astype(dtype)
    return cast if (cast.astype("float64").equals(wide)) else wide
