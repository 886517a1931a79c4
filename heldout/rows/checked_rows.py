"""Rows and labels as arrays or frames that can be taken: what is wrong with them, before any fit."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.rows.frames import checked_frame, is_other_frame
from heldout.rows.missing import is_missing

_OF_ONE_TYPE = "biufUS"  # kinds of arrays whose items are of one type, and never None


def checked_rows(X: Any, y: Any) -> tuple[Any, Any]:
    """X with rows that can be taken, and y as an array of labels of one type, none of them missing."""
    X = as_table(X, "X")
    y = np.asarray(y)
    if y.ndim != 1 or len(y) != X.shape[0]:
        raise BadArgument("y", f"y has shape {y.shape}; it must be ({X.shape[0]},), one label for each row of X")
    if len(y) < 2:
        raise BadArgument("y", f"there are {len(y)} labelled rows; at least 2 are needed")
    if _lacks_labels(y):
        raise BadArgument("y", "y has a label that is missing or infinite; rows without a label go to unlabeled")
    kinds = [] if y.dtype.kind in _OF_ONE_TYPE else sorted({type(label).__name__ for label in y.tolist()})
    if len(kinds) > 1:
        raise BadArgument("y", f"y mixes labels of the types {', '.join(kinds)}; give them one type")
    if kinds and (typed := np.array(y.tolist())).dtype.kind in "biuf":  # numbers that came as objects
        y = typed
    return X, y


def _lacks_labels(y: NDArray[Any]) -> bool:
    if y.dtype.kind in _OF_ONE_TYPE:
        return y.dtype.kind == "f" and not np.isfinite(y).all()
    return any(is_missing(label) for label in y.tolist())


def checked_unlabeled(unlabeled: Any, X: Any, argument: str = "unlabeled") -> Any:
    """The rows without labels, of as many columns as X."""
    unlabeled = as_table(unlabeled, argument)
    if unlabeled.shape[0] < 1 or unlabeled.shape[1] != X.shape[1]:
        raise BadArgument(
            argument, f"{argument} has shape {unlabeled.shape}; it needs rows of {X.shape[1]} columns, as X has"
        )
    return unlabeled


def as_table(X: Any, argument: str) -> Any:
    """An array, a data frame, or a sparse matrix whose rows can be taken."""
    X = checked_frame(X, argument)
    if hasattr(X, "tocsr"):
        X = X.tocsr()
    elif not hasattr(X, "iloc") and not is_other_frame(X):
        X = np.asarray(X)
    if len(X.shape) != 2:
        raise BadArgument(argument, f"{argument} has shape {X.shape}; it must have two dimensions, rows by columns")
    return X
