"""What `cv` of LightGBM, XGBoost and CatBoost leaves: a booster for each fold, the folds, X and y, and means by round.

The boosters answer when they are read. `METRICS` are the names by which the three print a loss that is known here.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.predictions.columns import are_numbers
from heldout.predictions.read_predictions import Printed, ReadPredictions
from heldout.predictions.readers.cross_validate import of_models
from heldout.predictions.source import Source

HISTORY = re.compile(r"(?:valid |test-)(?P<metric>.+)-mean")  # the means over folds by round, of the tested rows
_AT_BEST = "with early stopping the number of rounds was chosen on the tested rows: the error is too low by that"
# the loss that a printed metric is of, and how it is one from the number
METRICS: Mapping[str, tuple[str, Callable[[float], float]]] = {
    **dict.fromkeys(("logloss", "binary_logloss", "mlogloss", "multi_logloss", "multiclass"), ("log", float)),
    **dict.fromkeys(("error", "merror", "binary_error", "multi_error"), ("zero_one", float)),
    "accuracy": ("zero_one", lambda value: 1 - value),
    "rmse": ("squared", lambda value: value**2),
    **dict.fromkeys(("l2", "mse", "mean_squared_error"), ("squared", float)),
    **dict.fromkeys(("l1", "mae", "mean_absolute_error"), ("absolute", float)),
}


@dataclass(frozen=True, eq=False)
class Answering:
    """A `booster` that answers as a classifier of scikit-learn does, by the probabilities that `ask` has."""

    booster: Any
    ask: Callable[[Any, Any], NDArray[Any]]
    classes_: NDArray[Any]

    def predict(self, X: Any) -> Any:
        """The likeliest class of each row."""
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities, shape (n, K)."""
        said = self.ask(self.booster, X)
        return np.stack([1 - said, said], axis=1) if said.ndim == 1 else said


@dataclass(frozen=True, eq=False)
class Numbers:
    """A `booster` that answers with numbers, or with classes alone."""

    booster: Any
    ask: Callable[[Any, Any], NDArray[Any]]

    def predict(self, X: Any) -> NDArray[Any]:
        """What it says."""
        return self.ask(self.booster, X)


def printed_metrics(source: Source) -> list[str]:
    """The names of the columns with means over folds by round."""
    return [name for name in source.names if HISTORY.fullmatch(name)]


def of_boosters(
    format: str,
    tool: str,
    source: Source,
    boosters: Sequence[Any],
    ask: Callable[[Any, Any], NDArray[Any]],
    *,
    stopped: bool,
) -> ReadPredictions:
    """A line for each fold and row that it tested.

    `ask` has the answers of a booster: of two classes the probability of the last, of more a column for each, or
    numbers. `stopped` says whether the number of rounds was chosen on the tested rows. Raises BadArgument for folds
    that are no list of rows, and answers that are neither.
    """
    X, y, folds = source.table["X"], np.asarray(source.table["y"]), source.table["folds"]
    if hasattr(folds, "split"):
        raise BadArgument(
            "folds", f"folds is {folds!r}, which may divide the rows otherwise now: give the list [*folds.split(X, y)]"
        )
    tests = [part[1] for part in folds]
    models = [_model(one, ask, X, y, tool) for one in boosters]
    made = of_models(format, tool, models, tests, X, y)
    notes = (*made.notes, _AT_BEST) if stopped else made.notes
    return replace(made, printed=_printed(format, source), notes=notes)


def _model(booster: Any, ask: Callable[[Any, Any], NDArray[Any]], X: Any, y: NDArray[Any], tool: str) -> Any:
    said, classes = ask(booster, X), np.unique(y)
    if said.ndim == 2:
        return Answering(booster, ask, classes)
    if are_numbers(y):
        return Numbers(booster, ask)
    if said.dtype.kind not in "iuf" or np.isin(said, classes).all():
        return Numbers(booster, _as(ask, classes))
    if len(classes) != 2:  # numbers of few values
        return Numbers(booster, ask)
    if said.min() < 0 or said.max() > 1:
        raise BadArgument(
            "table",
            f"{tool}'s boosters answer from {said.min():.4g} to {said.max():.4g}, and y is {classes[0]} or "
            f"{classes[1]}: these are no probabilities; train with an objective that has some",
        )
    return Answering(booster, ask, classes)


def _as(ask: Callable[[Any, Any], NDArray[Any]], classes: NDArray[Any]) -> Callable[[Any, Any], NDArray[Any]]:
    return lambda booster, X: ask(booster, X).astype(classes.dtype)


def _printed(candidate: str, source: Source) -> tuple[Printed, ...]:
    """The last of each mean over folds, of a loss that is known here."""
    found = []
    for name in printed_metrics(source):
        match = HISTORY.fullmatch(name)
        loss, of = METRICS.get(match["metric"].lower() if match else "", ("", float))
        if loss:
            last = float(np.asarray(source.table[name])[-1])
            found.append(Printed({candidate: of(last)}, "the mean of the folds, at the last of its rounds", loss))
    return tuple(found)
