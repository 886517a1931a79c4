"""The registry of losses, which loss is meant by a name, and which loss a target takes by itself."""

from collections.abc import Mapping
from datetime import date, timedelta
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from heldout import extensions
from heldout.errors import BadArgument
from heldout.losses.kind import LossKind, Target
from heldout.losses.loss import Loss
from heldout.losses.own import Function, Values, of_function
from heldout.losses.several import MeanOverLabels, mean_over_labels
from heldout.losses.squared import SQUARED
from heldout.losses.zero_one import ZERO_ONE
from heldout.several_labels import as_given, how_many

Spec = str | Mapping[str, Any] | Function

# a line a loss: the module of `heldout.losses` that holds its KIND, in the order of messages and tables
_OWN: tuple[LossKind, ...] = tuple(
    import_module(f"heldout.losses.{module}").KIND
    for module in (
        "zero_one",
        "log",
        "brier",
        "balanced",
        "squared",
        "absolute",
        "pinball",
        "cost",
    )
)
KINDS: tuple[LossKind, ...] = (*_OWN, *extensions.of("heldout.losses", LossKind, _OWN))
NAMES = tuple(kind.name for kind in KINDS if kind.alone)
MOST_WHOLE_CLASSES = 20
_NO_LABELS: tuple[tuple[tuple[type, ...], str, str], ...] = (
    ((timedelta, np.timedelta64), "durations", "make numbers of them, as days"),
    ((date, np.datetime64), "dates", "make numbers of them, as days since the first one, or classes, as months"),
    ((bytes,), "bytes", "decode them to text"),
)
# of more classes than this each must have _ROWS_A_CLASS rows in the mean, unless a loss of classes is named
_CLASSES, _ROWS_A_CLASS = 50, 5


def check_spec(spec: Any) -> None:
    """Check that `spec` says which loss is meant.

    Parameters
    ----------
    spec : str, mapping or callable
        A name in `NAMES`, {"pinball": quantile}, {"cost": {actual: {predicted: cost}}}, or a function of labels and
        answers (`heldout.losses.own`).

    Raises
    ------
    BadArgument
        If it is no such value; the message names the value and what is allowed.

    Examples
    --------
    >>> check_spec({"pinball": 0.9})
    >>> check_spec({"pinball": 2})
    Traceback (most recent call last):
    heldout.errors.BadArgument: loss.pinball is 2; it must lie between 0 and 1, both excluded
    """
    if not callable(spec):
        _parsed(spec)


def choose_loss(
    spec: Spec | None,
    y: NDArray[np.generic],
    weights: NDArray[np.float64] | None = None,
    called: str = "y",
    loss_max: float | None = None,
    *,
    drawn: bool = False,
    of_classes: bool | None = None,
) -> Loss:
    """The loss that `spec` means, for the labelled rows.

    Parameters
    ----------
    spec : str, mapping, callable or None
        As in `check_spec`; None is the natural loss of the target.
    y : array of shape (N,)
        The labels, several a row as records (`heldout.several_labels`). The classes and their sizes are taken from
        them.
    weights : array of shape (N,), optional
        Weights of the rows. If they differ, rows count by them (`heldout.losses.Loss.with_weights`).
    called : str
        The name of the target in messages.
    loss_max : float, optional
        A limit that no loss of any answer passes, for a loss whose limit is not known.
    drawn : bool, default False
        Whether the weights are those of draws.
    of_classes : bool, optional
        Whether a function judges classes, or numbers; None as the natural loss does. Of several labels a row, whether
        each is a class.

    Returns
    -------
    Loss
        The pointwise loss.

    Raises
    ------
    BadArgument
        For a spec that `check_spec` refuses, a target of the wrong kind, or a target that the loss itself refuses; for
        a limit that is no positive number, or that a loss has already.

    Examples
    --------
    >>> import numpy as np
    >>> choose_loss("absolute", np.array([0.5, 1.0])).pointwise([0.5, 1.0], [1.5, 1.0])
    array([1., 0.])
    >>> choose_loss("absolute", np.array([0.5, 1.0]), loss_max=10).limit
    10.0
    >>> choose_loss("log", np.array([0.5, 1.0]))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    heldout.errors.BadArgument: loss is log, but y holds numbers that are no classes; use squared, ...
    """
    if callable(spec):
        loss = of_function(spec, y, of_classes=_natural(y).of_classes if of_classes is None else of_classes)
    else:
        loss = _natural(y) if spec is None else _named(spec, Target(np.asarray(y), weights, called))
        if how_many(y) > 1:
            loss = mean_over_labels(loss, how_many(y))
    if loss_max is not None:
        loss = loss.limited(loss_max)
    if weights is None or np.ptp(weights) == 0:
        return loss
    return loss.with_weights(drawn=drawn)


