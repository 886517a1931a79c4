"""MaNo, the nuclear norm and the line to an error: by hand, and at their ends."""

import math

import numpy as np
import pytest
from scipy import special
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from studies import matrix_norms


def test_mano_by_hand():
    # the expansions of exp at 1 and -1 are 2.5 and 0.5
    scores = np.array([[1.0, -1.0], [0.0, 0.0]])
    entries = [5 / 6, 1 / 6, 1 / 2, 1 / 2]
    assert matrix_norms.mano(scores) == pytest.approx((sum(entry**4 for entry in entries) / 4) ** 0.25)


def test_mano_takes_the_softmax_of_a_hypothesis_that_is_very_sure():
    scores = np.array([[10.0, -10.0]])  # an even guess has the cross-entropy 10
    assert matrix_norms.mano(scores) == pytest.approx((special.softmax(scores) ** 4).mean() ** 0.25)
    assert matrix_norms.mano(scores) == pytest.approx(0.5**0.25)  # its largest value, of two classes


def test_the_nuclear_norm_is_one_for_sure_and_even_answers_and_less_for_others():
    sure = 50 * np.eye(3)[[0, 1, 2, 0, 1, 2]]
    assert matrix_norms.nuclear_norm(sure) == pytest.approx(1)
    assert matrix_norms.nuclear_norm(sure[[0, 0, 0, 0]]) == pytest.approx(1 / math.sqrt(3))  # one class alone
    assert matrix_norms.nuclear_norm(np.zeros((6, 3))) == pytest.approx(1 / 3)  # no class at all


@pytest.mark.parametrize("learner", [LogisticRegression(), RandomForestClassifier(5, random_state=0)])
@pytest.mark.parametrize("classes", [2, 3])
def test_scores_have_the_probabilities_of_the_hypothesis(learner, classes):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(90, 2)), np.arange(90) % classes
    hypothesis = learner.fit(X, y)
    scores = matrix_norms.scores_of(hypothesis, X)
    assert special.softmax(scores, axis=1) == pytest.approx(hypothesis.predict_proba(X), abs=1e-5)
    assert scores.sum(axis=1) == pytest.approx(np.zeros(90), abs=1e-6)


def test_a_line_that_fits_gives_the_error_of_its_score():
    rng = np.random.default_rng(0)
    scores, losses = np.zeros((200, 2)), np.arange(200) / 400.0
    scores[:, 0] = 1 - losses  # its mean is 1 less the error, in each draw
    places = matrix_norms.tilted(rng.normal(size=(200, 3)), 50, rng)
    shifted = np.full((10, 2), 0.7)
    said = matrix_norms.by_line(lambda of: float(of[:, 0].mean()), scores, losses, places, shifted)
    assert (said.value, said.low, said.high) == pytest.approx((0.3, 0.3, 0.3))


def test_a_score_that_says_nothing_gives_the_mean_error_of_the_draws():
    rng = np.random.default_rng(1)
    losses = (rng.random(300) < 0.2).astype(float)
    places = matrix_norms.tilted(rng.normal(size=(300, 2)), 40, rng)
    said = matrix_norms.by_line(lambda of: 1.0, np.zeros((300, 2)), losses, places, np.zeros((5, 2)))
    assert said.value == pytest.approx(losses[places].mean())
    assert 0 <= said.low < said.value < said.high


def test_a_draw_prefers_one_end_of_a_direction():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(5000, 1))
    means = X[matrix_norms.tilted(X, 60, rng)].mean(axis=(1, 2))
    assert means.min() < -1
    assert means.max() > 1
    assert np.abs(means).max() < matrix_norms.TILT + 0.1  # of a normal column, the mean moves by the tilt
