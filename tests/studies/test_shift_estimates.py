"""What is said of the error of shifted rows: exact where the answer is known."""

import math

import numpy as np
import pytest
from scipy import optimize

from studies import shift_estimates as estimates

RNG = np.random.default_rng(0)


def _probabilities(n: int, classes: int = 3) -> np.ndarray:
    return RNG.dirichlet(np.ones(classes), n)


def test_without_a_shift_each_estimate_is_the_error_on_labelled_rows():
    shares, losses = _probabilities(1000), (RNG.random(1000) < 0.3).astype(float)
    for confidence in (estimates.certainty(shares), shares.max(axis=1)):
        said = estimates.thresholded_confidence(confidence, losses, confidence)
        assert said == pytest.approx(losses.mean(), abs=1 / 1000)
        assert estimates.difference_of_confidences(confidence, losses, confidence) == pytest.approx(losses.mean())
    X = RNG.normal(size=(1000, 2))
    assert estimates.weighted_error(X, losses, X) == pytest.approx(losses[1::2].mean())


def test_a_threshold_and_a_difference_by_hand():
    confidence, losses = np.array([0.5, 0.6, 0.7, 0.8, 0.9]), np.array([1.0, 0, 0, 0, 0])
    shifted = np.array([0.5, 0.5, 0.55, 0.95])  # the fifth of the labelled rows ends at 0.58
    assert estimates.thresholded_confidence(confidence, losses, shifted) == 0.75
    assert estimates.difference_of_confidences(confidence, losses, shifted) == pytest.approx(0.2 + 0.7 - 0.625)
    assert estimates.certainty(np.array([[0.5, 0.5], [1.0, 0.0]])) == pytest.approx([-math.log(2), 0])


def test_weights_give_the_error_of_the_population_that_they_describe():
    X, shifted = RNG.normal(size=(40_000, 1)), RNG.normal(1, 1, size=(40_000, 1))  # the odds are linear
    losses = (X[:, 0] > 0.5).astype(float)
    exact = 0.5 * math.erfc(-0.5 / 2**0.5)  # how often a normal draw around 1 is above 1/2
    assert estimates.weighted_error(X, losses, shifted) == pytest.approx(exact, abs=0.03)


def test_the_gradient_of_the_critic_is_that_of_its_loss():
    X, shifted = RNG.normal(size=(20, 4)), RNG.normal(size=(15, 4))
    answers, of_shifted = RNG.integers(3, size=20), RNG.integers(3, size=15)

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = estimates.disagreement_loss(flat.reshape(4, 3), X, answers, shifted, of_shifted)
        return value, gradient.ravel()

    error = optimize.check_grad(lambda w: loss(w)[0], lambda w: loss(w)[1], RNG.normal(size=12))
    assert error < 1e-6


def test_a_critic_finds_rows_that_it_can_tell_apart_and_no_others():
    X = RNG.normal(size=(2000, 3))
    losses, answers = np.zeros(2000), (X[:, 0] > 0).astype(np.int64)
    for moved, low, high in ((10.0, 0.7, 1.0), (0.0, -0.05, 0.05)):
        shifted = RNG.normal((moved / 2, moved, 0), size=(2000, 3))
        found = estimates.largest_discrepancy(X, answers, losses, shifted, (shifted[:, 0] > 0).astype(np.int64), 2)
        assert low <= found.more <= high


def test_the_bound_adds_what_hoeffding_does():
    found = estimates.Discrepancy(error=0.1, more=0.2, variance=0.0004, n=400, m=300)
    assert found.bound(0.01) == pytest.approx(0.3 + ((4 / 400 + 1 / 300) * math.log(100) / 2) ** 0.5)
    assert found.measured_bound(0.025) == pytest.approx(0.3 + 1.96 * 0.02, abs=1e-4)
