"""Leave-one-out without its fits, next to the loop of refits, RidgeCV's own, and a single fit.

Each work is measured twice: the shortcut alone, and the whole estimate of `heldout.validate`, with its interval.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Ridge, RidgeCV
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_limits

import heldout
from benchmarks.measured import PEER, Row, compared, draw, paired
from heldout.shortcuts import find

_NO_FURTHER_FIT = {"E_cv": "corrected fold t"}  # an interval of the losses alone, as the peers have none


def rows(scale: int) -> Iterator[Row]:
    """The rows of this work, on one thread; sizes are divided by `scale`."""
    few, many = 2000 // scale, 100_000 // scale
    with threadpool_limits(1):
        for learner in (Ridge(), LinearDiscriminantAnalysis(), GaussianNB()):
            yield from _against_the_loop(learner, few, 1 / 1000)
        yield from _against_the_loop(KNeighborsClassifier(5), few, 1 / 200)
        yield from _against_ridge_cv(few)
        for learner in (Ridge(), GaussianNB()):
            yield from _against_one_fit(learner, many)
        for learner in (Ridge(), GaussianNB()):
            yield from _growth(learner, many)


def _against_the_loop(learner: Any, n: int, bar: float) -> Iterator[Row]:
    X, y = _draw(learner, n, 6)

    def loop() -> Any:
        return cross_val_predict(learner, X, y, cv=LeaveOneOut())

    np.testing.assert_allclose(find(learner, X, y).folds(np.arange(n)), loop(), rtol=1e-9)
    work = f"leave-one-out, {_called(learner)}, p = 6"
    return _both(work, n, f"a refit for each row, {PEER}", learner, X, y, loop, bar)


def _against_ridge_cv(n: int) -> Iterator[Row]:
    X, y = _draw(Ridge(), n, 6)
    work = "leave-one-out, Ridge of one penalty, p = 6"
    return _both(
        work, n, f"RidgeCV, {PEER}", Ridge(), X, y, lambda: RidgeCV(alphas=[1.0]).fit(X, y).best_score_, bar=1.2
    )


def _against_one_fit(learner: Any, n: int) -> Iterator[Row]:
    X, y = _draw(learner, n, 50)
    work = f"leave-one-out, {_called(learner)}, p = 50"
    peer = f"one fit and its answers, {PEER}"
    return _both(work, n, peer, learner, X, y, lambda: clone(learner).fit(X, y).predict(X), bar=5)


def _both(
    work: str, n: int, peer: str, learner: Any, X: Any, y: Any, theirs: Callable[[], Any], bar: float
) -> Iterator[Row]:
    """The rows of the shortcut alone, and of the estimate."""
    ways = (_shortcut(learner, X, y), _validate(learner, X, y), theirs)
    alone, estimate, of_peer = paired(*ways)
    yield compared(work, n, peer, alone, of_peer, bar)
    yield compared(f"{work}, by heldout.validate", n, peer, estimate, of_peer, bar)


def _growth(learner: Any, many: int) -> Iterator[Row]:
    few = 1000
    work = f"leave-one-out, {_called(learner)}, p = 50"
    small, large = _draw(learner, few, 50), _draw(learner, many, 50)
    for name, of in ((work, _shortcut), (f"{work}, by heldout.validate", _validate)):
        ours, theirs = paired(of(learner, *large), of(learner, *small))
        exponent = float(np.log(ours / theirs) / np.log(many / few))
        yield Row(name, many, f"itself on {few} rows", ours, theirs, exponent, 1.25, "the power of the rows")


def _shortcut(learner: Any, X: Any, y: Any) -> Callable[[], Any]:
    return lambda: find(learner, X, y).folds(np.arange(len(y)))


def _validate(learner: Any, X: Any, y: Any) -> Callable[[], Any]:
    loss = "squared" if isinstance(learner, Ridge) else "zero_one"
    return lambda: heldout.validate(
        {"learner": learner}, X, y, loss=loss, folds=len(y), estimates=["E_cv"], intervals=_NO_FURTHER_FIT
    )


def _draw(learner: Any, n: int, p: int) -> tuple[Any, Any]:
    X, classes, numbers = draw(n, p)
    return X, numbers if isinstance(learner, Ridge) else classes


def _called(learner: Any) -> str:
    return f"{learner.n_neighbors}-NN" if isinstance(learner, KNeighborsClassifier) else type(learner).__name__
