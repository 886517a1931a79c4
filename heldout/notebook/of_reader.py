"""A table that a reader knows, in place of one whose columns somebody names."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from heldout.errors import BadArgument
from heldout.estimates import criteria
from heldout.predictions.read_predictions import ReadPredictions

_BY_SHARES = ("log", "brier")
_BY_RANKS = ("E_auc", "E_ap")


def as_asked(read: ReadPredictions, loss: Any, metric: Any) -> ReadPredictions:
    """With probabilities as answers, where the loss or the metric is about them.

    Of two classes they are those of the last. Raises BadArgument where there are none.
    """
    name = loss.get("name") if isinstance(loss, Mapping) else loss
    by_rank = isinstance(metric, str) and (metric in _BY_RANKS or criteria.of_metric(metric) in _BY_RANKS)
    if read.answer is None or not (by_rank or name in _BY_SHARES):
        return read
    if read.classes is None or read.shares is None:
        if read.answer.dtype.kind == "f":
            return read
        raise BadArgument(
            "metric" if by_rank else "loss",
            f"{metric if by_rank else name} is about probabilities of classes, and {read.tool} wrote none here",
        )
    notes = (*read.notes, read.shares_note) if read.shares_note and name == "log" else read.notes
    if len(read.classes) == 2:
        return replace(read, answer=read.shares[:, 1], notes=notes)
    return replace(read, answer=np.ones(len(read.shares)), notes=notes)  # `Given.shares` has them


def check_read(read: ReadPredictions, metric: Any, **named: Any) -> None:
    """Raise BadArgument for columns that are `named` although the reader says what a line is, and a metric of many."""
    for argument, value in named.items():
        if value is not None and value is not False:
            raise BadArgument(
                argument,
                f"{argument} is {value!r}, but the table is read as {read.tool} writes it; leave out one of both",
            )
    if metric is not None and read.target not in ("one model", "folds"):
        raise BadArgument("metric", f"metric is {metric!r}, which needs rows that one model, or one of k, answered")
