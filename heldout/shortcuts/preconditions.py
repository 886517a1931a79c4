"""The common conditions of the shortcuts on a learner, its labelled rows and their partition."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from heldout.rows.frames import is_other_frame, numbers_of
from heldout.shortcuts.shortcut import Declined
from heldout.splits.split import Rows

Values = NDArray[np.float64]

_LARGEST = 1e50  # powers and sums of such values, times a weight, are finite numbers
_DISCRETE = "biuU"  # dtype kinds of arrays whose values scikit-learn always takes as classes
_WARNED_FROM = 20  # above so many rows, scikit-learn warns if the classes are more than half as many


def exactly(learner: Any, *types: type) -> None:
    """Declined unless the type of `learner` is one of `types`, no subclass, with settings that its `fit` takes."""
    if type(learner) not in types:
        raise Declined(f"is no {' or '.join(each.__name__ for each in types)} itself")
    valid_settings(learner)


def valid_settings(learner: Any) -> None:
    """Declined unless `fit` takes the settings: the check with which each `fit` of scikit-learn begins."""
    with decline_on_error():
        learner._validate_params()


@contextmanager
def decline_on_error() -> Iterator[None]:
    """Declined for every error or warning in the block: the refit then shows it to the user."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            yield
    except Exception as error:
        if isinstance(error, Declined):
            raise
        raise Declined(f"may not be fitted: {type(error).__name__}") from error


def in_memory(X: Any) -> NDArray[Any]:
    """The rows in memory; Declined for rows that have to be read or turned into numbers first."""
    if isinstance(X, np.ndarray):
        return X
    if is_other_frame(X):
        if (rows := numbers_of(X)) is None:
            raise Declined("the rows are no table of numbers in memory")
        return rows
    dtypes = getattr(X, "dtypes", [None])
    if not all(isinstance(dtype, np.dtype) and dtype.kind in "fiu" for dtype in dtypes):
        raise Declined("the rows are no table of numbers in memory")
    of_pandas: NDArray[Any] = X.to_numpy()
    return of_pandas


def features(X: Any) -> Values:
    """X unchanged: Declined unless it is a 2-D array of float64, not huge, shape (N, p), N and p above 0."""
    if type(X) not in (np.ndarray, np.memmap) or X.ndim != 2 or X.dtype != np.float64:
        raise Declined("was given rows that are no 2-D array of float64")
    if not X.size or not _bounded(X):
        raise Declined("was given rows without values, or with missing or huge values")
    rows: Values = X
    return rows


def numbers(y: Any, n: int) -> Values:
    """y as floats, shape (N,): Declined unless it is an array of N numbers, float64 or integer, not huge."""
    if not isinstance(y, np.ndarray) or y.shape != (n,) or not (y.dtype == np.float64 or y.dtype.kind in "iu"):
        raise Declined("was given outcomes that are no 1-D array of float64 or whole numbers")
    outcomes: Values = y.astype(np.float64)
    if not _bounded(outcomes):
        raise Declined("was given missing or huge outcomes")
    return outcomes


def row_weights(weights: NDArray[np.float64] | None, n: int) -> Values | None:
    """The weights unchanged: Declined unless None or of shape (N,), at least 0 and not huge."""
    if weights is None:
        return None
    if weights.shape != (n,) or not _bounded(weights) or weights.min() < 0:
        raise Declined("was given weights that are missing, huge or below 0")
    return weights


def _bounded(values: Values) -> bool:
    return bool(values.max() <= _LARGEST and values.min() >= -_LARGEST)  # False for a missing value


@dataclass(frozen=True, eq=False)
class Labels:
    """The classes of N rows, ascending, shape (C,), and the position of each row's class, shape (N,)."""

    classes: NDArray[np.generic]
    codes: NDArray[np.intp]

    @classmethod
    def of(cls, y: Any, n: int) -> Self:
        """The labels y, shape (N,): Declined unless scikit-learn takes them as two classes or more."""
        with decline_on_error():
            if not isinstance(y, np.ndarray) or y.shape != (n,) or not _of_classes(y):
                raise Declined("was given labels that are no 1-D array of classes")
            classes, codes = np.unique(y, return_inverse=True)
        if len(classes) < 2:
            raise Declined("was given labels of a single class")
        return cls(classes, codes)

    def in_each_fold(self, fold: NDArray[np.int64]) -> None:
        """Declined where the training rows of a fold lack a class."""
        test_rows = fold >= 0
        folds = int(fold.max()) + 1
        held_out = np.bincount(self.codes[test_rows] * folds + fold[test_rows], minlength=len(self.classes) * folds)
        enough(np.bincount(self.codes)[:, None] - held_out.reshape(-1, folds))

    def in_part(self, train: Rows | NDArray[np.bool_]) -> None:
        """Declined where the rows `train` lack a class."""
        enough(np.bincount(self.codes[train], minlength=len(self.classes))[:, None])


def _of_classes(y: NDArray[Any]) -> bool:
    from sklearn.utils.multiclass import type_of_target

    # first by dtype: `type_of_target` takes a fifth of the time of leave-one-out with 2000 rows
    return y.dtype.kind in _DISCRETE or type_of_target(y) in ("binary", "multiclass")


def enough(counts: NDArray[Any]) -> None:
    """Declined where a part lacks a class or its refit would warn; `counts`, shape (C, parts), are rows by class."""
    if counts.min() < 1:
        raise Declined("is to be trained on a part without a class")
    trained = counts.sum(axis=0)
    if ((trained > _WARNED_FROM) & (len(counts) > np.round(0.5 * trained))).any():
        raise Declined("is to be trained on a part with hardly more rows than classes")


def rows_of_folds(fold: NDArray[np.int64]) -> list[NDArray[np.intp]]:
    """The rows of the folds: for each size b an array of shape (m, b), a line for each of m folds.

    Declined where no row is left to train on.
    """
    order = np.argsort(fold, kind="stable")[np.count_nonzero(fold < 0) :]
    sizes = np.bincount(fold[order])
    if sizes.max(initial=0) == len(fold):
        raise Declined("is to be trained on no row")
    starts = np.cumsum(sizes) - sizes
    return [order[starts[sizes == b][:, None] + np.arange(b)] for b in np.unique(sizes[sizes > 0])]


def rows_in_steps(step: NDArray[np.int64]) -> Rows:
    """The tested rows, in the order of the steps. Declined without a row that always trains."""
    if step.min() >= 0:
        raise Declined("is to be trained on no row")
    return np.argsort(step, kind="stable")[np.count_nonzero(step < 0) :]
