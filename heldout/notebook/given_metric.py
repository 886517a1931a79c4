"""The terms of a metric that a table of answers says, candidate by candidate."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.losses.of_part import OwnMetric
from heldout.losses.tested_losses import CrossValidated, Tested
from heldout.notebook.by_metric import ByMetric, Metric
from heldout.notebook.given_losses import as_numbers, check_filled, filled, same_kind
from heldout.notebook.long_table import LongTable, Values, gaps
from heldout.parts.weights import Weights


def by_metric(
    table: Any,
    lines: LongTable,
    values: Values,
    label: str,
    metric: Metric,
    weights: Weights | None,
    parts: NDArray[np.int64] | None,
    group: NDArray[np.int64] | None,
) -> tuple[ByMetric, dict[str, Tested]]:
    """The metric, and the terms of each candidate for the answers `values`, shape (L,), one for each row.

    `parts`, shape (N,), is the fold of each row, None for a single part. Raises BadArgument.
    """
    check_filled(lines, "answer", gaps(values))
    labels = filled(lines, "label", lines.column(table, "label", label))
    y = lines.of_rows("label", labels)
    by = ByMetric.of(metric, y, None if weights is None else weights.relative)
    if isinstance(by.metric, OwnMetric):
        said = values if values.dtype.kind in "biuf" and y.dtype.kind in "biuf" else same_kind(lines, values, y)
    else:
        classes = np.unique(y)
        if len(classes) < 2 or (by.needs == "ranks" and len(classes) != 2):
            many = "two classes" if by.needs == "ranks" else "at least two classes"
            raise BadArgument("label", f"metric is {by.metric.metric}, which needs {many}; there are {len(classes)}")
        said = as_numbers(lines, "answer", values) if by.needs == "ranks" else same_kind(lines, values, y)
    found: Values = np.empty((len(lines.candidates), len(lines.rows)), dtype=said.dtype)
    found[lines.candidate, lines.row] = said
    fold = np.zeros(len(y), dtype=np.int64) if parts is None else parts
    observed: dict[str, Tested] = {}
    for name, answers in zip(lines.candidates, found, strict=True):
        terms = np.empty(len(y))
        for part in range(int(fold.max()) + 1):
            rows = np.flatnonzero(fold == part)
            of_part = answers[rows]
            if by.needs == "ranks":
                of_part = np.stack([-of_part, of_part], axis=1)
            terms[rows] = by.terms(of_part, rows)
        seen = (terms, by.loss, 0, group)
        observed[name] = by.observed(Tested(*seen) if parts is None else CrossValidated(*seen, fold=parts))
    return by, observed
