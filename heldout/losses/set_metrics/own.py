"""A metric that is a function of the user's, as those of scikit-learn are: metric(labels, answers, sample_weight).

The error is 1 - it where more is better, and the metric itself where less is (`direction`). A metric of which somebody
says that more is better, and that is not 1 at best, as a profit, has the error - it.

Its terms are those of `heldout.losses.set_metrics.set_metric`, by difference quotients in the weights: of each row, or
of random parts of the rows where many answers differ. A metric that is known here has its derivatives: by the shares of
rows of each label and answer (`of_counts`), or by row (`slopes`).
"""

import inspect
import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.losses.choice import natural_loss
from heldout.losses.loss import Loss, Losses, places
from heldout.losses.set_metrics.direction import Directed
from heldout.losses.set_metrics.set_metric import ByDifference, Values
from heldout.losses.zero_one import ZERO_ONE
from heldout.printable import printable
from heldout.several_labels import as_given, how_many

WEIGHTS = "sample_weight"
_TAKES = f"it must take labels, answers and {WEIGHTS}, as the metrics of scikit-learn do"
_OF_ROWS = (
    "a mean over rows, as a profit or MAPE, needs none as a loss of each row: validate(loss=f), f(labels, answers) of "
    "shape (n,), at least 0; of a profit the most that a row can bring, less what it brings"
)
_REMEDY = "make_scorer of sklearn.metrics says it: metric=make_scorer({}, greater_is_better=False)"
_ROUNDING = 1e-6


