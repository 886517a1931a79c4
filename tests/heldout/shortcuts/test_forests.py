"""Forests whose trees are grown here are the fits themselves, to the bit, or are declined."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler, TargetEncoder
from sklearn.tree import DecisionTreeClassifier, _classes

from heldout.preprocessing import auto
from heldout.shortcuts.forests import Forests, known
from heldout.shortcuts.shortcut import Declined

PROBLEMS = 200
STATE = 7
CLASSIFIERS = (RandomForestClassifier, ExtraTreesClassifier)
REGRESSORS = (RandomForestRegressor, ExtraTreesRegressor)


def rows_of(rng):
    """Normal rows of some scale; copies, few values, a constant, neighbours in single precision, or far from 0."""
    n, p = int(rng.integers(24, 80)), int(rng.integers(1, 8))
    X = rng.normal(size=(n, p)) * 10.0 ** rng.integers(-6, 6)
    kind = rng.integers(6)
    if kind == 1:
        return X[rng.integers(0, n // 3, size=n)]
    if kind == 2:
        return np.sign(X) * rng.integers(0, 3, size=(n, p))
    if kind == 3:
        X[:, 0] = 1.0
    if kind == 4:
        return 1.0 + 1e-7 * rng.integers(0, 3, size=(n, p))
    return X + 1e6 * X.std() if kind == 5 else X


def target(rng, X, *, classes):
    signal = X[:, 0] / (X[:, 0].std() or 1) + rng.choice([0, 1]) * rng.normal(size=len(X))
    if not classes:
        return np.abs(signal) + 0.1
    places = np.searchsorted(np.quantile(signal, np.arange(1, rng.integers(2, 5)) / 4), signal)
    return np.array(["d", "b", "a", "c"])[places] if rng.integers(2) else places


def forest_of(rng, *, classes):
    kind = (CLASSIFIERS if classes else REGRESSORS)[rng.integers(2)]
    criteria = ["gini", "entropy", "log_loss"] if classes else ["squared_error", "absolute_error", "poisson"]
    settings = {
        "n_estimators": int(rng.integers(1, 8)),
        "criterion": str(rng.choice(criteria)),
        "max_depth": [None, 1, 3][rng.integers(3)],
        "max_features": [None, "sqrt", "log2", 0.5, 1][rng.integers(5)],
        "min_samples_split": int(rng.integers(2, 9)),
        "min_samples_leaf": int(rng.integers(1, 5)),
        "min_weight_fraction_leaf": float(rng.choice([0, 0, 0.1])),
        "min_impurity_decrease": float(rng.choice([0, 0, 0.01])),
        "random_state": [None, int(rng.integers(1000))][rng.integers(2)],
    }
    if rng.integers(2):
        settings |= {"bootstrap": True, "max_samples": [None, 0.9, 5][rng.integers(3)]}
    elif rng.integers(2):
        settings |= {"bootstrap": False}
    return kind(**settings)


def refit(learner, X, y, train):
    learner = clone(learner)
    learner.set_params(**{name: STATE for name, value in learner.get_params().items()
                          if name.endswith("random_state") and value is None})  # fmt: skip
    return learner.fit(X.iloc[train] if isinstance(X, pd.DataFrame) else X[train], y[train])


def assert_the_same(got, wanted):
    """In all that a learner knows after its fit, its trees' nodes to the bit."""
    assert type(got) is type(wanted)
    if type(got).__name__ == "Tree":
        np.testing.assert_equal(got.__getstate__(), wanted.__getstate__())
    elif isinstance(got, list | tuple):
        assert len(got) == len(wanted)
        for one, other in zip(got, wanted, strict=True):
            assert_the_same(one, other)
    elif hasattr(got, "get_params") or isinstance(got, make_column_selector | KFold):
        assert [*vars(got)] == [*vars(wanted)]
        for name, value in vars(wanted).items():
            assert_the_same(getattr(got, name), value)
    else:
        np.testing.assert_equal(got, wanted)


