"""Every use of a private part of a library, and a check that fails when the part is gone or means something else.

The name of a private part begins with an underscore; its library may change it without notice. A new use fails here
until `USES` has a line for it, and a line without a use fails too.
"""

import ast
import inspect
import pydoc
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from scipy.interpolate import BSpline, make_interp_spline
from sklearn import ensemble
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import make_scorer, zero_one_loss
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

ROOT = Path(__file__).parents[2]
PACKAGES = ("heldout", "tasks", "flows")
LIBRARIES = "sklearn|scipy|numpy|pandas|pyarrow|prefect|mlflow|loky|joblib|distributed|skops|dvc|pydantic|mapie"
PRIVATE = re.compile(r"_(?!_)\w*")
PRIVATE_MODULE = re.compile(rf"(?:{LIBRARIES})(?:\.\w+)*\._(?!_)\w+(?:\.\w+)*")


def settings_are_checked_without_a_fit():
    assert StandardScaler(with_mean=False)._validate_params() is None
    with pytest.raises(ValueError, match=r"The 'with_mean' parameter of StandardScaler .* Got 'no' instead"):
        StandardScaler(with_mean="no")._validate_params()


def what_a_parameter_may_be_is_listed_under_its_name():
    assert tuple in TfidfVectorizer._parameter_constraints["ngram_range"]
    assert tuple not in TfidfVectorizer._parameter_constraints["max_features"]
    with pytest.raises(ValueError, match=r"'ngram_range' .* must be an instance of 'tuple'. Got \[1, 2\]"):
        TfidfVectorizer(ngram_range=[1, 2])._validate_params()


def gamma_is_the_number_with_which_a_machine_predicts():
    X = np.random.default_rng(0).normal(size=(30, 2))
    for learner, y in ((SVC(), X[:, 0] > 0), (SVR(), X[:, 0])):
        fitted, fixed = learner.fit(X, y), type(learner)(gamma=1 / (2 * X.var())).fit(X, y)
        assert fitted._gamma == pytest.approx(fixed._gamma) == pytest.approx(1 / (2 * X.var()))
        decide = getattr(fitted, "decision_function", fitted.predict)
        before = decide(X)
        fitted._gamma *= 2
        assert np.abs(before - decide(X)).max() > 1e-3


def writers_of_artifacts_are_registered_by_their_scheme():
    from mlflow.store.artifact.artifact_repository_registry import _artifact_repository_registry as known

    assert {"", "file", "http", "s3"} <= {*known._registry}


def the_store_of_an_address_has_its_experiments():
    from mlflow.store.tracking.dbmodels.models import SqlExperiment
    from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore
    from mlflow.tracking._tracking_service.utils import _get_store

    assert "store_uri" == next(iter(inspect.signature(_get_store).parameters))
    assert hasattr(SqlExperiment, "artifact_location")
    assert "read_only" in inspect.getsource(SqlAlchemyStore)


def is_made_in(module: str, *names: str) -> Callable[[], None]:
    """A check that learners of these names, and no other of scikit-learn's ensembles, are of the module."""

    def check():
        kinds = {name: getattr(ensemble, name).__module__ for name in ensemble.__all__ if name[0].isupper()}
        assert {*names} == {name for name, made_in in kinds.items() if f"{made_in}.".startswith(f"{module}.")}

    return check


def is_the_type_of_a_spline():
    assert type(make_interp_spline([0, 1], [0, 1], k=1)) is BSpline
    assert "scipy.interpolate._bsplines.BSpline" == f"{BSpline.__module__}.{BSpline.__qualname__}"


def is_the_name_of_a_type(name):
    def check():
        found = pydoc.locate(name)
        assert isinstance(found, type)
        assert name == f"{found.__module__}.{found.__qualname__}"

    return check


def a_scorer_keeps_what_it_was_made_of():
    scorer = make_scorer(zero_one_loss, greater_is_better=False, response_method="predict", normalize=False)
    assert (zero_one_loss, -1) == (scorer._score_func, scorer._sign)
    assert ("predict", {"normalize": False}) == (scorer._response_method, scorer._kwargs)


def is_where_a_runner_keeps_its_files():
    from prefect.runner import Runner

    assert "runner_storage" in str(Runner()._tmp_dir)


@dataclass(frozen=True)
class Use:
    """A private part of scikit-learn, the file that uses it, its check, and the law that rests on it."""

    file: str
    name: str
    check: Callable[[], None]
    law: str  # file::function, below tests/


