"""Warnings of fits: kept with the fit, counted by candidate, shown once."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import heldout
from heldout.errors import LearnerWarning
from heldout.learners.fit_warnings import WarningCount, WarningCounts
from heldout.learners.fitting import fit_and_test
from heldout.losses import ZERO_ONE
from heldout.splits.split import Split

LAWS = settings(max_examples=60, deadline=None, derandomize=True, database=None)
RNG = np.random.default_rng(1)
X = RNG.normal(size=(60, 3))
y = (X[:, 0] + RNG.normal(size=60) > 0).astype(int)
SPLIT = Split(np.arange(40), np.arange(40, 60))
fits = st.lists(
    st.lists(st.tuples(st.sampled_from(["A", "B"]), st.sampled_from(["x", "y"])), max_size=3, unique=True), max_size=8
)


class Warns(ClassifierMixin, BaseEstimator):
    """Says all of `said` at each fit, and something more when it predicts."""

    def __init__(self, said=(), at_predict=()):
        self.said = said
        self.at_predict = at_predict

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        for category, text in self.said:
            warnings.warn(text, category, stacklevel=1)
        return self

    def predict(self, X):
        for category, text in self.at_predict:
            warnings.warn(text, category, stacklevel=1)
        return np.zeros(len(X), int)


@pytest.mark.filterwarnings("error")
def test_the_warnings_of_a_fit_are_kept_each_once_and_not_shown():
    said = [(ConvergenceWarning, "far\nfrom it"), (UserWarning, "odd"), (ConvergenceWarning, "far\naway")]
    fitted = fit_and_test(Warns(said, [(RuntimeWarning, "new")]), X, y, SPLIT, ZERO_ONE, 0)
    assert (("ConvergenceWarning", "far"), ("UserWarning", "odd"), ("RuntimeWarning", "new")) == fitted.warned


def test_what_is_meant_for_developers_is_no_warning_of_a_learner():
    assert () == fit_and_test(Warns([(DeprecationWarning, "old")]), X, y, SPLIT, ZERO_ONE, 0).warned


def test_a_learner_that_does_not_converge_is_noticed_and_one_that_does_is_not():
    short = fit_and_test(LogisticRegression(max_iter=1), X, y, SPLIT, ZERO_ONE, 0)
    assert ["ConvergenceWarning"] == [category for category, _ in short.warned]
    assert () == fit_and_test(LogisticRegression(), X, y, SPLIT, ZERO_ONE, 0).warned


@LAWS
@given(fits)
def test_counts_are_those_of_the_fits(every):
    found = WarningCounts.of(every)
    assert (len(every), sum(bool(one) for one in every)) == (found.fits, found.concerned)
    for kind in found.kinds:
        assert kind.fits == sum(any(category == kind.category for category, _ in one) for one in every)
        assert kind.first == next(line for one in every for category, line in one if category == kind.category)
    assert {kind.category for kind in found.kinds} == {category for one in every for category, _ in one}


@LAWS
@given(st.lists(fits, min_size=1, max_size=4))
def test_counts_of_parts_together_are_those_of_all(parts):
    whole = WarningCounts.of([fit for part in parts for fit in part])
    together = WarningCounts.together([WarningCounts.of(part) for part in parts])
    assert (whole.fits, whole.concerned, set(whole.kinds)) == (together.fits, together.concerned, set(together.kinds))


def test_the_sentence_has_the_share_of_the_fits():
    kinds = (WarningCount("ConvergenceWarning", 3, "no"), WarningCount("UserWarning", 1, "odd"))
    assert "3 of 9 fits warned: ConvergenceWarning: no; UserWarning (1): odd" == str(WarningCounts(9, 3, kinds))


def test_validate_warns_once_a_candidate_with_the_share_of_its_fits():
    candidates = {"short": LogisticRegression(max_iter=1), "bayes": GaussianNB()}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        heldout.validate(candidates, X, y, estimates=["E_val", "E_cv"], folds=5)
    own = [one for one in caught if one.category is LearnerWarning]
    assert 1 == len(own)
    assert __file__ == own[0].filename
    text = str(own[0].message)
    made, of = int(text.split()[1]), int(text.split()[3])
    assert text.startswith(f"short: {made} of {of} fits warned: ConvergenceWarning: lbfgs failed to converge")
    assert 6 <= made <= of
    assert [] == [one for one in caught if one.category is ConvergenceWarning]
