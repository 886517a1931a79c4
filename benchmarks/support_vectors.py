"""Support vector machines from shared distances compared with separate fits: one candidate's folds and halves."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from benchmarks.measured import PEER, Row, against, draw
from heldout.schemes import covalidation, cross_validation
from heldout.shortcuts.support_vectors import Distances, SupportVectors
from heldout.splits.partition import draw_folds, make_halves

_TIMES = 3  # a round of both ways takes more than ten seconds


def rows(scale: int) -> Iterator[Row]:
    """The rows of this comparison, on one thread; sizes are divided by `scale`."""
    with threadpool_limits(1):
        for p in (6, 20, 50):
            yield _row(3000 // scale, p)


def _row(n: int, p: int) -> Row:
    X, y, _ = draw(n, p)
    folds = cross_validation.splits(draw_folds(y, 10, stratify=True, random_state=0))
    halves = make_halves(y, repeats=30, stratify=True, seed=0)
    fits = [(split.train, split.validation) for split in folds]
    # a run also tests a half model on its training half
    fits += [(split.train, np.arange(n)) for half in halves for split in covalidation.splits(half)]

    def shared(few: Any = fits) -> list[Any]:
        machines = SupportVectors.of(SVC(), Distances.of(X), y)
        return [machines.predictions(machines.fitted(train, 0), train, test_rows) for train, test_rows in few]

    def separate(few: Any = fits) -> list[Any]:
        return [SVC().fit(X[train], y[train]).predict(X[test_rows]) for train, test_rows in few]

    for ours, theirs in zip(shared(fits[8:12]), separate(fits[8:12]), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    work = f"10 folds and 60 halves, fitted and tested, SVC, p = {p} (median of {_TIMES})"
    return against(work, n, f"separate fits, {PEER}", shared, separate, 0.6, _TIMES)
