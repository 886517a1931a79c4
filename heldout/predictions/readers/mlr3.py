"""mlr3's `as.data.table(rr$predictions()[[i]])`, put together: `row_ids`, `truth`, `response`, `prob.CLASS`.

`as.data.table(rr$prediction())` of a resampling has no iteration; a column `iteration` says the fold, and
`learner_id` the candidate. M. Lang and others, mlr3 (JOSS 4, 2019); `rr$aggregate()` is the mean over iterations
(macro average).
"""

from collections.abc import Sequence

import numpy as np

from heldout.errors import BadArgument
from heldout.predictions.columns import without_index
from heldout.predictions.read_predictions import ReadPredictions, joined
from heldout.predictions.reader import Reader
from heldout.predictions.readers import caret, mlr
from heldout.predictions.source import Asked, Source

_NEEDED, _ITERATION = ("row_ids", "truth", "response"), "iteration"


def fits(sources: Sequence[Source]) -> float:
    """The share of the columns that every such file has."""
    return min(np.mean([name in one.names for name in _NEEDED]).item() for one in sources)


def read(sources: Sequence[Source], asked: Asked) -> ReadPredictions:
    """The lines of each file."""
    return joined([_read(one, asked) for one in sources], caret.names(sources))


def _read(source: Source, asked: Asked) -> ReadPredictions:
    columns = without_index(source.columns())
    for name in _NEEDED:
        if name not in columns:
            raise BadArgument("format", f"{source.name} has no column {name}, which mlr3 writes")
    name = asked.fold or _ITERATION
    if name not in columns:
        raise BadArgument(
            "fold",
            f"{source.name} does not say which model answered a row: of a resampling put the tables of "
            "rr$predictions() "
            "together with rbindlist(…, idcol = 'iteration'); of one model that answered all rows, name answer = "
            "response and label = truth",
        )
    candidate = columns.get("learner_id", np.full(len(columns["row_ids"]), "mlr3", dtype=object))
    return mlr.lines_of("mlr3", columns, "row_ids", columns[name], candidate, prefix="prob.", left_out={})


READER = Reader(
    name="mlr3",
    tool="mlr3",
    versions="as documented; not run here",
    call='`rbindlist(lapply(rr$predictions(), as.data.table), idcol = "iteration")`',
    holds="a line for each tested row and iteration; `iteration` is split into partitions by the rows that it tests; "
    "`learner_id` is the candidate; `prob.CLASS` are probabilities",
    prints="`rr$aggregate()`: the mean over iterations",
    source="`?mlr3::ResampleResult`, `?mlr3::PredictionClassif`",
    needs="columns row_ids, truth, response",
    fits=fits,
    read=read,
)
