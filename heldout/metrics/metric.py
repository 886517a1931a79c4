"""What every metric is: its name, what it asks of a hypothesis, its value, and its interval.

A metric here is no mean of losses, so the intervals of `heldout.intervals` are not for it. scikit-learn computes its
value. Its interval needs the value at many weightings of the rows, which `at` computes for all of them together.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from heldout.losses.loss import Classes
from heldout.losses.tested_losses import effective_number
from heldout.splits.dependence import distinct

Values = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Answered:
    """The labels `y`, shape (n,), of rows that no choice depended on, and what one hypothesis answered there.

    `predicted` has the shape (n,) too. Of classes both are places among `classes`, shape (C,), ascending, or -1 for
    none of them; of numbers `classes` is None. `probabilities`, shape (n, C), has a column for each class, None where
    the hypothesis gives none; then `scores`, of the same shape, rank the rows, if it has some. `weights`, shape (n,),
    say how often each row counts. `cluster`, shape (n,), numbers the group or the batch of each row, 0 … G-1; None for
    independent rows.
    """

    y: NDArray[Any]
    predicted: NDArray[Any]
    weights: Values
    classes: Classes | None = None
    probabilities: Values | None = None
    scores: Values | None = None
    cluster: NDArray[np.int64] | None = None
    seed: int = 0

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.y)

    @property
    def units(self) -> float:
        """The number of independent units: of rows, or the effective number of clusters."""
        return self.units_of(np.ones(self.n, dtype=np.bool_))

    @property
    def positives(self) -> range:
        """The places of the classes that a metric is about: of two the second one, of more each against the rest."""
        count = 0 if self.classes is None else len(self.classes)
        return range(1 if count == 2 else 0, count)

    def one_against_rest(self) -> Iterator[tuple[NDArray[np.bool_], Values]]:
        """For each of `positives` which rows are of the class, and its probabilities, or else its scores."""
        ranked = self.scores if self.probabilities is None else self.probabilities
        if ranked is not None:
            for place in self.positives:
                yield self.y == place, ranked[:, place]

    def units_of(self, rows: NDArray[np.bool_]) -> float:
        """The number of independent units among some `rows`, a mask of shape (n,)."""
        return float(rows.sum()) if self.cluster is None else effective_number(distinct(self.cluster[rows]))

    def of(self, rows: NDArray[np.bool_]) -> "Answered":
        """The same of some `rows`, a mask of shape (n,)."""
        return replace(
            self,
            y=self.y[rows],
            predicted=self.predicted[rows],
            weights=self.weights[rows],
            probabilities=None if self.probabilities is None else self.probabilities[rows],
            scores=None if self.scores is None else self.scores[rows],
            cluster=None if self.cluster is None else distinct(self.cluster[rows]),
        )


@dataclass(frozen=True)
class Metric:
    """A line of the registry.

    Parameters
    ----------
    name : str
        Its name in metrics.csv and in MLflow.
    label : str
        Its name in sentences.
    needs : {"class", "ranks", "probabilities", "number"}
        What it asks of the hypothesis; "number" is for a target of numbers, the others for classes. "ranks" are
        probabilities or scores.
    value : callable
        The metric of an `Answered`, computed by scikit-learn where it has the metric.
    at : callable
        The metric at each of B weightings of the rows, shape (B, n): values of shape (B,).
    interval : callable
        From an `Answered`, its `value` and a level to the bounds; not finite where there are too few rows.
    method : str
        The name of the interval.
    """

    name: str
    label: str
    needs: Literal["class", "ranks", "probabilities", "number"]
    value: Callable[[Answered], float]
    at: Callable[[Answered, Values], Values]
    interval: Callable[[Answered, float, float], tuple[float, float]]
    method: str