def assert_the_fits(learner, X, y, rng):
    """That parts equal their refits, and none is declined."""
    n = len(y)
    grown = Forests.of(learner, X, y)
    for size in (n // 2, n - n // 10):
        train = np.sort(rng.permutation(n)[:size])
        got = grown.fitted(train, STATE)
        wanted = refit(learner, X, y, train)
        assert_the_same(got, wanted)
        assert len(pickle.dumps(got)) == len(pickle.dumps(wanted))  # what they share inside is shared alike
        for method in ("predict", "predict_proba"):
            if hasattr(wanted, method):
                np.testing.assert_array_equal(getattr(got, method)(X), getattr(wanted, method)(X), strict=True)


@pytest.mark.parametrize("classes", [True, False])
@pytest.mark.parametrize("seed", range(PROBLEMS))
def test_a_forest_is_its_refit_and_is_not_declined(seed, classes):
    rng = np.random.default_rng(seed)
    X = rows_of(rng)
    y = target(rng, X, classes=classes)
    rows = pd.DataFrame(X, columns=[f"x{place}" for place in range(X.shape[1])]) if rng.integers(2) else X
    assert_the_fits(forest_of(rng, classes=classes), rows, y, rng)


@pytest.mark.parametrize("seed", range(PROBLEMS))
def test_a_forest_behind_transformers_is_its_refit(seed):
    rng = np.random.default_rng(seed)
    X = rows_of(rng)
    classes = bool(rng.integers(2))
    y, forest = target(rng, X, classes=classes), forest_of(rng, classes=classes)
    kinds = rng.choice(["car", "bus", "tram"], size=len(X))
    mixed = pd.DataFrame(X, columns=[f"x{place}" for place in range(X.shape[1])]).assign(kind=pd.Categorical(kinds))
    encoded = make_column_transformer(
        (OneHotEncoder(sparse_output=False, handle_unknown="ignore"), ["kind"]), remainder="passthrough"
    )
    # the last one gives the rows that it is fitted on another answer than others
    learner, rows = [
        (make_pipeline(StandardScaler(), forest), X),
        (make_pipeline(encoded, StandardScaler(), forest), mixed),
        (make_pipeline("passthrough", forest), X),
        (make_pipeline(auto(forest), forest), mixed),
        (make_pipeline(TargetEncoder(cv=KFold(2)), forest), mixed[["kind"]]),
    ][rng.integers(5)]
    assert_the_fits(learner, rows, y, rng)


def test_grown_otherwise_it_is_left_to_scikit_learn(monkeypatch):
    """As by a later version, whose builder takes the rows of a leaf for something else."""
    grown = Forests.of(RandomForestClassifier(3), ROWS, LABELS)
    builder = _classes.DENSE_SPLITTERS["best"]

    def other(criterion, features, leaf, *further):
        return builder(criterion, features, leaf + 2, *further)

    first = RandomForestClassifier(1, random_state=STATE).fit(ROWS, LABELS).estimators_[0]
    monkeypatch.setattr(_classes, "DENSE_SPLITTERS", {"best": other})
    monkeypatch.setattr(RandomForestClassifier, "fit", lambda self, X, y: left(self, first))
    with pytest.raises(Declined, match="grown otherwise"):
        grown.fitted(EACH, STATE)


def left(forest, tree):
    """A forest of one tree that was grown before."""
    forest.estimators_, forest.classes_, forest._n_samples_bootstrap = [tree], np.unique(LABELS), len(LABELS)
    return forest


class OwnForest(RandomForestClassifier):
    """A subclass may do anything else."""


EACH = np.arange(20)
ROWS = np.random.default_rng(3).normal(size=(20, 3))
LABELS = (ROWS[:, 0] > 0) * 1
GENERATOR = np.random.RandomState(0)


def test_a_type_is_known_itself_and_at_the_end_of_a_pipeline():
    assert all(known(kind()) for kind in (*CLASSIFIERS, *REGRESSORS))
    assert known(make_pipeline(StandardScaler(), ExtraTreesClassifier()))
    assert not any(known(learner) for learner in (OwnForest(), DecisionTreeClassifier(), GradientBoostingClassifier()))
    assert not known(make_pipeline(StandardScaler(), DecisionTreeClassifier()))


@pytest.mark.parametrize(
    ("learner", "reason"),
    [
        (OwnForest(), "itself"),
        (RandomForestClassifier(n_estimators=0), "InvalidParameterError"),
        (RandomForestClassifier(class_weight="balanced"), "another class_weight than None"),
        (RandomForestClassifier(class_weight="balanced_subsample"), "another class_weight than None"),
        (RandomForestRegressor(max_leaf_nodes=5), "another max_leaf_nodes than None"),
        (RandomForestRegressor(monotonic_cst=[1, 0, 0]), "another monotonic_cst than None"),
        (RandomForestRegressor(monotonic_cst=np.array([1, 0, 0])), "may not be fitted"),
        (RandomForestClassifier(ccp_alpha=0.1), "another ccp_alpha than 0"),
        (RandomForestClassifier(oob_score=True), "another oob_score than False"),
        (RandomForestClassifier(warm_start=True), "another warm_start than False"),
        (RandomForestClassifier(n_jobs=2), "another n_jobs than None"),
        (RandomForestClassifier(verbose=1), "another verbose than 0"),
        (RandomForestClassifier(min_samples_leaf=0.1), "as shares"),
        (RandomForestClassifier(min_samples_split=0.5), "as shares"),
    ],
)
def test_a_learner_whose_trees_are_given_something_else_is_declined(learner, reason):
    with pytest.raises(Declined, match=reason):
        Forests.of(learner, ROWS, LABELS)
    with pytest.raises(Declined, match=reason):
        Forests.of(make_pipeline(StandardScaler(), learner), ROWS, LABELS)


def test_weights_and_many_rows_are_declined():
    with pytest.raises(Declined, match="weights"):
        Forests.of(RandomForestClassifier(), ROWS, LABELS, np.ones(20))
    with pytest.raises(Declined, match="more than 10000 rows"):
        Forests.of(RandomForestClassifier(), np.zeros((10_001, 1)), np.zeros(10_001))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("learner", "X", "y", "reason"),
    [
        (RandomForestClassifier(random_state=GENERATOR), ROWS, LABELS, "others draw from"),
        (RandomForestClassifier(), np.where(ROWS > 1, np.nan, ROWS), LABELS, "gaps"),
        (RandomForestClassifier(), ROWS * 1e300, LABELS, "RuntimeWarning"),
        (RandomForestClassifier(), pd.DataFrame(ROWS).assign(kind="a"), LABELS, "ValueError"),
        (RandomForestRegressor(), ROWS, np.where(EACH == 3, np.nan, 1.0), "ValueError"),
        (RandomForestRegressor(criterion="poisson"), ROWS, -np.ones(20), "ValueError"),
        (RandomForestClassifier(), ROWS, ROWS[:, 0], "ValueError"),
        (RandomForestRegressor(), ROWS, ROWS[:, :2], "several outcomes"),
        (RandomForestClassifier(max_samples=5, bootstrap=False), ROWS, LABELS, "ValueError"),
        (make_pipeline(SelectKBest(k=9), RandomForestClassifier()), ROWS, LABELS, "UserWarning"),
        (
            make_pipeline(CountVectorizer(), RandomForestClassifier()),
            np.array(["one two", "two"] * 10),
            LABELS,
            "sparse",
        ),
    ],
)
def test_a_fit_that_fails_or_warns_and_other_rows_are_declined(learner, X, y, reason):
    with pytest.raises(Declined, match=reason):
        Forests.of(learner, X, y).fitted(EACH, STATE)
