"""LightGBM's `cv(…, folds=folds, return_cvbooster=True)`, with the `folds`, the `X` and the `y` that it got.

The dictionary has the means of a metric over folds for each round, and a booster for each fold. Where `early_stopping`
was used, the number of rounds was chosen on the tested rows: the error is too low by that. G. Ke and others (NIPS
2017), LightGBM documentation: `lightgbm.cv`, `CVBooster`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from heldout.predictions.columns import are_numbers
from heldout.predictions.read_predictions import ReadPredictions
from heldout.predictions.reader import Reader
from heldout.predictions.readers.cross_validate import of_models
from heldout.predictions.source import Asked, Source

_NEEDED = ("cvbooster", "folds", "X", "y")


class _Classes:
    """A booster of two classes, or of several, that answers with classes."""

    def __init__(self, booster: Any, classes: Any) -> None:
        self.booster, self.classes_ = booster, classes

    def predict_proba(self, X: Any) -> Any:
        """Probabilities, shape (n, K)."""
        said = np.asarray(self.booster.predict(X))
        return np.stack([1 - said, said], axis=1) if said.ndim == 1 else said

    def predict(self, X: Any) -> Any:
        """The likeliest class of each row."""
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]


def fits(sources: Sequence[Source]) -> float:
    """The share of the keys that such a dictionary has; other tables have no cvbooster."""
    if len(sources) > 1 or "cvbooster" not in sources[0].names:
        return 0.0
    return float(np.mean([name in sources[0].names for name in _NEEDED]))


def read(sources: Sequence[Source], _asked: Asked) -> ReadPredictions:
    """A line for each fold and row that it tested. Raises BadArgument without the boosters, the folds, X or y."""
    table = sources[0].table
    give = "{**lgb.cv(…, folds=folds, return_cvbooster=True), 'folds': folds, 'X': X, 'y': y}"
    sources[0].needs(_NEEDED, give)
    y, boosters = np.asarray(table["y"]), table["cvbooster"].boosters
    said = np.asarray(boosters[0].predict(table["X"]))
    of_classes = not are_numbers(y) and (said.ndim == 2 or (said.min() >= 0 and said.max() <= 1))
    models = [_Classes(one, np.unique(y)) for one in boosters] if of_classes else boosters
    return of_models("lightgbm_cv", "LightGBM", models, [part[1] for part in table["folds"]], table["X"], y)


READER = Reader(
    name="lightgbm_cv",
    tool="LightGBM",
    versions="4.7.0",
    call='`{**lgb.cv(…, folds=folds, return_cvbooster=True), "folds": folds, "X": X, "y": y}`, in a notebook',
    holds="a booster for each fold, which answers when it is read; of classes a number is the probability of the last",
    prints="`valid METRIC-mean`: the mean over folds; with early stopping at the round that is best on the tested rows",
    source="LightGBM documentation: `lightgbm.cv`",
    needs="the keys cvbooster, folds, X, y",
    fits=fits,
    read=read,
    of_objects=True,
)
