"""Learners that are updated once with each row: folds by TreeCV next to one pass, steps next to river and refits."""

from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import numpy as np
from river import evaluate, metrics, naive_bayes, stream
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import GaussianNB
from threadpoolctl import threadpool_limits

import heldout
from benchmarks.measured import PEER, Row, against, compared, draw, paired
from heldout.learners import tree_cv
from heldout.online import OnePass
from heldout.rows.frames import take
from heldout.shortcuts import find
from heldout.splits.split import Rows

_REFITTED = 50  # of the steps, evenly, from which the time of all is estimated


def rows(scale: int) -> Iterator[Row]:
    """The rows of this work, on one thread; sizes are divided by `scale`."""
    with threadpool_limits(1):
        yield _ten_folds(1_000_000 // scale)
        yield _leave_one_out(10_000 // scale)
        yield from _progressive(100_000 // scale)


def _ten_folds(n: int) -> Row:
    X, y, _ = draw(n, 20)
    learner, parts = _sgd(), _parts(np.random.default_rng(1).permutation(np.arange(n) % 10))
    return against(
        "10-fold by TreeCV, SGDClassifier, p = 20",
        n,
        f"one pass of partial_fit, {PEER}",
        lambda: list(tree_cv.folds(learner, X, y, parts, _asked(X))),
        lambda: OnePass(learner).fit(X, y),
        bar=5,
    )


def _leave_one_out(n: int) -> Row:
    X, y, _ = draw(n, 20)
    learner, parts = _sgd(), _parts(np.arange(n))

    def row_by_row() -> None:
        hypothesis = _sgd()
        for row in range(n):
            hypothesis.partial_fit(X[row : row + 1], y[row : row + 1], classes=[0, 1] if row == 0 else None)

    return against(
        "leave-one-out by TreeCV, SGDClassifier, p = 20",
        n,
        f"one pass of partial_fit, a call for each row, {PEER}",
        lambda: list(tree_cv.folds(learner, X, y, parts, _asked(X))),
        row_by_row,
        bar=20,
        times=3,
    )


def _progressive(steps: int) -> Iterator[Row]:
    n, p = steps + steps // 10, 6
    X, y, _ = draw(n, p)
    step = np.arange(n) - (n - steps)
    work = f"progressive, a step at a time, GaussianNB, p = {p}"

    def ours() -> Any:
        return find(GaussianNB(), X, y).blocks(step, 1)

    def of_river() -> Any:
        model = naive_bayes.GaussianNB()
        for x, label in stream.iter_array(X[: n - steps], y[: n - steps]):
            model.learn_one(x, label)
        tested = stream.iter_array(X[n - steps :], y[n - steps :])
        return evaluate.progressive_val_score(tested, model, metrics.Accuracy())

    def estimate() -> Any:
        return heldout.validate({"bayes": GaussianNB()}, X, y, tested_fraction=steps / n, block=1, estimates=["E_prog"])

    alone, whole_estimate, river = paired(ours, estimate, of_river, times=1)
    peer, by_validate = f"progressive_val_score, river {version('river')}", f"{work}, by heldout.validate"
    yield compared(work, steps, peer, alone, river, bar=0.03)
    yield compared(by_validate, steps, peer, whole_estimate, river, bar=0.03)
    some = np.linspace(n - steps, n - 1, _REFITTED).astype(int)

    def refits() -> Any:
        return [GaussianNB().fit(X[:row], y[:row]).predict(X[row : row + 1]) for row in some]

    np.testing.assert_array_equal(ours()[some - (n - steps)], np.concatenate(refits()))
    alone, whole_estimate, sampled = paired(ours, estimate, refits, times=3)
    peer = f"a refit for each step, {PEER}, taken from {_REFITTED} of them"
    yield compared(work, steps, peer, alone, sampled * steps / _REFITTED, bar=0.001)
    yield compared(by_validate, steps, peer, whole_estimate, sampled * steps / _REFITTED, bar=0.001)


def _sgd() -> SGDClassifier:
    return SGDClassifier(random_state=0)


def _parts(fold: Any) -> list[Rows]:
    order = np.argsort(fold, kind="stable")
    return np.split(order, np.cumsum(np.bincount(fold))[:-1])


def _asked(X: Any) -> tree_cv.Evaluate[Any]:
    return lambda hypothesis, rows: hypothesis.predict(take(X, rows))
