"""Linear models together: each one's own labels, also where rounding could decide; and what is left to each itself."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron, Ridge, RidgeClassifier, SGDClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import LinearSVC

from heldout.batched import answers_together, together
from heldout.batched.linear import Linear, by_column, by_length
from heldout.errors import FitFailure
from heldout.learners.fitting import answers
from heldout.losses import SQUARED, ZERO_ONE, choose_loss

CLASSIFIERS = (
    LinearDiscriminantAnalysis(),
    LinearSVC(max_iter=50),
    LogisticRegression(max_iter=20),
    Perceptron(),
    RidgeClassifier(),
    SGDClassifier(),
)
WITH_LINK = (LinearDiscriminantAnalysis(), LogisticRegression(max_iter=20), SGDClassifier(loss="log_loss"))
REGRESSORS = (LinearRegression(), Ridge(), LinearRegression(fit_intercept=False))
SCALERS = (None, StandardScaler(), StandardScaler(with_mean=False), StandardScaler(with_std=False))
LABELS = np.array(["no", "yes", "d", "a"])

pytestmark = pytest.mark.filterwarnings("ignore")  # of learners that do not converge, which is not the matter here


def problem(seed, classes=2):
    """Rows of many forms, and labels."""
    rng = np.random.default_rng(seed)
    p = int(rng.integers(1, 9))
    n = 40 + 10 * p
    y = rng.permutation(np.arange(n) % classes)
    X = rng.normal(size=(n, p)) + rng.normal(size=(classes, p))[y]
    form = seed % 5
    if form == 1:  # whole numbers, which tie
        X = np.round(2 * X)
    if form == 2:  # columns that are constant
        X[:, 1:][:, rng.random(p - 1) < 0.5] = 3.0
    if form == 3:
        X = X * 10.0 ** rng.integers(-30, 30, p)
    if form == 4:  # means that are large relative to their scales
        X = X + 10.0 ** rng.integers(0, 10, p)
    return rng, X, y


def halves(learner, X, y, rng, pairs=3):
    """Hypotheses of random halves, two of each partition; every class is in both."""
    found = []
    for _ in range(pairs):
        order = rng.permutation(len(y))
        order = order[np.argsort(y[order], kind="stable")]
        found += [clone(learner).fit(X[order[half::2]], y[order[half::2]]) for half in (0, 1)]
    return found


def behind(scaler, learner):
    return learner if scaler is None else make_pipeline(scaler, learner)


def on_boundaries(hypotheses, X):
    """Rows whose score by one hypothesis, or two of its scores, tie up to rounding."""
    found = []
    for hypothesis in hypotheses:
        scaler, last = hypothesis.steps if hasattr(hypothesis, "steps") else (None, ("", hypothesis))
        Z = X if scaler is None else scaler[1].transform(X)
        coef, intercept = np.atleast_2d(last[1].coef_), np.ravel(last[1].intercept_)
        w, b = (coef[0], intercept[0]) if len(coef) == 1 else (coef[0] - coef[1], intercept[0] - intercept[1])
        if np.any(w):
            with np.errstate(all="ignore"):
                Z = Z - ((Z @ w + b) / (w @ w))[:, None] * w
            found.append(Z if scaler is None else scaler[1].inverse_transform(Z))
    rows = np.concatenate(found) if found else X
    return rows[np.isfinite(rows).all(axis=1)]


@pytest.mark.draws(of=30)
@pytest.mark.parametrize("learner", CLASSIFIERS, ids=lambda learner: type(learner).__name__)
def test_labels_are_those_of_each_hypothesis_on_boundaries_too(learner, seed):
    classes = 2 + seed % 3
    rng, X, y = problem(seed, classes)
    hypotheses = halves(behind(SCALERS[seed % 4], learner), X, LABELS[:classes][y], rng)
    asked = np.concatenate([X, np.zeros((2, X.shape[1])), 1e3 * X[:9], on_boundaries(hypotheses, X[:20])])
    for rows in (asked, np.asfortranarray(asked), np.round(asked[np.abs(asked).max(axis=1) < 1e15]).astype(np.int64)):
        if not len(rows):
            continue
        assert isinstance(together(hypotheses, rows, ZERO_ONE), Linear)
        for got, hypothesis in zip(answers_together(hypotheses, rows, ZERO_ONE), hypotheses, strict=True):
            wanted = answers(hypothesis, rows, ZERO_ONE)
            assert got.dtype == wanted.dtype
            np.testing.assert_array_equal(got, wanted)


@pytest.mark.draws(of=30)
def test_a_few_rows_that_only_double_precision_tells_apart_have_their_own_labels(seed):
    """Their scores are made again, and all others are of single precision."""
    rng, X, y = problem(seed)
    hypotheses = halves(behind(SCALERS[seed % 4], LogisticRegression(max_iter=20)), X, LABELS[:2][y], rng)
    ties = on_boundaries(hypotheses, X[:2])
    nudged = ties * (1 + 1e-10 * rng.normal(size=ties.shape))  # on either side, by less than single precision holds
    rows = np.concatenate([X[rng.integers(len(X), size=400)], ties, nudged])
    rows = rows[rng.permutation(len(rows))]
    for got, hypothesis in zip(answers_together(hypotheses, rows, ZERO_ONE), hypotheses, strict=True):
        np.testing.assert_array_equal(got, hypothesis.predict(rows))


def test_ordinary_rows_are_of_single_precision_but_those_near_a_tie():
    rng, X, y = problem(0)
    hypotheses = halves(LogisticRegression(), X, y, rng)
    rows = np.concatenate([np.repeat(X, 5, axis=0), on_boundaries(hypotheses, X[:2])])
    group = together(hypotheses, rows, ZERO_ONE)
    _, near = group._in_single(slice(0, len(rows)))
    assert {*range(len(rows))[-2 * len(hypotheses) :]} <= {*near.tolist()}
    assert len(near) < 0.1 * len(rows)
    assert group.answers(slice(None)).shape == (len(hypotheses), len(rows))
    assert not group._unsure


@pytest.mark.parametrize("size", [1e-300, 1e-42, 1e-38, 1e20, 1e38, 1e300])
def test_numbers_beyond_single_precision_have_their_own_labels(size):
    rng, X, y = problem(0)
    hypotheses = halves(LogisticRegression(), X, y, rng)
    for hypothesis in hypotheses:
        hypothesis.coef_, hypothesis.intercept_ = hypothesis.coef_ / size, np.zeros(1)
    with np.errstate(all="ignore"):
        for rows in (X * size, X):
            for got, hypothesis in zip(answers_together(hypotheses, rows, ZERO_ONE), hypotheses, strict=True):
                np.testing.assert_array_equal(got, hypothesis.predict(rows))


@pytest.mark.parametrize(
    ("weight", "value"), [(1e21, 1e18), (1e30, 1e10), (3e37, 10.0), (1e-20, 1e-24), (1e-22, 1e-22)]
)
def test_terms_that_cancel_beyond_single_precision_have_their_own_labels(weight, value):
    """Products that overflow to infinities of both signs, and ones that are rounded to few digits."""
    rng, X, y = problem(0)
    hypotheses = halves(LogisticRegression(), X, y, rng)
    signs = np.where(np.arange(X.shape[1]) % 2, -1.0, 1.0)
    for hypothesis in hypotheses:
        hypothesis.coef_ = weight * signs * (1 + 0.1 * rng.random((1, X.shape[1])))
        hypothesis.intercept_ = np.zeros(1)
    rows = value * rng.normal(size=(4000, X.shape[1]))
    for got, hypothesis in zip(answers_together(hypotheses, rows, ZERO_ONE), hypotheses, strict=True):
        np.testing.assert_array_equal(got, hypothesis.predict(rows))


@pytest.mark.draws(of=30)
@pytest.mark.parametrize("learner", WITH_LINK, ids=lambda learner: type(learner).__name__)
def test_probabilities_are_those_of_each_hypothesis(learner, seed):
    classes = 2 if isinstance(learner, SGDClassifier) else 2 + seed % 3
    rng, X, y = problem(5 * seed + (seed % 3), classes)  # forms 0 to 2
    hypotheses = halves(behind(SCALERS[seed % 4], learner), X, LABELS[:classes][y], rng)
    loss = choose_loss("brier", LABELS[:classes][y])
    assert isinstance(together(hypotheses, X, loss), Linear)
    for got, hypothesis in zip(answers_together(hypotheses, X, loss), hypotheses, strict=True):
        np.testing.assert_allclose(got, answers(hypothesis, X, loss), rtol=0, atol=1e-11)


@pytest.mark.draws(of=30)
@pytest.mark.parametrize("learner", REGRESSORS, ids=str)
def test_numbers_are_those_of_each_hypothesis_up_to_the_rounding_of_a_sum(learner, seed):
    rng, X, y = problem(seed)
    hypotheses = halves(behind(SCALERS[seed % 4], learner), X, y + rng.normal(size=len(y)), rng)
    group = together(hypotheses, X, SQUARED)
    assert isinstance(group, Linear)
    slack = group.slack(X.T if group.centre is None else X.T - group.centre[:, None], by_column)
    for got, hypothesis, most in zip(answers_together(hypotheses, X, SQUARED), hypotheses, slack, strict=True):
        assert np.abs(got - answers(hypothesis, X, SQUARED)).max() <= most


def test_the_rounding_of_a_sum_is_small_beside_the_numbers():
    rng, X, _ = problem(4)  # with large means
    y = X @ rng.normal(size=X.shape[1])
    hypotheses = halves(make_pipeline(StandardScaler(), Ridge(1e-6)), X, y, rng)
    group = together(hypotheses, X, SQUARED)
    slack = group.slack(X.T - group.centre[:, None], by_column)
    assert (slack < 1e-12 * np.abs(y).max()).all()


@pytest.mark.draws(of=30)
def test_no_sum_of_terms_is_above_its_bounds(seed):
    rng = np.random.default_rng(seed)
    sizes = 10.0 ** rng.uniform(-170, 100, size=8) if seed % 2 else 10.0 ** rng.uniform(-3, 3, size=8)
    X, bounds = rng.normal(size=(20, 8)) * sizes, rng.random((5, 8))
    block = X.T if seed % 3 else np.ascontiguousarray(X.T)
    for most in (by_length, by_column):
        assert (bounds @ np.abs(block) <= most(bounds, block)[:, None] * (1 + 1e-12)).all()


@pytest.mark.parametrize("classes", [2, 3])
def test_columns_of_different_sizes_are_bounded_one_by_one(classes, monkeypatch):
    rng, X, y = problem(0, classes)
    hypotheses = halves(LogisticRegression(), X, y, rng)
    X = np.hstack([X, 1e15 * rng.normal(size=(len(X), 1))])  # of no weight: the length of a row decides nothing
    for hypothesis in hypotheses:
        hypothesis.coef_ = np.hstack([hypothesis.coef_, np.zeros((len(hypothesis.coef_), 1))])
        hypothesis.n_features_in_ += 1
    expected = [hypothesis.predict(X) for hypothesis in hypotheses]
    group = together(hypotheses, X, ZERO_ONE)
    slack = group.slack(X.T, by_length)
    assert (slack > np.abs(group.weights @ X.T + group.constant[:, None]).max(axis=1)).all()
    monkeypatch.setattr(LogisticRegression, "predict", None)
    np.testing.assert_array_equal(expected, group.classes[group.answers(slice(None)).astype(int)])


@pytest.mark.parametrize("classes", [2, 3])
def test_no_hypothesis_predicts_by_itself_at_ordinary_rows(classes, monkeypatch):
    rng, X, y = problem(0, classes)
    hypotheses = halves(make_pipeline(StandardScaler(), LogisticRegression()), X, y, rng)
    group = together(hypotheses, X, ZERO_ONE)
    expected = [hypothesis.predict(X) for hypothesis in hypotheses]
    monkeypatch.setattr(Pipeline, "predict", None)
    np.testing.assert_array_equal(expected, group.classes[group.answers(slice(None)).astype(int)])


@pytest.mark.parametrize("rows_at_once", [1, 7, 64])
def test_blocks_change_no_label(monkeypatch, rows_at_once):
    rng, X, y = problem(1, 3)
    hypotheses = halves(LogisticRegression(), X, y, rng)
    monkeypatch.setattr("heldout.batched.linear._ROWS_AT_ONCE", rows_at_once)
    group = together(hypotheses, X, ZERO_ONE)
    assert group.rows_at_once == rows_at_once
    for got, hypothesis in zip(answers_together(hypotheses, X, ZERO_ONE), hypotheses, strict=True):
        np.testing.assert_array_equal(got, answers(hypothesis, X, ZERO_ONE))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_row_that_is_no_number_fails_as_by_itself(value):
    rng, X, y = problem(0)
    hypotheses = halves(LinearSVC(), X, y, rng)
    X[3] = value
    with pytest.raises(FitFailure) as alone:
        answers(hypotheses[0], X, ZERO_ONE)
    with pytest.raises(FitFailure) as together_with_others:
        answers_together(hypotheses, X, ZERO_ONE)
    assert str(together_with_others.value) == str(alone.value)


def test_a_row_whose_score_is_no_finite_number_is_labelled_as_by_itself():
    rng, X, y = problem(0)
    hypotheses = halves(LinearSVC(), X, y, rng)
    X[3] = 1e308
    for got, hypothesis in zip(answers_together(hypotheses, X, ZERO_ONE), hypotheses, strict=True):
        np.testing.assert_array_equal(got, answers(hypothesis, X, ZERO_ONE))


def test_a_hypothesis_that_diverged_fails_as_by_itself():
    rng, X, y = problem(0)
    hypotheses = halves(Ridge(), X, y.astype(float), rng)
    hypotheses[1].coef_[0] = np.nan
    with pytest.raises(FitFailure, match="the prediction number 0 is not finite"):
        answers_together(hypotheses, X, SQUARED)


class Mine(LogisticRegression):
    pass


@pytest.mark.parametrize(
    "learner",
    [
        Mine(),
        make_pipeline(MinMaxScaler(), LogisticRegression()),
        make_pipeline(StandardScaler(), StandardScaler(), LogisticRegression()),
        make_pipeline(StandardScaler(), "passthrough", LogisticRegression()),
    ],
    ids=str,
)
def test_other_learners_predict_by_themselves(learner):
    rng, X, y = problem(0)
    left_to_each(halves(learner, X, y, rng), X, ZERO_ONE)


def left_to_each(hypotheses, X, loss):
    assert not isinstance(together(hypotheses, X, loss), Linear)
    for got, hypothesis in zip(answers_together(hypotheses, X, loss), hypotheses, strict=True):
        np.testing.assert_array_equal(got, answers(hypothesis, X, loss))


def test_hypotheses_of_several_learners_or_classes_predict_by_themselves():
    _, X, y = problem(0, 3)
    left_to_each([LogisticRegression().fit(X, y), LinearSVC().fit(X, y)], X, ZERO_ONE)
    left_to_each([LogisticRegression().fit(X, y), LogisticRegression().fit(X[y < 2], y[y < 2])], X, ZERO_ONE)


def test_a_class_that_no_half_has_seen_is_left_to_each_hypothesis():
    rng, X, y = problem(0, 3)
    left_to_each(halves(LogisticRegression(), X[y < 2], y[y < 2], rng), X, choose_loss("brier", y))


@pytest.mark.parametrize(
    ("learner", "classes"), [(SGDClassifier(loss="modified_huber"), 2), (SGDClassifier(loss="log_loss"), 3)]
)
def test_probabilities_of_another_link_are_left_to_each_hypothesis(learner, classes):
    rng, X, y = problem(0, classes)
    left_to_each(halves(learner, X, y, rng), X, choose_loss("brier", y))


def test_a_classifier_judged_by_a_loss_of_numbers_answers_with_its_labels():
    rng, X, y = problem(0, 3)
    left_to_each(halves(RidgeClassifier(), X[y < 2], y[y < 2], rng), X, SQUARED)
    two_classes = [RidgeClassifier().fit(X[y != other], y[y != other]) for other in (0, 1)]
    left_to_each(two_classes, X, SQUARED)


def test_a_number_is_no_class():
    rng, X, y = problem(0)
    left_to_each(halves(LinearRegression(), X, y.astype(float), rng), X, ZERO_ONE)


def test_single_precision_is_left_to_each_hypothesis():
    rng, X, y = problem(0)
    left_to_each(halves(LogisticRegression(), X, y, rng), X.astype(np.float32), ZERO_ONE)
    left_to_each(halves(LogisticRegression(), X.astype(np.float32), y, rng), X, ZERO_ONE)


def test_a_sparse_matrix_and_sparse_coefficients_are_left_to_each_hypothesis():
    rng, X, y = problem(0)
    hypotheses = halves(LogisticRegression(), X, y, rng)
    left_to_each(hypotheses, sparse.csr_matrix(X), ZERO_ONE)
    left_to_each([hypothesis.sparsify() for hypothesis in hypotheses], X, ZERO_ONE)


def frame(X, names="abcdefgh"):
    return pd.DataFrame(X, columns=list(names[: X.shape[1]]))


def test_a_data_frame_answers_as_by_itself_and_one_of_truth_values_too_is_left_to_each():
    rng, X, y = problem(0)
    table = frame(X)
    order = rng.permutation(len(y))
    hypotheses = [LogisticRegression().fit(table.iloc[half], y[half]) for half in (order[::2], order[1::2])]
    whole = table.assign(a=np.arange(len(y)))  # columns of two kinds
    for rows in (table, whole):
        assert isinstance(together(hypotheses, rows, ZERO_ONE), Linear)
        for got, hypothesis in zip(answers_together(hypotheses, rows, ZERO_ONE), hypotheses, strict=True):
            np.testing.assert_array_equal(got, answers(hypothesis, rows, ZERO_ONE))
    left_to_each(hypotheses, table.assign(a=y == 1), ZERO_ONE)
    left_to_each(hypotheses, table.astype({"a": "Float64"}), ZERO_ONE)
    left_to_each(hypotheses, X, ZERO_ONE)  # without names: scikit-learn warns


def test_other_columns_fail_as_by_themselves():
    _, X, y = problem(0)
    hypotheses = [LogisticRegression().fit(frame(X), y)] * 2
    with pytest.raises(FitFailure, match="feature names"):
        answers_together(hypotheses, frame(X, "hgfedcba"), ZERO_ONE)
    with pytest.raises(FitFailure, match="features"):
        answers_together([LogisticRegression().fit(X, y)] * 2, np.hstack([X, X]), ZERO_ONE)
    with pytest.raises(FitFailure, match="0 sample"):
        answers_together([LogisticRegression().fit(X, y)] * 2, X[:0], ZERO_ONE)
