"""With loss=None the learners say whether whole numbers are classes or numbers, and a doubt is said."""

import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB

import heldout
from heldout.errors import BadArgument, TargetWarning

rng = np.random.default_rng(0)


def letters(classes, rows):
    y = np.arange(rows) % classes
    return np.column_stack([y + 0.3 * rng.normal(size=rows), rng.normal(size=rows)]), y


class Silent(BaseEstimator):
    """Says neither that it predicts classes nor that it predicts numbers."""

    def fit(self, X, y):
        self.answer_ = y[0]
        return self

    def predict(self, X):
        return np.full(len(X), self.answer_)


def loss_of(candidates, X, y, **named):
    made = heldout.validate(candidates, X, y, estimates=["E_cv"], folds=3, progress=False, **named)
    return made.design.loss.name


@pytest.mark.parametrize("kind", [int, float])
@pytest.mark.parametrize(("classes", "rows", "doubt"), [(2, 60, False), (26, 26 * 50, False), (26, 26 * 10, True)])
def test_classifiers_predict_classes_however_many_there_are(classes, rows, doubt, kind):
    X, y = letters(classes, rows)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", TargetWarning)
        assert "zero_one" == loss_of({"bayes": GaussianNB(), "silent": Silent()}, X, y.astype(kind))
    said = [str(one.message) for one in said if one.category is TargetWarning]
    assert bool(said) == doubt
    assert not doubt or "y holds 26 different whole numbers in 260 rows, which are taken as classes" in said[0]


@pytest.mark.parametrize("classes", [2, 26])
def test_regressors_predict_numbers_however_few_there_are(classes):
    X, y = letters(classes, 60)
    with warnings.catch_warnings():
        warnings.simplefilter("error", TargetWarning)
        assert "squared" == loss_of({"ridge": Ridge()}, X, y)


def test_where_no_learner_says_it_the_labels_do_and_many_whole_numbers_are_a_doubt():
    assert "zero_one" == loss_of({"silent": Silent()}, *letters(3, 60))
    with pytest.warns(TargetWarning, match="26 different whole numbers in 1300 rows, which are taken as numbers"):
        assert "squared" == loss_of({"silent": Silent()}, *letters(26, 1300))


def test_both_kinds_of_learners_need_a_loss_and_classifiers_need_classes():
    X, y = letters(3, 60)
    both = {"bayes": GaussianNB(), "ridge": Ridge()}
    with pytest.raises(
        BadArgument, match=r"'bayes'\] is a classifier and candidates\['ridge'\] a regressor.*name the loss"
    ):
        loss_of(both, X, y)
    assert "squared" == loss_of(both, X, y, loss="squared")
    with pytest.raises(
        BadArgument, match=r"^y holds 0.5, which is no class, but candidates\['bayes'\] is a classifier"
    ):
        loss_of({"bayes": GaussianNB()}, X, y + 0.5)
