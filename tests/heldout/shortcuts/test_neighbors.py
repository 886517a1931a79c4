"""Nearest neighbours by a shortcut equal the refit, or are declined."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from heldout.shortcuts.neighbors import Neighbors
from heldout.shortcuts.shortcut import Declined


def problem(rng, classes):
    """Rows without ties, and classes or numbers."""
    n, p = int(rng.integers(24, 40)), int(rng.integers(1, 20))
    X = rng.normal(size=(n, p))
    return X, rng.permutation(np.arange(n) % classes) if classes else rng.normal(size=n)


def awkward(rng, classes, kind):
    """Rows with ties, with copies, far from 0 or in clusters."""
    X, y = problem(rng, classes)
    if kind == 0:
        X = np.round(X)
    elif kind == 1:
        X[rng.integers(len(X), size=len(X) // 2)] = X[0]
    elif kind == 2:
        X = X + 10.0 ** rng.integers(1, 9)
    elif kind == 3:
        X = X + 100 * rng.integers(0, 3, size=(len(X), 1))
    else:
        X = np.round(X, 1)
        y = np.round(y)
    return X, y


def settings(rng):
    return {
        "n_neighbors": int(rng.integers(1, 9)),
        "weights": str(rng.choice(["uniform", "distance"])),
        "algorithm": str(rng.choice(["auto", "ball_tree", "kd_tree", "brute"])),
        "leaf_size": int(rng.choice([2, 30])),
        **[{"p": 1}, {"p": 2}, {"metric": "euclidean"}, {"metric": "manhattan"}][rng.integers(4)],
    }


@pytest.mark.draws
def test_a_classifier_equals_its_refit_and_is_not_declined(seed, equals_refit):
    rng = np.random.default_rng(seed)
    X, y = problem(rng, int(rng.integers(2, 4)))
    learner = KNeighborsClassifier(**settings(rng))
    method = str(rng.choice(["predict", "predict_proba"]))
    assert 0 == equals_refit(learner, Neighbors.of(learner, X, y), X, y, rng, method)


@pytest.mark.draws
def test_a_regressor_equals_its_refit_and_is_not_declined(seed, equals_refit):
    rng = np.random.default_rng(seed)
    X, y = problem(rng, 0)
    learner = KNeighborsRegressor(**settings(rng))
    assert 0 == equals_refit(learner, Neighbors.of(learner, X, y), X, y, rng)


@pytest.mark.draws
def test_neighbours_at_equal_distances_are_those_of_the_refit_or_declined(seed, equals_refit):
    rng = np.random.default_rng(seed)
    classes = int(rng.choice([0, 2, 3]))
    X, y = awkward(rng, classes, seed % 5)
    learner = (KNeighborsClassifier if classes else KNeighborsRegressor)(**settings(rng))
    method = str(rng.choice(["predict", "predict_proba"])) if classes else "predict"
    equals_refit(learner, Neighbors.of(learner, X, y), X, y, rng, method)


@pytest.fixture
def fitted(monkeypatch):
    """The rows predicted by fitted hypotheses, a list for each hypothesis."""
    found = []
    for kind in (KNeighborsClassifier, KNeighborsRegressor):

        def recorded(self, X, predict=kind.predict):
            found.append(X.tolist())
            return predict(self, X)

        monkeypatch.setattr(kind, "predict", recorded)
    return found


def leave_one_out(learner, X, y):
    return Neighbors.of(learner, X, y).folds(np.arange(len(y)))


def test_no_hypothesis_is_fitted_for_rows_without_ties(fitted):
    leave_one_out(KNeighborsRegressor(), ROWS, NUMBERS)
    assert [] == fitted


def test_a_row_with_a_tie_at_the_kth_neighbour_is_predicted_by_a_refit(fitted):
    X = np.vstack([[[100, 0], [100, 1], [100, -1]], ROWS])
    leave_one_out(KNeighborsRegressor(1), X, np.r_[1.0, 2, 3, NUMBERS])
    assert [[[100, 0]]] == fitted
    leave_one_out(KNeighborsRegressor(1), X, np.r_[1.0, 2, 2, NUMBERS])  # whichever it is
    assert [[[100, 0]]] == fitted


def test_a_row_whose_votes_by_distance_tie_is_predicted_by_a_refit(fitted):
    X = np.vstack([[[100, 0], [100, 1], [100, -1]], ROWS])
    leave_one_out(KNeighborsClassifier(2, weights="distance"), X, np.r_[["a", "a", "b"], CLASSES])
    assert [[100, 0]] in fitted


def test_a_row_whose_distance_rounds_by_a_share_of_it_is_predicted_by_a_refit(fitted):
    X = np.vstack([[[1, 0], [1, 1e-7]], ROWS])
    leave_one_out(KNeighborsRegressor(2, weights="distance", algorithm="brute"), X, np.r_[1.0, 2, NUMBERS])
    assert [[[1, 0]], [[1, 1e-7]]] == fitted
    leave_one_out(KNeighborsRegressor(2, weights="distance", algorithm="kd_tree"), X, np.r_[1.0, 2, NUMBERS])
    assert [[[1, 0]], [[1, 1e-7]]] == fitted


def test_a_row_far_from_its_training_part_is_found_by_a_longer_list(fitted):
    X, fold = ROWS + 100 * (EACH[:, None] < 12), np.maximum(EACH - 11, 0)
    Neighbors.of(KNeighborsRegressor(2), X, NUMBERS).folds(fold)
    assert [] == fitted


@pytest.mark.parametrize("labels", [[False, True], [3, 7], [1.0, 2.0], ["lost", "won"]])
@pytest.mark.parametrize("kind", [None, object])
def test_labels_of_each_kind_are_those_of_the_refit(labels, kind, equals_refit):
    y = np.resize(np.array(labels, dtype=kind if isinstance(labels[0], str) else None), 30)
    learner = KNeighborsClassifier(3)
    shortcut = Neighbors.of(learner, ROWS, y)
    np.testing.assert_array_equal(shortcut.classes, learner.fit(ROWS, y).classes_)
    assert 0 == equals_refit(learner, shortcut, ROWS, y, np.random.default_rng(0))


def test_whole_outcomes_are_taken_as_numbers(equals_refit):
    y = np.arange(30) % 7
    assert 0 == equals_refit(
        KNeighborsRegressor(3), Neighbors.of(KNeighborsRegressor(3), ROWS, y), ROWS, y, np.random.default_rng(0)
    )


class OwnRegressor(KNeighborsRegressor):
    """A subclass may do anything else."""


EACH = np.arange(30)
ROWS = np.random.default_rng(3).normal(size=(30, 2))
NUMBERS = ROWS @ [1.0, 2.0]
CLASSES = np.resize(["a", "b"], 30)
HOLE = np.where(EACH == 7, np.nan, 1.0)
REGRESSOR, CLASSIFIER = KNeighborsRegressor(2), KNeighborsClassifier(2)


@pytest.mark.parametrize(
    ("learner", "X", "y", "weights", "reason"),
    [
        (OwnRegressor(), ROWS, NUMBERS, None, "itself"),
        (KNeighborsRegressor(0), ROWS, NUMBERS, None, "InvalidParameterError"),
        (REGRESSOR, ROWS, NUMBERS, np.ones(30), "no weights"),
        (KNeighborsRegressor(weights=np.ones_like), ROWS, NUMBERS, None, "by a function"),
        (KNeighborsRegressor(weights=None), ROWS, NUMBERS, None, "by a function"),
        (KNeighborsRegressor(p=3), ROWS, NUMBERS, None, "metric"),
        (KNeighborsRegressor(metric="cosine"), ROWS, NUMBERS, None, "metric"),
        (KNeighborsRegressor(metric_params={"w": [1, 2]}), ROWS, NUMBERS, None, "metric"),
        (REGRESSOR, ROWS.tolist(), NUMBERS, None, "2-D array of float64"),
        (REGRESSOR, ROWS * HOLE[:, None], NUMBERS, None, "missing"),
        (REGRESSOR, ROWS * 1e160, NUMBERS, None, "huge"),
        (REGRESSOR, ROWS, HOLE, None, "missing"),
        (REGRESSOR, ROWS, NUMBERS.astype(np.float32), None, "1-D"),
        (CLASSIFIER, ROWS, NUMBERS, None, "1-D array of classes"),
        (CLASSIFIER, ROWS, np.resize(["a"], 30), None, "single class"),
    ],
)
def test_a_learner_or_data_without_a_shortcut_is_declined(learner, X, y, weights, reason):
    with pytest.raises(Declined, match=reason):
        Neighbors.of(learner, X, y, weights)


LONE = np.where(EACH == 4, "b", "a")


@pytest.mark.parametrize(
    ("learner", "y", "ask", "reason"),
    [
        (REGRESSOR, NUMBERS, lambda shortcut: shortcut.folds(EACH, "predict_proba"), "no probabilities"),
        (REGRESSOR, NUMBERS, lambda shortcut: shortcut.part(EACH, EACH, "predict_proba"), "no probabilities"),
        (REGRESSOR, NUMBERS, lambda shortcut: shortcut.folds(EACH * 0), "on no row"),
        (REGRESSOR, NUMBERS, lambda shortcut: shortcut.blocks(EACH, 3), "on no row"),
        (REGRESSOR, NUMBERS, lambda shortcut: shortcut.part(EACH[:0], EACH), "may not be fitted"),
        (KNeighborsRegressor(16), NUMBERS, lambda shortcut: shortcut.folds(EACH % 2), "fewer rows"),
        (KNeighborsRegressor(5), NUMBERS, lambda shortcut: shortcut.blocks(np.maximum(EACH - 4, -1), 1), "fewer rows"),
        (KNeighborsRegressor(5), NUMBERS, lambda shortcut: shortcut.part(EACH[:4], EACH), "may not be fitted"),
        (CLASSIFIER, LONE, lambda shortcut: shortcut.folds(EACH), "without a class"),
        (CLASSIFIER, LONE, lambda shortcut: shortcut.blocks(np.maximum(EACH - 4, -1), 1), "without a class"),
        (CLASSIFIER, LONE, lambda shortcut: shortcut.part(EACH[5:], EACH), "without a class"),
    ],
)
def test_a_partition_without_a_shortcut_is_declined(learner, y, ask, reason):
    with pytest.raises(Declined, match=reason):
        ask(Neighbors.of(learner, ROWS, y))


def test_rows_that_all_have_ties_are_declined():
    with pytest.raises(Declined, match="equal distances"):
        leave_one_out(KNeighborsRegressor(1), np.arange(30.0)[:, None], NUMBERS)