def spec_of(loss: Loss) -> Spec:
    """What `choose_loss` made a loss of; the name of a loss that it chose by the labels.

    Raises BadArgument for a loss of another package that has a value.

    >>> spec_of(choose_loss({"pinball": 0.9}, np.array([0.5, 1.0])))
    {'pinball': 0.9}
    """
    values = loss.pointwise.pointwise if isinstance(loss.pointwise, MeanOverLabels) else loss.pointwise
    if isinstance(values, Values):
        return values.function
    given = getattr(values, "keywords", {})
    if loss.name == "pinball":
        return {"pinball": given["quantile"]}
    if loss.name == "cost":
        classes = given["classes"].tolist()
        rows = zip(classes, given["matrix"].tolist(), strict=True)
        return {"cost": {actual: dict(zip(classes, of, strict=True)) for actual, of in rows}}
    if loss.name not in NAMES or any(kind.name == loss.name and kind.parameter is not None for kind in KINDS):
        raise BadArgument("loss", f"loss is {loss.name}, of which nobody knows the value that it was made with")
    return loss.name


def ordered_as(metric: object) -> str | None:
    """The loss whose mean puts candidates in the order in which a metric of others does; None for another name."""
    called = as_written(metric)
    for kind in KINDS:
        if any(called in map(as_written, (name, *also)) for name, also in kind.metrics.items()):
            return kind.name
    return None


def as_written(metric: object) -> str:
    """The name of a metric, however it is written: R² is r2."""
    return str(metric).lower().replace("²", "2")


def natural_loss(y: ArrayLike) -> Loss:
    """Zero-one loss for a target of classes, squared loss for a target of numbers.

    Strings and booleans are classes, and so are whole numbers with at most 20 distinct values.

    Parameters
    ----------
    y : array-like of shape (N,)
        The labels.

    Returns
    -------
    Loss
        `ZERO_ONE` or `SQUARED`.

    Raises
    ------
    BadArgument
        For a target that is neither (several columns, mixed types).

    Examples
    --------
    >>> natural_loss(["ill", "healthy", "ill"]).name
    'zero_one'
    >>> natural_loss([0.5, 1.25, 3.0]).name
    'squared'
    """
    target: Any = np.asarray(y)
    numbers = target.ndim == 1 and len(target) and target.dtype.kind in "biuf"
    if numbers and (target.dtype.kind != "f" or np.isfinite(target).all()):  # type_of_target takes longer
        whole = target.dtype.kind != "f" or bool((np.floor(target) == target).all())
        return ZERO_ONE if whole and _few_classes(target) else SQUARED
    if (reason := _no_labels(target)) is not None:
        raise BadArgument("y", f"the target {reason}")
    from sklearn.utils.multiclass import type_of_target

    try:
        kind = type_of_target(target)
    except (TypeError, ValueError):  # strings and numbers in one column
        kind = "unknown"
    if kind in ("binary", "multiclass"):
        return ZERO_ONE
    if kind == "continuous":
        return SQUARED
    raise BadArgument("y", f"the target is of kind {kind!r}; it must be one column of classes or of numbers")


def _no_labels(target: NDArray[Any]) -> str | None:
    """What values are that are neither classes nor numbers, and the remedy; None for others."""
    first = target.flat[0] if target.size else None
    found = (f"holds {what}, as {first}: {remedy}" for types, what, remedy in _NO_LABELS if isinstance(first, types))
    return next(found, None)


