"""scikit-learn's `cross_validate(…, return_estimator=True, return_indices=True)`, with the `X` and `y` that it got.

The dictionary has a model for each split and the rows that it tested, and no answer: the models answer here, as
`predict` and `predict_proba` do. F. Pedregosa and others (JMLR 12, 2011), `sklearn.model_selection.cross_validate`:
`test_score` is that of each split, and people print its mean.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.predictions.columns import are_numbers, mean_of_parts, repeats_of, wrong
from heldout.predictions.long_table import Values
from heldout.predictions.read_predictions import Printed, ReadPredictions, Target
from heldout.predictions.reader import Reader
from heldout.predictions.source import Asked, Source
from heldout.rows.frames import take

_NEEDED = ("estimator", "indices", "X", "y")


def fits(sources: Sequence[Source]) -> float:
    """By the share of the keys that are needed, where there are times of fits and of scores."""
    if len(sources) > 1 or not {"fit_time", "score_time"} <= {*sources[0].names}:
        return 0.0
    return 0.1 + 0.9 * float(np.mean([name in sources[0].names for name in _NEEDED]))


def read(sources: Sequence[Source], _asked: Asked) -> ReadPredictions:
    """A line for each split and row that it tested. Raises BadArgument without the models, the rows, X or y."""
    table = sources[0].table
    give = "{**cross_validate(…, return_estimator=True, return_indices=True), 'X': X, 'y': y}"
    sources[0].needs(_NEEDED, give)
    tests = (
        table["indices"]["test"] if isinstance(table["indices"], Mapping) else [part[1] for part in table["indices"]]
    )
    return of_models("cross_validate", "scikit-learn", table["estimator"], tests, table["X"], np.asarray(table["y"]))


def of_models(
    format: str, tool: str, models: Sequence[Any], tests: Sequence[Any], X: Any, y: NDArray[Any]
) -> ReadPredictions:
    """What each of the `models` answers to the rows that it was tested on."""
    if len(models) != len(tests):
        raise BadArgument("table", f"there are {len(models)} models, and tested rows of {len(tests)}")
    rows = [np.asarray(test) for test in tests]
    answers = [np.asarray(model.predict(take(X, test))) for model, test in zip(models, rows, strict=True)]
    row, answer = np.concatenate(rows), np.concatenate(answers)
    split = np.repeat(np.arange(len(rows)), [len(test) for test in rows])
    candidate: Values = np.full(len(row), format, dtype=object)
    numbers = are_numbers(y) or (answer.dtype.kind == "f" and are_numbers(answer))
    classes, shares = (None, None) if numbers else _shares(models, rows, X)
    number = repeats_of(row, split, candidate)
    target: Target = "one model" if len(rows) == 1 else "resamples" if number is None else "folds"
    folds = target == "folds"
    label = y[row]
    errors = (
        () if numbers else (Printed(mean_of_parts(wrong(answer, label), split, candidate), "the mean of the splits"),)
    )
    return ReadPredictions(
        format=format,
        tool=tool,
        row=row,
        candidate=candidate,
        label=label,
        answer=answer,
        target=target,
        fold=split if folds else None,
        repeat=number if folds and number is not None and number.max() > 0 else None,
        numbers=numbers,
        classes=classes,
        shares=shares,
        printed=errors,
    )


def _shares(
    models: Sequence[Any], rows: Sequence[NDArray[Any]], X: Any
) -> tuple[Values | None, NDArray[np.float64] | None]:
    """The classes and their probabilities; None where a model has none, or other classes than the others."""
    if not all(hasattr(model, "predict_proba") and hasattr(model, "classes_") for model in models):
        return None, None
    classes: Values = np.asarray(models[0].classes_)
    if not all(np.array_equal(model.classes_, classes) for model in models):
        return None, None
    return classes, np.concatenate(
        [
            np.asarray(model.predict_proba(take(X, test)), dtype=np.float64)
            for model, test in zip(models, rows, strict=True)
        ]
    )


READER = Reader(
    name="cross_validate",
    tool="scikit-learn",
    versions="1.3 and later",
    call='`{**cross_validate(m, X, y, return_estimator=True, return_indices=True), "X": X, "y": y}`, in a notebook',
    holds="a model for each split and the rows that it tested; the models answer when it is read; splits that test "
    "each row once are folds, others resamples",
    prints="`test_score`: that of each split, of which people take the mean; ours is that of all rows",
    source="scikit-learn: `sklearn.model_selection.cross_validate`",
    needs="the keys estimator, indices, X, y",
    fits=fits,
    read=read,
    of_objects=True,
)
