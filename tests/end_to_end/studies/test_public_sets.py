"""The public data sets, as three small ones of the quick form show them."""

import pytest

SETS = 3


def _number(quick, finding, column="ours"):
    return float(quick.loc[f"datasets-{finding}", column])


@pytest.mark.long
@pytest.mark.parametrize("estimate", ["e-cv", "e-val"])
def test_the_test_error_is_as_often_inside_as_right_intervals_let_it(quick, estimate):
    line = quick.loc[f"datasets-test-error-inside-{estimate}"]
    expected = float(line["verdict"].split("would give ")[1].split(",")[0]) / SETS
    error = (expected * (1 - expected) / SETS) ** 0.5
    assert abs(float(line["ours"]) - expected) < 2 * error


@pytest.mark.long
def test_the_winner_errs_about_as_much_as_boosting(quick):
    low, ours, high = (_number(quick, "error-to-boosting", column) for column in ("low", "ours", "high"))
    assert 2 / 3 < ours < 3 / 2  # the test sets have 90 to 360 rows
    assert low < 1 < high


@pytest.mark.long
def test_the_winner_is_shown_to_beat_the_baseline_on_each(quick):
    assert 1 == _number(quick, "baseline-beaten")
    assert quick.loc["datasets-baseline-beaten", "verdict"].endswith("not for: none")
