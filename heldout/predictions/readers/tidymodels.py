"""tidymodels' `collect_predictions()`: `.pred_class`, `.pred_CLASS` or `.pred`, `id`, `id2`, `.row`, `.config`, truth.

`id` is `Fold01`; of repeats `Repeat1`, with the fold in `id2`; `Bootstrap01` or `Resample1` (Monte Carlo); `Slice1`
in time; `train/test split` of `last_fit`. The truth has the name of the outcome. M. Kuhn, tune,
`?collect_predictions`; `collect_metrics()` is the mean over resamples.
"""

from collections.abc import Sequence

import numpy as np

from heldout.errors import BadArgument
from heldout.predictions.columns import (
    as_text,
    candidates_of,
    mean_of_parts,
    of_classes,
    only_one,
    shares_of,
    tested_once,
    text,
    without_index,
    wrong,
)
from heldout.predictions.long_table import Values, gaps
from heldout.predictions.read_predictions import Printed, ReadPredictions, Target, joined
from heldout.predictions.reader import Reader
from heldout.predictions.readers import caret
from heldout.predictions.source import Asked, Source

_CLASS, _NUMBER, _ROW, _ID, _ID2, _CONFIG, _MODEL = ".pred_class", ".pred", ".row", "id", "id2", ".config", "wflow_id"
_OWN = (_CLASS, _NUMBER, _ROW, _ID, _ID2, _CONFIG, _MODEL, ".iter", "model", "preproc", "resamples", "splits")


def fits(sources: Sequence[Source]) -> float:
    """1 with `.row`, `id`, and an answer; else the share of the three."""
    return min(
        np.mean([_ROW in one.names, _ID in one.names, _CLASS in one.names or _NUMBER in one.names]).item()
        for one in sources
    )


def read(sources: Sequence[Source], asked: Asked) -> ReadPredictions:
    """The lines of each file."""
    return joined([_read(one, asked) for one in sources], caret.names(sources))


def _read(source: Source, asked: Asked) -> ReadPredictions:
    columns = without_index(source.columns())
    if fits([source]) < 1:
        raise BadArgument(
            "format", f"{source.name} needs columns .row, id and .pred_class or .pred, as tune writes them"
        )
    apparent = np.array([str(one) == "Apparent" for one in columns[_ID].tolist()])
    columns = {name: of[~apparent] for name, of in columns.items()}
    count = int(apparent.sum())
    left_out = {"lines of rows that the model was trained on (id = Apparent)": count} if count else {}
    of_numbers = _CLASS not in columns
    rest = {name: of for name, of in columns.items() if name not in _OWN and not name.startswith(".pred")}
    config = columns.get(_CONFIG, np.zeros(len(columns[_ROW])))
    truth = only_one(_truths(columns, rest, config, of_numbers), "the truth", asked.label, "label", [*columns])
    found = (
        {}
        if of_numbers
        else of_classes(
            {name: of for name, of in columns.items() if name != _CLASS}, text(columns[truth].tolist()), ".pred_"
        )
    )
    classes, shares = shares_of(columns, found)
    parameters = [name for name in rest if name != truth]
    models = [name for name in (_MODEL, *parameters) if name in columns]
    candidate = candidates_of(columns, models, "tidymodels")
    if len({*zip(candidate.tolist(), config.tolist(), strict=True)}) > len({*candidate.tolist()}):
        candidate = candidates_of(columns, [*models, _CONFIG], "tidymodels")
    answer = columns[_NUMBER] if of_numbers else as_text(columns[_CLASS])
    label = columns[truth] if of_numbers else as_text(columns[truth])
    target, fold, repeat = _resamples(columns, candidate)
    printed: tuple[Printed, ...] = ()
    parts: Values = np.array([f"{a} {b}" for a, b in zip(columns[_ID], columns.get(_ID2, columns[_ID]), strict=True)])
    if target != "one model" and not gaps(answer).any():
        if of_numbers:
            squares = (answer.astype(np.float64) - label.astype(np.float64)) ** 2
            roots = mean_of_parts(squares, parts, candidate, root=True)
            printed = (Printed(roots, "the mean of the resamples' roots", "squared"),)
        else:
            errors = mean_of_parts(wrong(answer, label), parts, candidate)
            printed = (Printed(errors, "the mean of the resamples' errors"),)
    return ReadPredictions(
        format="tidymodels",
        tool="tidymodels",
        row=columns[_ROW],
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


def _truths(columns: dict[str, Values], rest: dict[str, Values], config: Values, of_numbers: bool) -> list[str]:
    """The columns that may be the truth: a parameter has one value for each configuration."""
    if not of_numbers:
        classes = {name.removeprefix(".pred_") for name in columns if name.startswith(".pred_") and name != _CLASS}
        classes = classes or {*text(columns[_CLASS].tolist())}
        of_classes_ = [name for name, of in rest.items() if {*text(of[~gaps(of)].tolist())} <= classes]
        return [name for name in of_classes_ if _varies(rest[name], config)] or of_classes_
    return [name for name, of in rest.items() if of.dtype.kind in "iuf" and _varies(of, config)]


def _varies(values: Values, config: Values) -> bool:
    seen = len({*config.tolist()})
    return len({*zip(config.tolist(), values.tolist(), strict=True)}) > seen


def _resamples(columns: dict[str, Values], candidate: Values) -> tuple[Target, Values | None, Values | None]:
    ids, rows = columns[_ID], columns[_ROW]
    first = str(ids[0])
    if len({*ids.tolist()}) == 1 and _ID2 not in columns:
        return "one model", None, None
    if _ID2 in columns:
        return "folds", columns[_ID2], ids
    if first.startswith("Slice"):
        return "windows", None, None
    return ("folds", ids, None) if tested_once(rows, candidate) else ("resamples", None, None)


READER = Reader(
    name="tidymodels",
    tool="tidymodels",
    versions="as documented; not run here",
    call="`collect_predictions(fit_resamples(…, control = control_resamples(save_pred = TRUE)))`",
    holds="a line for each tested row, resample and configuration: `.config` and the parameters are the candidates; "
    "`id` is "
    "the fold, or the repeat with the fold in `id2`; `Bootstrap01` is a bootstrap; `Apparent` is left out; "
    "`.pred_CLASS` "
    "are probabilities",
    prints="`collect_metrics()`: the mean over resamples; ours is that of all rows",
    source="`?tune::collect_predictions`",
    needs="columns .row, id, and .pred_class or .pred",
    fits=fits,
    read=read,
)
