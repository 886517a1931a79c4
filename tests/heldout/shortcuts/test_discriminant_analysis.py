"""Discriminant analysis without refits: the law over random problems, and what is declined."""

import warnings

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

from heldout.shortcuts.discriminant_analysis import LinearDiscriminant, QuadraticDiscriminant
from heldout.shortcuts.shortcut import Declined

KINDS = {LinearDiscriminantAnalysis: LinearDiscriminant, QuadraticDiscriminantAnalysis: QuadraticDiscriminant}


def problem(rng, kind, classes):
    p = int(rng.integers(1, 5))
    n = int(rng.integers(20, 31)) + 4 * p * classes
    y = rng.permutation(np.arange(n) % classes)
    X = rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + 2 * rng.normal(size=(classes, p))[y]
    if kind is QuadraticDiscriminantAnalysis:
        X *= rng.uniform(1, 3, classes)[y, None]
    return X, np.array(["b", "a", "c"])[y]


def learner_for(rng, kind, classes):
    priors = rng.dirichlet(np.full(classes, 5.0)) if rng.random() < 0.4 else None
    if kind is LinearDiscriminantAnalysis:
        return kind(solver=["svd", "lsqr", "eigen"][rng.integers(3)], priors=priors)
    solver = ["svd", "eigen"][rng.integers(2)]
    return kind(solver=solver, priors=priors, reg_param=float(rng.choice([0.0, 0.1, 0.9])))


@pytest.mark.parametrize("seed", range(120))
@pytest.mark.parametrize("kind", KINDS)
def test_answers_equal_those_of_the_refit_and_well_conditioned_problems_are_not_declined(equals_refit, kind, seed):
    rng = np.random.default_rng(seed)
    classes = 2 + seed % 2
    X, y = problem(rng, kind, classes)
    within = X - np.stack([X[y == label].mean(axis=0) for label in y])
    conditioned = max(np.linalg.cond(within[y == label]) for label in np.unique(y)) < 30
    if kind is LinearDiscriminantAnalysis and classes == 3:  # no two means in one place, no three on a line
        conditioned &= X.shape[1] == 1 or np.linalg.svd(np.stack([X[y == c].mean(axis=0) for c in "abc"]))[1][-1] > 0.1
    learner = learner_for(rng, kind, classes)
    learner.set_params(tol=1e-8)
    shortcut = KINDS[kind].of(learner, X, y)
    declined = equals_refit(learner, shortcut, X, y, rng, ["predict", "predict_proba"][seed // 2 % 2])
    assert declined == 0 or not conditioned


@pytest.mark.parametrize("seed", range(90))
@pytest.mark.parametrize("kind", KINDS)
def test_ill_conditioned_problems_are_equal_or_declined(equals_refit, kind, seed):
    rng = np.random.default_rng(1000 + seed)
    X, y = problem(rng, kind, classes=2 + seed % 2)
    if seed % 5 == 1:  # nearly collinear
        X = np.column_stack([X, X[:, 0] + 10.0 ** rng.integers(-8, 0) * rng.normal(size=len(y))])
    if seed % 5 == 2:
        X = X * 10.0 ** rng.integers(-4, 5, X.shape[1])
    if seed % 5 == 3:
        X = X + 10.0 ** rng.integers(0, 10)
    if seed % 5 == 4:  # a row without which a direction is lost
        X[:, 0] = np.where(np.arange(len(y)) == 3, 1.0, 1e-7 * rng.normal(size=len(y)))
    learner = learner_for(rng, kind, len(np.unique(y)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            shortcut = KINDS[kind].of(learner, X, y)
            equals_refit(learner, shortcut, X, y, rng, ["predict", "predict_proba"][seed // 5 % 2])
        except Declined:
            pass
