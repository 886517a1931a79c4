"""The nearest centroid without refits: the law over random problems, and what is declined."""

import numpy as np
import pytest
from sklearn.neighbors import NearestCentroid

from heldout.shortcuts.nearest_centroid import NearestCentroids
from heldout.shortcuts.shortcut import Declined


class Subclass(NearestCentroid):
    pass


def problem(rng, classes):
    n, p = int(rng.integers(16, 31)), int(rng.integers(1, 7))
    y = rng.permutation(np.arange(n) % classes)
    X = rng.normal(size=(n, p)) + rng.normal(size=(classes, p))[y]
    return X * 10.0 ** rng.integers(-2, 3), np.array(["b", "a", "c"])[y]


def learner_for(rng, classes):
    priors = ["uniform", "empirical", rng.dirichlet(np.full(classes, 5.0)).tolist()][rng.integers(3)]
    return NearestCentroid(priors=priors)


@pytest.mark.draws
def test_answers_equal_those_of_the_refit_and_well_conditioned_problems_are_not_declined(equals_refit, seed):
    rng = np.random.default_rng(seed)
    X, y = problem(rng, classes=2)
    learner = learner_for(rng, 2)
    shortcut = NearestCentroids.of(learner, X, y)
    assert equals_refit(learner, shortcut, X, y, rng, ["predict", "predict_proba"][seed % 2]) == 0


@pytest.mark.filterwarnings("error")
@pytest.mark.draws
def test_ill_conditioned_problems_are_equal_or_declined(equals_refit, seed):
    rng = np.random.default_rng(1000 + seed)
    X, y = problem(rng, classes=3)
    X = X * 10.0 ** rng.integers(-3, 4, X.shape[1])
    if seed % 4 == 1:
        X[:, 0] = np.where(rng.random(len(y)) < 0.1, 1e6, 0.1)  # a variance made by a few rows
    if seed % 4 == 2:
        X[:, 0] = 0.1  # no variance at all
    if seed % 4 == 3:
        X += 10.0 ** rng.integers(0, 12)  # digits lost in the mean
    learner = learner_for(rng, 3)
    shortcut = NearestCentroids.of(learner, X, y)
    equals_refit(learner, shortcut, X, y, rng, ["predict", "predict_proba"][seed // 2 % 2])


@pytest.mark.parametrize(
    ("learner", "change", "reason"),
    [
        (Subclass(), {}, "itself"),
        (NearestCentroid(metric="manhattan"), {}, "medians"),
        (NearestCentroid(shrink_threshold=0.1), {}, "shrink"),
        (NearestCentroid(priors=[0.5, 0.4]), {}, "sum up"),
        (NearestCentroid(priors=[1.0, 0.0]), {}, "priors"),
        (NearestCentroid(priors=np.array([0.5, 0.5])), {}, "array"),
        (NearestCentroid(priors="other"), {}, "may not be fitted"),
        (NearestCentroid(), {"weights": np.ones(20)}, "no weights"),
        (NearestCentroid(), {"X": np.ones((20, 2), dtype=int)}, "float64"),
        (NearestCentroid(), {"y": np.zeros(20)}, "single class"),
    ],
)
def test_is_declined_when_made(learner, change, reason):
    given = {"X": np.random.default_rng(0).normal(size=(20, 2)), "y": np.arange(20) % 2} | change
    with pytest.raises(Declined, match=reason):
        NearestCentroids.of(learner, **given)


def test_a_training_part_without_a_class_or_a_variance_is_declined():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 2)), np.arange(20) % 2
    with pytest.raises(Declined, match="of a class"):
        NearestCentroids.of(NearestCentroid(), X, y).folds(y)
    with pytest.raises(Declined, match="one row of each"):
        NearestCentroids.of(NearestCentroid(), X, y).part(np.array([0, 1]), np.array([2]))
    X[:, 1] = y
    with pytest.raises(Declined, match="constant"):
        NearestCentroids.of(NearestCentroid(), X, y).folds(np.arange(20))


def test_a_part_with_hardly_more_rows_than_classes_is_declined_since_the_refit_warns():
    y, rng = np.tile(np.arange(15), 2), np.random.default_rng(0)
    shortcut = NearestCentroids.of(NearestCentroid(), rng.normal(size=(30, 3)), y)
    with pytest.raises(Declined, match="hardly more rows than classes"):
        shortcut.part(np.arange(28), np.arange(3))
    assert (3,) == shortcut.part(np.arange(30), np.arange(3)).shape
