"""`heldout.from_predictions`: what answers or losses that somebody else made say about the candidates."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument, check_whole
from heldout.estimates import methods
from heldout.estimates.e_cv import BY_FOLDS
from heldout.fits import baseline
from heldout.intervals.method import IntervalMethod, check_level, estimate_with
from heldout.losses import Loss
from heldout.losses.tested_losses import CrossValidated, Tested
from heldout.notebook.by_metric import Metric
from heldout.notebook.compared import Compared
from heldout.notebook.given_losses import MISSING, Given, Missing, Names, filled, judged
from heldout.notebook.given_metric import by_metric
from heldout.notebook.long_table import LongTable, gaps
from heldout.notebook.own_folds import divides_a_group
from heldout.parts.dependence import DependenceKind, checked_groups, distinct
from heldout.parts.weights import Weights
from heldout.selection.margin import checked

OF_ONE, OF_FOLDS = "the model that answered each row", "the models of the k folds, one drawn at random"


def from_predictions(
    table: Any,
    *,
    row: str = "row",
    candidate: str = "candidate",
    answer: Names = "answer",
    label: str = "label",
    correct: Names | None = None,
    losses: Names | None = None,
    loss: str | Mapping[str, Any] | Callable[[Any, Any], Any] | None = None,
    loss_max: float | None = None,
    fold: str | None = None,
    group: str | None = None,
    weight: str | None = None,
    metric: Metric | None = None,
    level: float = 0.95,
    compared: int | None = None,
    missing: Missing = "refuse",
    intervals: Mapping[str, str] | None = None,
    margin: float | None = None,
) -> Compared:
    """Compare candidates by answers or losses on rows that they were not trained on, whoever made them.

    Parameters
    ----------
    table : data frame, or mapping of str to array of shape (L,)
        A line for each row and candidate, in any order; or, where `answer`, `correct` or `losses` is a list of columns,
        a line for each row, with a column for each candidate, which is named after it. Several lines of a candidate for
        one row (answers that were sampled again) count by their mean.
    row, candidate : str
        The names of these columns. In a table with a column for each candidate there is no `candidate`, and without a
        column "row" each line is a row.
    answer, label : str, or list of str for the answer
        The columns with the answers and the true labels.
    correct : str or list of str, optional
        In their place, the column that says whether an answer is right: true or false, 1 or 0, or the part of the
        credit that it got, from 0 to 1.
    losses : str or list of str, optional
        In their place, the column with the losses: "loss", if there are no answers.
    loss : str, mapping or callable, optional
        As in `heldout.validate`, for answers; None follows the labels. For "log" and "brier" with two classes an answer
        is the probability of the last of them, in ascending order.
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
    metric : str or callable, optional
        In place of a loss, "auc", "average_precision", "f1" or "balanced_accuracy", or a function of labels, answers
        and `sample_weight` as those of `sklearn.metrics`, which is 1 at best. The estimates are 1 - it, called E_auc
        and so on, in each fold, or on all rows. For "auc" and "average_precision" the labels are of two classes, and an
        answer is a number which is the larger, the likelier is the last of them in ascending order.
    level : float, default 0.95
        The level of the intervals.
    compared : int, optional
        How many candidates were ever compared on these rows; None are those of the table.
    missing : {"refuse", "leave_out", "wrong"}, default "refuse"
        What becomes of an answer that is missing, or has no line: the table is refused, the row is left out for all
        candidates, or the answer counts as an error.
    intervals : mapping of str to str, optional
        As in `heldout.validate`, for a method that needs no further fit.
    margin : float, optional
        As in `heldout.validate`: the largest difference of errors that does not matter.

    Returns
    -------
    Compared
        E_val, or with `fold` E_cv, or 1 - the metric, of each candidate with its interval; who is shown to err more;
        and the bound.

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
    if missing not in MISSING:
        raise BadArgument("missing", f"missing is {missing!r}; it must be one of {', '.join(MISSING)}")
    given = Given.of(table, answer, correct, losses)
    lines = given.lines(table, row, candidate)
    values, every = given.values(table, lines), len(lines.rows)
    if baseline.NAME in lines.candidates:
        raise BadArgument("candidate", baseline.reserved("table has a candidate"))
    least = len(lines.candidates)
    models = least if compared is None else compared
    check_whole(compared=(models, least))
    if missing == "leave_out":
        lines = lines.answered(~gaps(values))
        values = given.values(table, lines)
    elif missing == "refuse":
        lines.check_paired()
    weights = None if weight is None else Weights.of(_of_rows(table, lines, "weight", weight))
    groups = None if group is None else [str(name) for name in _of_rows(table, lines, "group", group).tolist()]
    dependence = checked_groups(groups, len(lines.rows))
    parts = None if fold is None else _parts(_of_rows(table, lines, "fold", fold), dependence.group)
    if metric is not None:
        _check_metric(given, lines, loss, loss_max, missing, intervals, margin)
        by, of_metric = by_metric(table, lines, values, label, metric, weights, parts, dependence.group)
        whose, trained = (OF_ONE, None) if parts is None else (OF_FOLDS, _trained_on(parts))
        return Compared(
            estimates=by.estimates(of_metric, level, whose, trained),
            candidates=lines.candidates,
            rows=lines.rows,
            loss=by.loss,
            level=level,
            models=int(models),
            observed=of_metric,
            weighted=weights is not None,
            left_out=every - len(lines.rows),
            is_mean=False,
        )
    found = judged(table, lines, given, values, label, loss, loss_max, weights, missing)
    by_margin = checked(margin, found.loss)
    observed: dict[str, Tested] = {}
    for name, losses_of_one in zip(lines.candidates, found.losses, strict=True):
        seen = (losses_of_one, found.loss, 0, dependence.group)
        observed[name] = Tested(*seen) if parts is None else CrossValidated(*seen, fold=parts)
    estimate = "E_val" if parts is None else "E_cv"
    method = _method(estimate, found.loss, intervals, grouped=group is not None)
    target, n_train = (OF_ONE, None) if parts is None else (OF_FOLDS, _trained_on(parts))
    return Compared(
        estimates=tuple(
            estimate_with(name, estimate, seen, target, n_train, method, level) for name, seen in observed.items()
        ),
        candidates=lines.candidates,
        rows=lines.rows,
        loss=found.loss,
        level=level,
        models=int(models),
        observed=observed,
        weighted=weights is not None,
        repeated=lines.repeated,
        left_out=every - len(lines.rows),
        counted_wrong=int(gaps(values).sum()) + lines.absent if missing == "wrong" else 0,
        margin=by_margin,
    )


