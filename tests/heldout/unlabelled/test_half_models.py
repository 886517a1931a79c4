"""What two hypotheses err on average at least, by their disagreement: at every row, and in the rows' population."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, t
from sklearn.datasets import make_classification
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier

import heldout
from heldout.errors import BadArgument
from heldout.intervals import two_way_wilson
from heldout.losses import ABSOLUTE, SQUARED, ZERO_ONE, Loss, choose_loss
from heldout.losses.tested_losses import RepeatedByRow, repeated_by_row
from heldout.unlabelled.disagreement import pointwise_disagreement
from heldout.unlabelled.implied_error import error_bound, least_half_error, least_mean_error

LAWS = settings(max_examples=80, deadline=None, derandomize=True, database=None)
seeds, sizes = st.integers(0, 2**32 - 1), st.integers(2, 5)
ROWS = 50


def check(loss: Loss, y, first, second) -> None:
    """The inequality holds at every row, up to rounding."""
    mean = (loss.pointwise(y, first) + loss.pointwise(y, second)) / 2
    least = [least_mean_error(apart, loss) for apart in pointwise_disagreement(first, second, loss)]
    assert (np.array(least) <= mean + 1e-12).all()


@LAWS
@given(seeds, sizes)
def test_two_answers_of_classes_err_at_least_as_their_difference_says(seed, classes):
    rng = np.random.default_rng(seed)
    y, first, second = rng.integers(0, classes, (3, ROWS))
    costs = {a: {p: float(rng.gamma(1)) for p in range(classes)} for a in range(classes)}  # right answers cost as well
    for loss in (ZERO_ONE, choose_loss({"cost": costs}, np.arange(classes))):
        check(loss, y, first, second)


@LAWS
@given(seeds, st.floats(0.01, 0.99))
def test_two_numbers_err_at_least_as_their_difference_says(seed, quantile):
    y, first, second = np.random.default_rng(seed).normal(size=(3, ROWS))
    for loss in (SQUARED, ABSOLUTE, choose_loss({"pinball": quantile}, y)):
        check(loss, y, first, second)


@pytest.mark.parametrize("name", ["brier", "log"])
@pytest.mark.parametrize("precision", [np.float64, np.float32])
@LAWS
@given(seed=seeds, classes=sizes, spread=st.sampled_from([0.02, 0.3, 5.0]))
def test_two_distributions_err_at_least_as_their_distance_says(name, precision, seed, classes, spread):
    rng = np.random.default_rng(seed)
    # 0.02: nearly all in one class, many others at 0 and clipped; float32 sums up to 1 but for rounding
    first, second = rng.dirichlet(np.full(classes, spread), (2, ROWS)).astype(precision)
    # the last label is of a class that no hypothesis knows
    check(choose_loss(name, np.arange(classes)), rng.integers(0, classes + 1, ROWS), first, second)


@pytest.mark.parametrize(
    ("loss", "y", "first", "second"),
    [
        (ZERO_ONE, [1], [1], [2]),
        (choose_loss({"cost": {1: {2: 5}, 2: {1: 3}}}, np.array([1, 2])), [2], [1], [2]),
        (SQUARED, [1.0], [0.0], [2.0]),
        (ABSOLUTE, [1.5], [0.0], [2.0]),
        (choose_loss({"pinball": 0.9}, np.array([0.5])), [0.0], [0.0], [2.0]),
        (choose_loss("brier", np.array([0, 1])), [0], [[1.0, 0.0]], [[0.3, 0.7]]),
        (choose_loss("brier", np.array([0, 1, 2])), [0], [[1.0, 0.0, 0.0]], [[0.0, 0.5, 0.5]]),
        (choose_loss("log", np.array([0, 1, 2])), [0], [[0.5, 0.5, 0.0]], [[0.25, 0.0, 0.75]]),
    ],
    ids=["0/1", "cost", "squared", "absolute", "pinball", "two classes", "three classes", "log"],
)
def test_no_larger_factor_holds(loss, y, first, second):
    mean = (loss.pointwise(y, first) + loss.pointwise(y, second)) / 2
    (apart,) = pointwise_disagreement(first, second, loss)
    # to 1e-6: a probability of 0 is clipped to 2.2e-16 by the log loss, and the root of that is a part of its distance
    assert mean[0] == pytest.approx(least_mean_error(float(apart), loss), rel=1e-6 if loss.name == "log" else 1e-12)
    assert mean[0] > 0


def test_the_distance_of_probabilities_by_hand():
    loss = choose_loss("log", np.array([0, 1]))
    first = np.array([[0.5, 0.5], [0.3, 0.7], [1.0, 0.0], [1.0, 0.0], [0.1, 0.9]])
    second = np.array([[0.1, 0.9], [0.3, 0.7], [1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    # sqrt(0.05) + sqrt(0.45) = 4 sqrt(0.05) = sqrt(0.8); clipped to 2^-52 and 1 - 2^-52, two roots of 2^-26: 2^-25
    expected = [np.log(1.25) / 2, 0.0, 0.0, 25 * np.log(2), np.log(1.25) / 2]
    found = pointwise_disagreement(first, second, loss)
    assert expected == pytest.approx(found.tolist(), rel=1e-12)
    assert [0.0, 0.0] == found[1:3].tolist()
    assert not np.signbit(found).any()
    # scikit-learn lets a row sum up to 1 but for rounding: equal answers agree
    assert [0.0, 0.0] == pointwise_disagreement(first[:2] * 0.9995, first[:2] * 0.9995, loss).tolist()
    assert [0.0, 0.0] == pointwise_disagreement(first[:2] * 1.0005, first[:2] * 1.0005, loss).tolist()


@pytest.mark.parametrize(
    ("name", "classes"), [("zero_one", 2), ("zero_one", 5), ("brier", 2), ("log", 3), ("squared", 0)]
)
def test_it_is_never_above_what_holds_in_expectation(name, classes):
    loss = choose_loss(name, np.arange(classes) if classes else np.array([0.5]))
    for d in np.linspace(0, 0.5, 20):
        assert least_mean_error(d, loss) <= error_bound(d, loss, classes)[0] + 1e-12


def test_a_loss_without_it_is_refused_by_name():
    for loss in (choose_loss("balanced", np.array([0, 1, 1])), ZERO_ONE.with_weights()):
        with pytest.raises(BadArgument, match=f"^the {loss.name} loss admits no "):
            least_mean_error(0.1, loss)


@pytest.mark.parametrize(("learner", "loss"), [(DecisionTreeClassifier(), ZERO_ONE), (LinearRegression(), SQUARED)])
def test_the_half_models_of_a_run_err_so_much_whatever_the_labels_of_the_unlabelled_rows_are(learner, loss):
    X, y = make_classification(160, 6, n_informative=4, n_classes=3, flip_y=0.3, random_state=0)
    y = y if loss is ZERO_ONE else X[:, 0] ** 2 + y
    picked = np.argsort(y[:60], kind="stable")[:50]  # nothing is assumed of how the training rows were drawn
    found = heldout.validate(
        {"it": learner}, X[picked], y[picked], unlabeled=X[60:], estimates=["disagreement"], repeats=3
    )
    least = least_mean_error(found.estimates[0].value, loss)
    answers = np.stack([half.predict(X[60:]) for half in found.target("it", "disagreement")])
    first, second = answers[::2], answers[1::2]
    for labels in (y[60:], np.roll(y[60:], 1), first[0], second[2]):
        assert least <= np.mean([loss.pointwise(labels, answer) for answer in answers]) + 1e-12
    # labels that suit a pair best: the answer of one of them, or the number between them
    suited = first if loss is ZERO_ONE else (first + second) / 2
    pairs = [loss.pointwise(suited, first), loss.pointwise(suited, second)]
    assert least == pytest.approx(np.mean(pairs), rel=1e-12)


def test_the_limit_of_a_hand_golden():
    # one pair, 3 differences in 41 rows: s^2 = q (1 - q) 41/40, so that they weigh as 40 rows; half of d's limit
    one = repeated_by_row(np.repeat([[1.0, 0.0]], [3, 38], axis=1), ZERO_ONE)
    q = 3 / 41
    assert beta.ppf(0.1, q * 40, 40 - q * 40 + 1) / 2 == pytest.approx(least_half_error(one, ZERO_ONE, 0.9), rel=1e-9)
    squares = RepeatedByRow(np.array([1.5, 2.5]), 4.0, 16, SQUARED)
    # (2 - t sqrt(4 / 16)) / 4: the spread of the repeats plays no part
    assert (2 - t.ppf(0.9, 15) / 2) / 4 == pytest.approx(least_half_error(squares, SQUARED, 0.9), rel=1e-12)


@pytest.mark.parametrize("loss", [ZERO_ONE, SQUARED])
@pytest.mark.parametrize("n", [1, 2, 30])
def test_the_limit_falls_with_the_level_and_never_passes_what_holds_on_the_rows_themselves(loss, n):
    table = np.random.default_rng(n).integers(0, 2, (4, n)).astype(float)
    alike = np.repeat(np.arange(30) < 3, n).reshape(30, n).astype(float)  # 3 of 30 pairs on each row
    margins = [repeated_by_row(distances, loss) for distances in (table, np.zeros((4, n)), np.ones((4, n)), alike)]
    rounded = RepeatedByRow(np.array([1.0, 1.0]), 1e-32, n, loss)
    for seen in (*margins, rounded, replace(margins[-1], row_variance=1e-33)):
        limits = [least_half_error(seen, loss, level) for level in (0.1, 0.5, 0.9, 0.99)]
        assert limits == sorted(limits, reverse=True)
        assert 0 <= limits[-1] <= limits[0] <= least_mean_error(seen.error, loss)


@pytest.mark.parametrize("share", [0.003, 0.02, 0.3])
@pytest.mark.parametrize("pairs", [1, 30])
def test_the_limit_is_below_half_of_the_populations_disagreement_as_often_as_its_level(share, pairs):
    """A pair differs on half of the rows that are in doubt. As a control, Wilson falls short for one pair."""
    n, level, repeats = 60, 0.95, 2000
    rng = np.random.default_rng([pairs, int(1000 * share)])
    held, by_wilson = [], []
    for doubtful in rng.random((repeats, n)) < 2 * share:
        seen = repeated_by_row(((rng.random((pairs, n)) < 0.5) & doubtful).astype(float), ZERO_ONE)
        held.append(least_half_error(seen, ZERO_ONE, level) <= share / 2)
        by_wilson.append(two_way_wilson.METHOD.interval("disagreement", seen, 2 * level - 1).low <= share)
    least = level - 3 * np.sqrt(level * (1 - level) / repeats)  # three standard errors of a share: 0.015
    assert np.mean(held) >= least
    assert np.mean(by_wilson) < least or share > 0.003 or pairs > 1
