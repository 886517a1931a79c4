"""LightGBM's `cv(…, folds=folds, return_cvbooster=True)`, with the `folds`, the `X` and the `y` that it got.

The dictionary has the means of a metric over folds for each round, and a booster for each fold. Where `early_stopping`
was used, the number of rounds was chosen on the tested rows: the error is too low by that. G. Ke and others (NIPS
2017), LightGBM documentation: `lightgbm.cv`, `CVBooster`.
"""

from collections.abc import Sequence

import numpy as np

from heldout.predictions.boosters import of_boosters
from heldout.predictions.read_predictions import ReadPredictions
from heldout.predictions.reader import Reader
from heldout.predictions.source import Asked, Source

_NEEDED = ("cvbooster", "folds", "X", "y")


def fits(sources: Sequence[Source]) -> float:
    """The share of the keys that such a dictionary has; other tables have no cvbooster, nor means of `valid METRIC`."""
    names = sources[0].names
    if len(sources) > 1 or not ("cvbooster" in names or any(name.startswith("valid ") for name in names)):
        return 0.0
    return 0.1 + 0.9 * float(np.mean([name in names for name in _NEEDED]))


def read(sources: Sequence[Source], _asked: Asked) -> ReadPredictions:
    """A line for each fold and row that it tested. Raises BadArgument without the boosters, the folds, X or y."""
    sources[0].needs(_NEEDED, "{**lgb.cv(…, folds=folds, return_cvbooster=True), 'folds': folds, 'X': X, 'y': y}")
    made = sources[0].table["cvbooster"]
    return of_boosters(
        "lightgbm_cv",
        "LightGBM",
        sources[0],
        made.boosters,
        lambda booster, X: np.asarray(booster.predict(X)),
        stopped=made.best_iteration > 0,
    )


READER = Reader(
    name="lightgbm_cv",
    tool="LightGBM",
    versions="4.7.0",
    call='`{**lgb.cv(…, folds=folds, return_cvbooster=True), "folds": folds, "X": X, "y": y}`, in a notebook',
    holds="a booster for each fold, which answers when it is read, with early stopping in the best round; of classes "
    "a number is the probability of the last",
    prints="`valid METRIC-mean`: the mean over folds; with early stopping at the round that is best on the tested rows",
    source="LightGBM documentation: `lightgbm.cv`",
    needs="the keys cvbooster, folds, X, y",
    fits=fits,
    read=read,
    of_objects=True,
)
