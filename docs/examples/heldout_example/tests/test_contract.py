"""The package keeps heldout's contracts: `pytest tests`, after it is installed."""

import numpy as np
import pytest
from heldout_example import column_kind, estimate, interval, loss, metric, rule
from heldout_example.learner import ShrunkMean
from heldout_example.shortcut import ShrunkMeans

from heldout import testing


def test_the_loss():
    testing.check_loss(loss.KIND)


def test_the_interval():
    testing.check_interval(interval.METHOD)


def test_the_rule():
    testing.check_rule(rule.RULE)


def test_the_estimate():
    testing.check_estimate(estimate.ESTIMATE)


def test_the_metric():
    testing.check_estimate(metric.ESTIMATE)


def test_the_kind_of_columns():
    testing.check_column_kind(column_kind.KIND)


def test_a_duration_is_its_seconds():
    strings = ["1:23", "01:02:03", "90:00", "1:60", "1:2:03", "59"]
    found = column_kind.convert(strings)
    np.testing.assert_array_equal([83, 3723, 5400, np.nan, np.nan, np.nan], found)


@pytest.mark.parametrize("share", [1.0, 0.5])
def test_the_shortcut(share):
    rng = np.random.default_rng(0)
    testing.check_shortcut(ShrunkMeans, ShrunkMean(share), rng.normal(size=(30, 2)), rng.normal(size=30))
