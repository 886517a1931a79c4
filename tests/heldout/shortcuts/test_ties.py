"""On few distinct rows, and copies of them, classes are tied, and rounding decides: the refit's answers count."""

from contextlib import suppress

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.neighbors import NearestCentroid

from heldout.shortcuts.counting_naive_bayes import (
    BernoulliNaiveBayes,
    CategoricalNaiveBayes,
    ComplementNaiveBayes,
    MultinomialNaiveBayes,
)
from heldout.shortcuts.discriminant_analysis import LinearDiscriminant, QuadraticDiscriminant
from heldout.shortcuts.gaussian_naive_bayes import GaussianNaiveBayes
from heldout.shortcuts.nearest_centroid import NearestCentroids
from heldout.shortcuts.shortcut import Declined

KINDS = [
    (NearestCentroid(), NearestCentroids),
    (NearestCentroid(priors="empirical"), NearestCentroids),
    (GaussianNB(), GaussianNaiveBayes),
    (LinearDiscriminantAnalysis(), LinearDiscriminant),
    (QuadraticDiscriminantAnalysis(), QuadraticDiscriminant),
    (BernoulliNB(), BernoulliNaiveBayes),
    (MultinomialNB(), MultinomialNaiveBayes),
    (ComplementNB(), ComplementNaiveBayes),
    (ComplementNB(norm=True), ComplementNaiveBayes),
    (CategoricalNB(min_categories=3), CategoricalNaiveBayes),
]


@pytest.mark.filterwarnings("ignore")  # of refits: collinear, or no variance
@pytest.mark.draws(quick=3)
@pytest.mark.parametrize(("learner", "kind"), KINDS)
def test_labels_of_few_distinct_rows_are_those_of_the_refit_or_declined(equals_refit, learner, kind, seed):
    rng = np.random.default_rng(seed)
    X = np.repeat(rng.integers(0, 2 + seed % 2, (10, 1 + seed // 2 % 3)), 4, axis=0) * 1.0
    if seed % 3 and not isinstance(learner, CategoricalNB):
        X *= 0.1  # sums of tenths are rounded
    y = np.array(["b", "a"])[rng.permutation(len(X)) % 2]
    with suppress(Declined):
        for _ in range(3):
            equals_refit(learner, kind.of(learner, X, y), X, y, rng)
