"""A model file whose indices lead astray, or that unpacks to too much, is refused before anything follows them."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    IsolationForest,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor, RadiusNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import SplineTransformer
from sklearn.svm import SVC, SVR, NuSVC, OneClassSVM
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from tasks.runtime.errors import UserError
from tasks.storage import model_arrays, model_file
from tests import crafted

pytestmark = pytest.mark.fault("outside model")

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.random((60, 2)), columns=["a", "b"])
Y = ((X["a"] > 0.4) & (X["b"] > 0.4)).to_numpy().astype(int)
MODELS = crafted.models(X, Y)
SAYS = {
    "a cycle": "node 0 leads to node 0",
    "a child beyond the end": "node 0 leads to node 100000000",
    "a feature beyond the end": "feature 100000000, and there are 2",
    "a cycle in a forest": "node 0 leads to node 0",
    "a cycle in a boosted tree": "node 0 leads to node 0",
    "a feature beyond the end in a boosted tree": "feature 100000000, and there are 2",
    "a set of categories beyond the end": "set of categories 0, and there are 0",
    "a neighbour beyond the end": "row 100000000, and there are 60",
    "a node of neighbours beyond the end": "outside of its 60 rows",
    "a last node of neighbours that is no leaf": "asks for node 62, and there are 31",
    "neighbours of other classes": "class 10000000",
    "more support vectors than there are": "support vectors, of which its classes have",
    "indices of a sparse matrix": "indices must be <",
    "features that the rows have not": "handed feature 10000000",
    "the same file many times": "unpacks to .* bytes or more",
    "an archive in an archive": "unpacks to .* bytes or more",
    "deep lists": "recursion",
}


@pytest.mark.parametrize("what", MODELS)
def test_a_file_that_leads_astray_is_refused_with_what_is_wrong(what, checkout):
    path = crafted.write(checkout / "model.skops", MODELS[what]())
    with pytest.raises(UserError, match=SAYS[what]) as caught:
        model_file.load(path)
    assert str(caught.value).startswith(str(path))


BOTH = np.column_stack([Y, X["a"] > 0.5]).astype(int)
MISSING = X.where(X["a"] > 0.1)
SPARSE = sparse.csr_matrix(X.to_numpy())
TREES = [("tree", DecisionTreeClassifier()), ("forest", RandomForestClassifier(3))]
LEGITIMATE = [
    (DecisionTreeClassifier(), X, Y),
    (DecisionTreeClassifier(max_leaf_nodes=5), MISSING, Y),  # best first
    (DecisionTreeClassifier(min_samples_leaf=50), X, Y),  # one leaf
    (DecisionTreeClassifier(), X, BOTH),
    (ExtraTreeClassifier(max_leaf_nodes=5), X, Y),
    (RandomForestClassifier(3), MISSING, Y),
    (ExtraTreesRegressor(3), X, X.to_numpy()),
    (GradientBoostingClassifier(n_estimators=3), X, Y),
    (AdaBoostClassifier(n_estimators=3), X, Y),
    (BaggingClassifier(n_estimators=3, max_features=1), X, Y),
    (BaggingClassifier(SVC(), n_estimators=3, max_features=1), X, Y),
    (IsolationForest(n_estimators=3, max_features=1), X, None),
    (VotingClassifier(TREES), X, Y),
    (StackingClassifier(TREES), X, Y),
    (ClassifierChain(DecisionTreeClassifier()), X, BOTH),
    (MultiOutputClassifier(RandomForestClassifier(3)), X, BOTH),
    (HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=3), MISSING, Y),
    (KNeighborsClassifier(leaf_size=1), X, Y),
    (KNeighborsClassifier(leaf_size=500), X, BOTH),
    (KNeighborsClassifier(algorithm="ball_tree", leaf_size=3), X, Y),
    (KNeighborsClassifier(), SPARSE, Y),
    (KNeighborsRegressor(metric="manhattan"), X, Y),
    (RadiusNeighborsClassifier(radius=9.0), X, Y),
    (SVC(), X, Y),
    (SVC(), X, Y + BOTH[:, 1]),  # three classes
    (SVC(kernel="linear"), SPARSE, Y),
    (SVC(kernel="precomputed"), X @ X.T, Y),
    (NuSVC(nu=0.1), X, Y),
    (SVR(), X, Y),
    (OneClassSVM(), X, None),
    (make_pipeline(SplineTransformer(), LogisticRegression()), X, Y),
]


@pytest.mark.parametrize(("learner", "rows", "labels"), LEGITIMATE)
@pytest.mark.filterwarnings("ignore")
def test_what_a_fit_made_is_not_refused(learner, rows, labels, checkout):
    fitted = learner.fit(rows, labels)
    model_arrays.check(fitted)
    model_file.save(fitted, checkout / "model.skops")
    np.testing.assert_array_equal(fitted.predict(rows), model_file.load(checkout / "model.skops").predict(rows))


def test_sets_of_categories_are_found_by_the_nodes_that_ask_for_them():
    learner = HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=3, categorical_features=[0])
    kinds = pd.DataFrame({"a": np.arange(60) % 6, "b": X["b"]})
    fitted = learner.fit(kinds, kinds["a"] % 2)
    model_arrays.check(fitted)
    (tree,) = fitted._predictors[0]
    assert tree.nodes["is_categorical"][0]
    tree.nodes["bitset_idx"][0] = 7
    with pytest.raises(UserError, match="set of categories 7"):
        model_arrays.check(fitted)
