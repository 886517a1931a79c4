"""Cross-validation and progressive validation of a learner that is updated, with few updates.

Joulani, György, Szepesvári, Fast Cross-Validation for Incremental Learning (IJCAI 2015), algorithm 1, TreeCV: the
hypothesis that has learnt all folds but those of a range is copied, one copy learns the second half of the range, the
other one the first, and each goes on with the half that it has not seen. Each row is learnt at most once on each of the
ceil(log2 k) levels, in place of k - 1 times by refits.
"""

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.fitting import take
from heldout.records import Rows

Asked = TypeVar("Asked")
Ask = Callable[[Any, Rows], Asked]  # what is wanted of a hypothesis, which is updated later, at the rows of its part
BLOCK = 10_000  # rows of one call of partial_fit


@dataclass(frozen=True, eq=False)
class Stream:
    """Labelled rows in the order in which they are learnt: part after part, in each as its rows are given.

    X has shape (N, p), y and each of `further` (weights) (N,). `starts`, shape (parts + 1,), are the places in `order`
    where the parts begin and the last one ends. Classes are those of all labelled rows, also where a training part
    lacks one.
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
    learner: Any, X: Any, y: NDArray[np.generic], parts: Sequence[Rows], ask: Ask[Asked], **further: NDArray[Any]
) -> Iterator[Asked]:
    """Ask, for each of the k `parts`, the hypothesis that learnt all others; in their order.

    `learner` is unfitted and has `partial_fit`. At most N ceil(log2 k) rows are learnt, and k copies made. Raises
    BadArgument for fewer than two parts.
    """
    if len(parts) < 2:
        raise BadArgument("folds", f"there is {len(parts)} fold; at least 2 are needed")
    stream = Stream.of(learner, X, y, parts, further)

    def below(hypothesis: Any, first: int, end: int) -> Iterator[Asked]:
        if end - first == 1:
            yield ask(hypothesis, parts[first])
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
    ask: Ask[Asked],
    **further: NDArray[Any],
) -> Iterator[Asked]:
    """Ask, for each of `parts`, the one hypothesis that learnt the rows `trained` and all earlier parts: one pass."""
    stream = Stream.of(learner, X, y, [trained, *parts], further)
    hypothesis = copy.deepcopy(learner)
    for number, part in enumerate(parts):
        stream.learn(hypothesis, number, number + 1)
        yield ask(hypothesis, part)


def classes_of(estimator: Any, y: NDArray[np.generic]) -> NDArray[np.generic] | None:
    """The classes that a classifier is told before its first row, ascending; None for numbers."""
    from sklearn.base import is_classifier

    return np.unique(y) if is_classifier(estimator) else None


def update(
    hypothesis: Any, X: Any, y: NDArray[np.generic], classes: Any, rows: Rows | None = None, **further: NDArray[Any]
) -> Any:
    """Update `hypothesis` itself once with each of `rows`, None for all, in their order, and return it.

    X has shape (N, p), y and each of `further` (N,); `classes` are those of `classes_of`.
    """
    for first in range(0, X.shape[0] if rows is None else len(rows), BLOCK):
        piece = slice(first, first + BLOCK)
        some = piece if rows is None else rows[piece]
        told = {} if classes is None or hasattr(hypothesis, "classes_") else {"classes": classes}
        own = {name: values[some] for name, values in further.items()}
        hypothesis.partial_fit(take(X, some), y[some], **told, **own)
    return hypothesis
