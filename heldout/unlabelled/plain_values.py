"""The values of a column of any kind as numbers or as names, and where it has a gap."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.rows.columns import Kind, columns_of, durations_of, floats_of, moments_of, objects_of
from heldout.rows.missing import is_missing

Values = tuple[NDArray[Any], NDArray[np.bool_]]  # of a column, shape (n,), and where it has a gap


def plain_columns(X: Any, of_kind: Sequence[Kind]) -> list[Values]:
    """`plain_values` of each column of X, a data frame of shape (n, p)."""
    return [plain_values(column, kind) for column, kind in zip(columns_of(X), of_kind, strict=True)]


def plain_values(column: Any, kind: Kind) -> Values:
    """Numbers or names, shape (n,), and where there is a gap, shape (n,).

    Numbers and durations (in seconds) are numbers, a text is the number of its characters, truth values and categories
    are names. A date only goes on, so that no date of a later row is like those before: it is 0.
    """
    if kind in ("boolean", "category", "text"):
        objects = objects_of(column)
        gap = np.array([is_missing(value) for value in objects], dtype=bool)
        if kind == "text":
            return np.array([0 if none else len(str(of)) for of, none in zip(objects, gap, strict=True)], float), gap
        names = np.array(["" if none else str(of) for of, none in zip(objects, gap, strict=True)], dtype=np.str_)
        return names, gap
    if kind == "date":
        gap = np.isnat(moments_of(column))
        return np.zeros(len(gap)), gap
    if kind == "duration":
        spans = durations_of(column)
        return np.where(np.isnat(spans), np.nan, spans / np.timedelta64(1, "s")), np.isnat(spans)
    numbers = floats_of(column)
    return numbers, np.isnan(numbers)
