"""Trees and forests together: the same bits as each one's own answers; and what is left to each itself."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor

from heldout.batched import answers_together, together
from heldout.batched.trees import Trees
from heldout.errors import FitFailure
from heldout.learners.fitting import answers
from heldout.losses import SQUARED, ZERO_ONE, choose_loss

CLASSIFIERS = (DecisionTreeClassifier, ExtraTreeClassifier, RandomForestClassifier, ExtraTreesClassifier)
REGRESSORS = (DecisionTreeRegressor, ExtraTreeRegressor, RandomForestRegressor, ExtraTreesRegressor)
LABELS = np.array(["no", "yes", "d", "a"])


def problem(seed, classes=2):
    """Rows of many forms, and labels that are partly noise."""
    rng = np.random.default_rng(seed)
    p, n = int(rng.integers(1, 7)), int(rng.integers(30, 90))
    y = rng.permutation(np.arange(n) % classes)
    X = rng.normal(size=(n, p)) + (rng.normal(size=(classes, p)))[y]
    form = seed % 5
    if form == 1:  # whole numbers
        X = np.round(2 * X)
    if form == 2:  # columns that are constant
        X[:, rng.random(p) < 0.5] = 3.0
    if form == 3:
        X = X * 10.0 ** rng.integers(-30, 30, p)
    if form == 4:  # numbers that single precision takes for equal
        X = 1 + 1e-7 * X
    return rng, X, y


def fitted(kind, X, y, rng, count=4):
    """Hypotheses of random halves with every class in them, of few trees, deep ones or not."""
    own = {"max_depth": rng.choice([1, 3, 20])}
    if "Forest" in kind.__name__ or "Trees" in kind.__name__:
        own |= {"n_estimators": int(rng.integers(1, 8)), "bootstrap": bool(rng.random() < 0.5)}
    found = []
    for state in range(count):
        order = rng.permutation(len(y))
        order = order[np.argsort(y[order], kind="stable")][state % 2 :: 2]
        found.append(kind(**own, random_state=state).fit(X[order], y[order]))
    return found


def equal_bits(hypotheses, X, loss):
    assert isinstance(together(hypotheses, X, loss), Trees)
    for got, hypothesis in zip(answers_together(hypotheses, X, loss), hypotheses, strict=True):
        wanted = answers(hypothesis, X, loss)
        assert got.dtype == wanted.dtype
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.draws(of=30)
@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_labels_and_probabilities_are_those_of_each_hypothesis(kind, seed):
    classes = 2 + seed % 3
    rng, X, y = problem(seed, classes)
    labels = LABELS[:classes][y] if seed % 2 else y
    hypotheses = fitted(kind, X, labels, rng)
    for rows in (X, np.asfortranarray(X), X.astype(np.float32), 3 * X[:7], np.round(X[:9] % 1000).astype(np.int32)):
        equal_bits(hypotheses, rows, ZERO_ONE)
        equal_bits(hypotheses, rows, choose_loss("brier", labels))


@pytest.mark.draws(of=30)
@pytest.mark.parametrize("kind", REGRESSORS)
def test_numbers_are_those_of_each_hypothesis(kind, seed):
    rng, X, y = problem(seed)
    hypotheses = fitted(kind, X, y + rng.normal(size=len(y)), rng)
    equal_bits(hypotheses, X, SQUARED)
    equal_bits(hypotheses, pd.DataFrame(X).to_numpy(), SQUARED)


@pytest.mark.parametrize("seed", range(2))  # their rows are of one form
@pytest.mark.parametrize("kind", [*CLASSIFIERS, *REGRESSORS])
@pytest.mark.parametrize("trained_with_gaps", [False, True])
def test_gaps_go_where_each_hypothesis_sends_them(kind, seed, trained_with_gaps):
    rng, X, y = problem(5 * seed)
    holed = np.where(rng.random(X.shape) < 0.2, np.nan, X)
    hypotheses = fitted(kind, holed if trained_with_gaps else X, y, rng)
    if kind in REGRESSORS:
        hypotheses = fitted(kind, holed if trained_with_gaps else X, y + rng.normal(size=len(y)), rng)
    loss = ZERO_ONE if kind in CLASSIFIERS else SQUARED
    equal_bits(hypotheses, holed, loss)


@pytest.mark.parametrize("rows_at_once", [1, 7, 64])
def test_blocks_change_no_bit(monkeypatch, rows_at_once):
    rng, X, y = problem(0, 3)
    hypotheses = fitted(RandomForestClassifier, X, y, rng)
    monkeypatch.setattr("heldout.batched.trees._ROWS_AT_ONCE", rows_at_once)
    assert together(hypotheses, X, ZERO_ONE).rows_at_once == rows_at_once
    equal_bits(hypotheses, X, choose_loss("brier", y))


def test_whole_numbers_next_to_others_in_a_data_frame_become_single_precision_too():
    rng, X, y = problem(0)
    large = 2**53 + rng.integers(0, 2**30, len(y)) * 2 + 1  # rounded twice they would be others
    table = pd.DataFrame(X, columns=list("abcdef")[: X.shape[1]]).assign(large=large)
    hypotheses = [RandomForestClassifier(5, random_state=0).fit(table, y)] * 2
    equal_bits(hypotheses, table, ZERO_ONE)


class Mine(RandomForestClassifier):
    pass


def left_to_each(hypotheses, X, loss):
    assert not isinstance(together(hypotheses, X, loss), Trees)
    for got, hypothesis in zip(answers_together(hypotheses, X, loss), hypotheses, strict=True):
        np.testing.assert_array_equal(got, answers(hypothesis, X, loss))


@pytest.mark.parametrize("n_jobs", [2, -1])
def test_a_forest_on_many_threads_is_left_to_itself(n_jobs):
    _, X, y = problem(0)
    left_to_each([RandomForestClassifier(3, n_jobs=n_jobs).fit(X, y) for _ in range(2)], X, ZERO_ONE)


def test_a_subclass_other_classes_and_a_sparse_matrix_are_left_to_each():
    rng, X, y = problem(0, 3)
    left_to_each(fitted(Mine, X, y, rng), X, ZERO_ONE)
    left_to_each([DecisionTreeClassifier().fit(X, y), DecisionTreeClassifier().fit(X[y < 2], y[y < 2])], X, ZERO_ONE)
    left_to_each(fitted(DecisionTreeClassifier, X, y, rng), sparse.csr_matrix(X), ZERO_ONE)


def test_labels_as_numbers_and_numbers_as_labels_are_left_to_each():
    rng, X, y = problem(0)
    left_to_each(fitted(RandomForestClassifier, X, y, rng), X, SQUARED)
    left_to_each(fitted(DecisionTreeRegressor, X, y, rng), X, ZERO_ONE)


def test_several_outcomes_fail_as_by_themselves():
    _, X, y = problem(0)
    with pytest.raises(FitFailure, match="shape"):
        answers_together([RandomForestRegressor(2).fit(X, np.column_stack([y, y]))] * 2, X, SQUARED)


@pytest.mark.filterwarnings("ignore:overflow")
def test_infinite_values_fail_as_by_themselves():
    rng, X, y = problem(0)
    for value in (np.inf, 1e39):  # the other one is infinite in single precision
        broken = X.copy()
        broken[1] = value
        with pytest.raises(FitFailure, match="infinity"):
            answers_together(fitted(RandomForestClassifier, X, y, rng), broken, ZERO_ONE)


def test_trees_under_constraints_answer_at_gaps_too():
    rng, X, y = problem(0)
    hypotheses = [RandomForestClassifier(3, monotonic_cst=[1] * X.shape[1]).fit(X, y) for _ in range(2)]
    equal_bits(hypotheses, np.where(rng.random(X.shape) < 0.2, np.nan, X), ZERO_ONE)


def test_other_columns_fail_as_by_themselves():
    _, X, y = problem(0)
    names = list("abcdef")[: X.shape[1]]
    hypotheses = [DecisionTreeClassifier().fit(pd.DataFrame(X, columns=names), y)] * 2
    with pytest.raises(FitFailure, match="feature names"):
        answers_together(hypotheses, pd.DataFrame(X, columns=[f"{name}2" for name in names]), ZERO_ONE)
    with pytest.raises(FitFailure, match="features"):
        answers_together([DecisionTreeClassifier().fit(X, y)] * 2, np.hstack([X, X]), ZERO_ONE)
