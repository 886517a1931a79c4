"""Pointwise losses, and which of them fits a target."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import mean_absolute_error, mean_squared_error
from sklearn.metrics import zero_one_loss as sklearn_zero_one_loss

from heldout.errors import BadArgument
from heldout.losses import ABSOLUTE, LOSSES, SQUARED, ZERO_ONE, natural_loss

LAWS = settings(max_examples=40, deadline=None, derandomize=True, database=None)
labels = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30)
numbers = st.lists(st.tuples(*[st.floats(-1e3, 1e3)] * 2), min_size=1, max_size=30)


@LAWS
@given(labels)
def test_the_mean_zero_one_loss_equals_that_of_scikit_learn(pairs):
    y, predicted = np.array(pairs).T
    # both are one count over n
    assert sklearn_zero_one_loss(y, predicted) == pytest.approx(ZERO_ONE.pointwise(y, predicted).mean(), abs=1e-15)


@LAWS
@given(numbers)
def test_the_mean_squared_loss_equals_that_of_scikit_learn(pairs):
    y, predicted = np.array(pairs).T
    # the same sum in another order: rounding of at most 30 terms
    assert mean_squared_error(y, predicted) == pytest.approx(SQUARED.pointwise(y, predicted).mean(), rel=1e-13)


@LAWS
@given(numbers)
def test_the_mean_absolute_loss_equals_that_of_scikit_learn(pairs):
    y, predicted = np.array(pairs).T
    # the same sum in another order: rounding of at most 30 terms
    assert mean_absolute_error(y, predicted) == pytest.approx(ABSOLUTE.pointwise(y, predicted).mean(), rel=1e-13)


@pytest.mark.parametrize("loss", LOSSES.values(), ids=lambda loss: loss.name)
@LAWS
@given(pairs=numbers)
def test_a_loss_is_symmetric_not_negative_and_zero_for_the_truth(loss, pairs):
    y, predicted = np.array(pairs).T
    losses = loss.pointwise(y, predicted)
    assert y.shape == losses.shape
    assert np.float64 == losses.dtype
    assert (losses >= 0).all()
    assert [0.0] * len(y) == loss.pointwise(y, y).tolist()
    assert losses.tolist() == loss.pointwise(predicted, y).tolist()


def test_only_a_bounded_loss_is_called_bounded():
    assert ZERO_ONE.bounded
    assert not SQUARED.bounded
    assert not ABSOLUTE.bounded
    assert 9.0 == SQUARED.pointwise([3], [0])[0]  # 3^2, past 1
    assert 3.0 == ABSOLUTE.pointwise([3], [0])[0]


def test_only_a_loss_of_0_and_1_is_called_binary():
    assert {"zero_one": True, "squared": False, "absolute": False} == {
        name: loss.binary for name, loss in LOSSES.items()
    }
    assert list(LOSSES) == [loss.name for loss in LOSSES.values()]


def test_zero_one_loss_of_strings():
    assert [0.0, 1.0] == ZERO_ONE.pointwise(np.array(["won", "lost"]), np.array(["won", "won"])).tolist()


@pytest.mark.parametrize(
    ("y", "name"),
    [
        ([0, 1, 1], "zero_one"),
        (["a", "b"], "zero_one"),
        ([True, False], "zero_one"),
        ([0, 1, 2], "zero_one"),
        ([0.0, 1.0, 2.0], "zero_one"),
        ([0.5, 1.0, 2.0], "squared"),
    ],
)
def test_classes_take_zero_one_loss_and_numbers_with_a_fraction_squared_loss(y, name):
    assert name == natural_loss(y).name


@pytest.mark.parametrize(
    "y",
    [
        [[0, 1], [1, 1]],
        [[0.5, 1.5], [1.0, 2.0]],
        np.array([1, "a"], dtype=object),
        np.array(["a", 1], dtype=object),
    ],
)
def test_a_target_of_several_columns_or_mixed_types_is_refused(y):
    with pytest.raises(BadArgument, match="the target is of kind .*; it must be one column") as caught:
        natural_loss(y)
    assert "y" == caught.value.argument
