"""prophet's `cross_validation`: `ds`, `yhat`, `y`, `cutoff`, and bounds of yhat.

A model is fitted on the times up to each cutoff, and forecasts the horizon after it, so that windows overlap where
`period` is below it. S. J. Taylor, B. Letham, Forecasting at scale (2018); prophet documentation: Diagnostics. Rows
are in windows (`heldout.predictions.windows`).
"""

from collections.abc import Sequence

import numpy as np

from heldout.errors import BadArgument
from heldout.predictions.columns import without_index
from heldout.predictions.read_predictions import ReadPredictions, joined
from heldout.predictions.reader import Reader
from heldout.predictions.readers import caret
from heldout.predictions.readers.statsforecast import of_windows
from heldout.predictions.source import Asked, Source

_NEEDED = ("ds", "yhat", "y", "cutoff")


def fits(sources: Sequence[Source]) -> float:
    """The share of the columns that every such file has."""
    return min(float(np.mean([name in one.names for name in _NEEDED])) for one in sources)


def read(sources: Sequence[Source], _asked: Asked) -> ReadPredictions:
    """The lines of each file."""
    return joined([_read(one) for one in sources], caret.names(sources))


def _read(source: Source) -> ReadPredictions:
    columns = without_index(source.columns())
    for name in _NEEDED:
        if name not in columns:
            raise BadArgument("format", f"{source.name} has no column {name}, which prophet writes")
    series = next(
        (columns[name] for name in ("unique_id", "series", "id") if name in columns), np.full(len(columns["y"]), 0)
    )
    return of_windows("prophet", series, columns["ds"], columns["cutoff"], columns["y"], {"prophet": columns["yhat"]})


READER = Reader(
    name="prophet",
    tool="prophet",
    versions="1.5.0",
    call="`prophet.diagnostics.cross_validation(m, initial, period, horizon)`",
    holds="a line for each time and cutoff: a row is both; rows of 4 horizons of consecutive times are alike",
    prints="`performance_metrics`: a mean for each horizon in a rolling window; ours is that of all rows",
    source="prophet documentation: Diagnostics",
    needs="columns ds, yhat, y, cutoff",
    fits=fits,
    read=read,
)
