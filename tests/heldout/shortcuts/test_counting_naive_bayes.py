"""Naive Bayes of counts without refits: the law over random problems, and what is declined."""

import numpy as np
import pytest
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, MultinomialNB

from heldout.shortcuts.counting_naive_bayes import (
    BernoulliNaiveBayes,
    CategoricalNaiveBayes,
    ComplementNaiveBayes,
    MultinomialNaiveBayes,
)
from heldout.shortcuts.shortcut import Declined

KINDS = {
    BernoulliNB: BernoulliNaiveBayes,
    MultinomialNB: MultinomialNaiveBayes,
    ComplementNB: ComplementNaiveBayes,
    CategoricalNB: CategoricalNaiveBayes,
}


class Labels:
    """A shortcut whose labels are those of the refit wherever the probabilities leave no doubt: ties are no error."""

    def __init__(self, shortcut):
        self.shortcut = shortcut

    def __getattr__(self, name):
        ask = getattr(self.shortcut, name)

        def probabilities(*parts):
            labels, given = ask(*parts[:-1], "predict"), ask(*parts[:-1], "predict_proba")
            chance = given[np.arange(len(labels)), np.searchsorted(self.shortcut.classes, labels)]
            assert (chance >= given.max(axis=1) - 1e-9).all()
            assert labels.dtype == self.shortcut.classes.dtype
            return given

        return probabilities


def problem(rng, kind, classes=2, *, tied=True):
    shares = kind in (MultinomialNB, ComplementNB)  # of the features: of one it is always 1, and all rows are tied
    n, p = int(rng.integers(14, 19)), int(rng.integers(2 if shares and not tied else 1, 7))
    y = rng.permutation(np.arange(n) % classes)
    rate = rng.uniform(0.3, 3, size=(classes, p))[y]
    X = rng.poisson(rate).astype(float)
    if shares and rng.random() < 0.5:
        X *= rng.uniform(0.1, 2, size=X.shape)
    return X, np.array(["b", "a", "c"])[y]


def learner_for(rng, kind, p, alphas):
    alpha = float(rng.choice(alphas))
    settings = {"alpha": alpha, "fit_prior": bool(rng.integers(2)), "class_prior": [None, [0.3, 0.7]][rng.integers(2)]}
    if kind is BernoulliNB:
        settings["binarize"] = float(rng.choice([0.0, 1.0]))
    if kind is ComplementNB:
        settings["norm"] = bool(rng.integers(2))
    if kind is CategoricalNB:
        settings["min_categories"] = [15, [15] * p][rng.integers(2)]
    elif kind is not BernoulliNB and rng.random() < 0.3:
        settings["alpha"] = alpha * rng.uniform(0.5, 2, p)
    return kind(**settings)


@pytest.mark.draws
@pytest.mark.parametrize("kind", KINDS)
def test_answers_equal_those_of_the_refit_and_well_conditioned_problems_are_not_declined(equals_refit, kind, seed):
    rng = np.random.default_rng(seed)
    X, y = problem(rng, kind, tied=False)
    weights = [None, rng.uniform(0.1, 5, len(y)), rng.integers(1, 4, len(y)).astype(float)][seed % 3]
    learner = learner_for(rng, kind, X.shape[1], [1.0, 0.1])
    if kind is ComplementNB and (X == X[:, :1]).all(axis=1).any():
        learner.set_params(norm=False)  # a row with one number throughout is a tie, whatever the counts
    shortcut = Labels(KINDS[kind].of(learner, X, y, weights))
    assert equals_refit(learner, shortcut, X, y, rng, "predict_proba", weights) == 0


@pytest.mark.filterwarnings("error")
@pytest.mark.draws
@pytest.mark.parametrize("kind", KINDS)
def test_ill_conditioned_problems_are_equal_or_declined(equals_refit, kind, seed):
    rng = np.random.default_rng(1000 + seed)
    X, y = problem(rng, kind, classes=3)
    weights = rng.choice([0.0, 1e-12, 1e-3, 1.0, 1e6], len(y)) if seed % 2 else None
    learner = learner_for(rng, kind, X.shape[1], [[1.0, 1e-3, 1e-10, 1e-14, 0.0][seed % 5]])
    learner.set_params(class_prior=None)
    if kind is CategoricalNB:
        learner.set_params(min_categories=None)
    X[rng.random(X.shape) < 0.3] = 0
    shortcut = Labels(KINDS[kind].of(learner, X, y, weights))
    equals_refit(learner, shortcut, X, y, rng, "predict_proba", weights)


