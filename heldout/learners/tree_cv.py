"""Cross-validation and progressive validation of an incremental learner, with few updates.

Joulani, György, Szepesvári, Fast Cross-Validation for Incremental Learning (IJCAI 2015), algorithm 1, TreeCV: a
hypothesis that has learned all folds outside a range is copied. The first copy learns the second half of the range, the
other copy the first half, and each continues with the half that it has not learned. A row is learned at most once at
each of the ceil(log2 k) levels, where refits learn it k - 1 times.
"""

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.rows.frames import take
from heldout.splits.split import Rows

Result = TypeVar("Result")
# called with a hypothesis and the rows of its part, before the hypothesis is updated again
Evaluate = Callable[[Any, Rows], Result]
BLOCK = 10_000  # rows of one call of partial_fit


@dataclass(frozen=True, eq=False)
class Stream:
    """Labelled rows in the order of learning: part after part, and inside a part in its order.

    X has shape (N, p), y and each of `further` (weights) (N,). `starts`, shape (parts + 1,), are the positions in
    `order` where the parts begin and the last part ends. `classes` are the classes of all labelled rows, also where a
    training part lacks a class.
    """

    X: Any
    y: NDArray[np.generic]
    classes: NDArray[np.generic] | None
    further: Mapping[str, NDArray[Any]]
    order: Rows
    starts: NDArray[np.intp]

    @classmethod
    def of(
        cls, learner: Any, X: Any, y: NDArray[np.generic], parts: Sequence[Rows], further: Mapping[str, NDArray[Any]]
    ) -> Self:
        """The rows of `parts`."""
        return cls(X, y, classes_of(learner, y), further, np.concatenate(parts), np.cumsum([0, *map(len, parts)]))

    def learn(self, hypothesis: Any, first: int, end: int) -> None:
        """Update `hypothesis` with the parts first … end - 1."""
        rows = self.order[self.starts[first] : self.starts[end]]
        update(hypothesis, self.X, self.y, self.classes, rows, **self.further)


def folds(
    learner: Any,
    X: Any,
    y: NDArray[np.generic],
    parts: Sequence[Rows],
    evaluate: Evaluate[Result],
    **further: NDArray[Any],
) -> Iterator[Result]:
    """For each of the k `parts`, in their order, evaluate the hypothesis that learned all other parts.

    `learner` is unfitted and has `partial_fit`. At most N ceil(log2 k) rows are learned, and k copies made. Raises
    BadArgument for fewer than two parts.
    """
    if len(parts) < 2:
        raise BadArgument("folds", f"there is {len(parts)} fold; at least 2 are needed")
    stream = Stream.of(learner, X, y, parts, further)

    def below(hypothesis: Any, first: int, end: int) -> Iterator[Result]:
        if end - first == 1:
            yield evaluate(hypothesis, parts[first])
            return
        middle = (first + end) // 2
        other = copy.deepcopy(hypothesis)
        stream.learn(other, middle, end)
        yield from below(other, first, middle)
        stream.learn(hypothesis, first, middle)
        yield from below(hypothesis, middle, end)

    yield from below(copy.deepcopy(learner), 0, len(parts))


def blocks(
    learner: Any,
    X: Any,
    y: NDArray[np.generic],
    trained: Rows,
    parts: Sequence[Rows],
    evaluate: Evaluate[Result],
    **further: NDArray[Any],
) -> Iterator[Result]:
    """For each of `parts`, evaluate the hypothesis that learned the rows `trained` and all earlier parts: one pass."""
    stream = Stream.of(learner, X, y, [trained, *parts], further)
    hypothesis = copy.deepcopy(learner)
    for number, part in enumerate(parts):
        stream.learn(hypothesis, number, number + 1)
        yield evaluate(hypothesis, part)


def classes_of(estimator: Any, y: NDArray[np.generic]) -> NDArray[np.generic] | None:
    """The classes, ascending, for the first `partial_fit` of a classifier; None for a regressor."""
    from sklearn.base import is_classifier

    return np.unique(y) if is_classifier(estimator) else None


def update(
    hypothesis: Any, X: Any, y: NDArray[np.generic], classes: Any, rows: Rows | None = None, **further: NDArray[Any]
) -> Any:
    """Update `hypothesis` in place once with each of `rows`, None for all, in their order, and return it.

    X has shape (N, p), y and each of `further` (N,); `classes` is the result of `classes_of`.
    """
    for first in range(0, X.shape[0] if rows is None else len(rows), BLOCK):
        piece = slice(first, first + BLOCK)
        some = piece if rows is None else rows[piece]
        first_call = {} if classes is None or hasattr(hypothesis, "classes_") else {"classes": classes}
        weights = {name: values[some] for name, values in further.items()}
        hypothesis.partial_fit(take(X, some), y[some], **first_call, **weights)
    return hypothesis
