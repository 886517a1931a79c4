"""The numbers of a model by which compiled code finds its way: those that lead nowhere are refused before their use.

What is refused is a record under the name of a part of scikit-learn, with the numbers that its check reads: it predicts
nothing, and no library takes it. That the check reads the real parts is shown with fits of scikit-learn.
"""

import copy

import numpy as np
import pandas as pd
import pytest
import skops.io
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

pytestmark = pytest.mark.fault("outside model")

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.random((60, 2)), columns=["a", "b"])
Y = ((X["a"] > 0.4) & (X["b"] > 0.4)).to_numpy().astype(int)


def record(name: str, **held: object) -> object:
    """A record under the name of a part of a library."""
    module, _, last = name.rpartition(".")
    made = type(last, (), {"__module__": module})()
    vars(made).update(held)
    return made


def tree(**changes: object) -> object:
    """Of three nodes: a question about the first of two features, and two leaves."""
    children = {"children_left": [1, -1, -1], "children_right": [2, -1, -1], "feature": [0, -2, -2]}
    numbers = {"node_count": 3, "capacity": 3, "n_features": 2, "n_outputs": 1, "max_n_classes": 2}
    held = {**children, "n_classes": [2], **numbers, **changes}
    lists = {name: np.array(value) for name, value in held.items() if isinstance(value, list)}
    return record("sklearn.tree._tree.Tree", **held | lists)


BOOSTED = "sklearn.ensemble._hist_gradient_boosting"
NODE = [(name, int) for name in ("is_leaf", "left", "right", "is_categorical", "bitset_idx", "feature_idx")]


def boosted(left: int = 1, right: int = 2, categorical: int = 0, sets: tuple[int, int] = (0, 8), feature: int = 0):
    """A boosted tree of three nodes."""
    nodes = np.array([(0, left, right, categorical, 0, feature), (1, 0, 0, 0, 0, 0), (1, 0, 0, 0, 0, 0)], NODE)
    return record(f"{BOOSTED}.predictor.TreePredictor", nodes=nodes, raw_left_cat_bitsets=np.zeros(sets))


def boosting(**node: int) -> object:
    """A learner of two features with one such tree."""
    learner = f"{BOOSTED}.gradient_boosting.BaseHistGradientBoosting"
    return record(learner, _predictors=[[boosted(**node)]], n_features_in_=2)


def neighbors(
    of: str = "_kd_tree.BinaryTree64",
    order: tuple[int, ...] = (2, 0, 1),
    leaf: tuple[int, ...] = (0, 1, 1),
    start: tuple[int, ...] = (0, 0, 1),
    end: tuple[int, ...] = (3, 1, 3),
    count: int = 3,
) -> object:
    """A neighbour tree of three rows and three nodes."""
    nodes = np.array([*zip(start, end, leaf, strict=True)], [("idx_start", int), ("idx_end", int), ("is_leaf", int)])
    state = (np.zeros((3, 2)), np.array(order), nodes, np.zeros((2, 3, 2)), 1, 2, count)
    return record(f"sklearn.neighbors.{of}", __getstate__=lambda: state)


def machine(**changes: object) -> object:
    """A classifier of two classes by three support vectors, of ten rows with two features."""
    held: dict[str, object] = {
        "support_": np.array([0, 4, 9]),
        "support_vectors_": np.zeros((3, 2)),
        "_dual_coef_": np.zeros((1, 3)),
        "_intercept_": np.zeros(1),
        "_n_support": np.array([1, 2]),
        "classes_": np.array([0, 1]),
        **{name: np.zeros(0) for name in ("_probA", "_probB")},
        **{"shape_fit_": (10, 2), "n_features_in_": 2, "kernel": "rbf"},
    }
    return record("sklearn.svm._base.BaseLibSVM", **held | changes)


def bag(**held: object) -> object:
    """An ensemble of one tree."""
    own = {"n_features_in_": 2, "estimators_": [record("own.Member")]}
    return record("sklearn.ensemble._bagging.Bag", **own | held)


class Refused:
    """A spline whose library refuses its parts."""

    t = c = k = extrapolate = axis = None

    def __init__(self, *parts: object) -> None:
        if parts:
            raise ValueError("knots must be finite")


def spline() -> object:
    return type("BSpline", (Refused,), {"__module__": "scipy.interpolate._bsplines"})()


def own_check(full_check: bool) -> None:
    """What scipy says of the indices of a matrix, where it looks at all of them."""
    if full_check:
        raise ValueError("indices must be < 2")