AUTO, AUTO_TESTS = "heldout/preprocessing.py", "heldout/test_preprocessing.py"
BUILD, BUILD_TESTS = "tasks/params/build_learner.py", "tasks/params/test_build_learner.py"
CHECKED = (  # as the table of checks names them
    "sklearn.tree._tree.Tree",
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "sklearn.ensemble._hist_gradient_boosting.gradient_boosting.BaseHistGradientBoosting",
    "sklearn.neighbors._kd_tree.BinaryTree64",
    "sklearn.neighbors._kd_tree.BinaryTree32",
    "sklearn.neighbors._ball_tree.BinaryTree64",
    "sklearn.neighbors._ball_tree.BinaryTree32",
    "sklearn.neighbors._classification.KNeighborsClassifier",
    "sklearn.neighbors._classification.RadiusNeighborsClassifier",
    "sklearn.svm._base.BaseLibSVM",
    "scipy.sparse._base._spbase",
    "scipy.interpolate._bsplines.BSpline",
)
USES = [
    *(
        Use(
            "heldout/losses/set_metrics/direction.py",
            name,
            a_scorer_keeps_what_it_was_made_of,
            "heldout/losses/test_direction.py::test_a_scorer_of_scikit_learn_has_the_right_direction_or_is_refused",
        )
        for name in ("_score_func", "_sign", "_response_method", "_kwargs")
    ),
    Use(
        "heldout/shortcuts/preconditions.py",
        "_validate_params",
        settings_are_checked_without_a_fit,
        "heldout/shortcuts/test_support_vectors.py::test_a_learner_or_rows_without_shared_fits_are_declined",
    ),
    Use(
        "heldout/shortcuts/support_vectors.py",
        "_gamma",
        gamma_is_the_number_with_which_a_machine_predicts,
        "heldout/shortcuts/test_support_vectors.py::test_a_classifier_is_its_refit_and_is_not_declined",
    ),
    Use(
        BUILD,
        "_validate_params",
        settings_are_checked_without_a_fit,
        f"{BUILD_TESTS}::test_a_bad_parameter_is_refused_before_any_fit_behind_preprocessing_too",
    ),
    Use(
        BUILD,
        "_parameter_constraints",
        what_a_parameter_may_be_is_listed_under_its_name,
        "tasks/params/test_nested_learners.py::test_a_learner_inside_of_another_equals_the_one_written_in_python",
    ),
    Use(
        "tasks/params/allowed_values.py",
        "_parameter_constraints",
        what_a_parameter_may_be_is_listed_under_its_name,
        "tasks/params/test_allowed_values.py::test_honest_candidates_are_accepted",
    ),
    Use(
        "tasks/storage/trusted_types.py",
        "scipy.interpolate._bsplines.BSpline",
        is_the_type_of_a_spline,
        "tasks/storage/test_trusted_types.py::test_every_learner_of_scikit_learn_can_be_loaded_after_its_fit",
    ),
    *(
        Use(
            "tasks/storage/model_arrays.py",
            name,
            is_the_name_of_a_type(name),
            "tasks/storage/test_model_arrays.py::test_numbers_that_lead_nowhere_are_refused_with_what_is_wrong",
        )
        for name in CHECKED
    ),
    Use(
        "flows/deployments.py",
        "_tmp_dir",
        is_where_a_runner_keeps_its_files,
        "structure/test_deployments.py::test_the_runner_keeps_its_files_in_the_checkout_and_none_in_a_shared_folder",
    ),
    Use(
        "tasks/track/artifacts.py",
        "mlflow.store.artifact.artifact_repository_registry._artifact_repository_registry",
        writers_of_artifacts_are_registered_by_their_scheme,
        "tasks/track/test_artifacts.py::test_no_run_writes_elsewhere_whatever_its_experiment_says",
    ),
    Use(
        "tasks/track/store.py",
        "mlflow.tracking._tracking_service.utils._get_store",
        the_store_of_an_address_has_its_experiments,
        "tasks/track/test_artifacts.py::test_no_run_writes_elsewhere_whatever_its_experiment_says",
    ),
    *(
        Use(AUTO, module, is_made_in(module, *names), f"{AUTO_TESTS}::test_the_learner_decides_scale_and_encoding")
        for module, names in {
            "sklearn.ensemble._bagging": ("BaggingClassifier", "BaggingRegressor"),
            "sklearn.ensemble._forest": (
                *("ExtraTreesClassifier", "ExtraTreesRegressor", "RandomForestClassifier", "RandomForestRegressor"),
                "RandomTreesEmbedding",
            ),
            "sklearn.ensemble._gb": ("GradientBoostingClassifier", "GradientBoostingRegressor"),
            "sklearn.ensemble._hist_gradient_boosting": (
                "HistGradientBoostingClassifier",
                "HistGradientBoostingRegressor",
            ),
            "sklearn.ensemble._weight_boosting": ("AdaBoostClassifier", "AdaBoostRegressor"),
        }.items()
    ),
]


