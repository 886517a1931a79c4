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

from heldout.covalidation import error_bound, pointwise_disagreement
from heldout.losses import ABSOLUTE, SQUARED, ZERO_ONE

LAWS = settings(max_examples=60, deadline=None, derandomize=True, database=None)
ROUNDING = 1e-12
SHAPES = arrays.array_shapes(min_dims=2, max_dims=2, max_side=5)
rates = st.floats(0, 1)


def disagreement(predictions, loss) -> float:
    """The mean over all ordered pairs of hypotheses and all rows."""
    return float(np.mean([pointwise_disagreement(one, other, loss) for one, other in product(predictions, repeat=2)]))


@pytest.mark.parametrize(
    ("d", "loss", "classes", "expected"),
    [
        (0.0, ZERO_ONE, 2, 0.0),
        (0.18, ZERO_ONE, 2, 0.1),  # (1 - sqrt(0.64)) / 2 = (1 - 0.8) / 2
        (0.5, ZERO_ONE, 2, 0.5),  # (1 - 0) / 2
        (0.19, ZERO_ONE, 3, 0.1),  # 1 - sqrt(0.81) = 1 - 0.9
        (0.75, ZERO_ONE, 10, 0.5),  # 1 - sqrt(0.25)
        (1.0, ZERO_ONE, 3, 1.0),  # 1 - 0
        (7.0, SQUARED, 0, 3.5),  # 7 / 2
        (7.0, ABSOLUTE, 0, 3.5),
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
@given(rates)
def test_the_bound_for_more_classes_inverts_d_equal_1_minus_1_minus_e_squared(e):
    # near d = 1 the root magnifies likewise: sqrt(2e-16) < 2e-8
    assert e == pytest.approx(error_bound(1 - (1 - e) ** 2, ZERO_ONE, 3)[0], abs=2e-8)


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
    assert not error_bound(d, ZERO_ONE, 3)[1]
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
    assert error_bound(d, ZERO_ONE, 4)[0] <= (predictions != 0).mean() + ROUNDING  # the true class is 0


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
@given(arrays.arrays(np.int8, SHAPES, elements=st.integers(0, 1)))
def test_twice_the_variance_of_the_error_over_training_sets_is_at_most_the_disagreement(wrong):
    assert 2 * wrong.mean(axis=1).var() <= disagreement(wrong, ZERO_ONE) + ROUNDING


def test_the_variance_bound_is_attained_when_rows_err_together():
    wrong = np.array([[0, 0, 0], [1, 1, 1]])
    # errors 0 and 1: variance 1/4; half of the ordered pairs differ, on every row: d = 1/2
    assert 0.5 == disagreement(wrong, ZERO_ONE) == 2 * wrong.mean(axis=1).var()
