"""statsforecast's `cross_validation`: `unique_id`, `ds`, `cutoff`, `y`, and a column for each model.

A model is fitted on the times up to each cutoff, and forecasts the h times after it; with `step_size` below h a time
is forecast from several cutoffs. `-lo-90` and `-hi-90` are bounds. Nixtla, statsforecast documentation: Cross
validation.

Rows are in windows (`heldout.predictions.windows`).
"""

import re
from collections.abc import Sequence

import numpy as np

from heldout.errors import BadArgument
from heldout.predictions.columns import without_index
from heldout.predictions.long_table import Values
from heldout.predictions.read_predictions import ReadPredictions, joined
from heldout.predictions.reader import Reader
from heldout.predictions.readers import caret
from heldout.predictions.source import Asked, Source
from heldout.predictions.windows import Windows

_NEEDED = ("unique_id", "ds", "cutoff", "y")
_BOUND = re.compile(r".+-(lo|hi)-[\d.]+")


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
            raise BadArgument("format", f"{source.name} has no column {name}, which statsforecast writes")
    models = [
        name
        for name, of in columns.items()
        if name not in (*_NEEDED, "index") and of.dtype.kind in "iuf" and not _BOUND.fullmatch(name)
    ]
    if not models:
        raise BadArgument("format", f"{source.name} has no column of a model's forecasts")
    series = columns["unique_id"]
    return of_windows(
        "statsforecast",
        series,
        columns["ds"],
        columns["cutoff"],
        columns["y"],
        {name: columns[name] for name in models},
    )


def of_windows(
    tool: str, series: Values, time: Values, cutoff: Values, y: Values, forecasts: dict[str, Values]
) -> ReadPredictions:
    """A row for each series, time and cutoff, in blocks of consecutive times."""
    n, m, windows = len(y), len(forecasts), Windows.of(series, time, cutoff)
    return ReadPredictions(
        format=tool,
        tool=tool,
        row=np.tile(windows.row, m),
        candidate=np.repeat(np.array([*forecasts], dtype=object), n),
        label=np.tile(y.astype(np.float64), m),
        answer=np.concatenate([of.astype(np.float64) for of in forecasts.values()]),
        target="windows",
        numbers=True,
        group=None if windows.few else np.tile(windows.block, m),
        cutoff=np.tile(windows.cutoff, m),
        overlap=windows.overlap,
        notes=(windows.note,),
        no_interval=windows.few,
    )


READER = Reader(
    name="statsforecast",
    tool="statsforecast",
    versions="2.1.1",
    call="`sf.cross_validation(df=…, h=…, step_size=…, n_windows=…)`",
    holds="a line for each series, time and cutoff, with a column for each model: a row is all three; rows of 4 h "
    "consecutive times, all series together, are alike; differences are by cutoffs",
    prints="nothing; `utilsforecast.evaluate` has means by series",
    source="statsforecast documentation: Cross validation",
    needs="columns unique_id, ds, cutoff, y",
    fits=fits,
    read=read,
)
