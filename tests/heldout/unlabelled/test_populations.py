"""Rows of one population are seldom told apart, and rows of another are, by ranges and by answers."""

import numpy as np
import pytest
from scipy.stats import fisher_exact

from heldout.unlabelled.populations import DIFFER, differ, missing_differs, out_of_range

SAMPLES = 150


def columns(X):
    return {f"x{place}": X[:, place] for place in range(X.shape[1])}


def told(kind, shift, rng, n=40, others=120):
    labeled, unlabeled = rng.normal(size=(n, 3)), rng.normal(size=(others, 3)) + shift * np.array([0, 1, 0])
    if kind == "gaps":
        return missing_differs(*(columns(part > 1) for part in (labeled, unlabeled)))
    if kind == "range":
        return out_of_range(columns(labeled), columns(unlabeled))
    return differ(labeled, unlabeled, ["a", "b", "c"])


@pytest.mark.parametrize("kind", ["range", "gaps", "answers"])
def test_rows_of_one_population_are_told_apart_as_often_as_the_level_says(kind):
    rng = np.random.default_rng(0)
    found = sum(told(kind, 0, rng) is not None for _ in range(SAMPLES))
    assert found <= DIFFER * SAMPLES + 3 * np.sqrt(DIFFER * SAMPLES)


@pytest.mark.parametrize("kind", ["range", "gaps", "answers"])
def test_a_shifted_column_is_named(kind):
    text = told(kind, 4, np.random.default_rng(1))
    assert text.startswith("the unlabelled rows differ from the labelled rows: ")
    assert {"range": "x1 lies outside of ", "gaps": "x1 is missing in ", "answers": "b is "}[kind] in text


def test_the_number_outside_of_the_range_has_the_chance_that_the_text_says():
    # of 3 labelled and 1 further value each of the 4 is the largest or the least with the chance 2 / 4
    rng = np.random.default_rng(2)
    outside = [not a.min() <= b <= a.max() for a, b in ((rng.normal(size=3), rng.normal()) for _ in range(2000))]
    assert np.mean(outside) == pytest.approx(0.5, abs=0.05)
    assert out_of_range({"x": [0, 1, 2]}, {"x": [9]}) is None


@pytest.mark.parametrize("column", [[], [1.0], [np.nan, np.nan], [1.0, np.nan]])
def test_too_few_values_have_no_range(column):
    assert out_of_range({"x": column}, {"x": [9.0] * 500}) is None


def test_missing_values_and_ties_are_inside():
    labeled = {"x": [0.0, 1.0] * 30}
    assert out_of_range(labeled, {"x": [0.0, 1.0, np.nan] * 100}) is None
    assert out_of_range(labeled, {"x": [0.0, 1.0, 2.0] * 100}) is not None


def test_gaps_are_compared_by_the_exact_test_and_both_shares_are_said():
    labeled, unlabeled = np.arange(40) < 2, np.arange(60) < 15
    text = missing_differs({"x": labeled}, {"x": unlabeled})
    assert text is None  # p = 0.02
    more = np.arange(60) < 30
    p = fisher_exact([[2, 38], [30, 30]], alternative="less").pvalue
    assert f"x is missing in 50.0 % of them and in 5.0 % of the labelled rows, p = {2 * p:.1g}" in missing_differs(
        {"full": np.zeros(40, bool), "x": labeled}, {"full": np.zeros(60, bool), "x": more}
    )
    many = {f"x{place}": labeled for place in range(2000)}
    assert missing_differs(many, {name: np.arange(60) < 18 for name in many}) is None  # the level is shared


def test_without_rows_or_gaps_nothing_differs():
    assert missing_differs({}, {}) is None
    assert missing_differs({"x": [False, False]}, {"x": [False]}) is None
    assert missing_differs({"x": [True]}, {"x": []}) is None
    assert missing_differs({"x": [True] * 9}, {"x": [True] * 900}) is None
