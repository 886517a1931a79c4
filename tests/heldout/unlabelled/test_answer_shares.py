"""The answers of many hypotheses at each row, as shares."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from heldout.losses import SQUARED, ZERO_ONE, choose_loss
from heldout.unlabelled.answer_shares import answer_shares, scale_of

RNG = np.random.default_rng(0)
X, NEW = RNG.normal(size=(60, 2)), RNG.normal(size=(7, 2))
LABELS = {
    "two classes": np.where(X[:, 0] > 0, "yes", "no"),
    "three classes": np.array(["a", "b", "c"])[(X[:, 0] > 0.0) + 1 * (X[:, 1] > 0.5)],
}


def halves(learner, y):
    return [learner().fit(X[first::3], y[first::3]) for first in range(3)]


@pytest.mark.parametrize("learner", [GaussianNB, DecisionTreeClassifier])  # one by one, and together
@pytest.mark.parametrize("labels", LABELS)
def test_classes_are_shares_of_the_votes(learner, labels):
    y = LABELS[labels]
    models, classes = halves(learner, y), np.unique(y)
    votes = np.array([model.predict(NEW) for model in models])
    expected = np.array([(votes == name).mean(axis=0) for name in classes]).T
    shown = expected[:, 1:] if len(classes) == 2 else expected
    assert np.allclose(shown, answer_shares(models, NEW, ZERO_ONE, scale_of(ZERO_ONE, y)))


def test_probabilities_are_their_mean():
    y = LABELS["two classes"]
    models = halves(GaussianNB, y)
    expected = np.mean([model.predict_proba(NEW)[:, 1:] for model in models], axis=0)
    loss = choose_loss("brier", y)
    assert np.allclose(expected, answer_shares(models, NEW, loss, scale_of(loss, y)))


def test_numbers_are_their_place_in_the_range_of_the_labels():
    y = X @ [1.0, 2.0]
    models, far = halves(LinearRegression, y), np.vstack([NEW, [[100.0, 100.0]]])
    expected = (far @ [1.0, 2.0] - y.min()) / (y.max() - y.min())
    assert np.allclose(np.clip(expected, 0, 1)[:, None], answer_shares(models, far, SQUARED, scale_of(SQUARED, y)))
