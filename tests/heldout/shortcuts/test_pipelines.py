"""Pipelines by a shortcut equal the refit of all their steps, or are declined."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    PolynomialFeatures,
    PowerTransformer,
    RobustScaler,
    StandardScaler,
)

from heldout.preprocessing import auto
from heldout.shortcuts import Declined, find, known
from heldout.shortcuts.pipelines import on_numbers

STATELESS = [
    Binarizer(),
    Normalizer(),
    PolynomialFeatures(2, include_bias=False),
    FunctionTransformer(),
    SimpleImputer(strategy="median", add_indicator=True),
    "passthrough",
    make_pipeline(SimpleImputer(), Normalizer(norm="max")),
]
SCALERS = [StandardScaler(), MinMaxScaler(), MinMaxScaler((-2, 5)), MaxAbsScaler(), RobustScaler()]


def rows_of(rng, n):
    """Features of many units, often correlated, some far from 0."""
    p = int(rng.integers(1, 6))
    X = rng.normal(size=(n, p)) + rng.choice([0, 1]) * rng.normal(size=(n, 1))
    return (X + rng.choice([0, 1, 1000], p)) * 10.0 ** rng.integers(-3, 4, p)


def numbers(rng):
    X = rows_of(rng, int(rng.integers(20, 50)))
    y = np.sin((X - X.mean(axis=0)) / X.std(axis=0)).sum(axis=1) + rng.normal(size=len(X)) + rng.choice([0, 10])
    return X, y


def classes(rng, count=2):
    n = int(rng.integers(40, 60))
    y = rng.permutation(np.arange(n) % count)
    X = rows_of(rng, n)
    return X + X.std(axis=0) * rng.normal(size=(count, X.shape[1]))[y], np.array(["b", "a", "c"])[y]


def weights_of(rng, n):
    return [None, rng.uniform(0.5, 2, n), rng.integers(0, 3, n).astype(float)][rng.integers(3)]


@pytest.mark.draws
def test_a_ridge_behind_a_standardisation_equals_its_refit_and_is_not_declined(seed, equals_refit):
    rng = np.random.default_rng(seed)
    X, y = numbers(rng)
    weights = weights_of(rng, len(y))
    last = [Ridge(10.0 ** rng.integers(-1, 4)), Ridge(0.1, solver="svd"), LinearRegression()][seed % 3]
    learner = make_pipeline(StandardScaler(), last)
    assert 0 == equals_refit(learner, find(learner, X, y, weights), X, y, rng, weights=weights)


@pytest.mark.draws
def test_so_does_a_ridge_classifier(seed, equals_refit):
    rng = np.random.default_rng(seed)
    X, y = classes(rng, int(rng.integers(2, 4)))
    weights = weights_of(rng, len(y))
    learner = make_pipeline(StandardScaler(), RidgeClassifier(10.0 ** rng.integers(-1, 4)))
    assert 0 == equals_refit(learner, find(learner, X, y, weights), X, y, rng, weights=weights)


@pytest.mark.draws
def test_ill_conditioned_standardised_ridges_are_equal_or_declined(seed, equals_refit):
    rng = np.random.default_rng(1000 + seed)
    X, y = numbers(rng)
    X = np.hstack([X, X[:, :1] + X.std() * 10.0 ** -rng.integers(1, 12) * rng.normal(size=(len(X), 1))])
    X = X + rng.choice([0, 1]) * 10.0 ** rng.integers(0, 12)
    if seed % 4 == 1:
        X[:, 0] = np.where(rng.random(len(y)) < 0.1, 10.0 ** rng.integers(0, 8), 0.1)  # a scale made by a few rows
    if seed % 4 == 2:
        X[rng.integers(len(X))] *= 10.0 ** rng.integers(1, 8)
    if seed % 4 == 3:
        y = y * 10.0 ** -rng.integers(0, 12) + 10.0 ** rng.integers(0, 6)
    weights = 10.0 ** rng.integers(-12, 3, len(y)) if seed % 2 else None
    last = [Ridge(10.0 ** rng.integers(-12, 3)), LinearRegression(), Ridge(0.0, solver="svd")][seed % 3]
    learner = make_pipeline(StandardScaler(), last)
    try:
        shortcut = find(learner, X, y, weights)
    except Declined:
        return
    equals_refit(learner, shortcut, X, y, rng, weights=weights)


@pytest.mark.draws
def test_gaussian_naive_bayes_behind_a_standardisation_equals_its_refit(seed, equals_refit):
    rng = np.random.default_rng(seed)
    X, y = classes(rng)
    weights = rng.uniform(0.1, 5, len(y)) if seed % 3 else None
    learner = make_pipeline(StandardScaler(), GaussianNB(var_smoothing=float(rng.choice([1e-9, 1e-2, 1.0]))))
    shortcut, method = find(learner, X, y, weights), ["predict", "predict_proba"][seed % 2]
    assert 0 == equals_refit(learner, shortcut, X, y, rng, method, weights)


@pytest.mark.draws
def test_ill_conditioned_standardised_naive_bayes_is_equal_or_declined(seed, equals_refit):
    rng = np.random.default_rng(1000 + seed)
    X, y = classes(rng)
    X = X + 10.0 ** rng.integers(0, 12)
    if seed % 3:
        X[:, 0] = np.where(rng.random(len(y)) < 0.1, 10.0 ** rng.integers(0, 8), 0.1)
    weights = 10.0 ** rng.integers(-12, 3, len(y)) if seed % 2 else None
    learner = make_pipeline(StandardScaler(), GaussianNB(var_smoothing=float(rng.choice([1e-9, 1e-3, 0.0]))))
    equals_refit(learner, find(learner, X, y, weights), X, y, rng, "predict_proba", weights)  # labels have ties


@pytest.mark.draws
def test_linear_discriminant_analysis_takes_its_own_units_behind_any_scaler(seed, equals_refit):
    rng = np.random.default_rng(seed)
    X, y = classes(rng, int(rng.integers(2, 4)))
    learner = make_pipeline(SCALERS[seed % len(SCALERS)], LinearDiscriminantAnalysis())
    assert 0 == equals_refit(learner, find(learner, X, y), X, y, rng, ["predict", "predict_proba"][seed // 2 % 2])


@pytest.mark.draws
def test_ill_conditioned_discriminant_analysis_behind_a_scaler_is_equal_or_declined(seed, equals_refit):
    rng = np.random.default_rng(1000 + seed)
    X, y = classes(rng)
    X = np.hstack([X, X[:, :1] + X.std() * 10.0 ** -rng.integers(1, 8) * rng.normal(size=(len(X), 1))])
    X = X + 10.0 ** rng.integers(0, 10)
    if seed % 2:
        X[rng.integers(len(X))] *= 10.0 ** rng.integers(1, 6)
    if seed % 3 == 0:
        X[:, 0] = np.where(rng.random(len(y)) < 0.1, 10.0 ** rng.integers(0, 8), 0.1)
    learner = make_pipeline(SCALERS[seed % len(SCALERS)], LinearDiscriminantAnalysis())
    try:
        shortcut = find(learner, X, y)
    except Declined:
        return
    equals_refit(learner, shortcut, X, y, rng, ["predict", "predict_proba"][seed // 2 % 2])


@pytest.mark.draws(quick=len(STATELESS))
def test_what_is_without_a_state_is_done_once_to_all_rows(seed, equals_refit):
    rng = np.random.default_rng(seed)
    X, y = classes(rng)
    X -= X.mean(axis=0)
    X /= X.std(axis=0)
    before, last = STATELESS[seed % len(STATELESS)], [GaussianNB(), LinearDiscriminantAnalysis(), BernoulliNB()]
    learner = make_pipeline(before, last[2 if isinstance(before, Binarizer) else seed % 3])
    try:
        shortcut = find(learner, X, y)
        equals_refit(learner, shortcut, X, y, rng, "predict_proba")
    except Declined:
        assert isinstance(before, Normalizer | Pipeline)  # of one feature, or of two, little is left


def test_steps_without_a_state_may_stand_around_a_scaler(equals_refit):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 3)), rng.normal(size=60)
    learner = make_pipeline(SimpleImputer(), PolynomialFeatures(2), None, Pipeline([("s", StandardScaler())]), Ridge())
    with pytest.raises(Declined, match="hardly varies"):  # the constant of polynomials
        find(learner, X, y)
    learner.steps[1] = ("p", PolynomialFeatures(2, include_bias=False))
    for _ in range(5):
        assert 0 == equals_refit(learner, find(learner, X, y), X, y, rng)


def test_leave_one_out_of_many_rows_is_made_in_pieces(monkeypatch, equals_refit):
    monkeypatch.setattr("heldout.shortcuts.standardized_least_squares._AT_ONCE", 64)
    rng = np.random.default_rng(1)
    learner = make_pipeline(StandardScaler(), Ridge())
    for _ in range(5):
        X, y = numbers(rng)
        assert 0 == equals_refit(learner, find(learner, X, y), X, y, rng)


class Own(StandardScaler):
    pass


class OwnPipeline(Pipeline):
    pass


@pytest.mark.parametrize(
    "learner",
    [
        make_pipeline(StandardScaler(), LogisticRegression()),
        make_pipeline(PCA(), Ridge()),
        make_pipeline(SelectKBest(), GaussianNB()),
        make_pipeline(PowerTransformer(), GaussianNB()),
        make_pipeline(Own(), Ridge()),
        OwnPipeline([("s", StandardScaler()), ("r", Ridge())]),
        make_pipeline(StandardScaler(), Ridge(), memory="somewhere"),
        make_pipeline(make_pipeline(StandardScaler(), memory="somewhere"), Ridge()),
        make_pipeline(StandardScaler(), Ridge(), transform_input=["X_val"]),
        make_pipeline(StandardScaler(), "passthrough"),
    ],
    ids=str,
)
def test_other_parts_are_not_known(learner):
    assert not known(learner)
    with pytest.raises(Declined, match="has no shortcut"):
        find(learner, np.ones((9, 2)), np.arange(9) % 2)


RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(40, 3))
LABELS = np.arange(40) % 2


@pytest.mark.parametrize(
    ("parts", "X", "reason"),
    [
        ((StandardScaler(), KNeighborsClassifier()), ROWS, "KNeighborsClassifier behind StandardScaler"),
        ((StandardScaler(), NearestCentroid()), ROWS, "fitted together"),
        ((StandardScaler(), QuadraticDiscriminantAnalysis()), ROWS, "fitted together"),
        ((StandardScaler(), LinearDiscriminantAnalysis(solver="lsqr")), ROWS, "fitted together"),
        ((MinMaxScaler(clip=True), LinearDiscriminantAnalysis()), ROWS, "fitted together"),
        ((MinMaxScaler(feature_range=(1, 0)), Ridge()), ROWS, "fitted together"),
        ((StandardScaler(with_std=False), Ridge()), ROWS, "fitted together"),
        ((StandardScaler(with_mean=False), Ridge()), ROWS, "fitted together"),
        ((StandardScaler(with_mean="no"), Ridge()), ROWS, "may not be fitted"),
        ((RobustScaler(), Ridge()), ROWS, "fitted together"),
        ((StandardScaler(), MinMaxScaler(), Ridge()), ROWS, "MinMaxScaler in front"),
        ((StandardScaler(), PolynomialFeatures(), Ridge()), ROWS, "PolynomialFeatures in front"),
        ((FunctionTransformer(np.sort), Ridge()), ROWS, "FunctionTransformer in front"),
        ((SimpleImputer(missing_values=0.0), Ridge()), ROWS, "SimpleImputer in front"),
        ((SimpleImputer(strategy=len), Ridge()), ROWS, "SimpleImputer in front"),
        ((SimpleImputer(), Ridge()), np.where(ROWS > 2, np.nan, ROWS), "missing"),
        ((ColumnTransformer([("all", "passthrough", [0])]), Ridge()), ROWS, "ColumnTransformer in front"),
        ((Normalizer(norm="l3"), Ridge()), ROWS, "may not be fitted"),
        ((Binarizer().set_output(transform="pandas"), Ridge()), ROWS, "no 2-D array"),
        ((StandardScaler(), Ridge(fit_intercept=False)), ROWS, "no intercept"),
        ((StandardScaler(), Ridge(positive=True)), ROWS, "positive"),
        ((StandardScaler(), Ridge(solver="sag")), ROWS, "solver"),
        ((StandardScaler(), Ridge()), np.ones((40, 2)), "hardly varies"),
        ((StandardScaler(), Ridge()), ROWS + 1e9, "hardly varies"),
        ((StandardScaler(), Ridge()), RNG.normal(size=(40, 41)), "as many features"),
        ((StandardScaler(), Ridge()), ROWS.astype(np.float32), "float64"),
    ],
    ids=str,
)
def test_is_declined_when_made(parts, X, reason):
    with pytest.raises(Declined, match=f"^Pipeline .*{reason}"):
        find(make_pipeline(*parts), X, LABELS)


def test_a_part_in_which_a_feature_hardly_varies_or_all_depend_on_each_other_is_declined():
    fold = np.arange(40)
    X = np.where(fold[:, None] > 0, [0, 1, 1], 1) * ROWS
    for last in (Ridge(), GaussianNB()):
        with pytest.raises(Declined, match="hardly varies in a training part"):
            find(make_pipeline(StandardScaler(), last), X, LABELS).folds(fold)
    with pytest.raises(Declined, match="depend on each other"):
        find(make_pipeline(StandardScaler(), LinearRegression()), ROWS[:, [0, 0, 1]], LABELS).folds(fold)
    if hasattr(LinearRegression(), "tol"):  # since scikit-learn 1.7
        with pytest.raises(Declined, match="nearly depend"):
            find(make_pipeline(StandardScaler(), LinearRegression(tol=0.5)), ROWS, LABELS).folds(fold)
    with pytest.raises(Declined, match="too small"):
        find(make_pipeline(StandardScaler(), Ridge(1e12)), ROWS, 2 * LABELS - 1).folds(fold // 2)
    weights = np.where(fold == 0, 1e6, 1.0)
    with pytest.raises(Declined, match="hardly any weight"):
        find(make_pipeline(StandardScaler(), Ridge()), ROWS, LABELS, weights).folds(fold)
    with pytest.raises(Declined, match="no probabilities"):
        find(make_pipeline(StandardScaler(), Ridge()), ROWS, LABELS).folds(fold, "predict_proba")
    with pytest.raises(Declined, match="without a class"):
        find(make_pipeline(StandardScaler(), RidgeClassifier()), ROWS, LABELS).folds(LABELS)


@pytest.mark.parametrize(
    "last",
    [GaussianNB(), *(pytest.param(last, marks=pytest.mark.slow) for last in (Ridge(), LinearDiscriminantAnalysis()))],
    ids=str,
)
def test_the_projects_own_preprocessing_of_a_complete_table_of_numbers_is_seen_through(last):
    frame = pd.DataFrame(ROWS, columns=list("abc")).assign(d=np.arange(40) % 7)
    learner = make_pipeline(auto(last), last)
    assert known(learner)
    seen = on_numbers(learner, frame)
    for fold in (np.arange(40), np.arange(40) % 5):
        got = find(seen, frame.to_numpy(), LABELS).folds(fold)
        for number in range(fold.max() + 1):
            fitted = make_pipeline(auto(last), last).fit(frame[fold != number], LABELS[fold != number])
            np.testing.assert_allclose(got[fold == number], fitted.predict(frame[fold == number]), rtol=1e-9, atol=1e-9)


def test_columns_in_another_order_or_weighed_or_chosen_by_name_are_not_seen_through():
    frame = pd.DataFrame(ROWS, columns=list("abc")).assign(d=pd.Series(range(40)).astype("category"))
    every, some = make_column_selector(dtype_include="number"), make_column_selector(pattern="a")
    for transformer in (
        ColumnTransformer([("numbers", StandardScaler(), every)]),  # and not the category
        ColumnTransformer([("a", StandardScaler(), some), ("numbers", StandardScaler(), every)]),
        ColumnTransformer([("numbers", StandardScaler(), every)], transformer_weights={"numbers": 2.0}),
        ColumnTransformer([("numbers", StandardScaler(), list("abcd"))]),
    ):
        learner = make_pipeline(transformer, Ridge())
        assert on_numbers(learner, frame) is learner
    assert on_numbers(GaussianNB(), frame).__class__ is GaussianNB
