"""Unlabelled rows narrow the intervals of E_val and E_cv."""

import functools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.tree import DecisionTreeClassifier

import heldout
from heldout.diagnosis.prediction_powered import (
    WIDEST,
    carrying,
    coefficients,
    counted,
    differ,
    powered_losses,
    prediction_powered,
    worth,
)
from heldout.estimates import schemes_of
from heldout.estimates.methods import METHODS
from heldout.intervals.moved_interval import can_move, moved
from heldout.schemes import design as of_design
from heldout.splits.dependence import Dependence
from heldout.splits.weights import Weights
from heldout.unlabelled.half_model_controls import Controls, why_none

ESTIMATES = ["E_val", "E_cv", "E_2cv"]


def rows(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] + rng.normal(size=n) > 0).astype(int)


X, y = rows(80)
U = rows(600, seed=1)[0]


def validated(learner=None, X=X, y=y, U=U, **further):
    how = {"estimates": ESTIMATES, "repeats": 6, "progress": False, **further}
    learner = LogisticRegression() if learner is None else learner
    return heldout.validate({"it": learner}, X, y, unlabeled=U, **how)


def plain(made, estimate):
    [record] = [record for record in made.estimates if record.estimate == estimate]
    return record


def cv_losses(made):
    return np.concatenate([*made.evidence["it"].losses["cross_validation"]])


def controls_of(made):
    return Controls.of(made.target("it", "E_2cv"), X, U, made.design.halves, np.unique(y))


def lines(made, controls):
    """With other controls."""
    return prediction_powered(made.design, made.evidence["it"], made.estimates, controls)


@functools.cache
def of(loss):
    return validated(loss=loss)


def test_the_estimate_has_the_mean_of_the_plain_one_and_less_variance():
    rng, n, m, errors = np.random.default_rng(0), 60, 300, []
    for _ in range(1500):
        chance, unlabeled = rng.beta(0.5, 2, n), rng.beta(0.5, 2, (m, 1))
        losses = (rng.random(n) < chance).astype(float)
        multiples = coefficients(losses, chance[:, None]) * m / (n + m)
        errors.append([losses.mean(), powered_losses(losses, chance[:, None], unlabeled, multiples).mean()])
    means, spread = np.mean(errors, axis=0), np.std(errors, axis=0)
    assert np.all(np.abs(means - 0.2) < 4 * spread / np.sqrt(len(errors)))
    assert spread[1] < 0.92 * spread[0]


def test_coefficients_are_those_of_least_squares_on_the_other_nine_tenths():
    rng = np.random.default_rng(0)
    controls = np.column_stack([rng.normal(size=53), rng.random(53), np.full(53, 3.0)])
    losses = controls @ [0.4, -2, 1] + rng.normal(size=53)
    found = coefficients(losses, controls)
    for part in range(10):
        rest, inside = np.arange(53) % 10 != part, np.arange(53) % 10 == part
        design = np.column_stack([np.ones(53), controls[:, :2]])
        expected = np.linalg.lstsq(design[rest], losses[rest], rcond=None)[0][1:]
        assert found[inside, :2] == pytest.approx(np.tile(expected, (inside.sum(), 1)), rel=1e-4)
    assert not found[:, 2].any()


def test_a_control_that_knows_the_losses_is_worth_all_unlabelled_rows_and_an_empty_one_nothing():
    rng = np.random.default_rng(0)
    losses = (rng.random(400) < 0.3).astype(float)
    reference = (rng.random((800, 1)) < 0.3).astype(float)
    known = coefficients(losses, losses[:, None]) * 800 / 1200
    assert worth(losses, losses[:, None], reference, known, 400) == pytest.approx(3, rel=0.1)
    assert worth(losses, losses[:, None], reference, known, 400) <= 3
    noise = rng.random((400, 1))
    assert worth(losses, noise, rng.random((800, 1)), coefficients(losses, noise), 400) == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize("method", [method for method in METHODS if can_move(method)], ids=lambda method: method.name)
def test_at_the_mean_of_the_losses_and_the_worth_of_a_row_it_is_the_interval_of_the_method(method):
    made = of({"0/1": "zero_one", "of costs": "balanced", "of known limit": "brier"}.get(method.losses, "log"))
    design, evidence = made.design, made.evidence["it"]
    for estimate in {"E_val", "E_cv"} & set(method.covers):
        if estimate == "E_cv":
            observed = of_design.cross_validated(design, evidence)
        else:
            observed = of_design.tested(design, evidence, "holdout")
        interval = method.interval(estimate, observed, 0.9)
        low, high = moved(method, observed, observed.error, 1.0, 0.9)
        assert (low, high) == pytest.approx((interval.low, interval.high), abs=1e-12)
        low, high = moved(method, observed, observed.error, 1.5, 0.9)
        assert interval.low < low < observed.error < high < interval.high


@pytest.mark.parametrize("loss", ["zero_one", "log"])
def test_controls_that_do_not_vary_leave_the_plain_interval(loss):
    for line in lines(of(loss), Controls(np.full((80, 2), 0.3), np.full((600, 2), 0.3))):
        record = plain(of(loss), line.estimate)
        assert (line.value, line.low, line.high) == (record.value, record.low, record.high)
        assert (line.width, line.labels_gained, line.reason) == (1, 0, "")


