"""The terms of a metric that a table of answers says, candidate by candidate."""

from dataclasses import replace
from typing import Any

import numpy as np

from heldout.errors import BadArgument
from heldout.losses import Losses
from heldout.losses.set_metrics import OwnMetric, SetMetric
from heldout.notebook.by_metric import ByMetric, Metric
from heldout.notebook.given_folds import GivenFolds
from heldout.notebook.given_losses import Given, as_numbers, check_filled, filled, same_kind
from heldout.predictions.long_table import LongTable, Values, gaps
from heldout.splits.weights import Weights


def by_metric(
    table: Any, folds: GivenFolds, given: Given, label: str, metric: Metric, weights: Weights | None
) -> tuple[ByMetric, list[Losses], Values]:
    """The metric, the terms of M candidates in each partition, shape (M, N), one answer for each row, and the answers.

    The answers are those of the first partition, shape (M, N).

    Raises BadArgument.
    """
    first = folds.lines[0]
    y = first.of_rows("label", filled(first, "label", first.column(table, "label", label)))
    by = ByMetric.of(metric, y, None if weights is None else weights.relative)
    own = isinstance(by.metric, OwnMetric)
    if own:  # it gets the answers as they are, also those that a scorer ranks rows by
        by = replace(by, needs="answer")
    classes = None if own else np.unique(y)
    if classes is not None and (len(classes) < 2 or (by.needs == "ranks" and len(classes) != 2)):
        many = "two classes" if by.needs == "ranks" else "at least two classes"
        raise BadArgument("label", f"metric is {by.name[2:]}, which needs {many}; there are {len(classes)}")
    whole = np.zeros(len(y), dtype=np.int64)
    terms, numbers, said_first = [], False, None
    for lines, fold in zip(folds.lines, folds.fold or (whole,), strict=True):
        answers = _answers(lines, given, given.values(table, lines), y, by)
        if len(folds.lines) == 1 and folds.kind is None:
            by = by.in_parts([np.flatnonzero(fold == part) for part in range(int(fold.max()) + 1)], [*answers])
        said_first = answers if said_first is None else said_first
        numbers |= (
            classes is None
            and not isinstance(by.metric, SetMetric)
            and not by.metric.is_known
            and answers.dtype.kind in "fiu"
            and not np.isin(answers, y).all()
        )
        of_all = np.empty((len(answers), len(y)))
        for part in range(int(fold.max()) + 1):
            rows = np.flatnonzero(fold == part)
            for number, said in enumerate(answers[:, rows]):
                of_all[number, rows] = by.terms(np.stack([-said, said], axis=1) if by.needs == "ranks" else said, rows)
        terms.append(of_all)
    by.check_direction(("answer", "ranks") if len(np.unique(y)) == 2 else ("answer",))
    return replace(by, needs="ranks") if numbers else by, terms, said_first  # type: ignore[return-value]  # not None


def _answers(lines: LongTable, given: Given, values: Values, y: Values, by: ByMetric) -> Values:
    """What M candidates answer, shape (M, N), as the metric asks for it."""
    check_filled(lines, "answer", gaps(values))
    if by.needs == "ranks":
        said = as_numbers(lines, "answer", values)
        said = -said if given.about_first(np.unique(y)) else said
    elif isinstance(by.metric, OwnMetric) and by.metric.slopes is not None:
        said = as_numbers(lines, "answer", values)
    elif isinstance(by.metric, OwnMetric) and not by.of_classes and values.dtype.kind in "biuf":
        said = _about_last(values, np.unique(y), given)
    else:
        said = same_kind(lines, values, y)
    found: Values = np.empty((len(lines.candidates), len(lines.rows)), dtype=said.dtype)
    found[lines.candidate, lines.row] = said
    return found


def _about_last(values: Values, classes: Values, given: Given) -> Values:
    """What a function gets: labels and numbers as they are, and what ranks the rows about the last of two classes."""
    if len(classes) != 2 or np.isin(values, classes).all() or not given.about_first(classes):
        return values
    turned: Values = 1 - values if ((values >= 0) & (values <= 1)).all() else -values
    return turned
