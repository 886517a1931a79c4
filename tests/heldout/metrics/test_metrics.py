"""Laws of the metrics that are no means: their values, their intervals, and what is said where there is none."""

import doctest
import math
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.svm import SVC

import heldout
from heldout import metrics
from heldout.errors import BadArgument
from heldout.intervals.method import two_sided_t
from heldout.intervals.wilson import roots_at
from heldout.metrics import METRICS
from heldout.metrics.metric import Answered
from tests.heldout.test_registries import modules_of

AUC, PRECISION, F1, CALIBRATION, R_SQUARED = METRICS


def drawn(seed: int, classes: int, n: int = 60) -> Answered:
    """Random answers with ties, `classes` of them; numbers for 0."""
    rng = np.random.default_rng(seed)
    if not classes:
        y = rng.normal(size=n)
        return Answered(y, y + rng.normal(size=n), np.ones(n))
    y = rng.permutation(np.arange(n) % classes)
    shares = rng.integers(1, 5, (n, classes)) + 3 * np.eye(classes)[y]
    shares = shares / shares.sum(axis=1, keepdims=True)
    return Answered(y, shares.argmax(axis=1), np.ones(n), np.arange(classes), shares)


def normal_classes(rng, n: int, distance: float, share: float, sharpness: float = 1.0) -> Answered:
    """Two normal classes; the probabilities are right at sharpness 1, and too near to 0 and 1 above it."""
    y = (rng.random(n) < share).astype(int)
    x = rng.normal(size=n) + distance * y
    p = 1 / (1 + np.exp(-sharpness * (distance * x - distance**2 / 2 + math.log(share / (1 - share)))))
    return Answered(y, (p > 0.5).astype(int), np.ones(n), np.array([0, 1]), np.column_stack([1 - p, p]))


def metrics_for(answered: Answered) -> list:
    """The metrics of classes, or of numbers."""
    return [metric for metric in METRICS if (metric.needs == "number") == (answered.classes is None)]


CASES = [(metric, classes) for classes in (2, 4, 0) for metric in metrics_for(drawn(0, classes))]
IDS = [f"{metric.name}-{classes}" for metric, classes in CASES]


def test_every_file_of_the_metrics_is_in_the_registry_under_its_name():
    assert modules_of(metrics, "answered_rows", "jackknife", "measure", "metric", "metrics_of", "skill") == {
        metric.name for metric in METRICS
    }


def test_the_example_of_the_public_function_runs():
    found = doctest.testmod(import_module("heldout.metrics.metrics_of"))
    assert 0 == found.failed < found.attempted


@pytest.mark.parametrize(("metric", "classes"), CASES, ids=IDS)
@given(seed=st.integers(0, 1000))
@settings(max_examples=8, deadline=None)
def test_the_metric_at_weights_is_that_of_scikit_learn_and_of_repeated_rows(metric, classes, seed):
    answered = drawn(seed, classes)
    weights = np.random.default_rng(seed).integers(0, 4, (3, answered.n)).astype(float)
    expected = [metric.value(replace(answered, weights=line)) for line in weights]
    assert expected == pytest.approx(metric.at(answered, weights).tolist(), abs=1e-12)
    rows = np.repeat(np.arange(answered.n), weights[0].astype(int))
    repeated = replace(answered.of(np.ones(answered.n, bool)), weights=np.ones(len(rows)), y=answered.y[rows])
    shares = None if answered.probabilities is None else answered.probabilities[rows]
    repeated = replace(repeated, predicted=answered.predicted[rows], probabilities=shares)
    assert expected[0] == pytest.approx(metric.value(repeated), abs=1e-12)


@pytest.mark.parametrize(("metric", "classes"), CASES, ids=IDS)
def test_the_bounds_bracket_the_value_a_higher_level_widens_them_and_the_order_of_rows_does_not_count(metric, classes):
    for seed in range(3):
        answered = drawn(seed, classes)
        value = metric.value(answered)
        low, high = metric.interval(answered, value, 0.8)
        lower, higher = metric.interval(answered, value, 0.99)
        assert lower <= low <= value <= high <= higher <= 1
        assert lower < higher
        order = np.random.default_rng(seed).permutation(answered.n)
        shares = None if answered.probabilities is None else answered.probabilities[order]
        other = replace(answered, y=answered.y[order], predicted=answered.predicted[order], probabilities=shares)
        assert (low, high) == pytest.approx(metric.interval(other, value, 0.8), abs=1e-9)


@pytest.mark.parametrize(("metric", "classes"), [case for case in CASES if case[0] is not CALIBRATION])
def test_copies_of_the_rows_in_one_group_each_give_the_interval_of_the_rows(metric, classes):
    answered = drawn(1, classes)
    twice = np.repeat(np.arange(answered.n), 2)
    copies = Answered(
        answered.y[twice],
        answered.predicted[twice],
        np.ones(len(twice)),
        answered.classes,
        None if answered.probabilities is None else answered.probabilities[twice],
        cluster=twice,
    )
    value = metric.value(answered)
    expected = metric.interval(answered, value, 0.9)
    assert expected == pytest.approx(metric.interval(copies, value, 0.9), abs=1e-9)
    narrow = metric.interval(replace(copies, cluster=None), value, 0.9)
    assert narrow[1] - narrow[0] < expected[1] - expected[0]


