"""What a disagreement implies about the error: closed forms, and the theorems on whole populations.

A population is a matrix of shape (F, n): what each of F equally likely hypotheses predicts at each of
n rows. Two independent draws are then any of the F^2 ordered pairs, so that expectations are exact
and only rounding (below 1e-12 for sums of at most 200 terms of at most 1) separates the two sides.
"""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from sklearn.neighbors import NearestCentroid

from heldout.errors import BadArgument
from heldout.estimates import ESTIMATES
from heldout.losses import ABSOLUTE, SQUARED, ZERO_ONE, choose_loss
from heldout.unlabelled.disagreement import pointwise_disagreement
from heldout.unlabelled.implied_error import error_bound

LAWS = settings(max_examples=60, deadline=None, derandomize=True, database=None)
ROUNDING = 1e-12
SHAPES = arrays.array_shapes(min_dims=2, max_dims=2, max_side=5)
rates = st.floats(0, 1)
NUMBERS = np.array([0.5, 1.5])
COSTS = choose_loss({"cost": {0: {1: 5}, 1: {0: 3}}}, np.array([0, 1]))
DISTRIBUTIONS = st.integers(2, 6).flatmap(  # what hypotheses say at each of some rows, by class
    lambda classes: arrays.arrays(
        np.float64, st.tuples(st.integers(1, 6), st.just(classes)), elements=st.sampled_from([0.0, 0.01, 0.3, 1.0, 5.0])
    ).map(lambda table: (table + 1e-6) / (table + 1e-6).sum(axis=1, keepdims=True))
)


def disagreement(predictions, loss) -> float:
    """The mean over all ordered pairs of hypotheses and all rows."""
    return float(np.mean([pointwise_disagreement(one, other, loss) for one, other in product(predictions, repeat=2)]))


def disagreement_of_column(predictions) -> float:
    """The same for one row and the absolute difference, of many hypotheses."""
    return float(np.mean(np.abs(predictions - predictions.T)))


@pytest.mark.parametrize(
    ("d", "loss", "classes", "expected"),
    [
        (0.0, ZERO_ONE, 2, 0.0),
        (0.18, ZERO_ONE, 2, 0.1),  # (1 - sqrt(0.64)) / 2 = (1 - 0.8) / 2
        (0.5, ZERO_ONE, 2, 0.5),  # (1 - 0) / 2
        (0.185, ZERO_ONE, 3, 0.1),  # 2/3 (1 - sqrt(1 - 0.2775)) = 2/3 (1 - 0.85)
        (0.675, ZERO_ONE, 10, 0.45),  # 9/10 (1 - sqrt(1 - 3/4))
        (2 / 3, ZERO_ONE, 3, 2 / 3),  # 2/3 (1 - 0)
        (7.0, SQUARED, 0, 3.5),  # 7 / 2
        (7.0, ABSOLUTE, 0, 3.5),
        (7.0, choose_loss({"pinball": 0.9}, NUMBERS), 0, 0.35),  # min(0.9, 0.1) 7 / 2
        (0.5, choose_loss("brier", np.array([0, 1])), 2, 0.25),
        (1.5, choose_loss("brier", np.array([0, 1, 2])), 3, 0.75),
        (7.0, choose_loss("log", np.array([0, 1, 2])), 3, 7.0),
        (0.18, COSTS, 2, 0.3),  # the least cost, 3, times 0.1
    ],
)
def test_the_bound_of_a_hand_golden(d, loss, classes, expected):
    bound, clamped = error_bound(d, loss, classes)
    assert expected == pytest.approx(bound, abs=1e-15)
    assert not clamped


@LAWS
@given(st.floats(0, 0.5))
def test_the_bound_inverts_d_equal_2_e_1_minus_e_for_a_constant_error(e):
    # near d = 1/2 the root magnifies a rounding of 1e-16 in d to sqrt(2e-16) / 2 < 1e-8
    assert e == pytest.approx(error_bound(2 * e * (1 - e), ZERO_ONE, 2)[0], abs=1e-8)


