"""Gaussian naive Bayes without refits: the law over random problems, and what is declined."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from heldout.shortcuts.gaussian_naive_bayes import GaussianNaiveBayes
from heldout.shortcuts.shortcut import Declined


class Subclass(GaussianNB):
    pass


def problem(rng, classes=None):
    """Rows that any part of half of them shares among all classes, nearly always."""
    n, p = int(rng.integers(12, 40)), int(rng.integers(1, 7))
    y = rng.permutation(np.arange(n) % (classes or int(rng.integers(2, 4))))
    X = rng.normal(size=(n, p)) + rng.normal(size=(y.max() + 1, p))[y]
    return X * 10.0 ** rng.integers(-3, 4, p) * [1, 1e-3][rng.integers(2)], np.array(["b", "a", "c"])[y]


def learner_for(rng, classes):
    priors = rng.dirichlet(np.full(classes, 5.0)) if rng.random() < 0.3 else None
    return GaussianNB(priors=priors, var_smoothing=float(rng.choice([1e-9, 1e-3, 0.0])))


def lacks_a_class(error):
    return "of a class" in str(error.value)


@pytest.mark.draws
def test_answers_equal_those_of_the_refit_and_well_conditioned_problems_are_not_declined(equals_refit, seed):
    rng = np.random.default_rng(seed)
    X, y = problem(rng, classes=2)
    if seed % 2:  # as many rows of each class in any part as its variance needs
        X, y = np.concatenate([X, X + 0.1 * rng.normal(size=X.shape)]), np.concatenate([y, y])
    weights = rng.choice([rng.uniform(0.1, 5, len(y)), rng.integers(1, 4, len(y)).astype(float)]) if seed % 3 else None
    learner = learner_for(rng, 2)
    shortcut = GaussianNaiveBayes.of(learner, X, y, weights)
    method = ["predict", "predict_proba"][seed % 2]
    assert equals_refit(learner, shortcut, X, y, rng, method, weights) == 0 or len(y) < 30


@pytest.mark.draws(quick=6)
def test_ill_conditioned_problems_are_equal_or_declined(equals_refit, seed):
    rng = np.random.default_rng(1000 + seed)
    X, y = problem(rng)
    X = X + 10.0 ** rng.integers(0, 12)  # digits lost in the mean
    if seed % 3 == 1:
        X[:, 0] = np.where(rng.random(len(y)) < 0.1, 1e6, 0.1)  # a variance made by a few rows
    if seed % 3 == 2:
        X[:, 0] = 0.1  # no variance at all
    weights = 10.0 ** rng.integers(-12, 3, len(y)) if seed % 2 else None
    learner = learner_for(rng, len(np.unique(y)))
    shortcut = GaussianNaiveBayes.of(learner, X, y, weights)
    equals_refit(learner, shortcut, X, y, rng, ["predict", "predict_proba"][seed // 2 % 2], weights)


def test_leaving_out_the_row_that_makes_a_variance_is_summed_again():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(40, 2)), np.arange(40) % 2
    X[::2, 0], X[6, 0] = 0.0, 100.0
    got = GaussianNaiveBayes.of(GaussianNB(), X, y).folds(np.arange(40), "predict_proba")
    rest = np.arange(40) != 6
    wanted = GaussianNB().fit(X[rest], y[rest]).predict_proba(X[[6]])[0]
    np.testing.assert_allclose(got[6], wanted, atol=1e-9)


def test_many_folds_and_blocks_are_predicted_in_pieces(equals_refit, monkeypatch):
    monkeypatch.setattr("heldout.shortcuts.class_sums._AT_ONCE", 64)
    rng = np.random.default_rng(6)
    for _ in range(10):
        X, y = problem(rng, classes=2)
        X, y = np.concatenate([X, X[::-1] + 0.1]), np.concatenate([y, y[::-1]])
        assert equals_refit(GaussianNB(), GaussianNaiveBayes.of(GaussianNB(), X, y), X, y, rng, "predict_proba") == 0


@pytest.mark.parametrize(
    ("learner", "change", "reason"),
    [
        (Subclass(), {}, "itself"),
        (GaussianNB(priors=[0.5, 0.4]), {}, "sum up"),
        (GaussianNB(priors=[0.2, 0.3, 0.5]), {}, "priors"),
        (GaussianNB(priors=[0.0, 1.0]), {}, "priors"),
        (GaussianNB(var_smoothing=-1.0), {}, "may not be fitted"),
        (GaussianNB(), {"X": np.ones((20, 2), dtype=np.float32)}, "float64"),
        (GaussianNB(), {"X": np.full((20, 2), np.nan)}, "missing"),
        (GaussianNB(), {"y": np.linspace(0, 1, 20)}, "array of classes"),
        (GaussianNB(), {"y": np.zeros(20)}, "single class"),
    ],
)
def test_is_declined_when_made(learner, change, reason):
    given = {"X": np.random.default_rng(0).normal(size=(20, 2)), "y": np.arange(20) % 2} | change
    with pytest.raises(Declined, match=reason):
        GaussianNaiveBayes.of(learner, **given)


def test_a_training_part_without_a_class_or_its_weight_or_variance_is_declined():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 2)), np.arange(20) % 2
    with pytest.raises(Declined, match="of a class"):
        GaussianNaiveBayes.of(GaussianNB(), X, y).folds(y)
    with pytest.raises(Declined, match="of a class"):
        GaussianNaiveBayes.of(GaussianNB(), X, y).part(np.flatnonzero(y), np.arange(3))
    with pytest.raises(Declined, match="weigh nothing"):
        GaussianNaiveBayes.of(GaussianNB(), X, y, y.astype(float)).folds(np.arange(20))
    X[:, 1] = y
    with pytest.raises(Declined, match="singular"):
        GaussianNaiveBayes.of(GaussianNB(var_smoothing=0.0), X, y).folds(np.arange(20))
