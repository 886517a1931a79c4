"""Prediction sets: MAPIE's on the same rows, the level on simulated draws, and what has none says why."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mapie.classification import SplitConformalClassifier
from mapie.regression import SplitConformalRegressor
from scipy.stats import beta
from sklearn.linear_model import LinearRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import heldout
from heldout.diagnosis.prediction_sets import calibrated, least_rows, measured, rank, sets_of, threshold
from heldout.errors import BadArgument
from heldout.records import PredictionSets
from heldout.splits.weights import Weights

few = settings(max_examples=25, deadline=None)
CLASSES = np.array(["a", "b", "c"])


def drawn(seed, n=150):
    """Rows of three classes that overlap."""
    rng = np.random.default_rng(seed)
    place = rng.integers(0, 3, n)
    return rng.normal(size=(n, 4)) + place[:, None] * [1.2, 0.6, 0, 0], CLASSES[place]


def validated(learner, X, y, **more):
    return heldout.validate({"one": learner}, X, y, estimates=["E_val"], progress=False, **more)


@pytest.mark.parametrize("learner", [GaussianNB(), KNeighborsClassifier(n_neighbors=9)], ids=["smooth", "ties"])
def test_the_sets_of_classes_are_those_of_mapie_called_plainly(learner):
    X, y = drawn(1)
    made = validated(learner, X, y, level=0.8)
    (g_minus,), new = made.target("one", "E_val"), drawn(2)[0]
    rows = np.flatnonzero(made.design.partition.validation)
    plain = SplitConformalClassifier(g_minus, confidence_level=0.8, random_state=0).conformalize(X[rows], y[rows])
    found = made.prediction_sets(new)
    assert (plain.predict_set(new)[1][:, :, 0] == found.sets).all()
    assert (len(rows), 0.8, [*CLASSES]) == (found.calibrated, found.level, [*found.classes])
    assert 1 < found.sets.sum(axis=1).mean() < 3
    # the rule that a user applies, also with the ten digits of a file
    for t in (found.threshold, float(f"{found.threshold:.10g}")):
        assert (found.sets == (g_minus.predict_proba(new) >= 1 - t)).all()


def test_the_intervals_of_numbers_are_those_of_mapie_called_plainly():
    X, _ = drawn(3)
    y = X @ [1.0, 2, 0, 0] + np.random.default_rng(4).normal(size=len(X))
    made = validated(LinearRegression(), X, y, level=0.8)
    (g_minus,), new = made.target("one", "E_val"), drawn(5)[0]
    rows = np.flatnonzero(made.design.partition.validation)
    plain = SplitConformalRegressor(g_minus, confidence_level=0.8).conformalize(X[rows], y[rows])
    found = made.prediction_sets(new)
    assert plain.predict_interval(new)[1][:, :, 0] == pytest.approx(found.sets, abs=1e-6)
    assert g_minus.predict(new) - found.threshold == pytest.approx(found.sets[:, 0])
    assert found.classes is None


def smooth(rng, n):
    shares = rng.dirichlet([1, 1, 1], n)
    return shares, (shares.cumsum(axis=1) > rng.random(n)[:, None]).argmax(axis=1), np.arange(3)


def tied(rng, n):
    """Shares of three votes that are far too sure."""
    shares = rng.multinomial(3, [0.4, 0.3, 0.3], n) / 3
    return shares, np.where(rng.random(n) < 0.6, shares.argmax(axis=1), rng.integers(0, 3, n)), np.arange(3)


def numbers(rng, n):
    predicted = rng.normal(size=n)
    return predicted, predicted + rng.standard_t(3, n), None


def counts(rng, n):
    """Whole numbers, of which many have the same residual."""
    return np.full(n, 2.5), rng.poisson(2.5, n), None


@pytest.mark.slow
@pytest.mark.parametrize("draw", [smooth, tied, numbers, counts])
def test_the_sets_hold_the_label_as_often_as_the_level_says(draw):
    rng, level, K = np.random.default_rng(6), 0.9, 29
    shares = []
    for _ in range(400):
        answers, y, classes = draw(rng, K)
        line = PredictionSets("one", "g-", level, "", threshold(answers, y, classes, level))
        answers, y, classes = draw(rng, 300)
        shares.append(measured(line, answers, y, classes).coverage)
    error = np.std(shares) / np.sqrt(len(shares))
    assert np.mean(shares) >= level - 3 * error
    if draw in (smooth, numbers):  # without ties at most 1 / (K + 1) above it, and here 27 / 30
        assert np.mean(shares) <= 27 / 30 + 3 * error


answered = st.integers(10, 60).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 7).map(lambda k: k / 7), min_size=n, max_size=n),
        st.lists(st.integers(0, 1), min_size=n, max_size=n),
        st.permutations(range(n)),
    )
)


@few
@given(answered)
def test_permuted_rows_have_the_same_threshold_and_a_higher_level_has_larger_sets(case):
    shares, y, order = (np.array(part) for part in case)
    classes, of_both = np.arange(2), np.column_stack([1 - shares, shares])
    for answers, known in ((of_both, classes), (shares, None)):
        low, high = (threshold(answers, y, known, level) for level in (0.5, 0.9))
        assert low == threshold(answers[order], y[order], known, 0.5)
        inner, outer = (sets_of(answers, known, t) for t in (low, high))
        if known is None:
            assert (outer[:, 0] <= inner[:, 0]).all()
            assert (inner[:, 1] <= outer[:, 1]).all()
        else:
            assert (outer | ~inner).all()
        for t in (low, high):  # a tie is in, whatever the rounding
            line = PredictionSets("one", "g-", 0.5, "", float(f"{t:.10g}"))
            assert measured(line, answers, y, known).coverage >= (0.5 if t == low else 0.9)


LEVELS = ["0.3", "0.5", "0.8", "0.9", "0.95", "0.975", "0.99", "0.995", "0.9999"]


@pytest.mark.parametrize("level", LEVELS)
def test_the_rank_is_that_of_exact_arithmetic_and_the_least_rows_are_the_first_that_have_it(level):
    exact = Fraction(level)
    for rows in [*range(1, 500), 10_000, 999_999]:
        assert math.ceil((rows + 1) * exact) == rank(rows, float(level))
        assert (rows >= least_rows(float(level))) == (math.ceil((rows + 1) * exact) <= rows)
    assert (19, 9) == (least_rows(0.95), least_rows(0.9))


def test_nineteen_held_out_rows_have_sets_at_95_percent_whose_threshold_is_their_largest_score():
    X, _ = drawn(11, 95)
    numbers = X @ [1.0, 2, 0, 0] + np.random.default_rng(4).normal(size=len(X))
    made = validated(LinearRegression(), X, numbers)
    rows, (g_minus,) = made.design.splits("holdout")[0].validation, made.target("one", "E_val")
    assert (19, 19) == (len(rows), made.prediction_sets(X).calibrated)
    largest = np.abs(numbers[rows] - g_minus.predict(X[rows])).max()
    assert largest == pytest.approx(made.prediction_sets(X).threshold, rel=1e-7)


@pytest.mark.parametrize("size", [1e-12, 1.0, 1e12])
def test_numbers_of_any_size_have_the_order_statistic_of_their_residuals(size):
    y = size * (5 + np.random.default_rng(7).normal(size=39))
    found = threshold(np.full(39, 5 * size), y, None, 0.9)
    assert np.sort(abs(y - 5 * size))[35] == pytest.approx(found, rel=1e-7)


def test_what_is_measured_are_counts_and_an_unknown_class_is_not_covered():
    shares = np.array([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8], [0.3, 0.7]])
    line = PredictionSets("one", "g", 0.9, "LAC", threshold=0.25)
    found = measured(line, shares, np.array(["a", "a", "b", "z"]), np.array(["a", "b"]))
    assert (4, 0.5, 0.5, 0.5, 0.5) == (found.tested, found.coverage, found.mean_size, found.single, found.empty)
    assert (found.low, found.high) == pytest.approx((beta.ppf(0.05, 2, 3), beta.ppf(0.95, 3, 2)))
    of_numbers = measured(line, np.array([1.0, 2.0]), np.array([1.25, 3.0]), None)
    assert (2, 0.5, 0.5) == (of_numbers.tested, of_numbers.coverage, of_numbers.mean_width)
    assert of_numbers.single is of_numbers.mean_size is None


def test_where_no_threshold_holds_the_argument_or_the_line_says_why():
    X, y = drawn(8)
    with pytest.raises(BadArgument, match="E_val.*estimates"):
        heldout.validate({"one": GaussianNB()}, X, y, estimates=["E_cv"], progress=False).prediction_sets(X)
    with pytest.raises(BadArgument, match="one.*no probabilities"):
        validated(RidgeClassifier(), X, y).prediction_sets(X)
    with pytest.raises(BadArgument, match="groups"):
        validated(GaussianNB(), X, y, groups=np.arange(len(y)) // 2).prediction_sets(X)
    with pytest.raises(BadArgument, match=r"30 held-out rows.*99 %.*99"):
        validated(GaussianNB(), X, y, level=0.99).prediction_sets(X)
    made = validated(GaussianNB(), X, y)
    with pytest.raises(BadArgument, match=r"X_new.*\(150, 3\).*4"):
        made.prediction_sets(X[:, :3])
    with pytest.raises(BadArgument, match="candidate is 'two'"):
        made.prediction_sets(X, "two")
    (g_minus,) = made.target("one", "E_val")
    weighted = replace(made.design, weights=Weights(np.ones(len(y))))
    assert "weights" in calibrated("one", weighted, g_minus, X).reason


def test_a_class_without_a_held_out_row_is_named_with_what_the_level_is_still_about():
    X, y = drawn(9)
    (first,) = validated(GaussianNB(), X, y).design.splits("holdout")
    y[first.train[:3]] = "z"
    made = validated(GaussianNB(), X, y)
    (split,), (g_minus,) = made.design.splits("holdout"), made.target("one", "E_val")
    assert "z" not in y[split.validation]
    line = calibrated("one", made.design, g_minus, X)
    assert line.threshold is not None
    assert "class z:" in line.reason
    assert "98 %" in line.reason
    y[first.train[3:6]] = "w"
    made = validated(GaussianNB(), X, y)
    (g_minus,) = made.target("one", "E_val")
    assert "no held-out row of 2 classes, such as w: the" in calibrated("one", made.design, g_minus, X).reason
