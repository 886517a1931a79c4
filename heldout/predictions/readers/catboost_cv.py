"""CatBoost's `cv(…, folds=folds, return_models=True)`, with the `folds`, the `X` and the `y` that it got.

It returns means of metrics over folds for each round, and a model for each fold. With early stopping each fold ends by
itself: the lines after that repeat its last value, and its model has the rounds up to there. L. Prokhorenkova and
others (NeurIPS 2018), CatBoost documentation: `cv`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.predictions.boosters import of_boosters, printed_metrics
from heldout.predictions.read_predictions import ReadPredictions
from heldout.predictions.reader import Reader
from heldout.predictions.source import Asked, Source

_NEEDED = ("models", "folds", "X", "y")


def fits(sources: Sequence[Source]) -> float:
    """The share of the keys, where there are means of `test-METRIC` by `iterations`."""
    names = sources[0].names
    if len(sources) > 1 or "iterations" not in names or not printed_metrics(sources[0]):
        return 0.0
    return 0.1 + 0.9 * float(np.mean([name in names for name in _NEEDED]))


def read(sources: Sequence[Source], _asked: Asked) -> ReadPredictions:
    """A line for each fold and row that it tested. Raises BadArgument without the models, the folds, X or y."""
    source = sources[0]
    source.needs(
        _NEEDED,
        "{**scores, 'models': models, 'folds': folds, 'X': X, 'y': y}, of scores, models = catboost.cv(…, folds=folds, "
        "return_models=True)",
    )
    models, rounds = source.table["models"], len(source.column("iterations"))
    stopped = any(one.tree_count_ < rounds for one in models)
    return of_boosters("catboost_cv", "CatBoost", source, models, _ask, stopped=stopped)


def _ask(model: Any, X: Any) -> NDArray[Any]:
    """Probabilities of classes, where it has some; numbers as they are."""
    if not len(model.classes_):
        return np.asarray(model.predict(X))
    return np.asarray(model.predict(X, prediction_type="Probability"))


READER = Reader(
    name="catboost_cv",
    tool="CatBoost",
    versions="1.2.10",
    call="`scores, models = catboost.cv(…, folds=folds, return_models=True)`, "
    '`{**scores, "models": models, "folds": folds, "X": X, "y": y}`, in a notebook',
    holds="a model for each fold, which answers when it is read, with all its rounds",
    prints="`test-METRIC-mean`: the mean over folds; with early stopping each fold ends by itself, and its last value "
    "is repeated",
    source="CatBoost documentation: `cv`",
    needs="the keys iterations, test-METRIC-mean, models, folds, X, y",
    fits=fits,
    read=read,
    of_objects=True,
)
