"""The rows that a notebook gives, as a table of pandas whose columns have their types."""

from collections import Counter
from typing import Any, cast

import narwhals as nw
import numpy as np
import pandas as pd
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray

from heldout.checks.column_kind import are_categories
from heldout.checks.remarks import INFINITE
from heldout.errors import BadArgument
from heldout.rows.checked_rows import as_table, checked_rows
from heldout.rows.columns import Kind, columns_of, durations_of, floats_of, kinds, moments_of, objects_of, usable_kinds
from heldout.rows.frames import column_names

_DAY = np.timedelta64(1, "D")
_TEXT = pd.StringDtype(na_value=float("nan"))


def table_of(X: Any, argument: str, *, usable: bool = False) -> pd.DataFrame:
    """X, an array or a data frame of any library, each column in the dtype of its kind; durations are days.

    With `usable` a column that has no kind is left out. Raises BadArgument for a sparse matrix, for two columns of the
    same name, and else for a column that has no kind.
    """
    if hasattr(X, "tocsr"):
        raise BadArgument(
            argument,
            f"{argument} is a sparse matrix, whose columns have no names to speak of; give a data frame, or an array",
        )
    try:
        X = as_table(X, argument)
        names = column_names(X)
    except DuplicateError:
        raise BadArgument(
            argument, f"{argument} has two columns of the same name; give each a name of its own"
        ) from None
    if not names:
        raise BadArgument(argument, f"{argument} has no column; give at least one")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:  # 1 and "1"
        raise BadArgument(argument, f"{argument} has two columns called {twice[0]!r}; give each a name of its own")
    if not isinstance(nw.from_native(X, eager_only=True, pass_through=True), nw.DataFrame):
        X = pd.DataFrame(X, columns=names).infer_objects()
    try:
        of_columns = usable_kinds(X) if usable else {**kinds(X)}
    except BadArgument as error:
        raise BadArgument(argument, f"{argument}: {error}") from None
    typed = {
        name: _column(column, kind)
        for name, column, kind in zip(names, columns_of(X), of_columns.values(), strict=True)
        if kind is not None
    }
    return pd.DataFrame(typed, index=range(len(X)), columns=[*typed])


def labels_of(y: Any, table: pd.DataFrame) -> pd.Series:
    """The labels of the rows of the table, under their name, or "y" where they have none or a column has it too.

    Raises BadArgument for labels that are missing, of several types, or not one for each row.
    """
    rows, labels = checked_rows(np.empty((len(table), 1)), y)
    name = getattr(y, "name", None)
    named = "y" if name is None or str(name) in table.columns else str(name)
    while named in table.columns:
        named = f"the target {named}"
    return pd.Series(labels if labels.dtype.kind in "biuf" else labels.tolist(), index=range(len(rows)), name=named)


def unlabeled_of(unlabeled: Any, table: pd.DataFrame, *, usable: bool = False) -> pd.DataFrame:
    """The rows without a label; columns of an array are those of the table, by their places.

    Raises BadArgument as `table_of`, for no rows, and for an array of another number of columns.
    """
    rows = table_of(unlabeled, "unlabeled", usable=usable)
    if nw.from_native(unlabeled, pass_through=True) is unlabeled:  # no data frame
        if rows.shape[1] != table.shape[1]:
            raise BadArgument(
                "unlabeled",
                f"unlabeled has shape {rows.shape}; it needs {table.shape[1]} columns, as X has",
            )
        rows.columns = table.columns
    if rows.empty:
        raise BadArgument("unlabeled", f"unlabeled has shape {rows.shape}; it needs rows and columns")
    return without_infinities(rows)[0]


def without_infinities(table: pd.DataFrame) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The table with gaps for infinite numbers, and which there were."""
    floats = table.select_dtypes("float")
    found = [text for text in INFINITE if (floats == float(text)).any(axis=None)]
    return (table.replace([float(text) for text in found], np.nan) if found else table), tuple(found)


def _column(column: Any, kind: Kind) -> Any:
    if kind == "numeric":
        return _numbers(column)
    if kind == "date":
        return moments_of(column)
    if kind == "duration":
        return durations_of(column) / _DAY
    values = objects_of(column)
    codes, distinct = pd.factorize(values)  # a string of each value is made once: they repeat
    there = codes >= 0
    if kind == "boolean" and there.all():
        return values.astype(np.bool_)
    texts = [str(value) for value in distinct]
    present = {*texts}
    if kind == "text" and not are_categories(len(present), int(there.sum())):
        return pd.array(np.array([*texts, None], dtype=object)[codes], dtype=_TEXT)
    categories = pd.Index(_in_order(column, present), dtype="str")
    places = np.append(categories.get_indexer(pd.Index(texts, dtype="str")), -1)
    return pd.Categorical.from_codes(places[codes], categories=categories, ordered=_ordered(column))


def _numbers(column: Any) -> NDArray[Any]:
    values = np.asarray(column.to_numpy())
    if values.dtype.kind in "iu":
        return values
    items = values.tolist() if values.dtype.kind == "O" else []
    if items and all(isinstance(item, int | np.integer) and not isinstance(item, bool) for item in items):
        whole = np.array(items)
        if whole.dtype.kind in "iu":  # numbers of 17 digits stay what they are
            return whole
    return floats_of(column)


def _ordered(column: Any) -> bool:
    dtype = getattr(column.to_native(), "dtype", None)
    return isinstance(dtype, pd.CategoricalDtype) and bool(dtype.ordered)


def _in_order(column: Any, present: set[str]) -> list[str]:
    """The categories, in the order that the column states, or in that of letters."""
    if not _ordered(column):
        return sorted(present)
    stated = cast(pd.CategoricalDtype, column.to_native().dtype).categories
    return [text for text in dict.fromkeys(map(str, stated)) if text in present]