@LAWS
@given(rates, st.integers(2, 30))
def test_the_bound_is_attained_where_errors_spread_evenly_over_the_wrong_classes(share, classes):
    a = share * (classes - 1) / classes
    d = 1 - (1 - a) ** 2 - a**2 / (classes - 1)  # one class has 1 - a, the others share a
    # near the largest d the root magnifies likewise: sqrt(4e-16) < 2e-8
    assert a == pytest.approx(error_bound(d, ZERO_ONE, classes)[0], abs=2e-8)


@LAWS
@given(DISTRIBUTIONS, st.integers(0, 2**32 - 1))
def test_the_bound_is_below_the_error_for_any_answers_and_any_noise_of_the_labels(answers, seed):
    """At each row the answers and the labels have any distributions over C classes, independent of each other."""
    rows, classes = answers.shape
    labels = np.random.default_rng(seed).dirichlet(np.full(classes, 0.3), size=rows)
    d = float(np.mean(1 - (answers**2).sum(axis=1)))
    error = float(np.mean(1 - (answers * labels).sum(axis=1)))
    best = float(np.mean(1 - answers.max(axis=1)))  # labels without noise, where most answers are
    bound, clamped = error_bound(d, ZERO_ONE, classes)
    # a rounding of 1e-15 in d is magnified at the largest d, as above
    assert bound <= min(error, best) + 1e-7
    assert not clamped or d <= (classes - 1) / classes + ROUNDING


@LAWS
@given(rates, st.integers(2, 30))
def test_the_bound_is_never_below_that_without_the_number_of_classes_and_falls_with_it(d, classes):
    bound, more = (error_bound(d, ZERO_ONE, number)[0] for number in (classes, classes + 1))
    if d <= (classes - 1) / classes:
        assert 1 - np.sqrt(1 - d) <= bound + ROUNDING
        assert more <= bound + ROUNDING


def test_simulated_half_models_of_four_classes_err_at_least_as_the_bound_says():
    """Nearest means of few rows in overlapping clouds: the whole of co-validation, on a population known in full."""
    rng = np.random.default_rng(3)
    centres = rng.normal(size=(4, 3))

    def draw(n):
        y = rng.integers(0, 4, n)
        return centres[y] + rng.normal(size=(n, 3)), np.where(rng.random(n) < 0.1, rng.integers(0, 4, n), y)

    X, y = draw(4000)
    d, errors = [], []
    for _ in range(60):
        pair = [NearestCentroid().fit(*draw(40)).predict(X) for _ in range(2)]
        d.append(np.mean(pair[0] != pair[1]))
        errors += [np.mean(one != y) for one in pair]
    bound, _ = error_bound(float(np.mean(d)), ZERO_ONE, 4)
    assert 1 - np.sqrt(1 - np.mean(d)) < bound < np.mean(errors)


@pytest.mark.parametrize(("loss", "classes"), [(ZERO_ONE, 2), (ZERO_ONE, 3), (SQUARED, 0), (ABSOLUTE, 0)])
@LAWS
@given(pair=st.tuples(rates, rates))
def test_the_bound_is_monotone_in_the_disagreement_and_at_least_half_of_it(pair, loss, classes):
    low, high = sorted(pair)
    assert error_bound(low, loss, classes)[0] <= error_bound(high, loss, classes)[0]
    for d in (low, high):
        # 1 - sqrt(1 - x) >= x / 2, for x = 2d and x = d; for d > 1/2 the clamped bound is 1/2 >= d / 2
        assert d / 2 <= error_bound(d, loss, classes)[0] + ROUNDING


@LAWS
@given(st.floats(0.5, 1, exclude_min=True))
def test_two_classes_clamp_a_disagreement_above_one_half_and_say_so(d):
    assert (0.5, True) == error_bound(d, ZERO_ONE, 2)
    assert (d > 2 / 3) == error_bound(d, ZERO_ONE, 3)[1]
    assert (d / 2, False) == error_bound(d, SQUARED, 0) == error_bound(d, ABSOLUTE, 0)


