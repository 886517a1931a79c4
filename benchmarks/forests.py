"""Forests whose trees are grown without what scikit-learn does around each, beside its own fits."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from threadpoolctl import threadpool_limits

from benchmarks.measured import PEER, Row, against, draw
from heldout.partition import make_halves
from heldout.shortcuts.forests import Forests

_TIMES = 3  # a round of scikit-learn's takes some seconds
_TREES = 50


def rows(scale: int) -> Iterator[Row]:
    """The rows of this work, on one thread, of fewer halves where `scale` is above 1."""
    with threadpool_limits(1):
        yield _row(RandomForestClassifier(_TREES, random_state=0), 300, scale, 0.4)
        yield _row(RandomForestClassifier(_TREES, random_state=0), 2000, scale, 0.8)
        yield _row(RandomForestRegressor(_TREES, random_state=0), 300, scale, 0.8)


def _row(learner: Any, n: int, scale: int, bar: float) -> Row:
    X, y, outcomes = draw(n, 20)
    y = y if hasattr(learner, "predict_proba") else outcomes
    halves = make_halves(y, repeats=10 // scale, stratify=False, seed=0)
    parts = [np.flatnonzero(half == number) for half in halves for number in (0, 1)]

    def ours() -> list[Any]:
        forests = Forests.of(learner, X, y)
        return [forests.fitted(train, 0) for train in parts]

    def theirs() -> list[Any]:
        return [clone(learner).fit(X[train], y[train]) for train in parts]

    np.testing.assert_array_equal(ours()[0].predict(X), theirs()[0].predict(X))
    work = f"{len(parts)} halves, fitted, {type(learner).__name__}({_TREES}), p = 20 (median of {_TIMES})"
    return against(work, n, f"its own fits, {PEER}", ours, theirs, bar, _TIMES)
