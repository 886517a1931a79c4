"""What may reach a learner: numbers, texts that it names, learners; whatever way a value comes in."""

import importlib.util
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator

from tasks.params.build_learner import build, check
from tasks.runtime.errors import Misplaced
from tests.tasks.mistakes import assert_names, mistakes

pytestmark = pytest.mark.fault("hostile")


def learner(path, **params):
    return {"estimator": path if path.startswith(("heldout", "lightgbm")) else f"sklearn.{path}", "params": params}


BAYES = learner("naive_bayes.GaussianNB")
PIPE = learner("pipeline.Pipeline", steps=[["scale", learner("preprocessing.StandardScaler")], ["last", BAYES]])
NEAR, KERNEL = "neighbors.KNeighborsClassifier", "kernel_ridge.KernelRidge"
GRID, RANDOM = "model_selection.GridSearchCV", "model_selection.RandomizedSearchCV"
CALIBRATED, LIGHT, EXTREME = "calibration.CalibratedClassifierCV", "lightgbm.LGBMClassifier", "xgboost.XGBClassifier"
EVIL = "evil/folder"


def pipe(**more):
    return {"estimator": PIPE["estimator"], "params": {**PIPE["params"], **more}}


def search(**grid):
    return learner(GRID, estimator=PIPE, param_grid=grid)


def refused(candidate, family=None) -> Misplaced:
    path = candidate["estimator"]
    if importlib.util.find_spec(path.partition(".")[0]) is None:
        pytest.skip("the extra `boosting` is not installed")
    with pytest.raises(Misplaced) as caught:
        check(path, candidate["params"], None, family)
    return caught.value


PICKLES = {
    "here": (pipe(memory=EVIL), ("memory",)),
    "in a search": (search(memory=[EVIL]), ("param_grid", "memory", 0)),
    "in the second grid": (
        learner(GRID, estimator=PIPE, param_grid=[{"last": [BAYES]}, {"memory": [None, EVIL]}]),
        ("param_grid", 1, "memory", 1),
    ),
    "in a random search": (
        learner(RANDOM, estimator=PIPE, param_distributions={"memory": [EVIL]}),
        ("param_distributions", "memory", 0),
    ),
    "of a step that the search replaces": (
        search(last=[BAYES, PIPE], last__memory=[EVIL]),
        ("param_grid", "last__memory", 0),
    ),
    "of a value of the search": (
        search(last=[pipe(memory=EVIL)]),
        ("param_grid", "last", 0, "params", "memory"),
    ),
    "of a learner inside": (learner(CALIBRATED, estimator=pipe(memory=EVIL)), ("estimator", "params", "memory")),
    "by the name of a nested parameter": (
        learner(CALIBRATED, estimator=PIPE, estimator__memory=EVIL),
        ("estimator__memory",),
    ),
    "of a search that is set later": (
        learner(CALIBRATED, estimator=search(last=[BAYES]), estimator__param_grid={"memory": [EVIL]}),
        ("estimator__param_grid", "memory", 0),
    ),
}


@pytest.mark.parametrize(("candidate", "place"), PICKLES.values(), ids=PICKLES)
def test_no_folder_of_pickles_reaches_a_learner(candidate, place):
    problem = refused(candidate)
    assert ("params", *place) == problem.place
    assert_names(str(problem), repr(EVIL), "pickles", "leave it out")


@pytest.mark.parametrize(
    ("candidate", "parameter"),
    [(PIPE, "memory"), (learner(CALIBRATED, estimator=PIPE), "estimator__memory")],
    ids=["here", "inside"],
)
def test_nor_by_a_family(candidate, parameter):
    problem = refused(candidate, {"parameter": parameter, "values": [EVIL, "evil/other"]})
    assert ("family", "values") == problem.place
    assert_names(str(problem), repr(EVIL), "pickles")