def test_a_perfect_ranking_of_few_rows_has_an_interval_of_the_rows_that_it_rests_on():
    y = np.repeat([0, 1], [90, 10])
    perfect = Answered(y, y, np.ones(100), np.array([0, 1]), np.column_stack([1 - y, y]).astype(float))
    for metric, largest in ((AUC, 4 * 90 * 10 / 100), (F1, 20)):
        assert roots_at(1.0, largest, two_sided_t(0.95, 99)) == metric.interval(perfect, 1.0, 0.95)


def test_sure_probabilities_that_are_right_in_few_rows_may_be_wrong_in_others():
    for n in (20, 80):
        y = np.arange(n) % 2
        sure = Answered(y, y, np.ones(n), np.array([0, 1]), np.column_stack([1 - y, y]).astype(float))
        low, high = CALIBRATION.interval(sure, CALIBRATION.value(sure), 0.95)
        assert (0.0, 0.05) == (low, pytest.approx((1 - high) ** n))


def test_a_class_that_is_seldom_predicted_has_an_f1_of_few_rows():
    """15 of 100 rows of the class are found, and no others: F1 is 30 / 115."""
    rng, covered = np.random.default_rng(5), []
    for _ in range(300):
        y = (rng.random(150) < 0.1).astype(int)
        answered = Answered(y, y * (rng.random(150) < 0.15), np.ones(150), np.array([0, 1]))
        if y.sum() > 1:
            low, high = F1.interval(answered, F1.value(answered), 0.95)
            covered.append(low <= 0.3 / 1.15 <= high)
    assert np.mean(covered) > 0.93


def test_the_interval_of_auc_covers_where_that_of_delong_does_not():
    rng, covered = np.random.default_rng(2), []
    for _ in range(300):
        answered = normal_classes(rng, 60, 2.0, 0.1)
        if np.bincount(answered.y, minlength=2).min() > 1:
            low, high = AUC.interval(answered, AUC.value(answered), 0.95)
            covered.append(low <= 0.92135 <= high)  # of normal classes 2 apart
    assert np.mean(covered) > 0.93


def test_probabilities_that_are_right_have_a_calibration_error_whose_interval_holds_0_and_wrong_ones_do_not():
    rng = np.random.default_rng(3)
    right, wrong = normal_classes(rng, 400, 1.0, 0.5), normal_classes(rng, 400, 1.0, 0.5, sharpness=6.0)
    assert 0 == CALIBRATION.interval(right, CALIBRATION.value(right), 0.95)[0] < CALIBRATION.value(right)
    assert CALIBRATION.interval(wrong, CALIBRATION.value(wrong), 0.95)[0] > 0.05


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("metric", [AUC, PRECISION], ids=lambda metric: metric.name)
def test_scores_rank_the_rows_as_any_increasing_function_of_them_does(metric, classes):
    answered = drawn(5, classes)
    ranked = replace(answered, probabilities=None, scores=100 * np.log(answered.probabilities) + 30)
    value = metric.value(answered)
    assert value == pytest.approx(metric.value(ranked), abs=1e-12)
    assert metric.interval(answered, value, 0.9) == pytest.approx(metric.interval(ranked, value, 0.9), abs=1e-12)
    half = np.arange(answered.n) % 2 == 0
    assert metric.value(answered.of(half)) == pytest.approx(metric.value(ranked.of(half)), abs=1e-12)
    weights = np.random.default_rng(0).integers(0, 4, (3, answered.n)).astype(float)
    assert metric.at(answered, weights) == pytest.approx(metric.at(ranked, weights), abs=1e-12)


@pytest.mark.parametrize("shape", [0, 1, 2])
def test_scores_in_a_notebook_give_ranks_and_no_calibration_error(shape):
    y = np.array(["a", "b", "c"] if shape == 2 else ["a", "b"])[np.arange(60) % (3 if shape == 2 else 2)]
    X = np.random.default_rng(0).normal(size=(60, 2)) + (y == "a")[:, None]
    scores = SVC().fit(X, y).decision_function(X)
    given = np.column_stack([-scores, scores]) if shape == 1 else scores
    found = by_name(heldout.metrics_of(y, SVC().fit(X, y).predict(X), scores=given))
    for name, by_scikit_learn in (("auc", roc_auc_score), ("average_precision", average_precision_score)):
        if shape == 2:
            expected = np.mean([by_scikit_learn(y == one, scores[:, place]) for place, one in enumerate("abc")])
        else:
            expected = by_scikit_learn(y == "b", scores)
        assert expected == pytest.approx(found[name, ""].value, rel=1e-12)
        assert found[name, ""].low < found[name, ""].value < found[name, ""].high
    assert "the model gives no probabilities" == found["calibration_error", ""].reason