SPARSE_TYPE = "scipy.sparse._base._spbase"
PLAIN = {
    "tree": tree,
    "boosted tree": boosted,
    "boosting": boosting,
    "neighbours": neighbors,
    "machine": machine,
    "ensemble": bag,
    "sparse": lambda: record(SPARSE_TYPE, format="coo", coords=(np.array([1]), np.array([0])), shape=(2, 1)),
}
WRONG = {
    "more nodes than the file has": (tree(node_count=4), "4 nodes, with 3"),
    "no node": (tree(node_count=0), "0 nodes, with 3"),
    "one child": (tree(children_right=[-1, -1, -1]), "one child alone"),
    "a way back": (tree(children_left=[0, -1, -1]), "node 0 leads to node 0"),
    "a child beyond the end": (tree(children_right=[3, -1, -1]), "node 0 leads to node 3"),
    "a feature beyond the end": (tree(feature=[2, -2, -2]), "feature 2, and there are 2"),
    "a feature before the first": (tree(feature=[-1, -2, -2]), "feature -1, and there are 2"),
    "other classes": (tree(n_classes=[3]), "other classes"),
    "other outputs": (tree(n_outputs=2), "other classes"),
    "a boosted way back": (boosted(left=0), "node 0 leads to node 0"),
    "a boosted child beyond the end": (boosted(right=3), "node 0 leads to node 3"),
    "a set of categories beyond the end": (boosted(categorical=1), "set of categories 0, and there are 0"),
    "sets of another shape": (boosted(categorical=1, sets=(1, 7)), "another shape"),
    "a boosted feature beyond the end": (boosting(feature=2), "feature 2, and there are 2"),
    "a tree of other columns": (record("own.Learner", tree_=tree(n_features=3), n_features_in_=2), "3 features"),
    "a member of other columns": (bag(estimators_=[record("own.Member", tree_=tree(n_features=3))]), "3 features"),
    "a column that the rows have not": (bag(estimators_features_=[[0, 2]]), "handed feature 2, and there are 2"),
    "a neighbour beyond the end": (neighbors(order=(2, 0, 3)), "row 3, and there are 3"),
    **{
        f"a neighbour beyond the end of {of}": (neighbors(of, order=(2, 0, 3)), "row 3, and there are 3")
        for of in ("_kd_tree.BinaryTree32", "_ball_tree.BinaryTree64", "_ball_tree.BinaryTree32")
    },
    "fewer neighbours than rows": (neighbors(order=(2, 0)), "different lengths"),
    "another number of nodes of neighbours": (neighbors(count=4), "different lengths"),
    "a node of neighbours beyond the end": (neighbors(end=(4, 1, 3)), "outside of its 3 rows"),
    "a node of neighbours that ends before it begins": (neighbors(start=(0, 2, 1)), "outside of its 3 rows"),
    "a last node of neighbours that is no leaf": (neighbors(leaf=(0, 1, 0)), "node 6, and there are 3"),
    **{
        f"{of} of other classes": (
            record(f"sklearn.neighbors._classification.{of}NeighborsClassifier", _y=[0, 2], classes_=[0, 1]),
            "class 2, and there are 2",
        )
        for of in ("K", "Radius")
    },
    "a support vector of no row": (machine(support_=np.array([0, 4, 10])), "row 10, and there are 10"),
    "more support vectors than there are": (machine(_n_support=np.array([1, 3])), "of which its classes have"),
    "support vectors of other columns": (machine(support_vectors_=np.zeros((3, 1))), r"shape \(3, 1\), not \(3, 2\)"),
    "fewer coefficients": (machine(_dual_coef_=np.zeros((1, 2))), r"coefficients of shape \(1, 2\)"),
    "fewer intercepts": (machine(_intercept_=np.zeros(0)), r"intercepts of shape \(0,\)"),
    "more probabilities": (machine(_probA=np.zeros(2)), r"_probA of shape \(2,\)"),
    "a sparse index beyond the end": (
        record(SPARSE_TYPE, format="coo", coords=(np.array([2]), np.array([0])), shape=(2, 1)),
        "index 2, and there are 2",
    ),
}


@pytest.mark.parametrize("made", PLAIN.values(), ids=PLAIN)
def test_a_record_of_right_numbers_is_not_refused(made):
    model_arrays.check(made())


@pytest.mark.parametrize(("part", "says"), WRONG.values(), ids=WRONG)
def test_numbers_that_lead_nowhere_are_refused_with_what_is_wrong(part, says):
    for model in (part, {"inside": [(part,)]}, record("own.Learner", step=part)):
        with pytest.raises(UserError, match=says):
            model_arrays.check(model)


@pytest.mark.parametrize(
    "part", [record(SPARSE_TYPE, format="csr", check_format=own_check), spline()], ids=["sparse", "spline"]
)
def test_what_scipy_refuses_is_refused(part):
    with pytest.raises(ValueError, match="must be"):
        model_arrays.check(part)


def test_a_file_with_a_member_of_other_columns_is_refused(checkout):
    """Its forest is of two columns, and its trees look at the first alone."""
    forest = RandomForestClassifier(2, random_state=0).fit(X, Y)
    model_file.save(forest, checkout / "model.skops")
    model_file.load(checkout / "model.skops")
    other = copy.copy(forest)
    other.estimators_ = RandomForestClassifier(2, random_state=0).fit(X[["a"]], Y).estimators_
    (checkout / "model.skops").write_bytes(skops.io.dumps(other))
    with pytest.raises(UserError, match="model.skops has a tree of 1 features in a learner of 2"):
        model_file.load(checkout / "model.skops")


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


def test_a_fit_with_sets_of_categories_is_not_refused():
    learner = HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=3, categorical_features=[0])
    kinds = pd.DataFrame({"a": np.arange(60) % 6, "b": X["b"]})
    fitted = learner.fit(kinds, kinds["a"] % 2)
    model_arrays.check(fitted)
    ((first,),) = fitted._predictors[:1]
    assert first.nodes["is_categorical"][0]
    assert 0 < len(first.raw_left_cat_bitsets)
