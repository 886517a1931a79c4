"""The columns of a data frame: the kind of each, and its values as an array, whatever library it is of.

narwhals reads them: pandas, also with nullable and pyarrow's dtypes, tables of pyarrow, and polars.
"""

from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any, Literal

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.rows.missing import is_missing

Kind = Literal["numeric", "boolean", "category", "date", "duration", "text"]
_KIND_OF_NUMPY: Mapping[str, Kind] = {
    "b": "boolean",
    **dict.fromkeys("iuf", "numeric"),
    "M": "date",
    "m": "duration",
    "U": "text",
}
_KIND_OF_DTYPE: Mapping[Any, Kind] = {
    nw.Boolean: "boolean",
    nw.Categorical: "category",
    nw.Enum: "category",
    nw.Date: "date",
    nw.Datetime: "date",
    nw.Duration: "duration",
    nw.String: "text",
}
_KIND_OF_OBJECTS: tuple[tuple[Kind, tuple[type, ...]], ...] = (  # the first that holds for all values
    ("boolean", (bool, np.bool_)),
    ("numeric", (Real, Decimal)),
    ("date", (date, np.datetime64)),
    ("duration", (timedelta, np.timedelta64)),
    ("text", (str,)),
)


def kinds(X: Any) -> dict[Any, Kind]:
    """The kind of each column of a data frame.

    Raises BadArgument with the name of a column that has none, and for X that is no data frame.
    """
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        raise BadArgument("X", f"X is of the type {type(X).__name__}; preprocessing by auto needs a data frame")
    of_numpy = [  # the usual columns of pandas: a wide table has many
        _KIND_OF_NUMPY.get(dtype.kind) if isinstance(dtype, np.dtype) else None for dtype in getattr(X, "dtypes", ())
    ] or [None] * len(frame.columns)
    return {name: kind or _kind(frame.get_column(name)) for name, kind in zip(frame.columns, of_numpy, strict=True)}


def usable_kinds(X: Any) -> dict[Any, Kind | None]:
    """The kind of each column of a data frame; None for a column that has none."""
    found: dict[Any, Kind | None] = {}
    for column in columns_of(X):
        found[column.name] = None
        with suppress(BadArgument):
            found[column.name] = _kind(column)
    return found


def _kind(column: nw.Series[Any]) -> Kind:
    dtype: Any = column.dtype
    of_numpy = getattr(column.to_native(), "dtype", None)
    if dtype == nw.Object or isinstance(of_numpy, np.dtypes.ObjectDType):
        return _kind_of_objects(column)
    if dtype.is_numeric():
        return "numeric"
    if dtype == nw.Unknown:  # sparse columns of pandas
        kind = _KIND_OF_NUMPY.get(np.asarray(column.to_native()).dtype.kind)
    else:
        kind = _KIND_OF_DTYPE.get(dtype.base_type())
    if kind is None:
        raise _no_kind(column, f"has the dtype {dtype if of_numpy is None else of_numpy}")
    return kind


def _kind_of_objects(column: nw.Series[Any]) -> Kind:
    found = {type(value) for value in column.to_list() if not is_missing(value)}
    for kind, types in _KIND_OF_OBJECTS:
        if all(issubclass(one, types) for one in found):
            return kind if found else "text"  # nothing but gaps
    raise _no_kind(column, f"holds values of the type {', '.join(sorted(one.__name__ for one in found))}")


def _no_kind(column: nw.Series[Any], what: str) -> BadArgument:
    return BadArgument(
        "X",
        f"the column {column.name!r} {what}; heldout takes numbers, truth values, categories, dates, "
        "durations and strings, one type in each column: convert it, or leave it out",
    )


def columns_of(X: Any) -> list[Any]:
    """The columns of a data frame as series of narwhals, or of an array as arrays."""
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    return [frame.get_column(name) for name in frame.columns] if isinstance(frame, nw.DataFrame) else [*np.asarray(X).T]


def texts_of(X: Any) -> list[list[str]]:
    """Each column as strings; "" for a gap."""
    return [["" if is_missing(text) else str(text) for text in _values(column)] for column in columns_of(X)]


def objects_of(column: Any) -> NDArray[np.object_]:
    """The values as they are; NaN for a gap."""
    values = np.empty(len(column), dtype=object)
    values[:] = _values(column)
    if isinstance(column, nw.Series):
        values[column.is_null().to_numpy()] = np.nan
    return values


def floats_of(column: Any) -> NDArray[np.float64]:
    """Truth values or numbers; NaN for a gap."""
    values = _array(column)
    if values.dtype.kind in "biuf":
        return values.astype(np.float64)
    return np.array([np.nan if is_missing(value) else float(value) for value in _values(column)])


def all_floats(X: Any) -> NDArray[np.float64]:
    """The columns of a data frame of truth values and numbers, shape (n, p), row by row in memory; NaN for a gap."""
    dtypes = getattr(X, "dtypes", ())
    if len(dtypes) and all(isinstance(dtype, np.dtype) and dtype.kind in "biuf" for dtype in dtypes):
        return np.ascontiguousarray(X.to_numpy(dtype=np.float64))  # of pandas; one by one, many columns take seconds
    return np.column_stack([floats_of(column) for column in columns_of(X)])


def moments_of(column: Any) -> NDArray[np.datetime64]:
    """In UTC, NaT for a gap; a date is its midnight, and a moment without a time zone is in UTC already."""
    if isinstance(column, nw.Series) and getattr(column.dtype, "time_zone", None) is not None:
        column = column.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    values = _array(column)
    if values.dtype.kind != "M":
        values = np.array([_moment(value) for value in _values(column)], dtype="datetime64[us]")
    return values.astype("datetime64[us]")


def _moment(value: Any) -> Any:
    if is_missing(value):
        return np.datetime64("NaT")
    if isinstance(value, datetime) and value.tzinfo is not None:
        value = value.astimezone(UTC).replace(tzinfo=None)
    try:
        return np.datetime64(value)
    except ValueError as error:
        raise BadArgument(
            "X",
            f"{value!r} is no date like 1975-07-04: make dates of its column first, as pandas.to_datetime does",
        ) from error


def durations_of(column: Any) -> NDArray[np.timedelta64]:
    """In microseconds; NaT for a gap."""
    values = _array(column)
    if values.dtype.kind != "m":
        gap = np.timedelta64("NaT")
        values = np.array([gap if is_missing(value) else np.timedelta64(value) for value in _values(column)])
    return values.astype("timedelta64[us]")


def _array(column: Any) -> NDArray[Any]:
    return np.asarray(column.to_numpy() if isinstance(column, nw.Series) else column)


def _values(column: Any) -> list[Any]:
    return list(column.to_list() if isinstance(column, nw.Series) else column.tolist())
