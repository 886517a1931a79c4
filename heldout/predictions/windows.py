"""Forecasts from several cutoffs: a row is a series, a time and the cutoff that it was forecast from.

Errors of overlapping windows depend on one another: on the same shocks, and series at one time on what they share. So
for the interval of an error rows are in blocks of 4 h consecutive times, all series together: independent enough for
the variance between blocks where errors of forecasts further apart than h share no shock. With fewer than `LEAST`
blocks no interval is claimed. How often it covers is measured by `tests/heldout/predictions/test_windows.py`.

For a difference of two errors the cutoffs are the terms (`heldout.selection.diebold_mariano`): the mean over the rows
of each one, of which as many in a row overlap as have their cutoff before the last time of the first.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.predictions.long_table import Values
from heldout.splits.dependence import distinct

LEAST = 20  # blocks
_BLOCKS_OF = 4  # horizons


@dataclass(frozen=True, eq=False)
class Windows:
    """N rows of forecasts: their names `row`, the `block` of each and the number of its `cutoff`, shape (N,).

    `overlap` consecutive cutoffs forecast times that overlap. `note` says what was found, `few` why there are too few
    blocks for an interval of an error; empty where there are enough.
    """

    row: Values
    block: NDArray[np.int64]
    cutoff: NDArray[np.int64]
    overlap: int
    note: str
    few: str

    @classmethod
    def of(cls, series: Values, time: Values, cutoff: Values) -> "Windows":
        """From the series, the time and the cutoff of each row. Raises BadArgument for a time before its cutoff."""
        names = zip(series.tolist(), time.tolist(), cutoff.tolist(), strict=True)
        row: Values = np.array([f"{a} {b} from {c}" for a, b, c in names], dtype=object)
        together = np.concatenate([time, cutoff])
        places = distinct(together)
        at, since = places[: len(time)], places[len(time) :]
        if len(early := np.flatnonzero(at <= since)):
            raise BadArgument(
                "cutoff",
                f"cutoff: row {row[early[0]]} is no later than its cutoff, as values are compared; write times as "
                "dates, or as 2026-11-28",
            )
        origins = np.unique(since)
        number, rank = np.searchsorted(origins, since), distinct(time)
        last = np.zeros(len(origins), dtype=np.int64)
        np.maximum.at(last, number, at)
        overlap = int((np.searchsorted(origins, last) - np.arange(len(origins))).max())
        horizon = int(np.bincount(distinct(series) * len(origins) + number).max())
        block, times = rank // (_BLOCKS_OF * horizon), int(rank.max()) + 1
        note = (
            f"{len({*series.tolist()})} series, {len(origins)} cutoffs, {times} times, up to {horizon} ahead; rows are "
            f"alike in blocks of {_BLOCKS_OF * horizon} times"
        )
        few = (
            f"errors of forecasts up to {horizon} times ahead depend on one another; it needs {LEAST} blocks of "
            f"{_BLOCKS_OF * horizon} times, and there are {times} times"
        )
        return cls(row, block, number.astype(np.int64), overlap, note, few if int(block.max()) + 1 < LEAST else "")
