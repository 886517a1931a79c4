"""Rows and labels as arrays or frames that can be taken: what is wrong with them, before any fit."""

from collections.abc import Iterator
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.rows.frames import checked_frame, is_other_frame
from heldout.rows.missing import is_missing
from heldout.rows.texts import texts_of_rows
from heldout.rows.wide import wide
from heldout.several_labels import as_one

_OF_ONE_TYPE = "biufUSmM"  # kinds of arrays whose items are of one type, and never None, but for NaT


def checked_rows(X: Any, y: Any) -> tuple[Any, Any]:
    """X with rows that can be taken, and y as an array of labels of one wide type (`wide`), none of them missing.

    Several labels a row become records (`heldout.several_labels`).
    """
    X = as_table(X, "X")
    y = _labels(y, X.shape[0])
    if y.ndim not in (1, 2) or len(y) != X.shape[0] or 0 in y.shape[1:]:
        raise BadArgument("y", f"y has shape {y.shape}; it must be ({X.shape[0]},), one label for each row of X")
    if len(y) < 2:
        raise BadArgument("y", f"there are {len(y)} labelled rows; at least 2 are needed")
    if _lacks_labels(y.ravel()):
        raise BadArgument("y", "y has a label that is missing or infinite; rows without a label go to unlabeled")
    kinds = [] if y.dtype.kind in _OF_ONE_TYPE else sorted({type(label).__name__ for label in y.ravel().tolist()})
    if len(kinds) > 1:
        raise BadArgument("y", f"y mixes labels of the types {', '.join(kinds)}; give them one type")
    if kinds and ((typed := np.array(y.tolist())).dtype.kind in "biuf" or y.ndim == 2):  # they came as objects
        y = typed
    y = wide(y, "y")
    return X, y if y.ndim == 1 else as_one(y)


def _labels(y: Any, n: int) -> NDArray[Any]:
    """y as an array: of shape (n,), or with q columns of labels. Raises BadArgument for no labels, and for sets."""
    if y is None or isinstance(y, str | bytes | Iterator):
        raise BadArgument(
            "y", f"y is {y!r}; it must hold one label for each of {n} rows: a list, an array, or a column of a frame"
        )
    try:
        labels = np.asarray(y.toarray() if hasattr(y, "toarray") else y)
        if labels.dtype.kind == "U" and isinstance(y, list | tuple) and labels.ndim == 1:
            labels = labels if all(isinstance(label, str) for label in y) else np.array(y, dtype=object)
    except ValueError:  # lists of several lengths
        labels = np.empty(0, dtype=object)
        sets = True
    else:
        sets = labels.dtype == object and labels.shape == (n,) and isinstance(labels[0], list | tuple | set)
    if sets:
        raise BadArgument(
            "y",
            "y has a set of labels for each row; give a column for each label, as "
            "sklearn.preprocessing.MultiLabelBinarizer().fit_transform(y) does",
        )
    return labels[:, 0] if labels.ndim == 2 and labels.shape[1] == 1 else labels


def _lacks_labels(y: NDArray[Any]) -> bool:
    if y.dtype.kind in "mM":
        return bool(np.isnat(y).any())
    if y.dtype.kind in _OF_ONE_TYPE:
        return y.dtype.kind == "f" and not np.isfinite(y).all()
    return any(is_missing(label) for label in y.tolist())


def checked_unlabeled(unlabeled: Any, X: Any, argument: str = "unlabeled") -> Any:
    """The rows without labels, of as many columns as X; also those of several shards, in a list or from a generator."""
    unlabeled = as_table(_joined(unlabeled), argument)
    if unlabeled.shape[0] < 1 or unlabeled.shape[1] != X.shape[1]:
        raise BadArgument(
            argument, f"{argument} has shape {unlabeled.shape}; it needs rows of {X.shape[1]} columns, as X has"
        )
    return unlabeled


def _joined(shards: Any) -> Any:
    """The rows of all shards; anything else as it is."""
    parts = list(shards) if isinstance(shards, list | tuple | Iterator) else []
    if not parts or not all(len(getattr(part, "shape", ())) == 2 for part in parts):
        return parts if isinstance(shards, Iterator) else shards
    if all(hasattr(part, "tocsr") for part in parts):
        from scipy.sparse import vstack

        return vstack(parts)
    if any(hasattr(part, "columns") or is_other_frame(part) for part in parts):
        return nw.concat([nw.from_native(part, eager_only=True) for part in parts]).to_native()
    return np.concatenate([np.asarray(part) for part in parts])


def as_table(X: Any, argument: str) -> Any:
    """An array, a data frame, a sparse matrix whose rows can be taken, or texts."""
    X = checked_frame(X, argument)
    if (texts := texts_of_rows(X)) is not None:
        return texts
    if hasattr(X, "tocsr"):
        X = X.tocsr()
    elif not hasattr(X, "iloc") and not is_other_frame(X):
        X = np.asarray(X)
    if len(X.shape) != 2:
        one = "; for a single column give a data frame, or reshape(-1, 1)" if len(X.shape) == 1 else ""
        raise BadArgument(
            argument, f"{argument} has shape {X.shape}; it must have two dimensions, rows by columns{one}"
        )
    return X
