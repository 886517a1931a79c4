"""Rows of one population are seldom told apart, and rows of another are, by ranges and by answers."""

import numpy as np
import pytest

from heldout.populations import DIFFER, differ, out_of_range

SAMPLES = 150


def columns(X):
    return {f"x{place}": X[:, place] for place in range(X.shape[1])}


def told(kind, shift, rng, n=40, others=120):
    labeled, unlabeled = rng.normal(size=(n, 3)), rng.normal(size=(others, 3)) + shift * np.array([0, 1, 0])
    if kind == "range":
        return out_of_range(columns(labeled), columns(unlabeled))
    return differ(labeled, unlabeled, ["a", "b", "c"])


@pytest.mark.parametrize("kind", ["range", "answers"])
def test_rows_of_one_population_are_told_apart_as_often_as_the_level_says(kind):
    rng = np.random.default_rng(0)
    found = sum(told(kind, 0, rng) is not None for _ in range(SAMPLES))
    assert found <= DIFFER * SAMPLES + 3 * np.sqrt(DIFFER * SAMPLES)


@pytest.mark.parametrize("kind", ["range", "answers"])
def test_a_shifted_column_is_named(kind):
    text = told(kind, 4, np.random.default_rng(1))
    assert text.startswith("the unlabelled rows differ from the labelled rows: ")
    assert ("x1 lies outside of " if kind == "range" else "b is ") in text


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
