"""What is measured of one hypothesis on its test set: lines of metrics.csv, and the confusion matrix.

Each line has a number, or the reason why there is none. The intervals of `METRICS` are their own; a mean of losses, and
the error of each class, has the default interval of E_test for its loss. Every interval has the level by itself: among
many slices some miss.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.estimates import methods
from heldout.intervals.method import IntervalMethod, estimate_with
from heldout.losses import ZERO_ONE
from heldout.losses.loss import Classes
from heldout.losses.ratio import weighed
from heldout.losses.tested_losses import Tested
from heldout.metrics import METRICS
from heldout.metrics.metric import Answered, Metric
from heldout.records import Measured
from heldout.splits.dependence import DependenceKind

NO_PROBABILITIES = "the model gives no probabilities"
_FEW = "too few rows or groups for an interval"


@dataclass(frozen=True)
class TestMetrics:
    """The lines of metrics.csv; and of classes the `confusion` matrix, shape (C, C): actual by predicted, in rows.

    `answered` is what they were measured of, for the curves of `heldout.diagnosis.curves`.
    """

    __test__ = False  # for pytest, which collects what is called so

    lines: tuple[Measured, ...] = ()
    classes: Classes | None = field(default=None, compare=False)
    confusion: NDArray[np.int64] | None = field(default=None, compare=False)
    answered: Answered | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, eq=False)
class TestedRows:
    """The tested rows: what was `answered`, the losses as they were `tested`, and the level.

    `method` is the interval of a mean loss, `kind` how the rows depend. `called` is the name of the target, `lacking`
    the reason why there are no probabilities, or no scores in place of them.
    """

    candidate: str
    answered: Answered
    tested: Tested
    method: IntervalMethod | None
    level: float
    kind: DependenceKind | None = None
    called: str = "y"
    lacking: str = NO_PROBABILITIES


def measure(rows: TestedRows, slices: Mapping[str, NDArray[Any]] | None = None) -> TestMetrics:
    """Every metric on all rows, the error of each class, then each of `slices`: a column's values, each shape (n,)."""
    answered = rows.answered
    every = np.ones(answered.n, dtype=np.bool_)
    lines = [*_metrics(rows, every, ""), *_class_errors(rows)]
    for column, values in (slices or {}).items():
        for value in np.unique(values):
            of_slice, name = values == value, f"{column}={value}"
            lines.append(_mean_loss(rows, rows.tested, of_slice, name, rows.tested.loss.name, rows.method))
            lines += _metrics(rows, of_slice, name)
    if answered.classes is None:
        return TestMetrics(tuple(lines), answered=answered)
    return TestMetrics(tuple(lines), answered.classes, confusion(answered), answered)


def confusion(answered: Answered) -> NDArray[np.int64]:
    """How many rows of each class, in lines, were given each class, in columns: rows are counted, not weighted."""
    from sklearn.metrics import confusion_matrix

    matrix: NDArray[np.int64] = confusion_matrix(
        answered.y,
        answered.predicted,
        labels=range(len(answered.classes)),  # type: ignore[arg-type]
    )
    return matrix


def _metrics(rows: TestedRows, which: NDArray[np.bool_], name: str) -> Iterator[Measured]:
    answered = rows.answered.of(which)
    for metric in METRICS:
        if (metric.needs == "number") == (answered.classes is None):
            yield _metric(rows, metric, answered, name)


def _metric(rows: TestedRows, metric: Metric, answered: Answered, name: str) -> Measured:
    line = Measured(rows.candidate, metric.name, name, n_tested=answered.n)
    if reason := undefined(metric, answered, rows.lacking):
        return replace(line, reason=reason)
    line = replace(line, value=metric.value(answered))
    low, high = metric.interval(answered, line.value, rows.level)  # type: ignore[arg-type]  # just set
    if not (math.isfinite(low) and math.isfinite(high)):
        return replace(line, reason=_FEW)
    return replace(line, low=low, high=high, level=rows.level, interval=metric.method)


def undefined(metric: Metric, answered: Answered, lacking: str) -> str:
    """Why a metric has no value; empty if it has one."""
    counting = answered.y[answered.weights > 0]
    if len(counting) < 2:
        return _too_few(len(counting))
    if metric.needs in ("ranks", "probabilities") and answered.probabilities is None:
        if metric.needs == "probabilities":
            return lacking
        if answered.scores is None:
            return f"{lacking}, and no scores" if lacking == NO_PROBABILITIES else lacking
    if answered.classes is None:
        return "all labels are equal" if (counting == counting[0]).all() else ""
    absent = np.setdiff1d(np.arange(len(answered.classes)), counting)
    return f"no row of class {answered.classes[absent[0]]}" if len(absent) else ""


def _too_few(count: int) -> str:
    return f"{count or 'no'} {'row' if count == 1 else 'rows'}, at least 2 are needed"


def _class_errors(rows: TestedRows) -> Iterator[Measured]:
    """The share of wrong answers among the rows of each class."""
    answered = rows.answered
    if answered.classes is None:
        return
    weights = rows.tested.weights
    loss = ZERO_ONE if weights is None else ZERO_ONE.with_weights()
    wrong = (answered.y != answered.predicted).astype(np.float64)
    tested = Tested(weighed(wrong, weights), loss, answered.seed, answered.cluster, weights=weights)
    method = methods.choose(None, loss, rows.kind).get("E_test")
    for place, name in enumerate(answered.classes):
        yield _mean_loss(rows, tested, answered.y == place, f"{rows.called}={name}", "class_error", method)


def _mean_loss(
    rows: TestedRows, tested: Tested, which: NDArray[np.bool_], name: str, metric: str, method: IntervalMethod | None
) -> Measured:
    """The mean of the losses of some rows, by their own weights."""
    answered = rows.answered.of(which)
    line, counting = Measured(rows.candidate, metric, name, n_tested=answered.n), int((answered.weights > 0).sum())
    if counting < 2:
        return replace(line, reason=_too_few(counting))
    # next to the same losses of cross-validation
    some = replace(tested.of(which), cluster=answered.cluster)
    estimate = estimate_with(rows.candidate, "E_test", some, "", 0, method, rows.level)
    line = replace(line, value=estimate.value, low=estimate.low, high=estimate.high, level=estimate.level)
    doubted = f"not credible: {estimate.not_credible}" if estimate.not_credible else ""
    return replace(line, interval=estimate.interval, reason=doubted if estimate.interval else _FEW)
