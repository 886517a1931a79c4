"""What half models say of a row without its label."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

import heldout
from heldout.controls import DIGITS, MOST_A_ROW, Controls, Votes, controls, most_rows

rng = np.random.default_rng(0)
X = rng.normal(size=(45, 3))
y = np.array(["a", "b", "c"])[np.digitize(X[:, 0] + rng.normal(size=45), [-0.5, 0.5])]


def halves(learner, repeats=4):
    """The half models, and the halves."""
    made = heldout.validate({"it": learner}, X, y, estimates=["E_2cv"], repeats=repeats, progress=False)
    return made.target("it", "E_2cv"), made.design.halves


CLASSES = np.unique(y)


@given(st.integers(1, 6), st.integers(1, 3), st.integers(0, 1000))
def test_the_disagreement_is_the_share_of_pairs_of_answers_that_differ(repeats, classes, seed):
    codes = np.random.default_rng(seed).integers(0, classes, (repeats, 5))
    pairs = [codes[i] != codes[j] for i, j in combinations(range(repeats), 2)] or [np.zeros(5)]
    parts = [Votes(np.eye(classes, dtype=int)[each], None) for each in codes]
    assert controls(parts)[:, 0] == pytest.approx(np.mean(pairs, axis=0))


@pytest.mark.slow
@pytest.mark.parametrize(
    "learner",
    [GaussianNB(), LogisticRegression(), RidgeClassifier(), LinearSVC(), KNeighborsClassifier(3)],
    ids=lambda learner: type(learner).__name__,
)
def test_a_row_is_answered_by_the_models_that_did_not_see_its_labelled_row(learner):
    hypotheses, half = halves(learner)
    rows = rng.normal(size=(100, 3))
    made = Controls.of(hypotheses, X, rows, half, CLASSES)
    for table, features in ((made.labeled, X), (made.unlabeled, rows)):
        for number, row in enumerate(features):
            place = number % len(X)
            unseen = [hypotheses[2 * r + 1 - half[r, place]] for r in range(len(half))]
            answers = [hypothesis.predict(row[None])[0] for hypothesis in unseen]
            expected = [np.mean([first != second for first, second in combinations(answers, 2)])]
            if hasattr(learner, "predict_proba"):
                expected.append(1 - np.mean([hypothesis.predict_proba(row[None]).max() for hypothesis in unseen]))
            assert table[number] == pytest.approx(expected, abs=10.0**-DIGITS)


def test_rows_and_repeats_in_parts_have_the_same_controls_and_a_copy_of_a_labelled_row_has_its_controls():
    hypotheses, half = halves(GaussianNB())
    rows = np.concatenate([X, X + 1, X])[:100]
    whole = controls([Votes.of(hypotheses, rows, half, CLASSES)])
    of_rows = [
        controls([Votes.of(hypotheses, rows[first : first + 30], half, CLASSES, first)]) for first in range(0, 100, 30)
    ]
    assert np.concatenate(of_rows) == pytest.approx(whole, abs=1e-12)
    of_repeats = [Votes.of(hypotheses[2 * r : 2 * r + 4], rows, half[r : r + 2], CLASSES) for r in (0, 2)]
    assert controls(of_repeats) == pytest.approx(whole, abs=1e-12)
    apart = Controls.of(hypotheses, X, rows, half, CLASSES)
    assert whole[:45] == pytest.approx(apart.labeled, abs=1e-12)
    together = Votes.of(hypotheses, np.concatenate([X, rows]), half, CLASSES).split(len(X))
    assert controls(together[:1]) == pytest.approx(apart.labeled, abs=1e-12)
    assert controls(together[1:]) == pytest.approx(apart.unlabeled, abs=1e-12)


@given(st.integers(1, 30), st.integers(0, 1000))
def test_the_last_bits_of_probabilities_change_no_byte(repeats, seed):
    draw = np.random.default_rng(seed)
    sure = repeats * np.append(draw.random(20), [0, 0.5, 1e-9])
    votes = np.repeat([[repeats, 0]], len(sure), axis=0)
    made, other = (
        controls([Votes(votes, sure + noise)]) for noise in (0, draw.uniform(-1e-13, 1e-13, len(sure)) * repeats)
    )
    assert made.tobytes() == other.tobytes()
    assert np.array_equal(made, np.round(made, DIGITS))


def test_more_unlabelled_rows_than_a_limit_are_not_asked():
    hypotheses, half = halves(GaussianNB(), repeats=2)
    made = Controls.of(hypotheses, X, np.tile(X, (MOST_A_ROW + 1, 1)), half, CLASSES)
    assert len(made.unlabeled) == most_rows(45) == 45 * MOST_A_ROW
    assert most_rows(10**6) < 10**5


class Unsure(GaussianNB):
    """Its probabilities are no distribution."""

    def predict_proba(self, rows):
        return 2 * super().predict_proba(rows)


def test_where_probabilities_are_no_distribution_the_classes_alone_are_asked():
    expected, found = (
        controls([Votes.of(hypotheses, X[:1], half, CLASSES, 7)])
        for hypotheses, half in (halves(GaussianNB()), halves(Unsure()))
    )
    assert found.shape == (1, 1)
    assert found[:, 0] == pytest.approx(expected[:, 0])


def test_an_answer_that_is_no_class_of_the_labels_is_another_answer():
    hypotheses, half = halves(RidgeClassifier())
    known = Votes.of(hypotheses, X, half, CLASSES).of_classes
    fewer = Votes.of(hypotheses, X, half, CLASSES[1:]).of_classes
    assert np.array_equal(fewer, known[:, [1, 2, 0]])
