"""Rows of a pool that are picked for their labels, at random or where a learner is uncertain."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

Rows = NDArray[np.intp]
LEAST = 5  # rows of a second class at the start, so that every part of the rows can have two classes


def start(y: NDArray[np.int64], size: int, rng: np.random.Generator) -> Rows:
    """A random order of all rows, whose first `size` have `LEAST` rows of a second class."""
    for _ in range(1000):
        order = rng.permutation(len(y))
        counts = np.sort(np.bincount(y[order[:size]]))
        if len(counts) > 1 and counts[-2] >= min(LEAST, size // 5):
            return order
    raise ValueError(f"no second class in {size} rows")


def margin(hypothesis: Any, X: NDArray[np.float64]) -> NDArray[np.float64]:
    """How sure a hypothesis is of its answer to each row: by how much its `decision_function` prefers it."""
    scores = hypothesis.decision_function(X)
    if scores.ndim == 1:
        return np.asarray(np.abs(scores))
    two = np.partition(scores, -2, axis=1)[:, -2:]
    return np.asarray(two[:, 1] - two[:, 0])


def least_sure(learner: Any, X: NDArray[np.float64], y: NDArray[np.int64], labelled: Rows, rest: Rows, n: int) -> Rows:
    """Uncertainty sampling: `n` rows of `rest`, of which the learner trained on the labelled rows is least sure."""
    hypothesis = clone(learner).fit(X[labelled], y[labelled])
    return np.asarray(rest[np.argsort(margin(hypothesis, X[rest]), kind="stable")[:n]])