def test_nor_by_a_search_that_a_family_sets():
    values = [{"last__var_smoothing": [1]}, {"memory": [EVIL]}]
    problem = refused(search(last=[BAYES]), {"parameter": "param_grid", "values": values})
    assert ("family", "values") == problem.place


def test_the_place_of_a_value_in_a_grid_is_reported(shipped, tmp_path):
    text = shipped.read_text().replace("estimator: sklearn.naive_bayes.GaussianNB\n", SEARCH)
    (tmp_path / "params.yaml").write_text(text)
    (mistake,) = mistakes(tmp_path / "params.yaml")
    assert "candidates[0].params.param_grid.memory[0]" == mistake.key


SEARCH = f"""estimator: sklearn.model_selection.GridSearchCV
    params:
      estimator:
        estimator: sklearn.pipeline.Pipeline
        params:
          steps: [[last, {{estimator: sklearn.naive_bayes.GaussianNB}}]]
      param_grid:
        memory: [{EVIL}]
"""

REFUSED = {
    "processes": (learner(NEAR, n_jobs=2), ("n_jobs",), [2, 1, "execution.workers"]),
    "every core": (learner(CALIBRATED, estimator=learner(NEAR, n_jobs=-1)), ("estimator", "params", "n_jobs"), [-1, 1]),
    "processes of a grid": (
        search(last=[learner(NEAR)], last__n_jobs=[1, 4]),
        ("param_grid", "last__n_jobs", 1),
        [4, 1],
    ),
    "processes of an argument": (
        learner(KERNEL, kernel=learner("gaussian_process.kernels.RBF"), kernel_params={"n_jobs": 8}),
        ("kernel_params",),
        ["KernelRidge"],
    ),
    "a grid without lists": (search(memory=EVIL), ("param_grid", "memory"), [repr(EVIL), "list"]),
    "a grid of numbers": (learner(GRID, estimator=PIPE, param_grid=[{1: [2]}]), ("param_grid", 0), ["list"]),
    "a parameter that is unknown to the search": (search(memori=[EVIL]), ("param_grid", "memori"), ["memori"]),
    "an expression": (
        learner(GRID, estimator=BAYES, param_grid={}, pre_dispatch="__import__('os')"),
        ("pre_dispatch",),
        [],
    ),
    "a codec": (
        learner(
            "pipeline.Pipeline",
            steps=[["w", learner("feature_extraction.text.TfidfVectorizer", encoding=EVIL)], ["b", BAYES]],
        ),
        ("steps", 0, 1, "params", "encoding"),
        [repr(EVIL)],
    ),
    "files that a table names": (
        learner(
            "pipeline.Pipeline",
            steps=[["w", learner("feature_extraction.text.CountVectorizer", input="filename")], ["b", BAYES]],
        ),
        ("steps", 0, 1, "params", "input"),
        ["'filename'", "content"],
    ),
    "a tuned path of our own": (
        learner("heldout.family.TunedEstimator", learner=PIPE, parameter="memory", values=[EVIL, EVIL]),
        ("parameter",),
        ["'memory'"],
    ),
    "a learner as a function": (learner("compose.TransformedTargetRegressor", func=BAYES), None, []),
    "ports": (learner(LIGHT, machines="127.0.0.1:5000"), ("machines",), ["LGBMClassifier"]),
    "ports under another name": (learner(LIGHT, workers="127.0.0.1:5000"), ("workers",), ["LGBMClassifier"]),
    "a file of ports": (learner(LIGHT, machine_list_file=EVIL), ("machine_list_file",), ["LGBMClassifier"]),
    "a file of splits": (learner(LIGHT, forcedsplits_filename=EVIL), ("forcedsplits_filename",), ["LGBMClassifier"]),
    "a port": (learner(LIGHT, local_listen_port=5000), ("local_listen_port",), ["LGBMClassifier"]),
    "threads under another name": (learner(LIGHT, num_threads=4), ("num_threads",), ["LGBMClassifier"]),
    "a parameter inside of a text": (learner(LIGHT, metric="auc machines=a:1"), ("metric",), ["LGBMClassifier"]),
    "a parameter inside of a list": (learner(LIGHT, metric=["auc machines=a:1"]), ("metric",), ["LGBMClassifier"]),
    "a client of Dask": (learner("lightgbm.DaskLGBMClassifier"), None, ["lightgbm.LGBMClassifier"]),
    "a near name": (learner(LIGHT, num_leafs=3), ("num_leafs",), ["did you mean num_leaves?"]),
    "callbacks": ({"estimator": EXTREME, "params": {"callbacks": [1]}}, ("callbacks",), ["XGBClassifier"]),
    "a file of xgboost": ({"estimator": EXTREME, "params": {"model_in": EVIL}}, ("model_in",), ["XGBClassifier"]),
    "another device": ({"estimator": EXTREME, "params": {"device": "cuda"}}, ("device",), ["'cuda'", "XGBClassifier"]),
}