def test_one_half_itself_is_not_clamped():
    assert (0.5, False) == error_bound(0.5, ZERO_ONE, 2)


@LAWS
@given(st.floats(0, 0.5))
def test_two_classes_give_the_sharper_bound(d):
    assert error_bound(d, ZERO_ONE, 3)[0] <= error_bound(d, ZERO_ONE, 2)[0] + ROUNDING


@LAWS
@given(st.lists(rates, min_size=1, max_size=30))
def test_the_bound_is_below_the_error_for_any_error_rates_of_instances(e_x):
    """Jensen: d = mean 2 e_x (1 - e_x) lies below 2 e (1 - e), e = mean e_x."""
    rates = np.array(e_x)
    d, e = float(np.mean(2 * rates * (1 - rates))), float(rates.mean())
    bound, clamped = error_bound(min(d, 0.5), ZERO_ONE, 2)  # rounding alone could pass 1/2
    assert not clamped
    # rounding of d near 1/2 is magnified to sqrt(2e-15) / 2 < 1e-7
    assert bound - 1e-7 <= e <= 1 - bound + 1e-7


@LAWS
@given(arrays.arrays(np.int8, SHAPES, elements=st.integers(0, 1)))
def test_the_bound_is_below_the_error_of_every_population_of_two_class_hypotheses(wrong):
    d = disagreement(wrong, ZERO_ONE)  # with two classes, two hypotheses differ where one of them errs
    assert error_bound(d, ZERO_ONE, 2)[0] <= wrong.mean() + ROUNDING


@LAWS
@given(arrays.arrays(np.int8, SHAPES, elements=st.integers(0, 3)))
def test_the_bound_is_below_the_error_of_every_population_of_four_class_hypotheses(predictions):
    d = disagreement(predictions, ZERO_ONE)
    # the true class is 0; rounding of d near 3/4 is magnified to sqrt(4e-15) < 1e-7
    assert error_bound(d, ZERO_ONE, 4)[0] <= (predictions != 0).mean() + 1e-7


@LAWS
@given(arrays.arrays(np.float64, SHAPES, elements=st.floats(-1, 1)), st.floats(-1, 1))
def test_half_the_squared_disagreement_is_the_variance_of_prediction_and_below_the_squared_error(predictions, bias):
    bound = error_bound(disagreement(predictions, SQUARED), SQUARED, 0)[0]
    assert predictions.var(axis=0).mean() == pytest.approx(bound, abs=ROUNDING)
    assert bound <= np.mean((predictions - bias) ** 2) + ROUNDING


@LAWS
@given(arrays.arrays(np.float64, SHAPES, elements=st.floats(-1, 1)), st.floats(-1, 1))
def test_half_the_absolute_disagreement_is_below_the_absolute_error(predictions, truth):
    bound = error_bound(disagreement(predictions, ABSOLUTE), ABSOLUTE, 0)[0]
    assert bound <= np.mean(np.abs(predictions - truth)) + ROUNDING


@LAWS
@given(arrays.arrays(np.float64, SHAPES, elements=st.floats(-1, 1)), st.floats(-1, 1), st.floats(0.01, 0.99))
def test_the_pinball_bound_is_below_the_pinball_error(predictions, truth, quantile):
    loss = choose_loss({"pinball": quantile}, NUMBERS)
    bound = error_bound(disagreement(predictions, loss), loss, 0)[0]
    assert bound <= loss.pointwise(np.full(predictions.shape, truth), predictions).mean() + ROUNDING


@pytest.mark.parametrize("quantile", [0.1, 0.5, 0.9])
def test_no_larger_factor_than_half_the_smaller_side_holds_for_the_pinball_loss(quantile):
    loss = choose_loss({"pinball": quantile}, NUMBERS)
    rare = np.zeros((1000, 1))
    rare[0] = -1 if quantile < 0.5 else 1  # one hypothesis in 1000 errs, on the cheaper side
    error = loss.pointwise(np.zeros(rare.shape), rare).mean()
    bound = error_bound(disagreement_of_column(rare), loss, 0)[0]
    # d = 2 (1/1000) (1 - 1/1000): the bound is 1 - 1/1000 of the error
    assert 0.999 == pytest.approx(bound / error, rel=1e-12)