def unlearnable(y: NDArray[np.generic]) -> str | None:
    """Why labels of classes, shape (N,), are too many to learn, as a clause that follows their name; None if not.

    The rule of every door where nobody named a loss: `audit`, `validate`, `init` and the stages of a run.

    >>> unlearnable(np.repeat(np.arange(100), 16)) is None
    True
    """
    first, classes, rows = y[:1].tolist(), len(np.unique(y)), len(y)
    if classes == rows > 2:
        return f"has another class in each of its {rows} rows, as {first[0]!r}: there is nothing to learn"
    if classes <= max(_CLASSES, rows / _ROWS_A_CLASS):
        return None
    return (
        f"has {classes} classes, as {first[0]!r}, in {rows} rows: fewer than {_ROWS_A_CLASS} rows a class; if they are "
        "numbers, write them as numbers"
    )


def _natural(y: NDArray[np.generic]) -> Loss:
    """The natural loss of labels, of several a row that of each, which has to be the same."""
    kinds = [natural_loss(of_label) for of_label in as_given(y).T] if how_many(y) > 1 else [natural_loss(y)]
    if other := next((number for number, kind in enumerate(kinds) if kind != kinds[0]), 0):
        raise BadArgument(
            "loss",
            f"by the labels the loss is {kinds[0].name} for column 0 of y, and {kinds[other].name} for column {other}; "
            "name the loss, or validate each column by itself",
        )
    return kinds[0]


def _few_classes(whole: NDArray[Any]) -> bool:
    within = float(whole.max()) - float(whole.min()) < MOST_WHOLE_CLASSES
    return within or len(np.unique(whole)) <= MOST_WHOLE_CLASSES


def _named(spec: str | Mapping[str, Any], target: Target) -> Loss:
    kind, value = _parsed(spec)
    if how_many(target.y) > 1 and not kind.by_label:
        by_label = ", ".join(one.name for one in KINDS if one.by_label)
        reason: str | None = f"{target.called} has {how_many(target.y)} labels a row; use one of {by_label}"
    else:
        reason = _wrong_target(kind, target) or (kind.refuses and kind.refuses(target))
    if reason is not None:
        raise BadArgument("loss", f"loss is {kind.name}, but {reason}")
    return kind.make(target, value)


def _parsed(spec: Any) -> tuple[LossKind, Any]:
    """The kind of loss, and the value of its parameter; raises BadArgument as `check_spec`."""
    kinds = {kind.name: kind for kind in KINDS}
    if isinstance(spec, str) and spec in kinds and kinds[spec].alone:
        parameter = kinds[spec].parameter
        return kinds[spec], None if parameter is None else parameter.default
    name, value = next(iter(spec.items())) if isinstance(spec, Mapping) and len(spec) == 1 else ("", None)
    parameter = kinds[name].parameter if name in kinds else None
    if parameter is None:
        named = [kind.name for kind in KINDS if kind.alone]
        mappings = [kind.written for kind in KINDS if kind.parameter is not None]
        meant = ordered_as(spec)
        raise BadArgument(
            "loss",
            f"loss is {spec!r}; it must be one of {', '.join(named)}, {_or(mappings, ', or ')}"
            + (f"; {meant} puts candidates in the order of {spec}" if meant else ""),
        )
    parameter.check(value)
    return kinds[name], value


def _wrong_target(kind: LossKind, target: Target) -> str | None:
    """Why the target is not of the kind that the loss is for; None if it is."""
    y = as_given(target.y)
    if (reason := _no_labels(y)) is not None:
        return f"{target.called} {reason}"
    if kind.targets == "numbers":
        if y.dtype.kind in "iufb":
            return None
        return f"{target.called} holds {y.dtype} labels; use {_for('classes')}"
    each = y.dtype.kind in "iuf" and y.ndim == 1 and MOST_WHOLE_CLASSES < len(y) == len(np.unique(y))
    if each or (y.dtype.kind == "f" and (y % 1 != 0).any()):
        return f"{target.called} holds numbers that are no classes; use {_for('numbers')}"
    return None


def _for(targets: str) -> str:
    """The losses for a kind of target, in words."""
    return _or([kind.name if kind.alone else kind.written for kind in KINDS if kind.targets == targets])


def _or(words: list[str], last: str = " or ") -> str:
    return ", ".join(words[:-1]) + last + words[-1]