@pytest.mark.parametrize(("candidate", "place", "words"), REFUSED.values(), ids=REFUSED)
def test_no_file_port_function_expression_or_thread_reaches_a_learner(candidate, place, words):
    problem = refused(candidate)
    if place is not None:
        assert ("params", *place) == problem.place
    assert_names(str(problem), *words)


TFIDF = {"token_pattern": r"(?u)\b\w+\b", "stop_words": ["a", "the"], "analyzer": "char_wb", "ngram_range": [3, 5]}
COLUMNS = {
    "transformers": [["n", learner("preprocessing.StandardScaler"), ["age", "fare"]], ["rest", "passthrough", [0]]],
    "remainder": "drop",
    "transformer_weights": {"n": 2.0},
}
ACCEPTED = [
    learner("svm.SVC", kernel="rbf", gamma="scale", class_weight={"won": 2, "lost": 1}, C=10),
    learner("linear_model.LogisticRegression", class_weight="balanced", n_jobs=1, solver="saga", l1_ratio=0.5),
    learner("ensemble.RandomForestClassifier", n_jobs=None, class_weight=[{0: 1, 1: 2}], max_features="sqrt"),
    learner(
        "ensemble.HistGradientBoostingClassifier",
        categorical_features=["zip"],
        monotonic_cst={"age": 1},
        scoring="roc_auc",
    ),
    learner("ensemble.HistGradientBoostingClassifier", interaction_cst=[[0, 1], [2]], early_stopping="auto"),
    learner("ensemble.StackingClassifier", estimators=[["a", BAYES], ["b", "drop"]], final_estimator=PIPE, cv=3),
    learner(
        "ensemble.VotingClassifier",
        estimators=[["a", BAYES], ["b", PIPE]],
        voting="soft",
        weights=[1, 2],
        b__last__var_smoothing=0.1,
    ),
    learner(
        "pipeline.Pipeline", steps=[["w", learner("feature_extraction.text.TfidfVectorizer", **TFIDF)], ["b", BAYES]]
    ),
    learner(
        "pipeline.Pipeline", steps=[["c", learner("compose.ColumnTransformer", **COLUMNS)], ["b", BAYES]], memory=None
    ),
    learner(
        "pipeline.Pipeline",
        steps=[
            ["u", learner("pipeline.FeatureUnion", transformer_list=[["p", learner("decomposition.PCA")]])],
            ["b", BAYES],
        ],
    ),
    learner(
        "pipeline.Pipeline",
        steps=[["i", learner("impute.SimpleImputer", strategy="constant", fill_value="none")], ["b", BAYES]],
    ),
    learner(
        "pipeline.Pipeline",
        steps=[["o", learner("preprocessing.OneHotEncoder", categories=[["a", "b"]], dtype="float32")], ["b", BAYES]],
    ),
    learner(
        "pipeline.Pipeline",
        steps=[
            ["r", learner("feature_selection.RFE", estimator=BAYES, importance_getter="named_steps.b.coef_")],
            ["b", BAYES],
        ],
    ),
    learner(
        "pipeline.Pipeline",
        steps=[
            ["s", learner("feature_selection.SelectFromModel", estimator=BAYES, threshold="1.25*mean")],
            ["b", BAYES],
        ],
    ),
    learner(
        "pipeline.Pipeline",
        steps=[["v", learner("feature_extraction.text.CountVectorizer", vocabulary={"a": 0, "b": 1})], ["b", BAYES]],
    ),
    learner(
        GRID,
        estimator=learner("svm.SVC"),
        param_grid={"C": [1, 10], "kernel": ["linear", "rbf"]},
        scoring=["accuracy", "f1"],
        refit="f1",
    ),
    learner(
        GRID,
        estimator=PIPE,
        param_grid=[{"last": [BAYES, learner("svm.SVC")], "last__C": [1]}, {"scale": ["passthrough"]}],
    ),
    learner(RANDOM, estimator=PIPE, param_distributions={"last__var_smoothing": [0.1, 0.2]}, n_iter=2),
    learner("neighbors.KNeighborsClassifier", metric="minkowski", metric_params={"w": [1, 2]}),
    learner("neighbors.RadiusNeighborsClassifier", outlier_label="most_frequent", weights="distance"),
    learner("dummy.DummyClassifier", strategy="constant", constant="a label"),
    learner("neural_network.MLPClassifier", hidden_layer_sizes=[10, 5], activation="relu"),
    learner(
        "gaussian_process.GaussianProcessClassifier",
        kernel=learner("gaussian_process.kernels.RBF", length_scale_bounds="fixed"),
    ),
    learner(
        "gaussian_process.GaussianProcessRegressor",
        kernel=learner(
            "gaussian_process.kernels.Sum",
            k1=learner("gaussian_process.kernels.RBF", length_scale=[1, 2], length_scale_bounds=[1e-3, 10]),
            k2=learner("gaussian_process.kernels.PairwiseKernel", metric="laplacian"),
        ),
    ),
    learner(KERNEL, kernel=learner("gaussian_process.kernels.RBF"), alpha=0.1),
    learner(KERNEL, kernel="poly", kernel_params={"degree": 2}),
    learner(
        "compose.TransformedTargetRegressor",
        regressor=learner("linear_model.Ridge"),
        transformer=learner("preprocessing.StandardScaler"),
    ),
    learner(
        LIGHT, objective="binary", boosting_type="dart", metric=["auc"], class_weight={0: 2}, num_leaves=7, verbosity=-1
    ),
    {
        "estimator": EXTREME,
        "params": {
            "objective": "binary:logistic",
            "tree_method": "hist",
            "eval_metric": "error@0.7",
            "monotone_constraints": [1, 0],
        },
    },
]


