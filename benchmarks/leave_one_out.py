"""Leave-one-out without its fits, beside the loop of refits, RidgeCV's own, and a single fit."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Ridge, RidgeCV
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_limits

from benchmarks.measured import PEER, Row, against, draw, paired
from heldout.shortcuts import find


def rows(scale: int) -> Iterator[Row]:
    """The rows of this work, on one thread; sizes are divided by `scale`."""
    few, many = 2000 // scale, 100_000 // scale
    with threadpool_limits(1):
        for learner in (Ridge(), LinearDiscriminantAnalysis(), GaussianNB()):
            yield _against_the_loop(learner, few, 1 / 1000)
        yield _against_the_loop(KNeighborsClassifier(5), few, 1 / 200)
        yield _against_ridge_cv(few)
        for learner in (Ridge(), GaussianNB()):
            yield _against_one_fit(learner, many)
        for learner in (Ridge(), GaussianNB()):
            yield _growth(learner, many)


def _against_the_loop(learner: Any, n: int, bar: float) -> Row:
    X, y = _draw(learner, n, 6)

    def loop() -> Any:
        return cross_val_predict(learner, X, y, cv=LeaveOneOut())

    def shortcut() -> Any:
        return find(learner, X, y).folds(np.arange(n))

    np.testing.assert_allclose(shortcut(), loop(), rtol=1e-9)
    return against(f"leave-one-out, {_called(learner)}, p = 6", n, f"a refit for each row, {PEER}", shortcut, loop, bar)


def _against_ridge_cv(n: int) -> Row:
    X, y = _draw(Ridge(), n, 6)
    return against(
        "leave-one-out, Ridge of one penalty, p = 6",
        n,
        f"RidgeCV, {PEER}",
        lambda: find(Ridge(), X, y).folds(np.arange(n)),
        lambda: RidgeCV(alphas=[1.0]).fit(X, y).best_score_,
        bar=1.2,
    )


def _against_one_fit(learner: Any, n: int) -> Row:
    X, y = _draw(learner, n, 50)
    return against(
        f"leave-one-out, {_called(learner)}, p = 50",
        n,
        f"one fit and its answers, {PEER}",
        lambda: find(learner, X, y).folds(np.arange(n)),
        lambda: clone(learner).fit(X, y).predict(X),
        bar=5,
    )


def _growth(learner: Any, many: int) -> Row:
    few = 1000
    (X, y), (Z, z) = _draw(learner, few, 50), _draw(learner, many, 50)
    ours, theirs = paired(
        lambda: find(learner, Z, z).folds(np.arange(many)), lambda: find(learner, X, y).folds(np.arange(few))
    )
    exponent = float(np.log(ours / theirs) / np.log(many / few))
    work = f"leave-one-out, {_called(learner)}, p = 50"
    return Row(work, many, f"itself on {few} rows", ours, theirs, exponent, 1.25, "the power of the rows")


def _draw(learner: Any, n: int, p: int) -> tuple[Any, Any]:
    X, classes, numbers = draw(n, p)
    return X, numbers if isinstance(learner, Ridge) else classes


def _called(learner: Any) -> str:
    return f"{learner.n_neighbors}-NN" if isinstance(learner, KNeighborsClassifier) else type(learner).__name__
