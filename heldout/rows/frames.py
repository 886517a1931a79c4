"""Data frames of any library, by narwhals: pandas, polars and pyarrow.

A frame of pandas or polars reaches a learner as it is. A table of pyarrow becomes a frame of pandas where pandas is
installed: scikit-learn's transformers of columns take no other frames, and as an array its numbers would be in
another order in memory, so that the last digits of a linear model would differ.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.rows.texts import Texts

LIBRARIES = ("pandas", "polars", "pyarrow")
_DTYPES: dict[Any, Any] = {
    str: nw.String,
    str | None: nw.String,
    int: nw.Int64,
    int | None: nw.Int64,  # n_train, which may not be known
    float: nw.Float64,
    float | None: nw.Float64,
    bool: nw.Boolean,
}


def checked_frame(X: Any, argument: str) -> Any:
    """X, of pyarrow as a frame of pandas. Raises BadArgument for a frame whose rows are not read yet."""
    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        library = type(X).__module__.partition(".")[0]
        raise BadArgument(
            argument,
            f"{argument} is a {type(X).__name__} of {library}, whose rows are not read yet; it must hold its rows in "
            f"memory: for a lazy frame give {argument}.collect()",
        )
    if isinstance(frame, nw.DataFrame) and frame.implementation.is_pyarrow():
        try:
            return X.to_pandas(ignore_metadata=True)  # else a column may become the index
        except ImportError:
            return X
    return _without_views(X) if hasattr(X, "iloc") and hasattr(X, "columns") else X


def _without_views(X: Any) -> Any:
    """A frame of pandas whose columns of Arrow's string_view, of which pandas takes no rows, are of large_string."""
    arrow = {
        name: dtype for name, dtype in zip(X.columns, X.dtypes, strict=True) if type(dtype).__name__ == "ArrowDtype"
    }
    views = [name for name, dtype in arrow.items() if str(dtype.pyarrow_dtype) == "string_view"]
    texts = {name: X[name].array.__arrow_array__().cast("large_string") for name in views}
    dtype = "large_string[pyarrow]"
    return X.assign(**{name: type(X[name])(of, X.index, dtype=dtype) for name, of in texts.items()}) if views else X


def library_of(X: Any) -> str:
    """The library of a data frame; pandas for anything else."""
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    library = str(frame.implementation.value) if isinstance(frame, nw.DataFrame) else ""
    return library if library in LIBRARIES else "pandas"


def numbers_of(X: Any) -> NDArray[Any] | None:
    """A data frame as an array of numbers, as scikit-learn reads it; None for other values, and for no data frame."""
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame) or not all(dtype.is_numeric() for dtype in frame.schema.values()):
        return None
    return np.asarray(X)


def column_names(X: Any) -> list[str]:
    """The names of the columns of a data frame; their places for anything else, of shape (n, p)."""
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    named = frame if isinstance(frame, nw.DataFrame) else X
    return [str(name) for name in getattr(named, "columns", [f"column {place}" for place in range(X.shape[1])])]


def frame_of(
    kind: type, names: Sequence[str], records: Sequence[Any], library: str, more: Mapping[str, list[Any]] | None = None
) -> Any:
    """A line for each of the `records` of a `kind`, with the `names` of its fields, as a data frame of the `library`.

    `more` are further columns of numbers, the last ones.

    Raises ImportError where that is not installed.
    """
    columns = {name: [getattr(record, name) for record in records] for name in names}
    types = {item.name: item.type for item in fields(kind) if item.name in columns}
    return of_columns({**columns, **(more or {})}, {**types, **dict.fromkeys(more or {}, float)}, library)


def of_columns(columns: Mapping[str, Sequence[Any]], types: Mapping[str, Any], library: str) -> Any:
    """A data frame of the `library`; a column without a type has that of its first value that is there.

    Raises ImportError where the library is not installed.
    """
    first = {name: next((value for value in of if value is not None), 0.0) for name, of in columns.items()}
    dtypes = {name: _DTYPES[types.get(name, type(first[name]))] for name in columns}
    backend: Any = library  # one of LIBRARIES
    try:
        # each by itself: `from_dict` with types makes the text "None" of a gap, in pandas below 3
        of = {name: nw.new_series(name, columns[name], dtypes[name], backend=backend) for name in columns}
        return nw.from_dict(of, backend=backend).to_native()
    except ImportError:
        raise ImportError(f"to_frame() needs {library}, which is not installed: pip install {library}") from None


def take(X: Any, rows: NDArray[np.intp] | slice) -> Any:
    """The `rows` of an array, a sparse matrix, texts, or a data frame of pandas or polars."""
    if isinstance(X, Texts):
        return X.values[rows]
    if isinstance(X, np.ndarray) and not isinstance(rows, slice):
        return X.take(rows, axis=0)  # half the time of X[rows]
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if not is_other_frame(X):
        return X[rows]
    return nw.from_native(X, eager_only=True)[rows].to_native()


def in_memory(X: Any) -> Any:
    """X; the rows of a table that stays in its file, as a data frame."""
    return X.iloc[:] if is_read(X) else X


def is_read(X: Any) -> bool:
    """Whether X is a table that stays in its file, of which each `take` reads rows of its own."""
    return hasattr(X, "iloc") and not hasattr(X, "columns")


def is_other_frame(X: Any) -> bool:
    """Whether X is a data frame in memory of another library than pandas, such as polars."""
    if not (hasattr(X, "columns") and hasattr(X, "schema")):
        return False
    return isinstance(nw.from_native(X, eager_only=True, pass_through=True), nw.DataFrame)
