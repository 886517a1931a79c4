"""One fit, tested: the unit that every scheme is made of."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.errors import FitFailure
from heldout.learners import seeded
from heldout.losses import Loss, Losses
from heldout.records import Split


@dataclass(frozen=True, eq=False)
class Fitted:
    """A hypothesis with its losses on the rows that it was tested on, shape (n_validation,)."""

    hypothesis: Any
    losses: Losses


def fit_and_test(learner: Any, X: Any, y: NDArray[np.generic], split: Split, loss: Loss, state: int) -> Fitted:
    """Fit a clone of `learner`, its open randomness set to `state`, on the training rows; test it on the others.

    X is an array, a data frame or a sparse matrix of shape (N, p), y of shape (N,).
    Raises FitFailure, with the learner's own reason, if fitting or predicting raises or a loss is
    not finite: a silent NaN would end in a table.
    """
    try:
        hypothesis = seeded(learner, state).fit(take(X, split.train), y[split.train])
    except Exception as error:
        raise FitFailure(f"{type(error).__name__}: {_first_line(error)}") from error
    return Fitted(hypothesis, test(hypothesis, X, y, split.validation, loss))


def test(hypothesis: Any, X: Any, y: NDArray[np.generic], rows: NDArray[np.intp], loss: Loss) -> Losses:
    """The losses of `hypothesis` on `rows`, shape (len(rows),). Raises FitFailure as `fit_and_test`."""
    if not len(rows):  # a half model of rows in time is not tested
        return np.empty(0)
    predicted = predict(hypothesis, take(X, rows))
    try:
        losses = loss.pointwise(y[rows], predicted)
    except (TypeError, ValueError) as error:
        raise FitFailure(f"the {loss.name} loss refuses the predictions: {_first_line(error)}") from error
    if not np.isfinite(losses).all():
        raise FitFailure(f"the {loss.name} loss of row {rows[~np.isfinite(losses)][0]} is not finite")
    return losses


def predict(hypothesis: Any, X: Any) -> NDArray[np.generic]:
    """The predictions of `hypothesis`, shape (n,).

    Raises FitFailure if it cannot predict, or not one finite value or class for each row.
    """
    try:
        predicted = np.asarray(hypothesis.predict(X))
    except Exception as error:
        raise FitFailure(f"{type(error).__name__}: {_first_line(error)}") from error
    if predicted.shape != (X.shape[0],):
        raise FitFailure(f"the predictions have shape {predicted.shape}, not ({X.shape[0]},)")
    if predicted.dtype.kind == "f" and not np.isfinite(predicted).all():
        raise FitFailure(f"the prediction number {np.flatnonzero(~np.isfinite(predicted))[0]} is not finite")
    return predicted


def take(X: Any, rows: NDArray[np.intp]) -> Any:
    """The `rows` of an array, a data frame or a sparse matrix."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def _first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), "no message")
