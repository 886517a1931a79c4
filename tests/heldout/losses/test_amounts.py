"""What people read of an error: in the unit of the target for numbers, in percent for classes."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.losses import ABSOLUTE, SQUARED, ZERO_ONE
from heldout.losses.amounts import amount, apart, error_label, number, points, rounded, shown

ERRORS = st.floats(0, 1e12)


def test_what_a_person_reads():
    assert (amount(47213.0**2, SQUARED), rounded(47213.0**2, SQUARED)) == ("RMSE 47,213", "47,213")
    assert (amount(36000.0, ABSOLUTE), amount(0.0171, ZERO_ONE)) == ("MAE 36,000", "1.7 %")
    assert [error_label(loss) for loss in (SQUARED, ABSOLUTE, ZERO_ONE)] == ["RMSE", "MAE", "error, %"]
    assert SQUARED.scale("price") == "RMSE, in units of price"
    assert replace(SQUARED, name="own", mean_called="").scale("price") == "root mean own loss, in units of price"


def test_a_difference_is_that_of_the_roots():
    assert points(9.0 - 25.0, 9.0, SQUARED) == "-2"  # 3 against 5
    assert points(25.0 - 9.0, 25.0, SQUARED) == "2"
    assert (points(-0.021, 0.1, ZERO_ONE), points(-3.5, 8.0, ABSOLUTE)) == ("-2.1", "-3.5")


@given(error=ERRORS, other=ERRORS)
def test_the_order_and_the_sign_stay(error, other):
    difference = error - other
    for loss in (SQUARED, ABSOLUTE, ZERO_ONE):
        assert (shown(error, loss) <= shown(other, loss)) == (error <= other)
        read = apart(difference, error, loss)
        assert read == 0 or math.copysign(1, read) == math.copysign(1, difference)
        assert read == pytest.approx(shown(error, loss) - shown(other, loss), rel=1e-6, abs=1e-6 * (1 + error + other))


@given(value=st.floats(0, 1e9), loss=st.sampled_from([SQUARED, ABSOLUTE, ZERO_ONE]))
def test_no_power_of_ten_and_no_lost_digit(value, loss):
    for text in (number(value, loss), rounded(value, loss)):
        read = float(text.replace(",", ""))
        assert read == pytest.approx(float(shown(value, loss)), rel=6e-3, abs=0.06 if loss.binary else 0)
        assert "e+" not in text


def test_a_column_is_read_like_each_of_its_numbers():
    errors = np.array([0.0, 4.0, 2.25])
    assert shown(errors, SQUARED).tolist() == [shown(float(one), SQUARED) for one in errors] == [0, 2, 1.5]