def by_name(found):
    return {(line.metric, line.slice): line for line in found.lines}


def test_a_slice_without_a_number_says_why_and_none_is_nan():
    y = ["a", "b", "a", "b", "a", "a", "b"]
    said = ["a", "b", "b", "b", "a", "a", "a"]
    sex = ["m", "m", "m", "m", "f", "f", "x"]
    found = by_name(heldout.metrics_of(y, said, slices={"sex": sex}))
    assert "the model gives no probabilities, and no scores" == found["auc", ""].reason
    assert "no row of class b" in found["f1", "sex=f"].reason
    assert "1 row" in found["f1", "sex=x"].reason
    assert "1 row" in found["zero_one", "sex=x"].reason
    assert (0.25, 4) == (found["zero_one", "sex=m"].value, found["zero_one", "sex=m"].n_tested)
    assert (0.25, "Clopper-Pearson") == (found["class_error", "y=a"].value, found["class_error", "y=a"].interval)
    for line in found.values():
        assert (line.value is None or line.interval is None) == bool(line.reason)
        assert all(number is None or np.isfinite(number) for number in (line.value, line.low, line.high))


def test_a_gap_in_the_values_of_a_slice_has_the_name_that_a_run_gives_it():
    for values in ([None, None, "a", "a"], [np.nan, np.nan, 1.5, 1.5]):
        found = by_name(heldout.metrics_of([0, 1, 0, 1], [0, 1, 1, 1], slices={"sex": values}))
        assert ("zero_one", "sex=(missing)") in found


def test_metrics_of_numbers_and_of_groups():
    rng = np.random.default_rng(4)
    y = rng.normal(size=40)
    found = by_name(heldout.metrics_of(y, y / 2, groups=np.arange(40) // 4, slices={"half": np.arange(40) // 20}))
    assert {("r_squared", ""), ("squared", "half=0"), ("r_squared", "half=0")} < {*found}
    assert "clustered log t" == found["squared", "half=0"].interval
    alone = by_name(heldout.metrics_of(y, y / 2, slices={"half": np.arange(40) // 20}))
    assert "log t" == alone["squared", "half=0"].interval  # there is no cross-validation
    assert "all labels are equal" == heldout.metrics_of([0.5, 0.5, 0.5], [0.1, 0.2, 0.3]).lines[0].reason


@pytest.mark.parametrize(
    ("argument", "value", "changes"),
    [
        ("probabilities", "(4, 3)", {"probabilities": np.full((4, 3), 1 / 3)}),
        ("probabilities", "(4, 2)", {"probabilities": np.full((4, 2), 0.6)}),
        ("probabilities", "numbers", {"y": [0.5, 1.5, 0.5, 2.5], "probabilities": np.full((4, 2), 0.5)}),
        ("scores", "numbers", {"y": [0.5, 1.5, 0.5, 2.5], "scores": np.zeros(4)}),
        ("scores", "(3,)", {"scores": np.zeros(3)}),
        ("scores", "(4, 3)", {"scores": np.zeros((4, 3))}),
        ("scores", "finite", {"scores": [0.0, np.nan, 1.0, 2.0]}),
        ("scores", "probabilities", {"scores": np.zeros(4), "probabilities": np.full((4, 2), 0.5)}),
        ("predicted", "(3,)", {"predicted": [0, 1, 0]}),
        ("predicted", "<U1", {"predicted": ["0", "1", "1", "1"]}),
        ("classes", "[0, 2]", {"classes": [0, 2]}),
        ("classes", "[1, 0]", {"classes": [1, 0]}),
        ("groups", "(2,)", {"groups": [0, 1]}),
        ("slices['sex']", "(1,)", {"slices": {"sex": ["m"]}}),
        ("level", "1.5", {"level": 1.5}),
    ],
)
def test_a_bad_argument_is_named_with_its_value(argument, value, changes):
    given = {"y": [0, 1, 0, 1], "predicted": [0, 1, 1, 1], **changes}
    with pytest.raises(BadArgument) as caught:
        heldout.metrics_of(given.pop("y"), given.pop("predicted"), **given)
    assert argument == caught.value.argument
    assert value in str(caught.value)


def test_the_interval_of_many_rows_is_as_wide_as_the_labels_vary_in_whatever_order_they_are():
    y = np.random.default_rng(0).normal(size=2000)
    for labels in (y, np.sort(y)):
        # every error is 1, so that ln(1 - R^2) is minus that of the labels' variance, of standard error sqrt(2 / n)
        off = Answered(labels, labels + 1, np.ones(2000))
        low, high = R_SQUARED.interval(off, R_SQUARED.value(off), 0.95)
        assert 2 * 1.96 * np.sqrt(2 / 2000) == pytest.approx(np.log((1 - low) / (1 - high)), rel=0.25)
