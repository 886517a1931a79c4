"""The rows that most candidates get wrong, against their definition, and labels that were changed on purpose."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import heldout
from heldout.errors import BadArgument
from heldout.hard_rows import answers_of_others, hard_rows

N = 90
CHANGED = (4, 31, 77)
OF_CLASSES = {"bayes": GaussianNB(), "nearest": KNeighborsClassifier(1), "tree": DecisionTreeClassifier(max_depth=1)}
OF_NUMBERS = {
    "line": LinearRegression(),
    "ridge": Ridge(),
    "near": KNeighborsRegressor(),
    "tree": DecisionTreeRegressor(),
}
COST = {"cost": {0: {1: 5.0, 0: 1.0}, 1: {0: 2.0}}}  # a right answer has a price too


def validated(candidates, X, y, **how):
    how = {"estimates": ["E_cv", "E_2cv"], "repeats": 2, "folds": 5, "progress": False, **how}
    return heldout.validate(candidates, X, y, **how)


@pytest.fixture(scope="module")
def classes():
    """Two blobs far apart, three of whose labels were changed."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, N)
    X, y = rng.normal(size=(N, 2)) + 6 * truth[:, None], truth.copy()
    y[[*CHANGED]] = 1 - y[[*CHANGED]]
    return X, y, truth


def by_row(made, name):
    losses = np.empty(N)
    for split, part in zip(
        made.design.splits("cross_validation"), made.evidence[name].losses["cross_validation"], strict=True
    ):
        losses[split.validation] = part
    return losses


@pytest.mark.parametrize("loss", ["zero_one", COST])
def test_the_rows_are_those_that_more_than_half_of_the_candidates_get_wrong_the_most_first(loss):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 2))
    y = (X[:, 0] + rng.normal(size=N) > 0).astype(int)
    made = validated(OF_CLASSES, X, y, loss=loss)
    right = made.design.loss.pointwise(y, y)
    wrong = sum((by_row(made, name) > right).astype(int) for name in OF_CLASSES)
    found = hard_rows(made.design, made.evidence, "bayes", N)
    assert {*np.flatnonzero(wrong >= 2)} == {*found.rows}
    assert 10 < len(found.rows) < N
    assert wrong[found.rows].tolist() == found.wrong.tolist() == sorted(found.wrong, reverse=True)
    assert found.losses.tolist() == (by_row(made, "bayes") - right)[found.rows].tolist()
    assert found.rows[:7].tolist() == made.hard_rows(7, "bayes").tolist()


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_of_numbers_the_least_loss_over_the_candidates_decides(loss):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(N, 2))
    y = X[:, 0] + rng.normal(size=N)
    y[11] += 50
    made = validated(OF_NUMBERS, X, y, loss=loss)
    least = np.min([by_row(made, name) for name in OF_NUMBERS], axis=0)
    found = hard_rows(made.design, made.evidence, "line", 20)
    assert np.argsort(-least)[:20].tolist() == found.rows.tolist()
    assert (11, None) == (found.rows[0], found.wrong)
    assert least[found.rows].tolist() == found.least.tolist()


@pytest.mark.parametrize("loss", ["zero_one", "brier"])
def test_changed_labels_come_first_and_models_that_did_not_see_the_row_answer_the_true_one(classes, loss):
    X, y, truth = classes
    candidates = {"bayes": GaussianNB(), "line": LogisticRegression()}
    made = validated(candidates, X, y, loss=loss)
    found = hard_rows(made.design, made.evidence, "line", 3)
    assert {*CHANGED} == {*found.rows}
    answer, share = answers_of_others(made.target("line", "E_2cv"), X, made.design, found.rows)
    assert truth[found.rows].tolist() == answer.tolist()
    assert [1.0] * 3 == share.tolist()


def test_the_answers_are_those_of_the_half_models_that_did_not_see_the_row(classes):
    X, y, _ = classes
    made = validated({"nearest": KNeighborsClassifier(1)}, X, y)  # answers the label of each row that it saw
    rows, models = np.arange(N), made.target("nearest", "E_2cv")
    votes = np.zeros((N, 2))
    for number, model in enumerate(models):
        unseen = np.flatnonzero(made.design.halves[number // 2] != number % 2)
        votes[unseen, model.predict(X[unseen])] += 1
    answer, share = answers_of_others(iter(models), X, made.design, rows)
    assert {2.0} == {*votes.sum(axis=1)}
    assert votes.argmax(axis=1).tolist() == answer.tolist()
    assert (votes.max(axis=1) / 2).tolist() == share.tolist()


@pytest.mark.parametrize(
    ("how", "asked", "message"),
    [
        ({}, {"n": 0}, "n is 0; it must be a whole number of at least 1"),
        ({}, {"candidate": "none"}, "candidate is 'none'; it must be one of bayes"),
        ({"estimates": ["E_val"]}, {}, "hard_rows: E_cv was not computed; estimates must contain it"),
    ],
)
def test_a_question_without_an_answer_is_refused(classes, how, asked, message):
    made = validated({"bayes": GaussianNB()}, *classes[:2], **how)
    with pytest.raises(BadArgument, match=message):
        made.hard_rows(**asked)
