"""`heldout.from_predictions`: what answers or losses that somebody else made say about the candidates."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument, check_whole
from heldout.estimates import methods
from heldout.estimates.e_cv import BY_FOLDS
from heldout.fits import baseline
from heldout.intervals.method import IntervalMethod, check_level, estimate_with
from heldout.losses import ABSOLUTE, ZERO_ONE, Loss, Losses, choose_loss
from heldout.losses.tested_losses import CrossValidated, Tested
from heldout.notebook.compared import Compared
from heldout.notebook.long_table import LongTable, Values, column, columns, gaps
from heldout.notebook.own_folds import divides_a_group
from heldout.parts.dependence import DependenceKind, checked_groups, distinct
from heldout.parts.weights import Weights

LOSS = "loss"  # the column that takes the place of answers and labels
OF_ONE, OF_FOLDS = "the model that answered each row", "the models of the k folds, one drawn at random"


def from_predictions(
    table: Any,
    *,
    row: str = "row",
    candidate: str = "candidate",
    answer: str = "answer",
    label: str = "label",
    loss: str | Mapping[str, Any] | Callable[[Any, Any], Any] | None = None,
    loss_max: float | None = None,
    fold: str | None = None,
    group: str | None = None,
    weight: str | None = None,
    level: float = 0.95,
    compared: int | None = None,
    intervals: Mapping[str, str] | None = None,
) -> Compared:
    """Compare candidates by answers or losses on rows that they were not trained on, whoever made them.

    Parameters
    ----------
    table : data frame, or mapping of str to array of shape (L,)
        A line for each row and candidate, in any order, with the columns `answer` and `label`, or a column "loss" in
        their place. Several lines of a candidate for one row (answers that were sampled again) count by their mean.
    row, candidate, answer, label : str
        The names of these columns.
    loss : str, mapping or callable, optional
        As in `heldout.validate`, for answers that are classes or numbers; None follows the labels.
    loss_max : float, optional
        As in `heldout.validate`; with it losses that are given have a bound.
    fold : str, optional
        The column with the part of the rows whose model answered a row, where each part was answered by a model that
        was trained on all other parts. None where one model answered all rows.
    group : str, optional
        The column with the name of each row's group, where rows of a group are alike. With `fold`, no group may be in
        two folds.
    weight : str, optional
        The column with how many rows of the population a row stands for.
    level : float, default 0.95
        The level of the intervals.
    compared : int, optional
        How many candidates were ever compared on these rows; None are those of the table.
    intervals : mapping of str to str, optional
        As in `heldout.validate`, for a method that needs no further fit.

    Returns
    -------
    Compared
        E_val, or with `fold` E_cv, of each candidate with its interval; who is shown to err more; and the bound.

    Raises
    ------
    BadArgument
        For a table that lacks a column, a line or a value, lines of a row that say different things, and other
        arguments outside their limits.

    Examples
    --------
    >>> import heldout
    >>> answers = {"ada": "aabab", "bob": "abbbb"}
    >>> lines = [(name, place, given) for name, texts in answers.items() for place, given in enumerate(texts)]
    >>> who, places, given = zip(*lines)
    >>> table = {"candidate": who, "row": places, "answer": given, "label": [*"aabaa", *"aabaa"]}
    >>> [(one.candidate, one.estimate, round(one.value, 1)) for one in heldout.from_predictions(table).estimates]
    [('ada', 'E_val', 0.2), ('bob', 'E_val', 0.6)]
    """
    check_level(level)
    lines = LongTable.of(column(table, "row", row), column(table, "candidate", candidate))
    if baseline.NAME in lines.candidates:
        raise BadArgument("candidate", baseline.reserved("table has a candidate"))
    least = len(lines.candidates)
    models = least if compared is None else compared
    check_whole(compared=(models, least))
    weights = None if weight is None else Weights.of(lines.of_rows("weight", column(table, "weight", weight)))
    judged = _judged(table, lines, answer, label, loss, loss_max, weights)
    groups = None if group is None else lines.of_rows("group", _named(lines, "group", column(table, "group", group)))
    dependence = checked_groups(groups, len(lines.rows))
    parts = None if fold is None else _parts(lines, column(table, "fold", fold), dependence.group)
    observed: dict[str, Tested] = {}
    for name, losses in zip(lines.candidates, judged.losses, strict=True):
        seen = (judged.loss, 0, dependence.group)
        observed[name] = Tested(losses, *seen) if parts is None else CrossValidated(losses, *seen, fold=parts)
    estimate = "E_val" if parts is None else "E_cv"
    method = _method(estimate, judged.loss, intervals, grouped=group is not None)
    target, n_train = (OF_ONE, None) if parts is None else (OF_FOLDS, _trained_on(parts))
    return Compared(
        estimates=tuple(
            estimate_with(name, estimate, seen, target, n_train, method, level) for name, seen in observed.items()
        ),
        candidates=lines.candidates,
        rows=lines.rows,
        loss=judged.loss,
        level=level,
        models=int(models),
        observed=observed,
        weighted=weights is not None,
    )


@dataclass(frozen=True, eq=False)
class _Judged:
    """The losses of M candidates on N rows, shape (M, N), and the loss that they are values of."""

    losses: Losses
    loss: Loss


def _judged(
    table: Any,
    lines: LongTable,
    answer: str,
    label: str,
    spec: str | Mapping[str, Any] | Callable[[Any, Any], Any] | None,
    loss_max: float | None,
    weights: Weights | None,
) -> _Judged:
    """From the column of losses where there is one and no answers, or else from answers and labels."""
    if LOSS in columns(table) and answer not in columns(table):
        if spec is not None:
            raise BadArgument("loss", f"loss is {spec!r}, but table has the losses themselves; leave out one of both")
        values = _numbers(lines, LOSS, column(table, LOSS, LOSS))
        if len(below := np.flatnonzero(values < 0)):
            raise BadArgument(LOSS, f"loss is {values[below[0]]:g} at {lines.line(below[0])}; no loss is below 0")
        loss = _of_values(values, loss_max)
        loss = loss if weights is None else loss.weighted()
    else:
        given = _filled(lines, "answer", column(table, "answer", answer))
        labels = _filled(lines, "label", column(table, "label", label))
        y = lines.of_rows("label", labels)
        loss = choose_loss(spec, y, None if weights is None else weights.values, label, loss_max)
        if loss.needs == "probabilities":
            raise BadArgument(
                "loss",
                f"loss is {loss.name}, which needs the probability of every class; give its values as column "
                f"{LOSS!r} in place of {answer!r}",
            )
        values = loss.pointwise(labels, _answers(lines, given, y, loss))
    losses = lines.mean(values)
    loss.check_losses(losses.max(axis=0), np.arange(len(lines.rows)), "a candidate")
    if lines.repeated and loss.binary and not np.isin(losses, (0.0, 1.0)).all():
        loss = replace(loss, binary=False)  # the means of several lines: still between 0 and 1
    return _Judged(losses if weights is None else losses * weights.relative, loss)


def _of_values(values: Losses, loss_max: float | None) -> Loss:
    """The loss that some values are of: 0 and 1 are errors, and of others no limit is known unless it is stated."""
    if loss_max is None and np.isin(values, (0.0, 1.0)).all():
        return ZERO_ONE
    given = replace(
        ABSOLUTE, name="given", says="the losses of the table", power=0, mean_called="", disagreement_loss=None
    )
    return given if loss_max is None else given.limited(loss_max)


def _answers(lines: LongTable, given: Values, y: Values, loss: Loss) -> Values:
    """The answers as values of the kind of the labels."""
    if not loss.of_classes:
        return _numbers(lines, "answer", given)
    kinds = {values.dtype.kind in "biuf" for values in (given, y)}
    if kinds == {True}:
        if len(apart := np.flatnonzero((given % 1 != 0) & ~np.isin(given, y))):
            raise BadArgument(
                "answer",
                f"answer is {given[apart[0]]} at {lines.line(apart[0])}, which is no class, but the labels are: "
                "give classes, or name a loss of numbers",
            )
        if not np.isin(given, y).any():
            raise BadArgument("answer", f"answer is {given[0]} at {lines.line(0)}, and no answer at all is a label")
        return given
    known = set(map(str, y.tolist()))
    texts = np.array([str(value) for value in given.tolist()], dtype=object)
    if known.isdisjoint(texts):
        raise BadArgument("answer", f"answer is {texts[0]} at {lines.line(0)}, and no answer at all is a label")
    by_text = {str(value): value for value in y.tolist()}
    return np.array([by_text.get(text, text) for text in texts], dtype=object)


def _filled(lines: LongTable, argument: str, values: Values) -> Values:
    if len(empty := np.flatnonzero(gaps(values))):
        raise BadArgument(
            argument, f"{argument} is missing at {lines.line(empty[0])}, and in {len(empty)} lines; leave out such rows"
        )
    return values


def _named(lines: LongTable, argument: str, values: Values) -> Values:
    return np.array([str(value) for value in _filled(lines, argument, values).tolist()], dtype=object)


def _numbers(lines: LongTable, argument: str, values: Values) -> NDArray[np.float64]:
    """The values as finite numbers. Raises BadArgument with the first that is none."""
    try:
        numbers = values.astype(np.float64)
    except (TypeError, ValueError):
        raise BadArgument(argument, f"{argument} holds {values[0]!r}; it must hold numbers") from None
    if len(bad := np.flatnonzero(~np.isfinite(numbers))):
        raise BadArgument(
            argument, f"{argument} is {numbers[bad[0]]} at {lines.line(bad[0])}; it must be a finite number"
        )
    return numbers


def _parts(lines: LongTable, values: Values, group: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """The number of each row's fold, shape (N,)."""
    fold = distinct(lines.of_rows("fold", _filled(lines, "fold", values)))
    if fold.max() == 0:
        raise BadArgument("fold", f"fold has the single value {values[0]}; leave it out, or give at least 2 folds")
    if group is not None and divides_a_group(fold, group):
        raise BadArgument("fold", "fold: rows of a group are in several folds, so that their models saw the group")
    return fold


def _method(estimate: str, loss: Loss, intervals: Mapping[str, str] | None, *, grouped: bool) -> IntervalMethod | None:
    """The interval of an estimate: as it was chosen, or from the losses of the table alone."""
    chosen = {"E_cv": next(one.name for one in BY_FOLDS if one.admits(loss))} if estimate == "E_cv" else {}
    kind: DependenceKind | None = "groups" if grouped else None
    return methods.choose({**chosen, **(intervals or {})}, loss, kind, cross_validated=False).get(estimate)


def _trained_on(fold: NDArray[np.int64]) -> int:
    """The mean number of rows that the model of a fold was trained on."""
    return round(len(fold) * (1 - 1 / (int(fold.max()) + 1)))
