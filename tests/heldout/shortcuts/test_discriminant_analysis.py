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
    made = kind(priors=priors, reg_param=float(rng.choice([0.0, 0.1, 0.9])))
    return made.set_params(solver=solver) if hasattr(made, "solver") else made  # since scikit-learn 1.8


@pytest.mark.draws
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


@pytest.mark.draws
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
            equals_refit(learner, shortcut, X, y, rng, ["predict", "predict_proba"][seed // 2 % 2])
        except Declined:
            pass


@pytest.mark.parametrize("kind", KINDS)
def test_many_folds_and_blocks_are_predicted_in_pieces(equals_refit, kind, monkeypatch):
    monkeypatch.setattr("heldout.shortcuts.class_sums._AT_ONCE", 64)
    rng = np.random.default_rng(6)
    for _ in range(8):
        X, y = problem(rng, kind, classes=2)
        learner = kind(tol=1e-8)
        assert equals_refit(learner, KINDS[kind].of(learner, X, y), X, y, rng, "predict_proba") == 0


@pytest.mark.parametrize("kind", KINDS)
def test_leaving_out_the_row_that_makes_a_direction_is_equal_or_declined(kind):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 2
    X[:, 1] = 1e-3 * X[:, 1] + 2e-3 * y
    X[7, 1] = 1.0  # nearly all of the variance
    got = KINDS[kind].of(kind(tol=1e-9), X, y).folds(np.arange(60), "predict_proba")
    for row in (6, 7, 8):
        rest = np.arange(60) != row
        wanted = kind(tol=1e-9).fit(X[rest], y[rest]).predict_proba(X[[row]])[0]
        np.testing.assert_allclose(got[row], wanted, atol=1e-9)


def test_a_direction_between_means_that_is_dropped_is_declined():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(90, 2)), np.repeat([0, 1, 2], 30)
    X = X - np.stack([X[y == label].mean(axis=0) for label in y])
    X[:, 0] += 10 * y  # three means on a line
    shortcut = LinearDiscriminant.of(LinearDiscriminantAnalysis(tol=0.2), X, y)
    with pytest.raises(Declined, match="singular"):
        shortcut.folds(np.arange(90) % 3)
    with pytest.raises(Declined, match="singular"):
        shortcut.folds(np.arange(90))


def subclass_of(kind):
    return type("Subclass", (kind,), {"__init__": kind.__init__})()


@pytest.mark.parametrize(
    ("learner", "change", "reason"),
    [
        *[(subclass_of(kind), {}, "itself") for kind in KINDS],
        *[(kind(priors=[0.2, 0.2, 0.6]), {}, "priors") for kind in KINDS],
        *[(kind(priors=[0.0, 1.0]), {}, "priors") for kind in KINDS],
        *[(kind(tol=-1.0), {}, "may not be fitted") for kind in KINDS],
        *[(kind(), {"weights": np.ones(20)}, "no weights") for kind in KINDS],
        *[(kind(), {"X": np.ones((20, 2), dtype=int)}, "float64") for kind in KINDS],
        *[(kind(solver="eigen", shrinkage=0.1), {}, "shrunk") for kind in KINDS if hasattr(kind(), "shrinkage")],
        (LinearDiscriminantAnalysis(priors=[0.5, 0.4]), {}, "sum up"),
        (LinearDiscriminantAnalysis(n_components=2), {}, "n_components"),
    ],
)
def test_is_declined_when_made(learner, change, reason):
    given = {"X": np.random.default_rng(0).normal(size=(20, 2)), "y": np.arange(20) % 2} | change
    kind = next(kind for kind in KINDS if isinstance(learner, kind))
    with pytest.raises(Declined, match=reason):
        KINDS[kind].of(learner, **given)


@pytest.mark.parametrize("kind", KINDS)
def test_a_training_part_without_a_class_or_a_direction_is_declined(kind):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 2)), np.arange(20) % 2
    with pytest.raises(Declined, match="of a class"):
        KINDS[kind].of(kind(), X, y).folds(y)
    with pytest.raises(Declined, match="of a class"):
        KINDS[kind].of(kind(), X[:12], np.arange(12) // 11).folds(np.arange(12))
    if kind is LinearDiscriminantAnalysis:
        with pytest.raises(Declined, match="fewer than 2 rows"):
            KINDS[kind].of(kind(solver="lsqr"), X, np.arange(20) // 19).part(np.arange(20), np.arange(20))
    X[:, 1] = X[:, 0]
    with pytest.raises(Declined, match="collinear"):
        KINDS[kind].of(kind(), X, y).folds(np.arange(20))
    X[:, 1] = y
    with pytest.raises(Declined, match="constant"):
        KINDS[kind].of(kind(), X, y).folds(np.arange(20))
