"""One fit, tested: the unit that every scheme is made of."""

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.errors import FewOfAClass, FitFailure
from heldout.learners import seeded
from heldout.learners.chosen_inside import arguments
from heldout.learners.own_rows import written_over
from heldout.learners.remedies import with_remedy
from heldout.losses import Loss, Losses
from heldout.losses.loss import places
from heldout.printable import printable
from heldout.rows.frames import is_read, take
from heldout.rows.texts import Texts
from heldout.rows.wide import wide
from heldout.seeds import same_global_draws
from heldout.several_labels import as_given, as_one
from heldout.splits.dependence import Dependence
from heldout.splits.split import Split
from heldout.splits.weights import Weights, fit_argument

ROWS_AT_ONCE = 100_000  # that a hypothesis is asked about
_MOST_CHARACTERS = 500  # of what an error says
_SUMS_TO = 1e-3  # how far a row of probabilities, in float32 and over many classes, may be rounded off 1

# XGBoost's messages begin with the time of day and a place in its source
_HEAD = re.compile(r"^\[\d\d:\d\d:\d\d\] WARNING: \S+:\d+:")


@dataclass(frozen=True, eq=False)
class Fitted:
    """A hypothesis with its losses on the rows that it was tested on, shape (n_validation,).

    `warned` are the category and the first line of each kind of warning that fitting or testing gave, each once.
    """

    hypothesis: Any
    losses: Losses
    warned: tuple[tuple[str, str], ...] = ()


def fit_and_test(
    learner: Any,
    X: Any,
    y: NDArray[np.generic],
    split: Split,
    loss: Loss,
    state: int,
    weights: Weights | None = None,
    dependence: Dependence | None = None,
) -> Fitted:
    """Fit a clone of `learner`, its open randomness set to `state`, on the training rows; test it on the others.

    X is an array, a data frame or a sparse matrix of shape (N, p), y of shape (N,), of several labels a row as records.
    A learner that chooses inside its fit is given the groups and times of its rows (`learners.chosen_inside`).
    What the learner draws from a global generator is the same in each call.
    Raises FitFailure, with the learner's own reason, if fitting or predicting raises or a loss is
    not finite: a silent NaN would end in a table. Warnings are kept, not shown.
    """
    with recorded() as warned, same_global_draws():
        with failures():
            further = _of_fit(learner, weights, dependence, split)
            labels = as_given(y[split.train])
            hypothesis = seeded(learner, state, labels)
            with _about(labels, loss), written_over(hypothesis) if is_read(X) else nullcontext():
                hypothesis = hypothesis.fit(take(X, split.train), labels, **further)
        losses = test(hypothesis, X, y, split.validation, loss, split.labels)
    return Fitted(hypothesis, losses, tuple(dict.fromkeys(warned)))


def _of_fit(
    learner: Any, weights: Weights | None, dependence: Dependence | None, split: Split
) -> dict[str, NDArray[Any]]:
    """What goes to `fit` next to the training rows of a split."""
    of_rows = {**arguments(learner, dependence)}
    if weights is not None and weights.of_fit is not None and (called := fit_argument(learner)) is not None:
        of_rows[called] = weights.of_fit
    return {name: values[split.train] for name, values in of_rows.items()}


@contextmanager
def _about(labels: NDArray[np.generic], loss: Loss) -> Iterator[None]:
    """Raise what a fit raises as FewOfAClass, with the remedy, where its labels may be why."""
    try:
        yield
    except Exception as error:
        if not loss.of_classes or loss.labels > 1:
            raise
        classes, counts = np.unique(labels, return_counts=True)
        rows = f"{len(labels)} training rows"
        if len(classes) == 1:
            why = (
                f"its {rows} have the single class {classes.tolist()[0]!r}; use fewer folds, leave the first rows out "
                "where rows are in time order, or take a learner that fits one class, as a tree does"
            )
        elif counts.min() == 1:
            why = (
                f"its {rows} have a single one of class {classes[counts == 1].tolist()[0]!r}; leave that row out, "
                "merge rare classes, or set early_stopping=False where the learner holds rows out by itself"
            )
        else:
            raise
        raise FewOfAClass(f"{reason(error)}; {why}") from error


@contextmanager
def recorded() -> Iterator[list[tuple[str, str]]]:
    """The category and first line of every warning, filled when the block ends."""
    messages: list[tuple[str, str]] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for meant_for_developers in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
            warnings.simplefilter("ignore", meant_for_developers)
        yield messages
    messages += [(item.category.__name__, first_line(_HEAD.sub("", str(item.message)))) for item in caught]


def test(
    hypothesis: Any,
    X: Any,
    y: NDArray[np.generic],
    rows: NDArray[np.intp],
    loss: Loss,
    labels: NDArray[np.intp] | None = None,  # noqa: PT028  # no test of pytest's
) -> Losses:
    """The losses of `hypothesis` on `rows`, shape (len(rows),), with the labels of these rows or of others.

    Raises FitFailure as `fit_and_test`.
    """
    if not len(rows):  # a half model of rows in time is not tested
        return np.empty(0)
    return losses_of(answers(hypothesis, X, loss, rows), y, rows if labels is None else labels, loss)


def losses_of(given: NDArray[Any], y: NDArray[np.generic], rows: NDArray[np.intp], loss: Loss) -> Losses:
    """The losses of the answers `given` at `rows`, shape (len(rows),). Raises FitFailure for a silent NaN."""
    try:
        losses = loss.pointwise(y[rows], given)
    except (TypeError, ValueError) as error:
        raise FitFailure(f"the {loss.name} loss refuses the predictions: {first_line(error)}") from error
    if not np.isfinite(losses).all():
        raise FitFailure(f"the {loss.name} loss of row {rows[~np.isfinite(losses)][0]} is not finite")
    return losses


