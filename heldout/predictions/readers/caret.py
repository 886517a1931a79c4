"""caret's `fit$pred`: a line for each tested row, resample and value of the parameters.

`pred`, `obs`, `rowIndex`, a column for each parameter, one for each class with `classProbs`, and `Resample`:
`Fold01`, `Fold01.Rep1`, `Resample01` (a bootstrap, or repeated hold-outs); leave-one-out has none. M. Kuhn, caret
6.0, `?trainControl` (savePredictions, method); the resampled performance is the mean over resamples
(`resampleSummary`).
"""

import re
from collections.abc import Mapping, Sequence

import numpy as np

from heldout.errors import BadArgument
from heldout.predictions.columns import (
    are_numbers,
    as_text,
    candidates_of,
    mean_of_parts,
    of_classes,
    shares_of,
    tested_once,
    text,
    without_index,
    wrong,
)
from heldout.predictions.long_table import Values, gaps
from heldout.predictions.read_predictions import Printed, ReadPredictions, Target, joined
from heldout.predictions.reader import Reader
from heldout.predictions.source import Asked, Source

_NEEDED = ("pred", "obs", "rowIndex")
_RESAMPLE, _WEIGHTS = "Resample", "weights"
_REPEATED = re.compile(r"(.+)\.Rep(\d+)")


def fits(sources: Sequence[Source]) -> float:
    """The share of the columns that every such file has."""
    return min(np.mean([name in one.names for name in _NEEDED]).item() for one in sources)


def read(sources: Sequence[Source], _asked: Asked) -> ReadPredictions:
    """The lines of each file."""
    return joined([_read(one) for one in sources], names(sources))


def names(sources: Sequence[Source]) -> list[str]:
    """The names of the files, where there are several, or where a user named them."""
    return [one.candidate or (one.name if len(sources) > 1 else "") for one in sources]


def _read(source: Source) -> ReadPredictions:
    columns = without_index(source.columns())
    left_out = {}
    if _RESAMPLE in columns:  # of boot632
        apparent = np.array([str(one) == "AllData" for one in columns[_RESAMPLE].tolist()])
        columns = {name: of[~apparent] for name, of in columns.items()}
        if apparent.any():
            left_out["lines of rows that the model was trained on (Resample = AllData)"] = int(apparent.sum())
    for name in _NEEDED:
        if name not in columns:
            raise BadArgument("format", f"{source.name} has no column {name}, which caret writes")
    of_numbers = are_numbers(columns["obs"]) or (columns["pred"].dtype.kind == "f" and are_numbers(columns["pred"]))
    answer, label = (columns[name] if of_numbers else as_text(columns[name]) for name in ("pred", "obs"))
    rest = {name: of for name, of in columns.items() if name not in (*_NEEDED, _RESAMPLE, _WEIGHTS)}
    found = {} if of_numbers else of_classes(rest, text(columns["obs"][~gaps(columns["obs"])].tolist()))
    classes, shares = shares_of(columns, found)
    parameters = [name for name in rest if name not in found.values() and not _is_constant(name, rest[name])]
    candidate = candidates_of(columns, parameters, "caret")
    rows, notes = columns["rowIndex"], []
    if _WEIGHTS in columns and len(set(columns[_WEIGHTS].tolist())) > 1:
        notes.append("caret's column weights (of training) is left aside: name it as weight if rows count by it")
    resample = columns.get(_RESAMPLE)
    target, fold, repeat = _resamples(rows, resample, candidate)
    return ReadPredictions(
        format="caret",
        tool="caret",
        row=rows,
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
        printed=() if resample is None else _printed(answer, label, resample, candidate, of_numbers=of_numbers),
        notes=notes,
    )


def _is_constant(name: str, values: Values) -> bool:
    """Whether a column is the parameter of a model that has none."""
    return name in ("parameter", "intercept") and len(set(values.tolist())) == 1


def _resamples(rows: Values, resample: Values | None, candidate: Values) -> tuple[Target, Values | None, Values | None]:
    """Whose answers they are, the fold and the partition of each line."""
    if resample is None:  # leave-one-out
        if not tested_once(rows, candidate):
            raise BadArgument(
                "table", "a file of caret without a column Resample is of leave-one-out, but rows have several lines"
            )
        return "folds", rows, None
    texts = [str(value) for value in resample.tolist()]
    split = [_REPEATED.fullmatch(one) for one in texts]
    if all(split):
        return (
            "folds",
            np.array([one[1] for one in split if one], dtype=object),
            np.array([int(one[2]) for one in split if one]),
        )
    whole: Values = np.array(texts, dtype=object)
    if tested_once(rows, candidate) and len(set(texts)) > 1:
        return "folds", whole, None
    if texts[0].startswith("Training"):
        return "windows", None, None
    return "resamples", None, None


def _printed(
    answer: Values, label: Values, resample: Values, candidate: Values, *, of_numbers: bool
) -> tuple[Printed, ...]:
    if gaps(answer).any():  # caret leaves such resamples out
        return ()
    if of_numbers:
        squares = (answer.astype(np.float64) - label.astype(np.float64)) ** 2
        values: Mapping[str, float] = mean_of_parts(squares, resample, candidate, root=True)
        return (Printed(values, "the mean of the resamples' roots", "squared"),)
    return (Printed(mean_of_parts(wrong(answer, label), resample, candidate), "the mean of the resamples' errors"),)


READER = Reader(
    name="caret",
    tool="caret",
    versions="6.0-93",
    call="`train(…, trControl = trainControl(method, savePredictions = TRUE))`, `write.csv(fit$pred)`",
    holds="a line for each tested row, resample and value of the parameters: each value is a candidate; "
    "`Fold01.Rep1` is "
    "a fold of a partition; `Resample01` is a bootstrap or a repeated hold-out; without `Resample`: leave-one-out; "
    "columns "
    "of classes are probabilities",
    prints="the mean over resamples of each one's accuracy or RMSE; ours is that of all rows, and of RMSE the root "
    "of the "
    "mean square. `Sens` of `twoClassSummary` is the recall of the first level",
    source="`?caret::trainControl`, `?caret::postResample`",
    needs="columns pred, obs, rowIndex",
    fits=fits,
    read=read,
)
