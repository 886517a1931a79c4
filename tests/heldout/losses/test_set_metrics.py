"""1 - a metric as terms of rows: their mean is scikit-learn's number, and they say what a row's weight changes."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn import metrics

from heldout.estimates import ESTIMATES, set_metrics
from heldout.losses.set_metrics import by_difference

ORACLES = {
    "E_auc": lambda y, said, w: metrics.roc_auc_score(y, said, sample_weight=w),
    "E_ap": lambda y, said, w: metrics.average_precision_score(y, said, sample_weight=w),
    "E_f1": lambda y, said, w: metrics.f1_score(y, said, sample_weight=w),
    "E_balanced": lambda y, said, w: metrics.recall_score(y, said, sample_weight=w),
}
PART_LOSSES = set_metrics(ESTIMATES)
each = pytest.mark.parametrize("name", PART_LOSSES)


def part(seed, classes, *, weighted=True):
    """Labels, answers with many ties, and weights, some of them 0."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4 * classes, 60))
    y = np.concatenate([np.arange(classes), rng.integers(0, classes, n - classes)])
    ranks = np.round(rng.random((n, classes)), 1)
    w = rng.choice([0.0, 0.5, 1.0, 2.0, 3.0], n) if weighted else np.ones(n)
    w[:classes] = 1.0
    return y, {"ranks": ranks, "class": rng.integers(-1, classes, n)}, w


@each
@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("seed", range(10))
def test_the_mean_of_the_terms_is_scikit_learns_metric_in_the_mean_over_the_classes(name, classes, seed):
    loss = PART_LOSSES[name]
    y, answers, w = part(seed, classes)
    said = answers[loss.needs]
    expected = [
        ORACLES[name](y == place, said[:, place] if loss.needs == "ranks" else said == place, w)
        for place in loss.concerned(classes)
    ]
    assert loss.terms(y, said, w, classes).mean() == pytest.approx(1 - np.mean(expected), abs=1e-12)


@each
@pytest.mark.parametrize("classes", [2, 3])
def test_a_term_says_what_the_weight_of_its_row_changes(name, classes):
    loss, step = PART_LOSSES[name], 1e-6
    y, answers, w = part(1, classes, weighted=False)
    said = answers[loss.needs]
    terms = loss.terms(y, said, w, classes)
    for row in range(len(y)):
        heavier = np.where(np.arange(len(y)) == row, w + step, w)
        change = (loss.terms(y, said, heavier, classes).mean() - terms.mean()) / step
        # the metric is smooth in the weights: a difference quotient is right up to the step
        assert terms[row] - terms.mean() == pytest.approx(len(y) * change, abs=1e-3)


@each
def test_the_terms_do_not_depend_on_the_scale_of_the_weights(name):
    loss = PART_LOSSES[name]
    y, answers, w = part(2, 3)
    said = answers[loss.needs]
    assert loss.terms(y, said, w, 3) == pytest.approx(loss.terms(y, said, 7 * w, 3))


def test_hand_computed():
    # ranks: class .9 .8 .3, others .7 .3; pairs in order: .9 and .8 above both, .3 above none and ties once: 4.5 of 6
    y, ranks = np.array([1, 1, 1, 0, 0]), np.array([0.9, 0.8, 0.3, 0.7, 0.3])
    terms = PART_LOSSES["E_auc"].terms(y, np.column_stack([1 - ranks, ranks]), np.ones(5), 2)
    placement = np.array([1, 1, 0.25, 2 / 3, 2.5 / 3])  # the share of the others below, or of the class above
    assert terms == pytest.approx(0.25 - 5 * (placement - 0.75) / np.array([3, 3, 3, 2, 2]))
    # 2 of 3 found, 1 of 2 others taken for the class: F1 = 4 / 6
    assert PART_LOSSES["E_f1"].terms(y, np.array([1, 1, 0, 1, 0]), np.ones(5), 2).mean() == pytest.approx(1 / 3)


@each
def test_a_class_without_a_row_is_left_out_and_a_part_of_one_class_has_no_terms(name):
    loss = PART_LOSSES[name]
    y, answers, w = part(3, 3)
    said = answers[loss.needs]
    without = np.where(y == 1, 0.0, w)
    expected = [
        ORACLES[name](y == place, said[:, place] if loss.needs == "ranks" else said == place, without)
        for place in (0, 2)
    ]
    assert loss.terms(y, said, without, 3).mean() == pytest.approx(1 - np.mean(expected))
    assert np.isnan(loss.terms(y, said, np.where(y == 1, w, 0.0), 3)).all()


@each
def test_derivatives_by_difference_quotients_are_those_that_are_written(name):
    loss = PART_LOSSES[name]
    y, answers, w = part(4, 3)
    said = answers[loss.needs]
    quotients = replace(loss, of_class=by_difference(_Value(loss.of_class)))
    # a quotient with a step of 1e-6 of a weight is right to about the same share
    assert quotients.terms(y, said, w, 3) == pytest.approx(loss.terms(y, said, w, 3), abs=1e-4)
    assert quotients.terms(y, said, w, 3).mean() == pytest.approx(loss.terms(y, said, w, 3).mean(), abs=1e-12)


class _Value:
    def __init__(self, of_class):
        self.of_class = of_class

    def __call__(self, *arguments):
        return self.of_class(*arguments)[0]


@pytest.mark.parametrize(("rows", "inside"), [(30, 3), (40, 20), (12, 1)])
def test_the_best_constant_ranks_as_a_random_order_does(rows, inside):
    rng = np.random.default_rng(0)
    y = (np.arange(rows) < inside).astype(np.intp)
    everything = np.arange(rows)
    for name in ("E_auc", "E_ap"):
        loss = PART_LOSSES[name]
        drawn = [loss.terms(y, rng.random((rows, 2)), np.ones(rows), 2).mean() for _ in range(2000)]
        of_constant = loss.terms_of_constant(y, np.ones(rows), everything, everything, 2).mean()
        # four standard errors of the mean of the draws
        assert of_constant == pytest.approx(np.mean(drawn), abs=4 * np.std(drawn) / np.sqrt(len(drawn)))


def test_the_best_constant_answer_is_the_class_that_the_metric_is_about():
    y, everything = np.repeat([0, 1], [27, 3]).astype(np.intp), np.arange(30)
    always = PART_LOSSES["E_f1"].terms_of_constant(y, np.ones(30), everything, everything, 2)
    assert always.mean() == pytest.approx(1 - 2 * 3 / (30 + 3))
    balanced = PART_LOSSES["E_balanced"].terms_of_constant(y, np.ones(30), everything, everything, 2)
    assert balanced.mean() == pytest.approx(0.5)