def _check_metric(
    given: Given, lines: LongTable, loss: Any, loss_max: Any, missing: Missing, intervals: Any, margin: Any
) -> None:
    """Raise BadArgument for what a metric of answers and labels does not go with."""
    if given.argument != "answer":
        raise BadArgument(given.argument, f"{given.argument} is given, but a metric is of answers and labels")
    others = {"loss": loss, "loss_max": loss_max, "intervals": intervals, "margin": margin}
    for argument, value in others.items():
        if value is not None:
            raise BadArgument(argument, f"{argument} is {value!r}, which is about a loss; leave out it or metric")
    if missing == "wrong":
        raise BadArgument("missing", "missing is wrong, but no answer is wrong by itself for a metric; use leave_out")
    if lines.repeated:
        raise BadArgument("metric", "metric needs one answer of a candidate to a row, and the table has several")


def _of_rows(table: Any, lines: LongTable, argument: str, name: str) -> NDArray[Any]:
    """What a column says of each row, shape (N,)."""
    return lines.of_rows(argument, filled(lines, argument, lines.column(table, argument, name)))


def _parts(of_rows: NDArray[Any], group: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """The number of each row's fold, shape (N,)."""
    fold = distinct(of_rows)
    if fold.max() == 0:
        raise BadArgument("fold", f"fold has the single value {of_rows[0]}; leave it out, or give at least 2 folds")
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
