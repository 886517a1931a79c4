"""The parts of the studies of regret and of picked rows: picking, terms, and comparing with the default."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier

from studies import real_sets
from studies.labelled import Labelled
from studies.picked import LEAST, least_sure, margin, start
from studies.selection_regret import COMPARED, findings
from studies.selection_rules import FirstTerms


@pytest.fixture(scope="module")
def wine():
    return real_sets.read("wine", None)


def test_a_set_is_standardised_and_its_directions_are_uncorrelated(wine):
    assert np.allclose(wine.X.mean(axis=0), 0)
    assert np.allclose(np.cov(wine.directions.T), np.eye(real_sets.MOST_TERMS), atol=1e-6)


def test_the_first_rows_have_a_second_class():
    y = np.repeat([0, 1], [960, 40])
    for seed in range(5):
        order = start(y, 30, np.random.default_rng(seed))
        assert sorted(order) == list(range(1000))
        assert y[order[:30]].sum() >= LEAST


def test_uncertainty_sampling_takes_the_rows_next_to_the_boundary():
    X = np.linspace(-1, 1, 101)[:, None]
    y = (X[:, 0] > 0).astype(np.int64)
    picked = least_sure(RidgeClassifier(), X, y, np.array([0, 1, 99, 100]), np.arange(2, 99), 5)
    assert sorted(picked) == [48, 49, 50, 51, 52]


def test_the_margin_of_three_classes_is_between_the_best_two(wine):
    hypothesis = LogisticRegression(max_iter=300).fit(wine.X, wine.y)
    scores = np.sort(hypothesis.decision_function(wine.X), axis=1)
    assert np.allclose(margin(hypothesis, wine.X), scores[:, 2] - scores[:, 1])


def test_the_deviance_falls_with_the_terms_and_the_weights_are_counted(wine):
    fitted = [FirstTerms(terms).fit(wine.directions, wine.y) for terms in (1, 2, 4)]
    deviances = [each.deviance(wine.directions, wine.y) for each in fitted]
    assert deviances == sorted(deviances, reverse=True)
    assert [each.weights for each in fitted] == [4, 6, 10]  # of three classes, with an intercept


def test_rows_drawn_at_random_weigh_1_and_rows_picked_blindly_have_no_weights(wine):
    rng, rows = np.random.default_rng(0), start(wine.y, 20, np.random.default_rng(0))
    drawn, picked = (Labelled(wine, RidgeClassifier(), 2, rows[:20], rows[20:]) for _ in range(2))
    for _ in range(2):
        drawn.add("random", 10, rng)
    picked.add("uncertainty", 10, rng)
    weights = drawn.weights()
    assert weights is None or np.allclose(weights.relative, 1)
    assert len(np.unique(drawn.rows)) == 40
    assert picked.weights() is None


def test_a_rule_that_is_better_in_every_set_is_better_by_more_than_chance():
    names = ["of", "set", "repeat", "size"]
    samples = pd.MultiIndex.from_product([COMPARED, range(15), range(2), (30, 60)], names=names).to_frame(index=False)
    default, gain = np.random.default_rng(0).uniform(0.01, 0.02, (2, len(samples)))
    regrets = {"minimum": default, "less": default - gain, "same": default}
    results = pd.concat([samples.assign(rule=rule, regret=regret) for rule, regret in regrets.items()])
    found = {finding.finding: finding for finding in findings(results)}
    for of in COMPARED:
        less, same = (found[f"regret-{of}-{rule}"] for rule in ("less", "same"))
        assert "wins-losses-ties 60-0-0" in less.because
        assert (False, True) == (less.agrees, same.agrees)
        assert "less" == found[f"regret-{of}-recommended"].ours
