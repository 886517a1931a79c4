"""Sorted by class, a stream, or no order: told by the labels of neighbouring rows."""

import numpy as np
import pandas as pd

from heldout.checks import row_order

ROWS = 2000


def stream(rng, rows=ROWS):
    """Labels that stay the same nine times of ten."""
    return pd.Series(np.cumsum(rng.random(rows) < 0.1) % 2)


def features(rows=ROWS):
    return pd.DataFrame(
        {
            "x": np.random.default_rng(1).normal(size=rows),
            "when": pd.date_range("2026-01-01", periods=rows, freq="min"),
        }
    )


def test_shuffled_labels_have_no_order():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        for rows in (60, 400, ROWS):
            found = row_order.of_rows(features(rows), pd.Series(rng.integers(0, 3, rows)), classes=True)
            assert row_order.Order() == found


def test_a_file_sorted_by_class_is_told_and_is_no_stream():
    target = pd.Series(np.repeat(["a", "b", "c"], ROWS // 3))
    found = row_order.of_rows(features(len(target)), target, classes=True)
    assert None is found.time
    assert "sorted by class (3 runs)" in found.remark


def test_labels_that_depend_on_their_predecessor_are_split_in_time_where_a_time_rises():
    target = stream(np.random.default_rng(0))
    found = row_order.of_rows(features(), target, classes=True)
    assert "when" == found.time
    assert not found.hints
    without = row_order.of_rows(features()[["x"]], target, classes=True)
    assert None is without.time
    assert without.hints


def test_a_time_that_does_not_rise_down_the_file_is_not_its_order():
    shuffled = features().assign(when=lambda table: table["when"].sample(frac=1, random_state=0).to_numpy())
    assert None is row_order.of_rows(shuffled, stream(np.random.default_rng(0)), classes=True).time


def test_numbers_are_a_time_only_if_they_are_called_one():
    target = stream(np.random.default_rng(0))
    rising = features()[["x"]].assign(y=np.linspace(0, 1, ROWS))
    assert None is row_order.of_rows(rising, target, classes=True).time
    assert "unix_time" == row_order.of_rows(rising.rename(columns={"y": "unix_time"}), target, classes=True).time


def test_a_target_of_numbers_is_a_stream_by_its_autocorrelation():
    walk = pd.Series(np.cumsum(np.random.default_rng(0).normal(size=ROWS)))
    found = row_order.of_rows(features(), walk, classes=False)
    assert "when" == found.time
    assert "autocorrelation" in found.remark


def test_a_file_sorted_by_its_numbers_is_told_and_is_no_stream():
    walk = pd.Series(np.sort(np.random.default_rng(0).normal(size=ROWS)))
    found = row_order.of_rows(features(), walk, classes=False)
    assert (None, False) == (found.time, found.hints)
    assert "sorted by the target" in found.remark


def test_a_counter_of_a_file_that_is_sorted_in_part_is_no_time():
    rng = np.random.default_rng(0)
    count = pd.Series(np.arange(ROWS), name="No")
    in_part = pd.Series(np.repeat(rng.normal(size=20), ROWS // 20) + 0.5 * rng.normal(size=ROWS))
    assert row_order.is_sorted_by(count, in_part, classes=False)
    assert not row_order.is_sorted_by(count.rename("date"), in_part, classes=False)
    assert row_order.is_sorted_by(count, pd.Series(np.repeat(["a", "b", "c"], ROWS)[:ROWS]), classes=True)
    assert not row_order.is_sorted_by(count, stream(rng), classes=True)
    assert not row_order.is_sorted_by(count, pd.Series(rng.normal(size=ROWS)), classes=False)