@LAWS
@given(DISTRIBUTIONS, DISTRIBUTIONS, st.data())
def test_half_the_brier_disagreement_is_below_the_brier_error(one, other, data):
    classes = max(one.shape[1], other.shape[1])
    given = [np.pad(answers[:1], ((0, 0), (0, classes - answers.shape[1]))) for answers in (one, other)]
    loss = choose_loss("brier", np.arange(classes))
    d = np.mean([pointwise_disagreement(a, b, loss) for a, b in product(given, repeat=2)])
    label = data.draw(st.integers(0, classes - 1))
    error = np.mean([loss.pointwise(np.array([label]), answers) for answers in given])
    assert error_bound(float(d), loss, classes)[0] <= error + ROUNDING


@LAWS
@given(arrays.arrays(np.int8, SHAPES, elements=st.integers(0, 2)), st.integers(0, 2**32 - 1))
def test_the_bound_of_costs_is_below_the_cost_of_every_population(predictions, seed):
    rng = np.random.default_rng(seed)
    costs = {a: {p: float(rng.gamma(1)) for p in range(3)} for a in range(3)}  # right answers cost as well
    loss = choose_loss({"cost": costs}, np.arange(3))
    labels = np.broadcast_to(rng.integers(0, 3, predictions.shape[1]), predictions.shape)
    bound = error_bound(disagreement(predictions, loss), loss, 3)[0]
    assert bound <= loss.pointwise(labels, predictions).mean() + 1e-6  # as above, times the least cost


def test_a_loss_without_a_bound_refuses_it_by_name():
    loss = choose_loss("balanced", np.array([0, 1, 1]))
    with pytest.raises(BadArgument, match="^the balanced loss admits no E_dis: "):
        error_bound(0.1, loss, 2)
    assert [False, True, True] == [
        ESTIMATES[one].refused_by(loss) is not None for one in ("disagreement", "E_dis", "E_maxdt")
    ]
    assert ESTIMATES["E_cv"].refused_by(loss) is None


def test_a_loss_without_a_disagreement_refuses_it_by_name():
    of_halves = choose_loss("brier", np.array([0, 1, 1])).disagreement_loss  # what compares answers judges none
    with pytest.raises(BadArgument, match="^the brier loss admits no disagreement: "):
        pointwise_disagreement(np.eye(2), np.eye(2), of_halves)
    assert ESTIMATES["disagreement"].refused_by(of_halves) is not None


@LAWS
@given(DISTRIBUTIONS, st.integers(0, 2**32 - 1))
def test_the_log_disagreement_is_below_the_log_error_of_every_population(answers, seed):
    rows, classes = answers.shape
    loss = choose_loss("log", np.arange(classes))
    given_by = np.random.default_rng(seed).permuted(np.stack([answers, answers[::-1], answers[:, ::-1]]), axis=2)
    labels = np.random.default_rng(seed).integers(0, classes, rows)
    error = np.mean([loss.pointwise(labels, one) for one in given_by])
    assert error_bound(disagreement(given_by, loss), loss, classes)[0] <= error + ROUNDING


@LAWS
@given(arrays.arrays(np.int8, SHAPES, elements=st.integers(0, 1)))
def test_twice_the_variance_of_the_error_over_training_sets_is_at_most_the_disagreement(wrong):
    assert 2 * wrong.mean(axis=1).var() <= disagreement(wrong, ZERO_ONE) + ROUNDING


def test_the_variance_bound_is_attained_when_rows_err_together():
    wrong = np.array([[0, 0, 0], [1, 1, 1]])
    # errors 0 and 1: variance 1/4; half of the ordered pairs differ, on every row: d = 1/2
    assert 0.5 == disagreement(wrong, ZERO_ONE) == 2 * wrong.mean(axis=1).var()
