"""mlr's `resample(…)$pred$data`: `id`, `truth`, `response`, `iter`, `set`, and `prob.CLASS`.

`iter` counts on over the repeats of a cross-validation: 1 to 30 of ten folds, three times. `set` is `train` where the
model saw the row. B. Bischl and others, mlr (JMLR 17, 2016), `?makeResampleDesc`; measures are aggregated by
`test.mean`, the mean over iterations, and `rmse` by `test.rmse`, the root of the mean of squares.
"""

from collections.abc import Sequence

import numpy as np

from heldout.errors import BadArgument
from heldout.predictions.columns import (
    are_numbers,
    as_text,
    mean_of_parts,
    of_classes,
    repeats_of,
    shares_of,
    text,
    without_index,
    wrong,
)
from heldout.predictions.long_table import Values, gaps
from heldout.predictions.read_predictions import Printed, ReadPredictions, Target, joined
from heldout.predictions.reader import Reader
from heldout.predictions.readers import caret
from heldout.predictions.source import Asked, Source

_NEEDED = ("id", "truth", "response", "iter", "set")


def fits(sources: Sequence[Source]) -> float:
    """The share of the columns that every such file has."""
    return min(np.mean([name in one.names for name in _NEEDED]).item() for one in sources)


def read(sources: Sequence[Source], _asked: Asked) -> ReadPredictions:
    """The lines of each file."""
    return joined([_read(one) for one in sources], caret.names(sources))


def _read(source: Source) -> ReadPredictions:
    columns = without_index(source.columns())
    for name in _NEEDED:
        if name not in columns:
            raise BadArgument("format", f"{source.name} has no column {name}, which mlr writes")
    for name in ("task.id", "task_id"):
        if name in columns and len(tasks := [*dict.fromkeys(map(str, columns[name].tolist()))]) > 1:
            raise BadArgument(
                "row", f"{source.name} has the tasks {', '.join(tasks)}, whose rows differ: --only {name}={tasks[0]}"
            )
    tested = np.array([str(one) == "test" for one in columns["set"].tolist()])
    if not tested.any():
        raise BadArgument("table", "no line of set is test: these answers are to rows that the models saw")
    trained = int((~tested).sum())
    columns = {name: of[tested] for name, of in columns.items()}
    left_out = {"lines of rows that the model was trained on (set = train)": trained} if trained else {}
    return lines_of("mlr", columns, "id", columns["iter"], _candidate(columns), prefix="prob.", left_out=left_out)


def _candidate(columns: dict[str, Values]) -> Values:
    """Of a benchmark: by its learner, where it has a column."""
    for name in ("learner.id", "learner_id"):
        if name in columns:
            return columns[name]
    return np.full(len(columns["id"]), "mlr", dtype=object)


def lines_of(
    tool: str,
    columns: dict[str, Values],
    row: str,
    iteration: Values | None,
    candidate: Values,
    *,
    prefix: str,
    left_out: dict[str, int],
) -> ReadPredictions:
    """The lines of mlr and mlr3, whose iterations are numbered on over repeats."""
    truth, response = columns["truth"], columns["response"]
    of_numbers = are_numbers(truth) or (response.dtype.kind == "f" and are_numbers(response))
    label, answer = (truth, response) if of_numbers else (as_text(truth), as_text(response))
    found = {} if of_numbers else of_classes(columns, text(truth[~gaps(truth)].tolist()), prefix)
    classes, shares = shares_of(columns, found)
    target: Target = "one model"
    fold = repeat = None
    printed: tuple[Printed, ...] = ()
    if iteration is not None and len(set(iteration.tolist())) > 1:
        numbers = repeats_of(columns[row], iteration, candidate)
        target, fold = ("resamples", None) if numbers is None else ("folds", iteration)
        repeat = numbers if numbers is not None and numbers.max() > 0 else None
        if not of_numbers and not gaps(answer).any():
            errors = mean_of_parts(wrong(answer, label), iteration, candidate)
            printed = (Printed(errors, "the mean of the iterations' errors"),)
    return ReadPredictions(
        format=tool,
        tool=tool,
        row=columns[row],
        candidate=candidate,
        label=label,
        answer=answer,
        target=target,
        fold=fold,
        repeat=repeat,
        numbers=of_numbers,
        classes=classes,
        shares=shares,
        left_out=left_out,
        printed=printed,
    )


READER = Reader(
    name="mlr",
    tool="mlr",
    versions="2.19.1",
    call="`r <- resample(lrn, task, makeResampleDesc(…))`, `write.csv(r$pred$data)`",
    holds="a line for each tested row and iteration; `iter` counts on over the repeats and is split into partitions "
    "by the "
    "rows that it tests; lines with `set = train` are left out; `prob.CLASS` are probabilities",
    prints="`mmce.test.mean`: the mean over iterations; `rmse.test.rmse`: the root of the mean of the iterations' mean "
    "squares",
    source="`?mlr::makeResampleDesc`, `?mlr::aggregations`",
    needs="columns id, truth, response, iter, set",
    fits=fits,
    read=read,
)