def test_a_candidate_whose_half_models_never_differ_gains_nothing():
    made = validated(DummyClassifier(strategy="constant", constant=1))
    for line in made.prediction_powered():
        assert (line.value, line.labels_gained) == (plain(made, line.estimate).value, 0)


@given(st.integers(0, 10**6), st.integers(1, 2), st.sampled_from([5, 40, 600]), st.sampled_from(["zero_one", "log"]))
def test_an_interval_is_hardly_wider_than_the_plain_one_whatever_the_controls_say(seed, q, m, loss):
    rng = np.random.default_rng(seed)
    controls = Controls(rng.exponential(size=(80, q)) ** 2, rng.exponential(size=(m, q)) ** 2)
    shuffled = Controls(controls.labeled, rng.permutation(controls.unlabeled))
    for line, again in zip(lines(of(loss), controls), lines(of(loss), shuffled), strict=True):
        if line.reason:
            continue
        record = plain(of(loss), line.estimate)
        assert line.width <= WIDEST + 1e-9
        assert line.width == pytest.approx((line.high - line.low) / (record.high - record.low))
        assert 0 <= line.low <= line.value <= line.high
        assert record.low <= line.value <= record.high
        assert (again.value, again.low, again.high) == pytest.approx((line.value, line.low, line.high))


def test_unlabelled_rows_narrow_both_intervals_of_a_run():
    X, y = rows(200, seed=5)
    found = validated(X=X, y=y, U=rows(2000, seed=6)[0], repeats=20)
    for line in found.prediction_powered("it"):
        record = plain(found, line.estimate)
        assert (line.level, line.interval, line.unlabeled) == (record.level, record.interval, 2000)
        assert line.width < 1
        assert line.labels_gained > 0.01 * record.n_tested


def test_half_of_a_reduction_of_the_variance_is_counted_and_all_of_a_rise():
    assert 1 / counted(1 / 0.8) == pytest.approx(0.9)
    assert (counted(1.0), counted(0.5)) == (1, 0.5)


def test_another_population_is_refused_and_the_same_one_is_not():
    assert differ(controls_of(of("zero_one"))) is None
    for shifted in (U + 2, 3 * U):
        for line in validated(U=shifted).prediction_powered():
            assert line.value is None
            assert "the unlabelled rows differ from the labelled rows" in line.reason
            assert line.unlabeled == 600


@pytest.mark.parametrize(
    ("changed", "unlabeled", "says"),
    [
        ({}, 0, "no unlabelled rows"),
        ({"dependence": Dependence(group=np.arange(80) // 2)}, 9, "groups"),
        ({"dependence": Dependence(time=np.arange(80))}, 9, "time"),
        ({"y": np.zeros(20_001)}, 9, "no controls are made for more than 20000"),
        ({"weights": Weights(np.arange(1.0, 81))}, 9, "weighted"),
        ({"estimates": ("E_val", "E_cv")}, 9, "no half models; estimates must contain E_2cv"),
    ],
)
def test_rows_that_cannot_be_compared_are_refused(changed, unlabeled, says):
    design = of("zero_one").design
    assert why_none(design, unlabeled=True, half_models=True) is None
    changed = replace(design, **changed)
    half_models = "covalidation" in schemes_of(changed)
    assert says in why_none(changed, unlabeled=unlabeled > 0, half_models=half_models)


def test_where_the_unlabelled_rows_cannot_be_used_each_line_has_the_reason_alone():
    for line in validated(U=None).prediction_powered():
        assert line.reason == "there are no unlabelled rows"
        assert (line.value, line.low, line.width, line.labels_gained, line.unlabeled) == (None, None, None, None, 0)
    val, cv = validated(intervals={"E_cv": "bayle_within"}).prediction_powered()
    assert val.reason == ""
    assert "Bayle" in cv.reason
    assert "use corrected Wilson" in cv.reason


def test_few_rows_that_carry_the_loss_fit_few_controls_or_none():
    made = of("zero_one")
    errors = carrying(cv_losses(made))
    assert errors == cv_losses(made).sum()
    controls = controls_of(made)
    assert lines(made, controls) == lines(made, Controls(controls.labeled[:, :1], controls.unlabeled[:, :1]))
    assert 10 <= errors < 20
    rare = validated(y=np.where(y & (X[:, 0] > 1.2), 1, 0))
    for line in rare.prediction_powered():
        assert line.reason == f"{cv_losses(rare).sum():.0f} of 80 rows carry the loss; at least 10 are needed"
    assert carrying(np.zeros(5)) == 0
    assert carrying(np.full(5, 0.3)) == pytest.approx(5)


def test_numbers_have_no_line():
    assert (
        heldout.validate(
            {"it": Ridge()}, X, X[:, 0], unlabeled=U, estimates=ESTIMATES, progress=False
        ).prediction_powered()
        == ()
    )


def test_the_estimates_are_the_same_with_and_without_a_look_at_the_unlabelled_rows():
    found = validated(DecisionTreeClassifier(random_state=0))
    before = found.estimates
    assert [line.estimate for line in found.prediction_powered()] == ["E_val", "E_cv"]
    assert before == found.estimates
    without_E_cv = validated(estimates=["E_val", "E_2cv"]).prediction_powered()
    assert [line.estimate for line in without_E_cv] == ["E_val"]
