"""Rows whose values in some columns are those of other rows, and which rows have equal values there.

For an array, a sparse matrix, or a data frame of pandas or polars; columns are named by their places, as names may be
equal.
"""

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.rows.frames import is_other_frame, take
from heldout.rows.texts import Texts

_TYPED = "biufmMUS"  # kinds of arrays whose items are of one type


def exchanged(X: Any, rows: NDArray[np.intp], others: NDArray[np.intp], places: Sequence[int]) -> Any:
    """The `rows` of X, each with the values at `places` of the row that is next to it in `others`, both of shape (n,).

    The result is of the kind of X, and so is each of its columns.
    """
    if isinstance(X, Texts):
        return take(X, others)
    made = take(X, rows)
    if hasattr(X, "tocsr"):
        kept, given = made.tocsr(copy=True), take(X, others).tocsr(copy=True)
        kept.data[np.isin(kept.indices, places)] = 0
        given.data[~np.isin(given.indices, places)] = 0
        return kept + given
    if hasattr(X, "iloc"):
        return _of_pandas(made, X.iloc[others, [*places]], places)
    if is_other_frame(X):
        frame, given = (nw.from_native(some, eager_only=True) for some in (made, take(X, others)))
        return frame.with_columns(*(given.get_column(given.columns[place]) for place in places)).to_native()
    made[:, places] = X[np.ix_(others, np.array(places))]
    return made


def _of_pandas(made: Any, given: Any, places: Sequence[int]) -> Any:
    """`made` with the columns of `given` at `places`; all at once, since one after another takes a second of 10,000."""
    every = range(made.shape[1])
    kept = made.set_axis(every, axis=1).reset_index(drop=True).drop(columns=[*places])
    joined = kept.join(given.set_axis([*places], axis=1).reset_index(drop=True))
    return joined[[*every]].set_axis(made.columns, axis=1).set_axis(made.index)


def value_numbers(X: Any, places: Sequence[int]) -> NDArray[np.int64]:
    """A number for the values of each row at `places`, shape (N,): rows of equal numbers have equal values there.

    The reverse need not hold. A sparse matrix is read fastest in its form by columns.
    """
    numbers = [_numbers(_column(X, place)) for place in places]
    if len(numbers) == 1:
        return numbers[0]
    return np.unique(np.stack(numbers), axis=1, return_inverse=True)[1].reshape(-1).astype(np.int64)


def names(X: Any) -> list[Any]:
    """The name of each column of a data frame, as it is; the places of other columns."""
    frame = nw.from_native(X, eager_only=True, pass_through=True) if is_other_frame(X) else X
    return [*getattr(frame, "columns", range(X.shape[1]))]


def column_sets(X: Any, together: Sequence[Sequence[Any]]) -> list[tuple[int, ...]]:
    """The places of the columns of each set of `together`, given by names, and of each other column alone.

    Sets stand where the first of their columns is. Raises BadArgument for a column that is not there, is there twice,
    or is in two sets.
    """
    known = names(X)
    place_of: dict[int, tuple[int, ...]] = {}
    for one in together:
        if isinstance(one, str) or not isinstance(one, Sequence):
            raise BadArgument("together", f"together has {one!r}; it must be a list of lists of columns")
        places = tuple(sorted(_place(known, name) for name in one))
        if not places:
            raise BadArgument("together", "together has a set without columns; name at least one in each")
        if again := [known[place] for number, place in enumerate(places) if place in (*places[:number], *place_of)]:
            raise BadArgument("together", f"together names the column {again[0]!r} twice; a column is in one set")
        place_of |= dict.fromkeys(places, places)
    return list(dict.fromkeys(place_of.get(place, (place,)) for place in range(len(known))))


def _place(known: Sequence[Any], name: Any) -> int:
    count = known.count(name)
    if count != 1:
        shown = ", ".join(map(repr, known[:10])) + (", …" if len(known) > 10 else "")
        what = f"X has {count} columns of that name" if count else f"X has {shown}"
        raise BadArgument("together", f"together names the column {name!r}, but {what}")
    return known.index(name)


def _column(X: Any, place: int) -> NDArray[Any]:
    if isinstance(X, Texts):
        return X.values
    if hasattr(X, "tocsr"):
        dense: NDArray[Any] = X[:, [place]].toarray()[:, 0]
        return dense
    if hasattr(X, "iloc"):
        values = X.iloc[:, place]
        return np.asarray(values if isinstance(values.dtype, np.dtype) else values.astype(object))
    if is_other_frame(X):
        column = nw.from_native(X, eager_only=True)[:, place]
        made = np.empty(len(column), dtype=object)
        made[:] = column.to_list()
        return made
    return np.asarray(X[:, place])


def _numbers(values: NDArray[Any]) -> NDArray[np.int64]:
    if values.dtype.kind in _TYPED:
        return np.unique(values, return_inverse=True)[1].astype(np.int64)
    found: dict[Any, int] = {}
    try:  # 1 and True are equal, and no equal values of a column
        return np.array([found.setdefault((type(value), value), len(found)) for value in values.tolist()], np.int64)
    except TypeError:  # values without a hash
        return np.arange(len(values))