def answers(hypothesis: Any, X: Any, loss: Loss, rows: NDArray[np.intp] | None = None) -> NDArray[Any]:
    """What `loss` asks of `hypothesis`: predictions, shape (n,), or probabilities of its C classes, shape (n, C).

    Of the `rows` of X, None for all; many are asked in pieces, so that what a learner makes of them is small.
    Raises FitFailure as `predict` and `probabilities`, which count the rows of a piece.
    """
    n = X.shape[0] if rows is None else len(rows)
    given = []
    for first in range(0, max(n, 1), ROWS_AT_ONCE):
        piece = slice(first, first + ROWS_AT_ONCE)
        whole = rows is None and n <= ROWS_AT_ONCE and not isinstance(X, Texts)
        some = X if whole else take(X, piece if rows is None else rows[piece])
        given.append(
            predict(hypothesis, some, loss.labels)
            if loss.classes is None
            else probabilities(hypothesis, some, loss.classes)
        )
    return given[0] if len(given) == 1 else np.concatenate(given)


def probabilities(hypothesis: Any, X: Any, classes: NDArray[np.generic]) -> NDArray[Any]:
    """The probabilities of `classes`, shape (n, C), a column for each class; 0 for a class that it never saw.

    Raises FitFailure unless it has `predict_proba` and `classes_`, and gives each row finite numbers in [0, 1]
    that sum up to 1: others would make a loss that no prediction has.
    """
    with failures():
        shares = np.asarray(hypothesis.predict_proba(X))
        known = np.asarray(hypothesis.classes_)
    if shares.shape != (X.shape[0], len(known)):
        raise FitFailure(f"the probabilities have shape {shares.shape}, not ({X.shape[0]}, {len(known)})")
    place = places(known, classes)
    if (place < 0).any():
        raise FitFailure(f"class {known[place < 0].tolist()[0]!r} of the hypothesis is the class of no labelled row")
    if shares.dtype.kind != "f":
        shares = shares.astype(np.float64)
    wrong = ~(
        np.isfinite(shares).all(axis=1) & (shares >= 0).all(axis=1) & (np.abs(shares.sum(axis=1) - 1) <= _SUMS_TO)
    )
    if wrong.any():
        row = np.flatnonzero(wrong)[0]
        raise FitFailure(f"the probabilities of row {row} are {shares[row][:5].tolist()}, which are no distribution")
    aligned = np.zeros((len(shares), len(classes)), dtype=shares.dtype)
    aligned[:, place] = shares
    return aligned


def scores(hypothesis: Any, X: Any, classes: NDArray[np.generic]) -> NDArray[np.float64]:
    """What ranks the rows by each of `classes`, shape (n, C), from `decision_function`; 0 for a class it never saw.

    Raises FitFailure unless that has a finite number for each row and class; of two classes that of the second one.
    """
    with failures():
        given = np.asarray(hypothesis.decision_function(X), dtype=np.float64)
        known, settings = np.asarray(hypothesis.classes_), hypothesis.get_params(deep=True)
    if given.ndim == 1 and len(known) == 2:
        given = np.column_stack([-given, given])
    # three classes have three pairs
    pairs = any(name.endswith("decision_function_shape") and value == "ovo" for name, value in settings.items())
    if given.shape != (X.shape[0], len(known)) or (pairs and len(known) > 2):
        raise FitFailure("its decision_function has no number for each class (decision_function_shape: ovr has)")
    if not np.isfinite(given).all():
        raise FitFailure("its decision_function has a value that is not finite")
    place = places(known, classes)
    aligned = np.zeros((len(given), len(classes)))
    aligned[:, place[place >= 0]] = given[:, place >= 0]
    return aligned


def predict(hypothesis: Any, X: Any, labels: int = 1) -> NDArray[np.generic]:
    """The predictions of `hypothesis`, shape (n,), in a wide type (`wide`): of several labels a row as records.

    One column, which CatBoost answers for three classes, is one label a row. Raises FitFailure if it cannot predict, or
    not so many finite values or classes for each row.
    """
    with failures():
        given = hypothesis.predict(X)
        predicted = wide(np.asarray(given.toarray() if hasattr(given, "toarray") else given), "predicted")
    if labels == 1 and predicted.shape == (X.shape[0], 1):
        predicted = predicted[:, 0]
    shape = (X.shape[0],) if labels == 1 else (X.shape[0], labels)
    if predicted.shape != shape:
        raise FitFailure(f"the predictions have shape {predicted.shape}, not {shape}")
    if predicted.dtype.kind == "f" and not np.isfinite(predicted).all():
        raise FitFailure(f"the prediction number {np.argwhere(~np.isfinite(predicted))[0, 0]} is not finite")
    return predicted if labels == 1 else as_one(predicted)


@contextmanager
def failures() -> Iterator[None]:
    """Raise what a learner raises as a FitFailure with its reason; SystemExit too, which would end its caller."""
    try:
        yield
    except FitFailure:
        raise
    except (Exception, SystemExit) as error:
        raise FitFailure(with_remedy(reason(error))) from error


def reason(error: BaseException) -> str:
    """The type of an error and its first line."""
    return f"{type(error).__name__}: {first_line(error)}"


def first_line(error: BaseException | str) -> str:
    """The first line of what an error or a warning says, printable, and only its beginning if it is long."""
    try:
        text = str(error)
    except (Exception, SystemExit):  # an error that fails to say what it is
        text = ""
    line = next(iter(text.strip().splitlines()), "no message")
    return printable(line) if len(line) <= _MOST_CHARACTERS else f"{printable(line[:_MOST_CHARACTERS])} …"