@dataclass(frozen=True)
class OwnMetric:
    """A `function` of labels and answers, both of shape (n,), and of weights, called `name`.

    `less_is_better` is None where only its value at the labels can say it (`check_best`): then it is 1 at best. `needs`
    is what a scorer asks of a hypothesis, None of a function.

    With `of_counts`, from the shares of rows by label and answer, shape (C, C), or `slopes`, from labels, answers and
    weights, to the metric and its derivatives, the function is not asked about parts.
    """

    function: Callable[..., Any]
    name: str
    less_is_better: bool | None = None
    needs: Literal["answer", "ranks"] | None = None
    negated: bool = False
    of_counts: Callable[[Values], tuple[float, Values]] | None = None
    slopes: Callable[[Values, Values, Values], tuple[float, Values]] | None = None

    @property
    def is_known(self) -> bool:
        """Whether its derivatives are."""
        return self.of_counts is not None or self.slopes is not None

    @classmethod
    def of(cls, metric: Callable[..., Any], greater_is_better: bool | None = None) -> Self:
        """From a function or a scorer, whose direction somebody may say.

        Raises BadArgument for one that takes no weights, and for a direction that is not that of the scorer.
        """
        known = Directed.of(metric)
        function, name = known.function, printable(known.name)
        try:
            taken = inspect.signature(function).parameters
        except (TypeError, ValueError):  # of a function that is not written in Python
            taken = {}  # type: ignore[assignment]
        if taken and WEIGHTS not in taken and not any(one.kind is one.VAR_KEYWORD for one in taken.values()):
            raise BadArgument("metric", f"metric is {name}, which takes no {WEIGHTS}; {_TAKES}; {_OF_ROWS}")
        less = known.less_is_better if greater_is_better is None else not greater_is_better
        if known.less_is_better not in (None, less):
            raise BadArgument(
                "greater_is_better",
                f"greater_is_better is {greater_is_better}, and {name} says the opposite; leave it out",
            )
        return cls(function, name, less, known.needs, negated=greater_is_better is True)

    def check_best(self, y: NDArray[Any], truths: Sequence[NDArray[Any]], weights: Values) -> None:
        """Raise BadArgument unless the direction is known.

        `truths` are the forms, each with a row for each label, in which answers may say the labels themselves: where
        neither name nor scorer says what is better, the metric is 1 for one of them.
        """
        if self.less_is_better is not None:
            return
        found: list[float] = []
        for truth in truths:
            with suppress(BadArgument):  # of a form that it does not take
                found.append(self._value(as_given(y), as_given(truth), weights))
        if not any(abs(value - 1) <= _ROUNDING for value in found):
            is_there = f"which is {found[0]:g}" if found else "which has no value"
            raise BadArgument(
                "metric",
                f"metric is {self.name}, {is_there} for answers that are the labels, where a metric of which more is "
                f"better is 1; say greater_is_better=True or False, or {_REMEDY.format(self.name)}",
            )

    @property
    def says(self) -> str:
        """What the error is."""
        return self.name if self.less_is_better else f"{'' if self.negated else '1 '}- {self.name}".replace("  ", " ")

    @property
    def loss(self) -> Loss:
        """A loss without a limit: 1 - a metric may be above 1, and a metric of which less is better too."""
        return replace(
            ZERO_ONE,
            name=self.says,
            limit=math.inf,
            binary=False,
            two_valued=False,
            disagreement_loss=None,
            mean_called=self.says,
        )

    def terms(
        self, y: NDArray[Any], answers: NDArray[Any], weights: Values, part: NDArray[np.intp] | None = None
    ) -> Losses:
        """The term of each tested row, shape (n,), whose mean is the error: 1 - the metric, or the metric.

        It is called twice, and for each distinct pair of label and answer; or for each `part`, 0 … G-1, of the rows,
        shape (n,), whose terms are their mean then. Raises BadArgument for what is no metric: no finite number, of at
        most 1 where more is better, or another one where all weights are twice as large.
        """
        if self.is_known:
            return self._known_terms(y, answers, weights)
        labels, said = as_given(y), as_given(answers)
        value, slope = ByDifference(self._value)(labels, said, weights, part)
        if abs(self._value(labels, said, 2 * weights) - value) > _ROUNDING:
            raise BadArgument(
                "metric", f"metric is {self.name}, which changes if all weights are doubled; a mean over rows does not"
            )
        influence = len(labels) * weights * slope
        best = 0.0 if self.negated else 1.0
        terms: Losses = value + influence if self.less_is_better else best - value - influence
        return terms

    def _known_terms(self, y: NDArray[Any], answers: NDArray[Any], weights: Values) -> Losses:
        if self.slopes is not None:
            value, slope = self.slopes(y.astype(np.float64), answers.astype(np.float64), weights)
        else:
            classes = np.union1d(y, answers)
            cell = places(y, classes) * len(classes) + places(answers, classes)
            shape = (len(classes), len(classes))
            counts = np.bincount(cell, weights=weights, minlength=len(classes) ** 2).reshape(shape)
            value, of_cells = self.of_counts(counts / counts.sum())  # type: ignore[misc]  # one of both is there
            slope = of_cells.ravel()[cell] / counts.sum()
        if not math.isfinite(value):
            self._check_several(y)
            raise BadArgument(
                "metric",
                f"metric is {self.name}, which has no value on a part of {len(y)} rows, whose labels are all {y[0]}; "
                "use fewer folds",
            )
        terms: Losses = 1 - value - len(y) * weights * slope
        return terms

    def step(self, y: NDArray[Any], *, of_ranks: bool) -> float:
        """What one more row that is answered wrongly takes from the metric if all of y, shape (n,), is answered right.

        It is the largest over the labels of that row; of answers that rank the rows the mean, as such an answer is
        wrong by degrees. 0 where right answers do not have the best value, an error passes 1, or y are no classes.
        """
        if self.negated or how_many(y) > 1 or not natural_loss(y).of_classes:
            return 0.0
        classes, of_row, sizes = np.unique(y, return_inverse=True, return_counts=True)
        if len(classes) < 2:
            return 0.0
        common = np.argsort(-sizes, kind="stable")
        answered: Any = classes
        if of_ranks:
            answered = np.arange(2.0) if len(classes) == 2 else np.eye(len(classes))
        ones, steps = np.ones(len(y) + 1), []
        best = 0.0 if self.less_is_better else 1.0
        try:
            if abs(self._value(y, answered[of_row], ones[1:]) - best) > _ROUNDING:
                return 0.0
            if self.less_is_better and self._value(y, answered[(of_row + 1) % len(classes)], ones[1:]) > 1 + _ROUNDING:
                return 0.0  # as the log loss: what one row changes says little of the others
            for place in range(len(classes)):
                wrong = common[0] if common[0] != place else common[1]
                labels, said = np.append(of_row, place), np.append(of_row, wrong)
                steps.append(abs(self._value(classes[labels], answered[said], ones) - best))
        except BadArgument:
            return 0.0
        return float(np.mean(steps) if of_ranks else np.max(steps))

    def _check_several(self, y: NDArray[Any]) -> None:
        """Raise BadArgument for a part of one row, on which a metric like R² has no value."""
        if len(y) == 1:
            raise BadArgument(
                "metric",
                f"metric is {self.name}, which has no value on a part of 1 row, and it is taken on each fold by "
                "itself: use fewer folds (of all rows together, R² against the baseline stands next to E_cv)",
            )

    def _value(self, y: NDArray[Any], answers: NDArray[Any], weights: Values) -> float:
        try:
            value = float(self.function(y, answers, **{WEIGHTS: weights}))
        except Exception as error:
            raise BadArgument(
                "metric", f"metric is {self.name}, which raised {type(error).__name__}: {error}; {_TAKES}"
            ) from error
        if not math.isfinite(value) or (value > 1 + _ROUNDING and not (self.less_is_better or self.negated)):
            self._check_several(y)
            best = "" if self.less_is_better else ", the more the better, and 1 at best"
            other = "" if self.less_is_better else "; greater_is_better=True takes - it as the error, False itself"
            raise BadArgument(
                "metric",
                f"metric is {self.name}, which is {value:g} on {len(y)} rows; it must be a finite number{best}{other}",
            )
        return value
