"""The order that a type gives its classes, which may be another than the ascending one: of a category or an Enum."""

from typing import Any

import narwhals as nw


def last_of_two(labels: Any) -> Any:
    """The last of the two classes that occur, in the order of their type; None for other labels.

    `labels` is a series or an array of pandas, polars or pyarrow: an ordered category, or an Enum.
    """
    order = _order(labels)
    if order is None:
        return None
    given = labels.to_pylist() if hasattr(labels, "to_pylist") else list(labels)
    found = {value for value in given if isinstance(value, type(order[0]))} if order else set()
    there = [name for name in order if name in found]
    return there[1] if len(there) == 2 else None


def _order(labels: Any) -> list[Any] | None:
    dtype: Any = getattr(labels, "dtype", None)
    if hasattr(dtype, "ordered") and hasattr(dtype, "categories"):  # of pandas
        return [*dtype.categories] if dtype.ordered else None
    if hasattr(labels, "dictionary") and getattr(labels.type, "ordered", False):  # of pyarrow
        return [*labels.dictionary.to_pylist()]
    series = nw.from_native(labels, series_only=True, pass_through=True)
    if isinstance(series, nw.Series) and isinstance(series.dtype, nw.Enum):
        return [*series.dtype.categories]
    return None
