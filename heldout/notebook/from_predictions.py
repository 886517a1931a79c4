"""`heldout.from_predictions`: what answers or losses that somebody else made say about the candidates."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout import defaults
from heldout.errors import BadArgument, TargetWarning, check_whole
from heldout.estimates import methods
from heldout.estimates.e_cv import of_folds_alone
from heldout.fits import baseline
from heldout.intervals.method import IntervalMethod, check_level, estimate_with
from heldout.losses import Loss, Losses
from heldout.losses.cells import Cells
from heldout.losses.origins import Origins
from heldout.losses.strata import of_strata
from heldout.losses.tested_losses import Tested
from heldout.notebook.by_metric import ByMetric, Metric
from heldout.notebook.class_columns import check_about_one_class, less_likely, not_predicted, sorted_values
from heldout.notebook.compared_models import Compared
from heldout.notebook.given_folds import GivenFolds
from heldout.notebook.given_losses import MISSING, ROW, Given, Missing, Name, Names, filled, judged
from heldout.notebook.given_metric import by_metric
from heldout.notebook.given_windows import BLOCK, CUTOFF, WINDOW, in_windows
from heldout.notebook.of_reader import as_asked, check_read
from heldout.notebook.taken import Taken, answers_called
from heldout.notebook.unnamed_columns import (
    check_is_no_value,
    check_named,
    check_same_rows,
    folds_perhaps,
    starts_again,
)
from heldout.notebook.whose_answers import NO_FOLDS_FOR_A_METRIC, OF_UNKNOWN_FOLDS, WHOSE, Whose
from heldout.predictions import recognise
from heldout.predictions.long_table import REMEDY, LongTable, by_text, column, gaps
from heldout.predictions.read_predictions import ReadPredictions, Target
from heldout.predictions.source import Source
from heldout.records import Estimate
from heldout.rows.aligned_rows import aligned
from heldout.rows.class_order import last_of_two
from heldout.selection.diebold_mariano import enough
from heldout.selection.margin import checked
from heldout.splits.dependence import checked_groups, distinct
from heldout.splits.weights import Weights

_HALF, _FAR = 0.5, 0.7  # of 1 - AUC


def from_predictions(
    table: Any,
    *,
    row: str | None = ROW,
    candidate: str = "candidate",
    answer: Names = "answer",
    label: Name = "label",
    correct: Names | None = None,
    losses: Names | None = None,
    loss: str | Mapping[str, Any] | Callable[[Any, Any], Any] | None = None,
    loss_max: float | None = None,
    fold: str | None = None,
    repeat: str | None = None,
    group: str | None = None,
    weight: str | None = None,
    metric: Metric | None = None,
    level: float = defaults.LEVEL,
    compared: int | None = None,
    missing: Missing = "refuse",
    intervals: Mapping[str, str] | None = None,
    margin: float | None = None,
    format: str | None = None,
    progressive: bool = False,
    time: str | None = None,
    series: str | None = None,
    cutoff: str | None = None,
    stratum: str | None = None,
) -> Compared:
    """Compare candidates by answers or losses on rows that they were not trained on, whoever made them.

    A table of a tool that is known (`heldout.predictions.readers`) needs no names of columns: it is read by the tool's
    conventions where neither `answer` nor another of the columns that say what a line is has been named.

    Parameters
    ----------
    table : data frame, or mapping of str to array of shape (L,)
        A line for each row and candidate, in any order; or, where `answer`, `correct` or `losses` is a list of columns,
        a line for each row, with a column for each candidate, which is named after it. Several lines of a candidate for
        one row (answers that were sampled again) count by their mean. Series of pandas in a mapping are put together by
        their labels (`heldout.rows.aligned_rows`).
    row, candidate : str
        The names of these columns. In a table with a column for each candidate there is no `candidate`. With `row` None
        each line is a row of its own; so it is without a column "row" in a table of one candidate, or with a column for
        each, unless some column may say otherwise: then the table is refused until it is named, or `row` is None.
    answer, label : str, or list of str for the answer
        The columns with the answers and the true labels.
    correct : str or list of str, optional
        In their place, the column that says whether an answer is right: true or false, 1 or 0, or the part of the
        credit that it got, from 0 to 1.
    losses : str or list of str, optional
        In their place, the column with the losses: "loss", if there are no answers.
    loss : str, mapping or callable, optional
        As in `heldout.validate`, for answers; None follows the labels. For "log" and "brier" with two classes an answer
        is the probability of the last of them, in ascending order; where the column of a long table is named after the
        first one (`no`, `p_no`, `.pred_no`), of that.
    loss_max : float, optional
        As in `heldout.validate`; with it losses that are given have a bound.
    fold : str, optional
        The column with the part of the rows whose model answered a row, where each part was answered by a model that
        was trained on all other parts. None where one model answered all rows.
    repeat : str, optional
        The column with the number of the partition into folds, where rows were partitioned again and again: each must
        test every row once. The loss of a row is its mean. Without `fold`, the number of the answer, where one model
        answered each row several times.
    group : str, optional
        The column with the name of each row's group, where rows of a group are alike. With `fold`, no group may be in
        two folds.
    weight : str, optional
        The column with how many rows of the population a row stands for.
    metric : str or callable, optional
        In place of a loss, "auc", "average_precision", "f1", "balanced_accuracy", "mcc" (Matthews' correlation),
        "kappa", "recall", "precision" or "specificity"; of numbers "r2"; or a function or a scorer as in
        `Validation.metric`. The estimates are 1 - it, or it itself where less is better, called E_auc and so on, in
        each fold, or on all rows. For "auc" and "average_precision" the labels are of two classes, and an answer is a
        number which is the larger, the likelier is the one that its column is named after, or else the last of them,
        in ascending order, or that of an ordered category or an Enum.
    level : float, default 0.95
        The level of the intervals.
    compared : int, optional
        How many candidates were ever compared on these rows; None are those of the table.
    missing : {"refuse", "leave_out", "wrong"}, default "refuse"
        What becomes of an answer that is missing, or has no line: the table is refused, the row is left out for all
        candidates, or the answer counts as an error. `?` is missing, and so is an answer where the columns of all
        classes are 0. Rows without a label are refused, or left out.
    intervals : mapping of str to str, optional
        As in `heldout.validate`, for a method that needs no further fit.
    margin : float, optional
        As in `heldout.validate`: the largest difference of errors, or of 1 - the metric, that does not matter.
    format : str, optional
        The tool that wrote the table, such as "caret", where it is to be read by its conventions and nobody could tell.
    progressive : bool, default False
        Whether each row was answered by a model that was trained on the rows before it, in the order of the lines: the
        estimate is E_prog.
    time : str, optional
        The column by which the rows of a progressive table are in order; with `cutoff`, the time that was forecast.
    series, cutoff : str, optional
        The columns with the series of a forecast, where there are several, and the time up to which the data went that
        it was made from. The three are the name of a row; windows overlap, and rows of consecutive times are alike
        (`heldout.predictions.windows`); differences are those of Diebold and Mariano.
    stratum : str, optional
        The column with the task of each row: the error is the mean over tasks, each of which counts alike, with the
        variance within tasks (`heldout.losses.strata`).

    Returns
    -------
    Compared
        E_val, or with `fold` E_cv, or the error by the metric, of each candidate with its interval; who is shown to err
        more; the bound; and what the lines of the table were `taken` for.

    Raises
    ------
    BadArgument
        For a table that lacks a column, a line or a value, columns that may say what a line is and were not named,
        lines of a row that say different things, a partition twice, probabilities of whatever class was predicted,
        series of other labels, columns of candidates that are named after classes, and other arguments outside their
        limits.

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
    if isinstance(table, Mapping):
        in_order = aligned({f"table[{name!r}]": values for name, values in table.items()})
        table = dict(zip(table, in_order.values(), strict=True))
    said = {"row": row, "candidate": candidate, "answer": answer, "label": label, "correct": correct, "losses": losses}
    read = table if isinstance(table, ReadPredictions) else None
    if read is None:
        said |= {"fold": fold, "repeat": repeat, "format": format, "progressive": progressive or None}
        read = recognise.read([Source.of(table)], said)
    if read is not None:
        check_read(read, metric, group=group, weight=weight, time=time, series=series, cutoff=cutoff, stratum=stratum)
        read = as_asked(read, loss, metric)
        loss = "squared" if read.numbers and loss is None and metric is None else loss
        table, row, candidate, answer, label = read.table(), ROW, "candidate", "answer", "label"
        correct, losses, fold, repeat, group, stratum = (
            name if name in table else None for name in ("correct", "losses", "fold", "repeat", "group", "stratum")
        )
    windows, overlap = None, 1 if read is None else read.overlap
    if read is not None and read.cutoff is not None:
        cutoff = "cutoff"
    elif cutoff is not None:
        _check_windows(row, fold, repeat, group, stratum, metric, time)
        table, windows = in_windows(table, str(time), series, cutoff)
        row, group, cutoff, overlap = WINDOW, None if windows.few else BLOCK, CUTOFF, windows.overlap
    elif series is not None:
        raise BadArgument("series", f"series is {series!r}, which is of forecasts: name their time and cutoff too")
    target: Target = "windows" if windows is not None else _target(read, progressive, fold, time)
    given = Given.of(table, answer, correct, losses)
    given.check_has(table, candidate)
    label = str(label)
    judged_by = label if given.argument == "answer" else None
    named_by = given.named_by(table, row, candidate)
    roles = (named_by, candidate, label, fold, repeat, group, weight, time, series, cutoff, stratum)
    used = {str(name) for name in roles if name is not None}
    used.update(given.names)
    lines = given.lines(table, named_by, candidate)
    if judged_by is not None and read is None:
        given = replace(given, last=last_of_two(table[by_text(table)[label]]))
    if target == "progressive":
        lines = lines.in_order_of(lines.source if time is None else lines.column(table, "time", time))
    if judged_by is not None and read is None:
        given = _checked_answers(table, given, label, used, missing)
    if read is None:
        if windows is not None:
            used |= {WINDOW, BLOCK, CUTOFF, *windows.names}
        check_same_rows(table, lines, used)
        check_named(table, lines, used, judged_by, named_by is None and row is not None, group is not None)
    elif read.shares is not None and len(read.shares[0]) > 2:
        given = replace(given, classes=read.classes, shares=read.shares)
    values, every = given.values(table, lines), len(lines.rows)
    if baseline.NAME in lines.candidates:
        raise BadArgument("candidate", baseline.reserved("table has a candidate"))
    least = len(lines.candidates)
    models = least if compared is None else compared
    check_whole(compared=(models, least))
    if missing == "leave_out":
        known = True if judged_by is None else ~gaps(lines.column(table, "label", label))
        lines = lines.answered(~gaps(values) & known)
        values = given.values(table, lines)
    elif missing == "refuse":
        lines.check_paired()
    weights = None if weight is None else Weights.of(_of_rows(table, lines, "weight", weight))
    groups = None if group is None else [str(name) for name in _of_rows(table, lines, "group", group).tolist()]
    folds = GivenFolds.of(table, lines, fold, repeat, checked_groups(groups, len(lines.rows)).group)
    of_partitions = [values if of is lines else given.values(table, of) for of in folds.lines]
    folds.check_no_copies(of_partitions)
    if read is not None and read.folds_unknown:
        folds = folds.of_two()
    whose = WHOSE[target] if folds.known else OF_UNKNOWN_FOLDS
    no_interval = read.no_interval if read is not None and read.no_interval else whose.no_interval
    if target == "windows" and group is not None:
        no_interval = "" if read is None else read.no_interval
    elif windows is not None:
        no_interval = windows.few
    if metric is not None and not folds.known:
        folds, no_interval = replace(folds, fold=()), NO_FOLDS_FOR_A_METRIC
    strata = _strata(table, lines, stratum, weight, group)
    if len(single := np.flatnonzero(np.bincount(strata.of_row) == 1)) and not no_interval:
        no_interval = f"{strata.names[single[0]]} has a single row, which shows no variance within it"
    if no_interval:
        folds = replace(folds, group=np.zeros(len(lines.rows), dtype=np.int64))
    made = partial(
        Compared,
        candidates=lines.candidates,
        rows=lines.rows,
        level=level,
        models=int(models),
        weighted=weights is not None,
        left_out=every - len(lines.rows),
        read=read,
        no_bound=whose.no_bound,
        no_interval=no_interval,
        is_of_windows=target == "windows",
    )
    if metric is not None:
        _check_metric(given, folds, loss, loss_max, missing, intervals, stratum)
        by, terms, answers = by_metric(table, folds, given, label, metric, weights)
        seen = _observed(lines, folds, terms, by.loss)
        observed = {name: by.observed(of, answers[place]) for place, (name, of) in enumerate(seen.items())}
        estimates = by.estimates(observed, level, whose.target, folds.n_train, folds.kind)
        _ask_about_ranks(estimates, by, given, lines.column(table, "label", label))
        taken = _taken(table, lines, named_by, given, folds, used, by.loss, judged_by, by.needs, whose)
        return made(
            estimates=estimates,
            loss=by.loss,
            observed=observed,
            is_mean=False,
            taken=taken,
            margin=checked(margin, by.loss),
        )
    found = [
        judged(table, of, given, said, label, loss, loss_max, weights, missing)
        for of, said in zip(folds.lines, of_partitions, strict=True)
    ]
    judging = next((one.loss for one in found if not one.loss.binary), found[0].loss)
    by_margin = checked(margin, judging)
    counted = None if weights is None else weights.of_errors
    observed = _observed(lines, folds, [one.losses for one in found], judging, counted, found[0].cells)
    if target == "windows" and cutoff is not None:
        origins = Origins(distinct(_of_rows(table, lines, "cutoff", cutoff)), overlap)
        if enough(origins):
            observed = {name: replace(seen, origins=origins) for name, seen in observed.items()}
    if stratum is not None:
        observed, judging = of_strata(observed, strata.of_row), judging.with_weights()
    method = None if no_interval else _method(whose.estimate, judging, intervals, folds)
    return made(
        estimates=tuple(
            estimate_with(name, whose.estimate, seen, whose.target, folds.n_train, method, level)
            for name, seen in observed.items()
        ),
        loss=judging,
        observed=observed,
        taken=_taken(table, lines, named_by, given, folds, used, judging, judged_by, judging.needs, whose),
        counted_wrong=int(gaps(values).sum()) + lines.absent if missing == "wrong" else 0,
        margin=by_margin,
        strata=tuple(np.bincount(strata.of_row).tolist()),
    )


def _ask_about_ranks(estimates: Sequence[Estimate], by: ByMetric, given: Given, y: NDArray[Any]) -> None:
    """Warn of an AUC so far below 1/2 that the numbers seem to be about the other class."""
    classes = sorted_values(y)
    if by.name != "E_auc" or len(classes) != 2:
        return
    for one in estimates:
        if (_FAR if one.low is None else one.low) > _HALF and one.value > _FAR:
            of = classes.tolist()[0 if given.about_first(classes) else 1]
            warnings.warn(
                f"{one.candidate} has an AUC of {1 - one.value:.3g}, far below 0.5: are its numbers larger where the "
                f"other class is likelier? They are taken to be larger where {of!r} is; name their column after its "
                "class, as p_yes, if that is wrong",
                TargetWarning,
                stacklevel=3,
            )


@dataclass(frozen=True, eq=False)
class _Strata:
    """The number of each row's stratum, shape (N,), and the `names` of strata; none without a column."""

    of_row: NDArray[np.int64]
    names: tuple[str, ...] = ()


def _strata(table: Any, lines: LongTable, stratum: str | None, weight: str | None, group: str | None) -> _Strata:
    """Raises BadArgument for weights and groups, by which the variance within strata would be another."""
    if stratum is None:
        return _Strata(np.zeros(0, dtype=np.int64))
    for argument, value in (("weight", weight), ("group", group)):
        if value is not None:
            raise BadArgument("stratum", f"stratum is {stratum!r}, and {argument} is {value!r}; leave out one of both")
    values = _of_rows(table, lines, "stratum", stratum)
    of_row = distinct(values)
    first = np.unique(of_row, return_index=True)[1]
    return _Strata(of_row, tuple(str(name) for name in values[first].tolist()))


def _target(read: ReadPredictions | None, progressive: bool, fold: str | None, time: str | None) -> Target:
    """Whose answers they are. Raises BadArgument for a stream in folds, and a time where rows are in no order."""
    target: Target = read.target if read is not None else "one model" if fold is None else "folds"
    if time is not None and not progressive:
        raise BadArgument(
            "time",
            f"time is {time!r}, which orders the rows of a stream (set progressive too), or of forecasts (cutoff)",
        )
    if not progressive:
        return target
    if target not in ("one model", "progressive"):
        raise BadArgument("progressive", "progressive: a row of a stream is in no fold and no resample; leave out one")
    return "progressive"


def _check_windows(row: Any, fold: Any, repeat: Any, group: Any, stratum: Any, metric: Any, time: str | None) -> None:
    """Raise BadArgument for what forecasts from cutoffs do not go with."""
    if time is None:
        raise BadArgument("time", "time is not named, but cutoff is: name the column with the time that was forecast")
    others = {"fold": fold, "repeat": repeat, "group": group, "stratum": stratum, "metric": metric}
    if row not in (None, ROW):
        others["row"] = row
    for argument, value in others.items():
        if value is not None:
            raise BadArgument(
                argument,
                f"{argument} is {value!r}, but rows are named by series, time and cutoff; leave out one of both",
            )


def _checked_answers(table: Any, given: Given, label: str, used: set[str], missing: Missing) -> Given:
    """The columns of the answers, without the lines that hold none. Raises BadArgument for answers that are no answers.

    `used` are the names of the columns that have a role.
    """
    if label in given.names:
        raise BadArgument(
            "label", f"label is {label!r}, and so is answer: the error would be 0; name the column of each"
        )
    check_is_no_value(table, given.names, label)
    y = column(table, "label", label)
    for name in given.names:
        check_about_one_class(table, name, column(table, "answer", name), y, used)
    found = not_predicted(table, y, {label, *(given.names if len(given.names) > 1 else ())})
    if found is None:
        return given
    gone, named = found
    if missing == "refuse":
        raise BadArgument(
            "answer",
            f"{', '.join(named)} are all 0 in {gone.sum()} of {len(gone)} lines, the first of which is line "
            f"{gone.argmax()}: no model predicted these rows; {REMEDY}",
        )
    return replace(given, gone=gone)


def _taken(
    table: Any,
    lines: LongTable,
    named_by: str | None,
    given: Given,
    folds: GivenFolds,
    used: set[str],
    loss: Loss,
    label: str | None,
    needs: str,
    whose: Whose,
) -> Taken:
    """What the lines were taken for."""
    classes = () if label is None else sorted_values(lines.column(table, "label", label))
    unlikely = (0, "")
    if label is not None and len(given.names) == 1 and loss.of_classes:
        unlikely = less_likely(table, column(table, "answer", given.names[0]), label)
    return Taken.of(
        lines,
        named_by,
        answers_called(given, loss, classes, needs, unlikely),
        folds=folds.k,
        partitions=len(folds.lines),
        perhaps=() if folds.fold else folds_perhaps(table, used),
        words=whose.words,
        starts_again=not whose.words
        and folds.lines[0].repeated
        and named_by is not None
        and starts_again(column(table, "row", named_by)),
    )


def _observed(
    lines: LongTable,
    folds: GivenFolds,
    losses: Sequence[Losses],
    loss: Loss,
    weights: Losses | None = None,
    cells: Cells | None = None,
) -> dict[str, Tested]:
    """What was observed of each of M candidates, from their losses in each partition, shape (M, N), and the weights."""
    of_each = zip(lines.candidates, zip(*losses, strict=True), strict=True)
    return {name: folds.observed(of_one, loss, weights, cells) for name, of_one in of_each}


def _check_metric(
    given: Given, folds: GivenFolds, loss: Any, loss_max: Any, missing: Missing, intervals: Any, stratum: Any
) -> None:
    """Raise BadArgument for what a metric of answers and labels does not go with."""
    if given.argument != "answer":
        raise BadArgument(given.argument, f"{given.argument} is given, but a metric is of answers and labels")
    others = {"loss": loss, "loss_max": loss_max, "intervals": intervals, "stratum": stratum}
    for argument, value in others.items():
        if value is not None:
            raise BadArgument(
                argument, f"{argument} is {value!r}, which is about the mean of a loss; leave out it or metric"
            )
    if missing == "wrong":
        raise BadArgument("missing", "missing is wrong, but no answer is wrong by itself for a metric; use leave_out")
    if any(lines.repeated for lines in folds.lines):
        raise BadArgument("metric", "metric needs one answer of a candidate to a row, and the table has several")


def _of_rows(table: Any, lines: LongTable, argument: str, name: str) -> NDArray[Any]:
    """What a column says of each row, shape (N,)."""
    return lines.of_rows(argument, filled(lines, argument, lines.column(table, argument, name)))


def _method(estimate: str, loss: Loss, intervals: Mapping[str, str] | None, folds: GivenFolds) -> IntervalMethod | None:
    """The interval of an estimate: as it was chosen, or from the losses of the table alone."""
    chosen: dict[str, str] = {}
    if len(folds.fold) == 1 and folds.group is None:
        chosen = {"E_cv": of_folds_alone(loss).name}
    return methods.choose({**chosen, **(intervals or {})}, loss, folds.kind, cross_validated=False).get(estimate)