def defined(tree: ast.Module) -> set[str]:
    """The private names that a file gives to its own functions, fields, and attributes of `self`."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and is_self(node.value):
            names.add(node.attr)
    return {name for name in names if PRIVATE.fullmatch(name)}


def is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def private_of_others(node: ast.AST, in_file: set[str], in_packages: set[str]) -> set[str]:
    """The private names that a node uses and the project does not define itself; also within a string.

    An attribute of `self` or of `super()` may be defined by a base class in another file.
    """
    if isinstance(node, ast.Attribute) and PRIVATE.fullmatch(node.attr):
        of_python = isinstance(node.value, ast.Name) and node.value.id in sys.stdlib_module_names
        own = in_packages if is_self(node.value) or isinstance(node.value, ast.Call) else in_file
        return set() if of_python or node.attr in own else {node.attr}
    if isinstance(node, ast.ImportFrom) and re.match(rf"(?:{LIBRARIES})\b", node.module or ""):
        names = [f"{node.module}.{alias.name}" for alias in node.names]
        return {name for name in names if any(PRIVATE.fullmatch(part) for part in name.split("."))}
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names if PRIVATE_MODULE.fullmatch(alias.name)}
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return {node.value} if PRIVATE_MODULE.fullmatch(node.value) else set()
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("getattr", "hasattr", "setattr"):
        given = [part.value for part in node.args[1:2] if isinstance(part, ast.Constant)]
        return {name for name in given if PRIVATE.fullmatch(name)} - in_file
    return set()


def private_parts(sources: dict[str, str]) -> set[tuple[str, str]]:
    """Of files by their path: the file and the name of each private part of a library."""
    trees = {path: ast.parse(source) for path, source in sources.items()}
    own = {path: defined(tree) for path, tree in trees.items()}
    everywhere = set().union(*own.values())
    return {
        (path, name)
        for path, tree in trees.items()
        for node in ast.walk(tree)
        for name in private_of_others(node, own[path], everywhere)
    }


@pytest.mark.slow
@pytest.mark.long
def test_the_table_lists_each_use_and_no_other():
    paths = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    used = private_parts({str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in paths})
    assert {(use.file, use.name) for use in USES} == used


@pytest.mark.slow
@pytest.mark.parametrize("use", USES, ids=lambda use: f"{use.file}: {use.name}")
@pytest.mark.long
def test_a_private_part_is_there_and_means_what_it_did(use):
    use.check()


@pytest.mark.parametrize("use", USES, ids=lambda use: f"{use.file}: {use.name}")
def test_the_law_that_rests_on_a_private_part_exists(use):
    path, law = use.law.split("::")
    assert f"def {law}(" in (ROOT / "tests" / path).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "source",
    [
        "from sklearn.tree._tree import Tree",
        "from sklearn.tree import _tree",
        "import scipy._lib.x",
        "fitted._gamma = 1",
        "learner._validate_params()",
        "sklearn.tree._tree.Tree",
        "getattr(learner, '_parameter_constraints', {})",
        "name = 'loky._base'",
        "class Own(StandardScaler):\n    def fit(self, X):\n        self._reset()",
    ],
)
def test_a_private_part_is_found_however_it_is_written(source):
    assert 1 == len(private_parts({"file.py": source}))


@pytest.mark.parametrize(
    "source",
    [
        "os._exit(0)",
        "class Own:\n    def __init__(self):\n        self._x = 1\n\nmade = Own()\nprint(made._x, made.__dict__)",
        "from heldout.learners.fitting import _private",
        "for _ in range(3):\n    pass",
    ],
)
def test_what_is_the_projects_own_or_pythons_is_no_part_of_a_library(source):
    assert set() == private_parts({"file.py": source})
