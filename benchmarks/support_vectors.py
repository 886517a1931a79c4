"""Support vector machines from shared distances beside separate fits: the folds and the halves of one candidate."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from benchmarks.measured import PEER, Row, against, draw
from heldout import covalidation, cross_validation
from heldout.partition import draw_folds, make_halves
from heldout.shortcuts.support_vectors import Distances, SupportVectors

_TIMES = 3  # both ways of one round take more than ten seconds


def rows(scale: int) -> Iterator[Row]:
    """The rows of this work, on one thread; sizes are divided by `scale`."""
    with threadpool_limits(1):
        for p in (6, 20, 50):
            yield _row(3000 // scale, p)


def _row(n: int, p: int) -> Row:
    X, y, _ = draw(n, p)
    halves = make_halves(y, repeats=30, stratify=True, seed=0)
    splits = cross_validation.splits(draw_folds(y, 10, True, 0))
    splits += [split for half in halves for split in covalidation.splits(half)]

    def shared() -> list[Any]:
        fits = SupportVectors.of(SVC(), Distances.of(X), y)
        return [fits.predictions(fits.fitted(split.train, 0), split.train, split.validation) for split in splits]

    def separate() -> list[Any]:
        return [SVC().fit(X[split.train], y[split.train]).predict(X[split.validation]) for split in splits]

    for ours, theirs in zip(shared(), separate(), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    work = f"10 folds and 60 halves, fitted and tested, SVC, p = {p}, a median of {_TIMES}"
    return against(work, n, f"separate fits, {PEER}", shared, separate, 0.6, _TIMES)