@pytest.mark.parametrize("kind", KINDS)
def test_many_folds_and_blocks_are_predicted_in_pieces(equals_refit, kind, monkeypatch):
    monkeypatch.setattr("heldout.shortcuts.class_sums._AT_ONCE", 64)
    rng = np.random.default_rng(6)
    for _ in range(5):
        X, y = problem(rng, kind, tied=False)
        X, y = np.concatenate([X, X[::-1]]), np.concatenate([y, y[::-1]])
        learner = kind(min_categories=15) if kind is CategoricalNB else kind()
        assert equals_refit(learner, Labels(KINDS[kind].of(learner, X, y)), X, y, rng, "predict_proba") == 0


@pytest.mark.parametrize("weights", [None, np.tile([1.0, 0.0, 2.5], 12)])
def test_categories_are_those_of_the_training_part(weights):
    rng = np.random.default_rng(3)
    X, y = np.tile([0.0, 1.0, 2.0], 12)[:, None], rng.integers(0, 2, 36)
    X[30:] = 5.0
    learner = CategoricalNB()
    shortcut = CategoricalNaiveBayes.of(learner, X, y, weights)
    train, asked = np.arange(30), np.arange(20)
    further = {} if weights is None else {"sample_weight": weights[train]}
    wanted = learner.fit(X[train], y[train], **further).predict_proba(X[asked])
    np.testing.assert_allclose(shortcut.part(train, asked, "predict_proba"), wanted, atol=1e-12)
    with pytest.raises(Declined, match="category above all"):
        shortcut.part(train, np.array([35]))


def subclass_of(kind):
    return type("Subclass", (kind,), {"__init__": kind.__init__})()


@pytest.mark.parametrize(
    ("learner", "change", "reason"),
    [
        *[(subclass_of(kind), {}, "itself") for kind in KINDS],
        *[(kind(), {"X": np.ones((20, 2), dtype=int)}, "float64") for kind in KINDS],
        *[(kind(class_prior=[0.2, 0.2, 0.6]), {}, "priors") for kind in KINDS],
        *[(kind(class_prior=[0.0, 1.0]), {}, "priors") for kind in KINDS],
        *[(kind(alpha=1e-12, force_alpha=False), {}, "replaces") for kind in KINDS],
        *[(kind(alpha=-1.0), {}, "may not be fitted") for kind in KINDS],
        *[(kind(alpha=[1.0, 1.0, 1.0]), {}, "alpha") for kind in KINDS if kind is not CategoricalNB],
        *[(kind(), {"X": -np.ones((20, 2))}, "below 0") for kind in KINDS if kind is not BernoulliNB],
        (BernoulliNB(alpha=[1.0, 1.0]), {}, "alpha for each"),
        (BernoulliNB(binarize=None), {"X": np.full((20, 2), 2.0)}, "0 and 1"),
        (CategoricalNB(), {"X": np.full((20, 2), 1e9)}, "categories of"),
        (CategoricalNB(), {"X": np.full((20, 2), 6e4)}, "more than"),
        (CategoricalNB(min_categories=3, alpha=0.0), {}, "without a row"),
        (CategoricalNB(min_categories=[2, 2, 2]), {}, "min_categories"),
        (CategoricalNB(min_categories=[2.0, 2.0]), {}, "min_categories"),
    ],
)
def test_is_declined_when_made(learner, change, reason):
    given = {"X": np.ones((20, 2)), "y": np.arange(20) % 2} | change
    kind = next(kind for kind in KINDS if isinstance(learner, kind))
    with pytest.raises(Declined, match=reason):
        KINDS[kind].of(learner, **given)


@pytest.mark.parametrize("kind", KINDS)
def test_a_training_part_without_a_class_its_weight_or_a_count_is_declined(kind):
    X, y = np.tile([0.0, 1.0, 1.0], 8)[:, None].repeat(2, axis=1), np.arange(24) % 2
    with pytest.raises(Declined, match="of a class"):
        KINDS[kind].of(kind(), X, y).folds(y)
    with pytest.raises(Declined, match="weigh nothing"):
        KINDS[kind].of(kind(), X, y, y.astype(float)).folds(np.arange(24))
    X[:, 1] = 0
    with pytest.raises(Declined, match="infinite"):
        KINDS[kind].of(kind(alpha=0.0), X, y).folds(np.arange(24) % 3)
