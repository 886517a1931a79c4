"""XGBoost's `cv(…, folds=folds, callbacks=[keep])`, with the boosters that a callback kept, the `folds`, `X` and `y`.

`cv` returns means of metrics over folds for each round, and no booster; a callback sees them. Where it
stops early, the table ends at the best round, and the boosters do not: `predict` of them takes all their rounds. Here
they answer with as many rounds as the table has, whose last line is what people print. That round was chosen on the
tested rows: the error is too low by that. T. Chen, C. Guestrin (KDD 2016), XGBoost documentation: `xgboost.cv`,
Callback functions.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.predictions.boosters import of_boosters, printed_metrics
from heldout.predictions.read_predictions import ReadPredictions
from heldout.predictions.reader import Reader
from heldout.predictions.source import Asked, Source

_NEEDED = ("boosters", "folds", "X", "y")


def fits(sources: Sequence[Source]) -> float:
    """The share of the keys, where there are means of `test-METRIC` without CatBoost's `iterations`."""
    names = sources[0].names
    is_table = any(name.startswith("test-") for name in printed_metrics(sources[0]))
    if len(sources) > 1 or not is_table or "iterations" in names:
        return 0.0
    return 0.1 + 0.9 * float(np.mean([name in names for name in _NEEDED]))


def read(sources: Sequence[Source], _asked: Asked) -> ReadPredictions:
    """A line for each fold and row that it tested. Raises BadArgument without the boosters, the folds, X or y."""
    source = sources[0]
    source.needs(
        _NEEDED,
        "{**xgb.cv(…, folds=folds, callbacks=[keep]), 'boosters': keep.boosters, 'folds': folds, 'X': X, 'y': y}, with "
        "a callback whose after_training(model) keeps [one.bst for one in model.cvfolds] and returns model",
    )
    boosters = source.table["boosters"]
    rounds = len(source.column(printed_metrics(source)[0]))
    stopped = any(one.attr("best_iteration") is not None for one in boosters)
    return of_boosters("xgboost_cv", "XGBoost", source, boosters, partial(_ask, rounds), stopped=stopped)


def _ask(rounds: int, booster: Any, X: Any) -> NDArray[Any]:
    return np.asarray(booster.inplace_predict(X, iteration_range=(0, rounds)))


READER = Reader(
    name="xgboost_cv",
    tool="XGBoost",
    versions="3.2.0",
    call='`{**xgb.cv(…, folds=folds, callbacks=[keep]), "boosters": keep.boosters, "folds": folds, "X": X, "y": y}`, '
    "where `keep` is a callback whose `after_training(model)` keeps `[one.bst for one in model.cvfolds]`, in a "
    "notebook",
    holds="a booster for each fold, which answers when it is read, with as many rounds as the table has lines; of "
    "classes a number is the probability of the last",
    prints="`test-METRIC-mean`: the mean over folds; with early stopping the last line is the round that is best on "
    "the tested rows",
    source="XGBoost documentation: `xgboost.cv`, Callback functions",
    needs="the keys test-METRIC-mean, boosters, folds, X, y",
    fits=fits,
    read=read,
    of_objects=True,
)
