"""The law of every shortcut: its answers are those of the refit."""

import numpy as np
import pytest
from sklearn.base import clone

from heldout.parts.weights import fit_argument
from heldout.shortcuts.shortcut import Declined


def refit(learner, X, y, train, asked, method, weights=None):
    further = {} if weights is None else {fit_argument(learner): weights[train]}
    return getattr(clone(learner).fit(X[train], y[train], **further), method)(X[asked])


def assert_same(got, wanted, scale=1e-9):
    assert got.shape == wanted.shape
    if got.dtype.kind == "f":
        assert np.abs(got - wanted).max(initial=0) <= scale * max(1.0, np.abs(wanted).max(initial=0))
    else:
        np.testing.assert_array_equal(got, wanted)


@pytest.fixture(scope="session")
def equals_refit():
    """Whether folds, blocks and a part of `shortcut` equal refits; the number of partitions that it declined."""

    def check(learner, shortcut, X, y, rng, method="predict", weights=None, scale=1e-9):
        n = len(y)
        declined = 0
        fold = rng.permutation(np.arange(n) % rng.choice([2, 3, 5, n])) - rng.integers(0, 2)
        step = np.full(n, -1)
        tested = rng.permutation(n)[: rng.integers(1, n // 2 + 1)]
        step[tested] = np.arange(len(tested))
        block = int(rng.integers(1, 6))
        train, asked = rng.choice(n, max(2, n // 2), replace=False), rng.choice(n, max(1, n // 3), replace=False)
        try:
            got = shortcut.folds(fold, method)
            wanted = np.concatenate(
                [
                    refit(learner, X, y, fold != number, fold == number, method, weights)
                    for number in range(fold.max() + 1)
                ]
            )
            order = np.concatenate([np.flatnonzero(fold == number) for number in range(fold.max() + 1)])
            assert_same(got, wanted[np.argsort(order)], scale)
        except Declined:
            declined += 1
        try:
            got = shortcut.blocks(step, block, method)
            wanted = [
                refit(learner, X, y, step < first, tested[first : first + block], method, weights)
                for first in range(0, len(tested), block)
            ]
            assert_same(got, np.concatenate(wanted), scale)
        except Declined:
            declined += 1
        try:
            assert_same(shortcut.part(train, asked, method), refit(learner, X, y, train, asked, method, weights), scale)
        except Declined:
            declined += 1
        return declined

    return check
