"""Parts of rows in time: the later part is tested, and rows of the same time stay on one side.

Hold-out and test set are the last rows, folds go forward (Hyndman, Athanasopoulos, Forecasting: principles and
practice, section on time series cross-validation; scikit-learn's TimeSeriesSplit), and progressive validation
follows the time. The reason for each: docs/decisions/0011.
"""

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument

Times = NDArray[np.int64]


def last(time: Times, size: int) -> NDArray[np.bool_]:
    """A mask over the last rows, about `size`: the nearest number of rows that splits no time.

    `time`, shape (N,), is the position of each row's time among the distinct times. Raises BadArgument for a single
    time.
    """
    (start,) = _edges(time, np.array([len(time) - size]))
    mask = np.zeros(len(time), dtype=np.bool_)
    mask[_order(time)[start:]] = True
    return mask


def _starts(time: Times, folds: int) -> NDArray[np.intp]:
    """The place in the order of time at which each fold begins."""
    n = len(time)
    return _edges(time, n - n // (folds + 1) * np.arange(folds, 0, -1))


def _has_empty(starts: NDArray[np.intp]) -> bool:
    return bool((np.diff(starts) <= 0).any())


def forward_folds(time: Times, folds: int, gap: int) -> NDArray[np.int64]:
    """The fold of each row: k + 1 blocks of consecutive rows are folds -1, 0, …, k-1 in the order of time.

    A fold tests a hypothesis trained on the rows before it. Block -1 is never tested, and takes the rows that do not
    divide evenly. Raises BadArgument for leave-one-out, for more blocks than times, or for a
    gap that leaves no training row before the first fold.
    """
    n, times = len(time), int(time.max()) + 1
    if folds == n:
        raise BadArgument(
            "folds", "folds is leave-one-out, which tests rows before training rows; with time use a number"
        )
    if not 2 <= folds < times:
        raise BadArgument(
            "folds", f"folds is {folds}, but there are {times} distinct times; use 2 to {times - 1} forward folds"
        )
    starts = _starts(time, folds)
    if _has_empty(starts):
        most = next((fewer for fewer in range(folds - 1, 1, -1) if not _has_empty(_starts(time, fewer))), None)
        remedy = "no number of folds works: give times that differ more" if most is None else f"use {most} folds"
        raise BadArgument(
            "folds", f"folds is {folds}, but so many rows share a time that a fold would be empty; {remedy}"
        )
    if gap >= starts[0]:
        raise BadArgument(
            "gap",
            f"gap is {gap}, but the first of {folds} forward folds begins after {starts[0]} rows; use at most "
            f"{starts[0] - 1}, or fewer folds",
        )
    fold = np.empty(n, dtype=np.int64)
    fold[_order(time)] = np.searchsorted(starts, np.arange(n), side="right") - 1
    return fold


def steps(time: Times, size: int) -> NDArray[np.int64]:
    """The position of each row in the progressive order: the order of time for the last rows, -1 for earlier rows."""
    order = _order(time)
    start = len(time) - int(last(time, size).sum())
    step = np.full(len(time), -1, dtype=np.int64)
    step[order[start:]] = np.arange(len(time) - start)
    return step


def _order(time: Times) -> NDArray[np.intp]:
    return np.argsort(time, kind="stable")


def _edges(time: Times, wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each wanted position the nearest position at which a new time begins; of two equally near the first."""
    starts = np.cumsum(np.bincount(time))[:-1]
    if not len(starts):
        raise BadArgument("time", "time has a single distinct value; at least 2 are needed, to test later rows")
    nearest: NDArray[np.int64] = starts[np.abs(starts[None, :] - wanted[:, None]).argmin(axis=1)]
    return nearest
