"""PAPE and CBPE: laws that hold whatever the rows are, and numbers by hand."""

import numpy as np
import pytest

from studies import calibrated_errors as calibrated


def _rows(n: int, seed: int, centre: float = 0.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, the exact chance of the second class of two, and labels."""
    rng = np.random.default_rng(seed)
    X = rng.normal(centre, 1, size=(n, 1))
    chance = 1 / (1 + np.exp(-2 * X[:, 0]))
    return X, chance, (rng.random(n) < chance).astype(np.int64)


def _both(chance: np.ndarray) -> np.ndarray:
    return np.column_stack([1 - chance, chance])


def test_of_exact_chances_the_expected_error_is_the_mean_of_one_less_the_largest():
    _, chance, _ = _rows(100, 0)
    shares = _both(chance)
    assert calibrated.expected_error(shares, shares.argmax(axis=1)) == pytest.approx(1 - shares.max(axis=1).mean())
    assert calibrated.expected_error(np.array([[0.9, 0.1], [0.4, 0.6]]), np.array([0, 0])) == pytest.approx(0.35)


def test_weights_by_hand_and_their_ends():
    # among 3 labelled and 6 shifted rows: alike, twice as frequent, never shifted, always shifted
    shares = np.array([2 / 3, 4 / 5, 0.0])
    assert calibrated.weights_of_odds(shares, 6) == pytest.approx([1, 2, 0.001])
    assert calibrated.weights_of_odds(np.array([1.0, 0.97]), 2) == pytest.approx([20, 0.97 / 0.05])


def test_where_no_column_tells_labelled_from_shifted_rows_pape_is_cbpe():
    X, chance, y = _rows(400, 1)
    alike = np.zeros_like(X)
    weights = calibrated.density_ratio(alike, alike[:100])
    assert weights == pytest.approx(np.ones(400), abs=1e-6)
    shares, ones = _both(chance), np.ones(400)
    assert calibrated.calibrated(shares, y, weights, shares) == pytest.approx(
        calibrated.calibrated(shares, y, ones, shares), abs=1e-6
    )


def test_a_common_factor_of_the_weights_changes_nothing():
    _, chance, y = _rows(400, 2)
    shares, weights = _both(chance), np.random.default_rng(0).uniform(0.5, 2, 400)
    once, twice = (calibrated.calibrated(shares, y, factor * weights, shares) for factor in (1, 2))
    assert once == pytest.approx(twice, abs=1e-6)


def test_calibration_takes_back_what_a_hypothesis_is_too_sure_of():
    _, chance, y = _rows(8000, 3)
    _, of_shifted, right = _rows(8000, 4, centre=1.0)
    sure, of_sure = (_both(of**3 / (of**3 + (1 - of) ** 3)) for of in (chance, of_shifted))
    answers = of_sure.argmax(axis=1)
    true, unchanged = np.mean(answers != right), np.mean(sure.argmax(axis=1) != y)
    said = calibrated.expected_error(calibrated.calibrated(sure, y, np.ones(8000), of_sure), answers)
    assert calibrated.expected_error(of_sure, answers) < true - 0.05  # what it says of itself
    assert abs(said - true) < 0.02 < abs(unchanged - true)


def test_weights_find_what_the_scores_alone_cannot():
    rng = np.random.default_rng(5)
    hidden = rng.random(6000) < 0.5  # a column that the hypothesis does not look at, and that decides where it errs
    shifted = rng.random(6000) < 0.9
    y = (rng.random(6000) < np.where(hidden, 0.6, 0.9)).astype(np.int64)
    shares = np.tile([0.25, 0.75], (6000, 1))
    weights = calibrated.density_ratio(hidden[:, None].astype(float), shifted[:, None].astype(float))
    answers = np.ones(6000, np.int64)
    cbpe, pape = (
        calibrated.expected_error(calibrated.calibrated(shares, y, of, shares), answers)
        for of in (np.ones(6000), weights)
    )
    exact = 0.9 * 0.4 + 0.1 * 0.1
    assert abs(cbpe - 0.25) < 0.02
    assert abs(pape - exact) < 0.03


def test_chances_of_more_classes_sum_to_one_also_where_all_are_none():
    rng = np.random.default_rng(6)
    shares = rng.dirichlet(np.ones(3), 300)
    y = np.array([rng.choice(3, p=share) for share in shares])
    chances = calibrated.calibrated(shares, y, np.ones(300), shares)
    assert chances.sum(axis=1) == pytest.approx(np.ones(300))
    assert chances.min() >= 0


def test_the_sampling_error_is_that_of_a_mean_of_as_many_shifted_rows():
    assert calibrated.sampling_error(np.array([0.0, 0, 0, 1]), 100) == pytest.approx((3 / 16) ** 0.5 / 10)
