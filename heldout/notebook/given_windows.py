"""The rows of a table of forecasts, whose columns of series, times and cutoffs somebody names."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from heldout.predictions.long_table import Values, column, columns
from heldout.predictions.windows import Windows

WINDOW, BLOCK, CUTOFF = "row of a window", "block of times", "number of the cutoff"


@dataclass(frozen=True, eq=False)
class NamedWindows:
    """The `names` of the columns that the rows are named by, and what is true of their windows."""

    names: tuple[str, ...]
    overlap: int
    few: str


def in_windows(table: Any, time: str, series: str | None, cutoff: str) -> tuple[Mapping[str, Values], NamedWindows]:
    """The columns of the table with those of its rows, blocks and cutoffs. Raises BadArgument where one is missing."""
    at, since = column(table, "time", time), column(table, "cutoff", cutoff)
    of = np.zeros(len(at), dtype=np.int64) if series is None else column(table, "series", series)
    found = Windows.of(of, at, since)
    made = {name: column(table, "table", name) for name in columns(table)}
    names = tuple(name for name in (time, series, cutoff) if name is not None)
    added = {WINDOW: found.row, BLOCK: found.block, CUTOFF: found.cutoff}
    return {**made, **added}, NamedWindows(names, found.overlap, found.few)
