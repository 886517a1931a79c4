"""What a hypothesis has learned, whatever the loss says."""

import numpy as np
import pytest

import heldout
from heldout.metrics.metric import Answered
from heldout.metrics.skill import Skill, shown_skill

LABELS = np.repeat([0, 1], [85, 15])


def ranked(shares) -> Answered:
    """100 rows, 15 of them positive, ranked by `shares`; every row is answered with the frequent class."""
    both = np.column_stack([1 - shares, shares])
    return Answered(LABELS, np.zeros(100, dtype=int), np.ones(100), np.array([0, 1]), both)


def test_a_ranking_is_shown_where_the_most_frequent_class_is_the_best_answer():
    noise = np.random.default_rng(0).normal(size=100)
    found = shown_skill(ranked(1 / (1 + np.exp(-(1.5 * LABELS + noise - 4)))), 0.95, "test set")
    assert ("AUC", 0.5, "test set") == (found.metric, found.of_constant, found.part)
    assert 0.5 < found.low < found.value < found.high
    assert Skill(**vars(found)) == found


@pytest.mark.parametrize("shares", [np.full(100, 0.15), np.random.default_rng(1).random(100)])
def test_a_constant_and_chance_show_nothing(shares):
    assert shown_skill(ranked(shares), 0.95, "test set") is None


def test_without_ranks_and_with_one_class_nothing_is_shown():
    answers = np.zeros(100, dtype=int)
    assert shown_skill(Answered(LABELS, answers, np.ones(100), np.array([0, 1])), 0.95, "test set") is None
    assert shown_skill(Answered(answers, answers, np.ones(100), np.array([0, 1])), 0.95, "test set") is None


def test_of_numbers_it_is_r_squared():
    y = np.random.default_rng(2).normal(size=200)
    found = shown_skill(Answered(y, y + 0.1, np.ones(200)), 0.95, "held-out rows")
    assert ("R^2", 0.0) == (found.metric, found.of_constant)
    assert shown_skill(Answered(y, -y, np.ones(200)), 0.95, "held-out rows") is None


def test_a_notebook_says_it_too_and_only_where_the_baseline_is_not_beaten():
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 4))
    y = (rng.random(1000) < 1 / (1 + np.exp(2.1 - X[:, 0]))).astype(int)
    validation = heldout.validate({"logit": LogisticRegression()}, X, y, estimates=["E_val", "E_cv"])
    found = validation.decide()
    assert "not_yet" == found.verdict
    assert "AUC" in found.sentence
    assert str(validation).splitlines()[:2] == [found.advice, f"caveat: {found.caveats[1]}"]
    assert found.advice in validation._repr_html_()
    brier = heldout.validate({"logit": LogisticRegression()}, X, y, loss="brier", estimates=["E_val", "E_cv"])
    assert brier.decide().verdict != "not_yet"
    assert "AUC" not in brier.decide().sentence