@pytest.mark.parametrize("candidate", ACCEPTED, ids=lambda candidate: candidate["estimator"].rpartition(".")[2])
def test_honest_candidates_are_accepted(candidate):
    if importlib.util.find_spec(candidate["estimator"].partition(".")[0]) is None:
        pytest.skip("the extra `boosting` is not installed")
    check(candidate["estimator"], candidate["params"], None)


@pytest.mark.parametrize("path", [LIGHT, EXTREME])
def test_boosting_is_on_one_thread_if_nothing_is_written(path):
    pytest.importorskip(path.partition(".")[0], reason="the extra `boosting` is not installed")
    assert 1 == build(path, {}, None).n_jobs


OWN = """
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.pipeline import Pipeline

class Own(ClassifierMixin, BaseEstimator):
    def __init__(self, mode="a", paths=()): self.mode, self.paths = mode, paths
    def fit(self, X, y): return self
    def predict(self, X): return [0] * len(X)

class OwnPipeline(Pipeline):
    pass
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    (tmp_path / "own_texts.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    yield ["own_texts", "sklearn"]
    sys.modules.pop("own_texts", None)


def test_the_users_own_class_takes_texts_and_what_it_inherits_stays_shut(own):
    check("own_texts.Own", {"mode": "any text", "paths": ["a", {"b": "c"}]}, None, allowed=own)
    for more in (
        {"memory": EVIL},
        {"steps": [["last", {"estimator": "own_texts.Own", "params": {"mode": "b"}}]], "memory": EVIL},
    ):
        with pytest.raises(Misplaced) as caught:
            check("own_texts.OwnPipeline", {**PIPE["params"], **more}, None, allowed=own)
        assert ("params", "memory") == caught.value.place


# --- a law: whatever is not refused contains allowed kinds alone

WRAPPERS = [
    "calibration.CalibratedClassifierCV",
    "ensemble.BaggingClassifier",
    "multiclass.OneVsRestClassifier",
    GRID,
    RANDOM,
]
VALUES = st.sampled_from(
    [EVIL, "rbf", "balanced", "evil.system", 2, -1, 1, None, True, [EVIL], {"evil": EVIL}, {"n_jobs": 3}]
)
NAMES = st.sampled_from(
    ["memory", "n_jobs", "cv", "verbose", "scoring", "steps", "var_smoothing", "C", "kernel", "pre_dispatch"]
)
SET = st.dictionaries(
    st.tuples(st.sampled_from(["", "estimator__", "last__", "estimator__last__", "last__last__"]), NAMES),
    VALUES,
    max_size=2,
)


def _wrapped(inner):
    wrapper = st.builds(lambda path, inside: learner(path, estimator=inside), st.sampled_from(WRAPPERS), inner)
    steps = st.builds(
        lambda inside, more: {**PIPE, "params": {"steps": [["last", inside]], **more}},
        inner,
        st.dictionaries(NAMES, VALUES, max_size=1),
    )
    grid = st.dictionaries(
        st.sampled_from(
            ["memory", "n_jobs", "last", "last__memory", "last__n_jobs", "estimator", "estimator__memory", "C"]
        ),
        st.lists(st.one_of(VALUES, inner), min_size=1, max_size=2),
        max_size=2,
    )
    searches = st.builds(lambda inside, one: learner(GRID, estimator=inside, param_grid=one), inner, grid)
    return st.one_of(wrapper, steps, searches)


LEAVES = st.sampled_from([BAYES, learner("svm.SVC"), learner(NEAR), pipe()])
SHAPES = st.recursive(LEAVES, _wrapped, max_leaves=4)


def _leaves(value, name=""):
    """Every value in a learner with the last name that leads to it, in the grids of searches too."""
    if isinstance(value, BaseEstimator):
        for inner, item in value.get_params(deep=False).items():
            yield from _leaves(item, inner)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, str(key).rpartition("__")[2])
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item, name)
    else:
        yield name, value


@given(shape=SHAPES, more=SET)
def test_whatever_is_not_refused_contains_allowed_kinds_alone(shape, more):
    params = {**shape["params"], **{f"{prefix}{name}": value for (prefix, name), value in more.items()}}
    try:
        check(shape["estimator"], params, None)
    except Misplaced:
        return
    for name, value in _leaves(build(shape["estimator"], params, None)):
        assert name != "memory" or value is None
        assert name != "n_jobs" or value in (None, 1)
        assert value is None or isinstance(value, bool | int | float | str), (name, value)
        assert "evil" not in str(value) or name == "categories", (name, value)


DASK = learner("lightgbm.DaskLGBMClassifier")


@pytest.mark.parametrize(
    ("candidate", "place"),
    [
        (DASK, ("estimator",)),
        (learner("ensemble.BaggingClassifier", estimator=DASK), ("params", "estimator", "estimator")),
        (learner("pipeline.Pipeline", steps=[["last", DASK]]), ("params", "steps", 0, 1, "estimator")),
    ],
    ids=["alone", "in another learner", "in a list"],
)
def test_a_class_that_may_not_be_used_is_reported_where_it_is_named(candidate, place):
    pytest.importorskip("lightgbm", reason="the extra `boosting` is not installed")
    assert place == refused(candidate).place
