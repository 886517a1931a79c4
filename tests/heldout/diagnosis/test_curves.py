"""Curves are those that the numbers in metrics.csv summarise."""

import numpy as np
import pytest

from heldout.diagnosis.curves.calibration import calibration_curve
from heldout.diagnosis.curves.residuals import MOST_ROWS, residuals
from heldout.diagnosis.curves.roc import MOST_POINTS, roc_curve
from heldout.intervals import clopper_pearson
from heldout.losses import ZERO_ONE
from heldout.losses.tested_losses import Tested
from heldout.metrics import auc, calibration_error
from heldout.metrics.metric import Answered


def answered(n, classes, **how):
    """Labels that are drawn by the probabilities that are answered."""
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(classes), n)
    y = (p.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    how = {"weights": np.ones(n), "classes": np.arange(classes), "probabilities": p, **how}
    return Answered(y, p.argmax(axis=1), **how)


@pytest.mark.parametrize("classes", [2, 4])
def test_the_calibration_error_is_the_mean_distance_of_the_curve_from_the_diagonal(classes):
    made = answered(300, classes)
    lines = calibration_curve(made, 0.9)
    assert sum(line.rows for line in lines) == 300
    distance = sum(line.rows * abs(line.share - line.probability) for line in lines) / 300
    assert calibration_error.value(made) == pytest.approx(distance, rel=1e-12)
    assert {"1" if classes == 2 else ""} == {line.class_name for line in lines}
    for line in lines:
        assert line.bin_low <= line.probability <= line.bin_high
        came = np.repeat([1.0, 0.0], [round(line.share * line.rows), line.rows - round(line.share * line.rows)])
        assert (line.low, line.high) == pytest.approx(clopper_pearson.bounds(Tested(came, ZERO_ONE), 0.9))


def test_rows_in_groups_have_a_curve_without_bounds():
    made = answered(60, 2, cluster=np.arange(60) // 3)
    assert {(None, None, None)} == {(one.low, one.high, one.level) for one in calibration_curve(made, 0.9)}


@pytest.mark.parametrize("classes", [2, 3])
def test_the_area_under_each_curve_is_in_the_mean_the_auc(classes):
    made = answered(150, classes)
    lines, areas = roc_curve(made), []
    for name in dict.fromkeys(line.class_name for line in lines):
        x, y = np.array(
            [(one.false_positive_rate, one.true_positive_rate) for one in lines if one.class_name == name]
        ).T
        assert ((0, 0), (1, 1)) == ((x[0], y[0]), (x[-1], y[-1]))
        areas.append(np.trapezoid(y, x))
    assert len(areas) == (1 if classes == 2 else classes)
    assert auc.value(made) == pytest.approx(np.mean(areas), rel=1e-12)


def test_a_long_curve_keeps_its_ends_and_its_area_nearly():
    made = answered(5000, 2)
    lines = roc_curve(made)
    x, y = np.array([(one.false_positive_rate, one.true_positive_rate) for one in lines]).T
    assert MOST_POINTS == len(lines)
    assert (0, 0, 1, 1) == (x[0], y[0], x[-1], y[-1])
    assert auc.value(made) == pytest.approx(np.trapezoid(y, x), abs=1e-3)


def test_a_class_that_no_row_has_has_no_curve_and_predictions_alone_have_none():
    labels, ones = np.array([0, 0, 1]), np.ones(3)
    ranked = Answered(labels, labels, ones, np.arange(3), np.eye(3)[[0, 1, 1]])
    assert {"0", "1"} == {line.class_name for line in roc_curve(ranked)}
    alone = Answered(labels, labels, ones, np.arange(2))
    assert ([], [], []) == (roc_curve(alone), calibration_curve(alone, 0.9), residuals(alone))


def test_scores_rank_the_rows_where_there_are_no_probabilities():
    made = answered(80, 2)
    scores = np.log(made.probabilities)
    by_scores = Answered(made.y, made.predicted, made.weights, made.classes, scores=scores)
    points = [[(one.false_positive_rate, one.true_positive_rate) for one in roc_curve(of)] for of in (made, by_scores)]
    assert points[0] == points[1]
    assert [] == calibration_curve(by_scores, 0.9)


def test_a_row_of_weight_two_counts_as_two_rows():
    made = answered(50, 2)
    twice = np.arange(50) % 2 == 0
    order = np.repeat(np.arange(50), 1 + twice)
    repeated = Answered(made.y[order], made.predicted[order], np.ones(75), made.classes, made.probabilities[order])
    weighted = Answered(made.y, made.predicted, 1.0 + twice, made.classes, made.probabilities)
    rates = [
        [(one.false_positive_rate, one.true_positive_rate) for one in roc_curve(of)] for of in (repeated, weighted)
    ]
    assert np.allclose(*rates)
    shares = [[(one.probability, one.share) for one in calibration_curve(of, 0.9)] for of in (repeated, weighted)]
    assert np.allclose(*shares)


def test_residuals_are_the_labels_less_the_predictions_and_far_rows_are_kept():
    rng = np.random.default_rng(0)
    y, predicted = rng.normal(size=(2, 5000))
    y[17], y[23] = 99, -99
    few = residuals(Answered(y[:40], predicted[:40], np.ones(40)))
    expected = sorted(zip(predicted[:40], y[:40], (y - predicted)[:40], strict=True))
    assert expected == [(line.predicted, line.actual, line.residual) for line in few]
    many = residuals(Answered(y, predicted, np.ones(5000)))
    assert MOST_ROWS - 2 <= len(many) <= MOST_ROWS
    assert {99.0, -99.0} <= {line.actual for line in many}
    assert [line.predicted for line in many] == sorted(line.predicted for line in many)
