"""Cross-validation and progressive validation of a learner that is updated, with few updates.

Joulani, György, Szepesvári, Fast Cross-Validation for Incremental Learning (IJCAI 2015), algorithm 1, TreeCV: the
hypothesis that has learnt all folds but those of a range is copied, one copy learns the second half of the range, the
other one the first, and each goes on with the half that it has not seen. Each row is learnt at most once on each of the
ceil(log2 k) levels, in place of k - 1 times by refits.
"""

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.fitting import take
from heldout.records import Rows

Asked = TypeVar("Asked")
# of a hypothesis, which is updated later, the part of X that it did not see, and the rows of that part: what is wanted
Ask = Callable[[Any, Any, Rows], Asked]

BLOCK = 10_000  # rows of one call of partial_fit


@dataclass(frozen=True, eq=False)
class Stream:
    """Labelled rows in the order in which they are learnt: part after part, in each as its rows are given.

    `starts`, shape (parts + 1,), are the places where the parts begin and the last one ends. Classes are those of all
    labelled rows, also where a training part lacks one.
    """

    parts: Sequence[Rows]
    X: Any
    y: NDArray[np.generic]
    classes: NDArray[np.generic] | None
    further: dict[str, NDArray[Any]]
    starts: NDArray[np.intp]

    @classmethod
    def of(cls, learner: Any, X: Any, y: NDArray[np.generic], parts: Sequence[Rows], **further: NDArray[Any]) -> Self:
        """The rows of `parts` of X, shape (N, p), y and each of `further` (weights), shape (N,)."""
        order = np.concatenate(parts)
        starts = np.cumsum([0, *map(len, parts)])
        taken = {name: values[order] for name, values in further.items()}
        return cls(parts, take(X, order), y[order], classes_of(learner, y), taken, starts)

    def learn(self, hypothesis: Any, first: int, end: int) -> None:
        """Update `hypothesis` with the parts first … end - 1."""
        rows = self._rows(first, end)
        further = {name: values[rows] for name, values in self.further.items()}
        update(hypothesis, take(self.X, rows), self.y[rows], self.classes, **further)

    def asked(self, ask: Ask[Asked], hypothesis: Any, number: int) -> Asked:
        """What `ask` finds of `hypothesis` at one part."""
        return ask(hypothesis, take(self.X, self._rows(number, number + 1)), self.parts[number])

    def _rows(self, first: int, end: int) -> slice:
        return slice(int(self.starts[first]), int(self.starts[end]))


def folds(
    learner: Any, X: Any, y: NDArray[np.generic], parts: Sequence[Rows], ask: Ask[Asked], **further: NDArray[Any]
) -> Iterator[Asked]:
    """Ask, for each of the k `parts`, the hypothesis that learnt all others; in their order.

    `learner` is unfitted and has `partial_fit`. At most N ceil(log2 k) rows are learnt, and k - 1 copies made. Raises
    BadArgument for fewer than two parts.
    """
    if len(parts) < 2:
        raise BadArgument("folds", f"there is {len(parts)} fold; at least 2 are needed")
    stream = Stream.of(learner, X, y, parts, **further)

    def below(hypothesis: Any, first: int, end: int) -> Iterator[Asked]:
        if end - first == 1:
            yield stream.asked(ask, hypothesis, first)
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
    stream = Stream.of(learner, X, y, [trained, *parts], **further)
    hypothesis = copy.deepcopy(learner)
    for number in range(len(parts)):
        stream.learn(hypothesis, number, number + 1)
        yield stream.asked(ask, hypothesis, number + 1)


def classes_of(estimator: Any, y: NDArray[np.generic]) -> NDArray[np.generic] | None:
    """The classes that a classifier is told before its first row, ascending; None for numbers."""
    from sklearn.base import is_classifier

    return np.unique(y) if is_classifier(estimator) else None


def update(hypothesis: Any, X: Any, y: NDArray[np.generic], classes: Any, **further: Any) -> Any:
    """Update `hypothesis` itself once with each row, in their order, and return it.

    X has shape (n, p), y and each of `further` (n,); `classes` are those of `classes_of`.
    """
    for first in range(0, X.shape[0], BLOCK):
        rows = slice(first, first + BLOCK)
        told = {} if classes is None or hasattr(hypothesis, "classes_") else {"classes": classes}
        hypothesis.partial_fit(
            take(X, rows), y[rows], **told, **{name: values[rows] for name, values in further.items()}
        )
    return hypothesis
