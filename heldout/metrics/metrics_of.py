"""The door to the metrics for a notebook: labels and answers in, lines with intervals out."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from heldout.errors import BadArgument
from heldout.estimates import methods
from heldout.intervals.method import check_level
from heldout.losses import choose_loss
from heldout.losses.loss import places
from heldout.losses.tested_losses import Tested
from heldout.metrics.measure import TestedRows, TestMetrics, measure
from heldout.metrics.metric import Answered, Values
from heldout.rows.aligned_rows import aligned
from heldout.rows.class_names import class_named, in_order
from heldout.rows.missing import SHOWN, is_missing
from heldout.rows.wide import wide
from heldout.splits.dependence import checked_groups

_SUMS_TO = 1e-3


def metrics_of(
    y: ArrayLike,
    predicted: ArrayLike,
    probabilities: ArrayLike | None = None,
    *,
    scores: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    slices: Mapping[str, ArrayLike] | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> TestMetrics:
    """Metrics that are no means of losses, of one hypothesis on rows that no choice depended on.

    These rows are new to the hypothesis, and it was not chosen by them: a test set. `heldout.validate` has none, and
    its estimates (`E_val`, `E_cv`) have no such table: those rows chose the winner.

    Parameters
    ----------
    y : array-like of shape (n,)
        The labels. Strings, booleans and whole numbers of at most 20 values are classes, others numbers.
    predicted : array-like of shape (n,)
        What the hypothesis predicts.
    probabilities : array-like of shape (n, C), optional
        Its probabilities of the `classes`, in their order, as `predict_proba` returns them. The columns of a data frame
        are named after the classes, in any order.
    scores : array-like of shape (n,) or (n, C), optional
        For a hypothesis without probabilities: the scores by which AUC and average precision rank the rows, as
        `decision_function` returns them; of two classes those of the second one, unless a series is named after the
        first. The columns of a data frame as those of `probabilities`.
    classes : array-like of shape (C,), optional
        The classes in ascending order, as in `classes_`; given, y holds classes. Of two the second one is positive.
        None is those of `y`.
    groups : array-like of shape (n,), optional
        Rows of equal groups belong together: intervals count groups.
    slices : mapping of str to array-like of shape (n,), optional
        Values of columns: each value is a slice, with its mean loss (0/1 for classes, squared for numbers) and metrics.
    level : float
        The level of each interval by itself.
    seed : int
        For the draws of the interval of the calibration error.

    Returns
    -------
    TestMetrics
        `lines`, records with the columns of metrics.csv as attributes; of classes the `classes`, and the `confusion`
        matrix: the number of rows of each class, in lines, that were given each class, in columns.

    Raises
    ------
    BadArgument
        For columns that are named after no class, an index of pandas that is not that of y
        (`heldout.rows.aligned_rows`), an argument of the wrong shape, a label that is missing or no class,
        probabilities that are no distribution, scores next to probabilities, and a level outside (0, 1).

    Examples
    --------
    >>> import heldout
    >>> p = [0.1, 0.2, 0.7, 0.3, 0.6, 0.9, 0.8, 0.7]
    >>> said = [int(share > 0.5) for share in p]
    >>> found = heldout.metrics_of([0, 0, 0, 0, 1, 1, 1, 1], said, [[1 - share, share] for share in p])
    >>> auc = found.lines[0]
    >>> auc.metric, auc.value, round(auc.low, 2), round(auc.high, 2)
    ('auc', 0.90625, 0.42, 0.99)
    >>> found.confusion
    array([[3, 1],
           [0, 4]])
    """
    check_level(level)
    of_rows: dict[str, Any] = {
        "y": y,
        "predicted": predicted,
        "probabilities": probabilities,
        "scores": scores,
        "groups": groups,
    }
    sliced: dict[str, Any] = {f"slices[{name!r}]": values for name, values in (slices or {}).items()}
    y, predicted, probabilities, scores, groups, *in_slices = aligned({**of_rows, **sliced}).values()
    labels = wide(np.asarray(y), "y")
    if labels.ndim != 1 or len(labels) < 1 or any(is_missing(label) for label in labels.tolist()):
        raise BadArgument(
            "y", f"y has shape {labels.shape}; it must be (n,), with a label that is not missing for each row"
        )
    said = _column(predicted, len(labels), "predicted")
    _check_kind(said, labels)
    loss = choose_loss(None if classes is None else "zero_one", labels)
    dependence = checked_groups(groups, len(labels))
    of_slices = {
        name: _shown(_column(values, len(labels), called))
        for name, called, values in zip(slices or {}, sliced, in_slices, strict=True)
    }
    losses = loss.pointwise(labels, said)
    tested = Tested(losses, loss, seed, dependence.clusters(np.arange(len(labels)), losses))
    weights = np.ones(len(labels))
    answered = Answered(labels, said, weights, cluster=tested.cluster, seed=seed)
    if loss.of_classes:
        named = _classes(labels, classes)
        if probabilities is not None and scores is not None:
            raise BadArgument("scores", "scores is given, and probabilities, which rank the rows too; leave one out")
        probabilities = in_order(probabilities, named, "probabilities")
        answered = of_classes(labels, said, probabilities, named, tested, scores=_scores(scores, labels, named))
    for argument, given in (("probabilities", probabilities), ("scores", scores)):
        if given is not None and not loss.of_classes:
            raise BadArgument(argument, f"{argument} is given, but y holds numbers; leave it out, or give classes")
    method = methods.choose(None, loss, dependence.kind, cross_validated=False).get("E_test")
    return measure(TestedRows("", answered, tested, method, level, dependence.kind), of_slices)


def of_classes(
    y: NDArray[Any],
    predicted: NDArray[Any],
    probabilities: ArrayLike | None,
    classes: NDArray[Any],
    tested: Tested,
    weights: Values | None = None,
    scores: Values | None = None,
) -> Answered:
    """What was answered, with labels and predictions as places among `classes`."""
    shares = None if probabilities is None else np.asarray(probabilities, dtype=np.float64)
    if shares is not None and not _is_distribution(shares, (len(y), len(classes))):
        raise BadArgument(
            "probabilities",
            f"probabilities has shape {shares.shape}; it must be ({len(y)}, {len(classes)}), a column for each class, "
            "with numbers of at least 0 that sum up to 1 in each row",
        )
    return Answered(
        places(y, classes),
        places(predicted, classes),
        np.ones(len(y)) if weights is None else weights,
        classes,
        shares,
        scores,
        tested.cluster,
        tested.seed,
    )


def _scores(given: ArrayLike | None, y: NDArray[Any], classes: NDArray[Any]) -> Values | None:
    """A column for each class."""
    if given is None:
        return None
    scores = np.asarray(in_order(given, classes, "scores"), dtype=np.float64)
    by_class = np.column_stack([-scores, scores]) if scores.ndim == 1 and len(classes) == 2 else scores
    if scores.ndim == 1 and class_named(getattr(given, "name", None), classes) == 0:
        by_class = -by_class
    if by_class.shape != (len(y), len(classes)) or not np.isfinite(by_class).all():
        shape = f"({len(y)}, {len(classes)})" + (f" or ({len(y)},)" if len(classes) == 2 else "")
        raise BadArgument("scores", f"scores has shape {scores.shape}; it must be {shape}, of finite numbers")
    return by_class


def _is_distribution(shares: Values, shape: tuple[int, int]) -> bool:
    return shares.shape == shape and bool((shares >= 0).all() and (np.abs(shares.sum(axis=1) - 1) <= _SUMS_TO).all())


def _classes(y: NDArray[Any], given: ArrayLike | None) -> NDArray[Any]:
    classes = np.unique(y) if given is None else np.asarray(given)
    if classes.ndim != 1 or len(classes) < 2 or (classes[1:] <= classes[:-1]).any():
        raise BadArgument("classes", f"classes is {classes.tolist()}; it must list at least 2 classes, ascending")
    unknown = np.setdiff1d(y, classes)
    if len(unknown):
        raise BadArgument("classes", f"classes is {classes.tolist()}, but y has {unknown[0]!r}; list each class of y")
    return classes


def _check_kind(predicted: NDArray[Any], y: NDArray[Any]) -> None:
    """Raise BadArgument for strings on one side alone."""
    strings = [column.dtype.kind in "UST" for column in (predicted, y)]
    if strings[0] != strings[1] and "O" not in (predicted.dtype.kind, y.dtype.kind):
        raise BadArgument(
            "predicted", f"predicted holds values of type {predicted.dtype}, and y of type {y.dtype}; use those of y"
        )


def _shown(values: NDArray[Any]) -> NDArray[np.str_]:
    """The values as texts, as report.slices has them."""
    return np.array([SHOWN if is_missing(value) else str(value) for value in values.tolist()])


def _column(values: ArrayLike, n: int, argument: str) -> NDArray[Any]:
    column = wide(np.asarray(values), argument)
    if column.shape != (n,):
        raise BadArgument(
            argument, f"{argument} has shape {column.shape}; it must be ({n},), a value for each row of y"
        )
    if column.dtype.kind == "f" and argument == "predicted" and not np.isfinite(column).all():
        raise BadArgument(argument, "predicted has a value that is not finite; each row needs a number")
    return column
