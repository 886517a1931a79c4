"""Differences of 1 - a metric where few rows show one, or none."""

import numpy as np
import pytest
from scipy import stats

import heldout
from heldout.estimates import ESTIMATES, set_metrics
from heldout.losses import SQUARED
from heldout.losses.tested_losses import Tested
from heldout.selection.comparison import Comparison
from heldout.selection.paired_differences import paired_differences

LEVEL = 0.95
METRICS = {"auc": "E_auc", "average_precision": "E_ap", "f1": "E_f1", "balanced_accuracy": "E_balanced"}
RANKS = ("auc", "average_precision")


def compared(answers, labels, metric, **more):
    names = [chr(97 + number) for number in range(len(answers))]
    table = {"label": labels, **dict(zip(names, answers, strict=True)), **more}
    return heldout.from_predictions(table, answer=names, metric=metric, **{one: one for one in more})


def scores(rng, n, share, areas):
    """Labels, and scores whose AUC are known, of two normal classes; correlated by .5."""
    y = (rng.permutation(n) < round(share * n)).astype(int)
    shared = rng.normal(size=n)
    shifts = [np.sqrt(2) * stats.norm.ppf(area) for area in areas]
    return y, [np.sqrt(0.5) * (shared + rng.normal(size=n)) + shift * y for shift in shifts]


def test_two_perfect_rankings_may_differ_by_a_row():
    labels, ranks = np.repeat([0, 1], 15), np.arange(30.0)
    found = compared([ranks, ranks**3], labels, "auc")
    [one] = found.differences("a")
    # R = 4 x 15 x 15 / 30 = 30, V = 2 / 30^2 by two more rows, t with 29 degrees of freedom
    reach = 2.045229642 * np.sqrt(2) / 30
    assert (one.low, one.high) == pytest.approx((-reach, reach), abs=1e-9)


@pytest.mark.parametrize(
    ("metric", "sizes", "rows"),
    [
        ("auc", (90, 10), 36),
        ("average_precision", (90, 10), 20),
        ("f1", (90, 10), 20),
        ("f1", (10, 90), 180),
        ("balanced_accuracy", (90, 10), 20),
        ("balanced_accuracy", (10, 20, 30), 30),
        ("f1", (10, 20, 30), 60),
    ],
)
def test_a_row_counts_as_one_of_those_of_the_class_with_the_fewest(metric, sizes, rows):
    loss = set_metrics(ESTIMATES)[METRICS[metric]]
    assert rows == pytest.approx(loss.rows(np.array(sizes, dtype=float)))
    if loss.needs == "class":  # in fact: one more row of the class is answered wrongly, and all others rightly
        labels = np.repeat(np.arange(len(sizes)), sizes)
        taken = [
            loss.terms(np.append(labels, place), np.append(labels, -1), np.ones(len(labels) + 1), len(sizes)).mean()
            for place in loss.concerned(len(sizes))
        ]
        assert max(taken) == pytest.approx(1 / rows, rel=0.15)


def kappa(labels, said, sample_weight):
    right, share = (np.average(of, weights=sample_weight) for of in (labels == said, labels))
    by_chance = np.average(said, weights=sample_weight)
    chance = share * by_chance + (1 - share) * (1 - by_chance)
    return (right - chance) / (1 - chance)


@pytest.mark.parametrize("metric", [*METRICS, kappa], ids=lambda one: getattr(one, "__name__", one))
def test_no_difference_has_the_width_0_also_in_folds_and_groups(metric):
    labels = np.tile([0, 1], 30)
    said = labels.astype(float) if metric in RANKS else labels
    group = np.arange(60) // 2
    for more in ({}, {"fold": np.repeat(np.arange(5), 12)}, {"fold": group // 6, "group": group}):
        [one] = compared([said, said], labels, metric, **more).differences("a")
        assert one.difference == 0
        # two rows more, of 60 that may depend in pairs and through the folds, and of 120 at most
        assert 2**0.5 / 120 < one.high == -one.low < 0.6


def test_it_covers_and_says_alike_only_where_rows_can_tell():
    """In place of .77 of the tables of 30 rows, and "alike" by a margin of .001 in .2 of them."""
    rng, areas = np.random.default_rng(0), (0.995, 0.98)
    for n, share in ((30, 0.5), (100, 0.1)):
        covered, alike = 0, 0
        for _ in range(100):
            labels, answers = scores(rng, n, share, areas)
            found = compared(answers, labels, "auc")
            [one] = found.differences("a")
            covered += one.low <= areas[1] - areas[0] <= one.high
            close = Comparison(found.observed, None, LEVEL, margin=0.001).differences("a")
            alike += close[0].by_margin == "alike"
        assert covered >= 92  # of the 100 tables of this seed
        assert alike == 0


def test_many_rows_that_agree_are_alike():
    labels = np.tile([0, 1], 2000)
    found = compared([labels, labels], labels, "balanced_accuracy")
    words = [
        Comparison(found.observed, None, LEVEL, margin=margin).differences("a")[0].by_margin
        for margin in (0.0005, 0.0008, 0.002)
    ]
    # reach 1.96 sqrt(2) / 4000 = .0007; alike needs z^2 / R = .00096 where no row shows a difference
    assert words == ["undecided", "undecided", "alike"]


def test_losses_of_rows_are_left_as_they_are():
    losses = np.random.default_rng(1).normal(size=(2, 300)) ** 2
    seen = [Tested(of, SQUARED) for of in losses]
    different = losses[1] - losses[0]
    found = paired_differences(seen, 1, None)
    assert found.variance == pytest.approx([different.var(ddof=1) / 300, 0], abs=1e-15)
    assert found.degrees == 299
