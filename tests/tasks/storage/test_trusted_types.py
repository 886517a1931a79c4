"""A model file from somebody else: it builds learners and what their fits hold, and calls nothing."""

import functools
import inspect
import io
import json
import operator
import os
import sys
import zipfile

import joblib
import numpy as np
import pytest
import skops.io
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingRegressor
from sklearn.feature_selection import SelectKBest, chi2, f_regression, mutual_info_classif
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import DotProduct, ExpSineSquared, Matern, WhiteKernel
from sklearn.linear_model import LogisticRegression, SGDClassifier, SGDRegressor
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils import all_estimators

from tasks.runtime.errors import UserError
from tasks.storage import files, model_file
from tasks.storage.trusted_types import trusted_types
from tests.tasks.mistakes import assert_names

pytestmark = pytest.mark.fault("hostile")

X = np.random.default_rng(0).normal(size=(30, 3))
BAYES = GaussianNB().fit(X, X[:, 0] > 0)
WORD = "one"  # the argument of what a file would call


def text(word):
    return {"__class__": "str", "__module__": "builtins", "__loader__": "JsonNode", "content": json.dumps(word)}


def node(path, reader, content=()):
    module, _, name = path.rpartition(".")
    return {"__class__": name, "__module__": module, "__loader__": reader, "content": content}


def arguments(*values):
    return node("builtins.tuple", "TupleNode", list(values))


def planted(part):
    """The bytes of a model that has `part` of a schema in place of a number."""
    with zipfile.ZipFile(io.BytesIO(skops.io.dumps(BAYES))) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    schema = json.loads(members["schema.json"])
    schema["content"]["content"]["var_smoothing"] = part
    members["schema.json"] = json.dumps(schema).encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


PARTIAL = {"func": node("posixpath.join", "FunctionNode"), "args": arguments(text(WORD))}
PARTIAL |= {"kwds": node("builtins.dict", "DictNode", {}), "namespace": text(None)}
CALLS = {
    "a class, called": (
        node("fractions.Fraction", "ConstructorFromReduceNode", arguments(text(WORD))),
        "fractions.Fraction",
    ),
    "a function as a list": (node("os.getcwd", "ListNode", []), "os.getcwd"),
    "a trusted class, called": (node("sklearn.pipeline.Pipeline", "ListNode", []), "sklearn.pipeline.Pipeline"),
    "a trusted class, called with arguments": (
        node("lightgbm.basic.Booster", "ConstructorFromReduceNode", arguments(text(None))),
        "lightgbm.basic.Booster",
    ),
    "a function as a loss": (
        {**node("fractions.Fraction", "LossNode", text(None)), "__reduce__": {"args": arguments(text(WORD))}},
        "fractions.Fraction",
    ),
    "a name that a trusted module imports": (
        node("heldout.preprocessing.make_pipeline", "FunctionNode"),
        "heldout.preprocessing.make_pipeline",
    ),
    "a method": (node("sklearn.naive_bayes.GaussianNB", "MethodNode", {"func": "fit", "obj": text(1)}), "GaussianNB"),
    "a partial function": (node("functools.partial", "PartialNode", PARTIAL), "posixpath.join"),
    "a partial of a function of numbers": (
        node("functools.partial", "PartialNode", {**PARTIAL, "func": node("numpy.exp", "FunctionNode")}),
        "numpy.exp",
    ),
    "a partial of nothing": (node("functools.partial", "PartialNode", None), "no function"),
    "a module of tests": (node("sklearn.tests.test_base.K", "ObjectNode", None), "sklearn.tests.test_base.K"),
    "a function as a class": (node("numpy.load", "TypeNode"), "numpy.load"),
    "a function of numpy": (node("numpy.load", "FunctionNode"), "numpy.load"),
    "a class of a module that nobody named": (node("fractions.Fraction", "ObjectNode", None), "fractions.Fraction"),
}


@pytest.mark.parametrize(("part", "name"), CALLS.values(), ids=CALLS)
def test_a_file_that_calls_something_is_refused_before_it_is_loaded(part, name, checkout, monkeypatch):
    path = checkout / "model.skops"
    path.write_bytes(planted(part))
    monkeypatch.setattr(skops.io, "loads", lambda *_, **__: pytest.fail("it was loaded"))
    with pytest.raises(UserError) as caught:
        model_file.load(path)
    assert_names(str(caught.value), str(path), name, "execution.allowed_modules")


def behind(function):
    return make_pipeline(FunctionTransformer(function), BAYES)


HELD = {  # made in the folder of the test: joblib makes its own
    "of the system": lambda: behind(os.getcwd),
    "partial": lambda: behind(functools.partial(os.path.join, WORD)),
    "methodcaller": lambda: behind(operator.methodcaller("copy")),
    "load": lambda: behind(np.load),
    "inverse": lambda: TransformedTargetRegressor(func=np.exp, inverse_func=os.getcwd),
    "memory": lambda: make_pipeline(StandardScaler().fit(X), BAYES, memory=joblib.Memory("folder", verbose=0)),
    "our own function": lambda: behind(model_file.load),
}


def test_a_name_does_not_import_a_module():
    module = "numpy.doc.ufuncs"
    schema = {"protocol": 2, "__loader__": "FunctionNode", "__module__": module, "__class__": "exp"}
    with pytest.raises(UserError, match="not trusted"):
        trusted_types(schema, ())
    assert module not in sys.modules


@pytest.mark.parametrize("made", HELD.values(), ids=HELD)
def test_a_learner_that_holds_a_function_or_a_folder_is_refused(made, checkout):
    path = checkout / "model.skops"
    path.write_bytes(skops.io.dumps(made()))
    with pytest.raises(UserError, match="not trusted"):
        model_file.load(path)


def test_numeric_functions_of_learners_are_trusted(checkout):
    path = checkout / "model.skops"
    path.write_bytes(skops.io.dumps(behind(np.exp)))
    assert np.exp is model_file.load(path).steps[0][1].func


OWN = """
import os
from os import getcwd
from sklearn.naive_bayes import GaussianNB

class Own(GaussianNB):
    pass

def own(): pass
"""


def test_a_class_of_a_named_module_is_trusted_and_what_it_imports_is_not(checkout, monkeypatch):
    (checkout / "own_model.py").write_text(OWN)
    monkeypatch.syspath_prepend(checkout)
    import own_model

    path = checkout / "model.skops"
    path.write_bytes(skops.io.dumps(own_model.Own().fit(X, X[:, 0] > 0)))
    assert isinstance(model_file.load(path, ["sklearn", "own_model"]), own_model.Own)
    with pytest.raises(UserError, match="own_model.Own"):
        model_file.load(path)
    for part in (node("own_model.getcwd", "FunctionNode"), node("own_model.own", "FunctionNode")):
        path.write_bytes(planted(part))
        with pytest.raises(UserError, match="own_model"):
            model_file.load(path, ["sklearn", "own_model"])
    sys.modules.pop("own_model")


@pytest.mark.parametrize("content", [b"", b"no archive", None], ids=["empty", "text", "no schema"])
def test_a_file_that_is_no_model_is_a_mistake_of_its_sender(content, checkout):
    path = files.MODEL
    path.parent.mkdir()
    if content is None:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("other.json", "{}")
    else:
        path.write_bytes(content)
    with pytest.raises(UserError, match=str(path)):
        model_file.load(path)


# what takes other data or arguments than the others
OTHER_DATA = {
    "Birch",
    "ClassifierChain",
    "IsotonicRegression",
    "RegressorChain",
    "SelfTrainingClassifier",
    "SparseCoder",
}
INSIDE = {"estimator": LogisticRegression(), "estimators": [("a", GaussianNB()), ("b", LogisticRegression())]}
INSIDE |= {"param_grid": {"C": [1, 2]}, "param_distributions": {"C": [1, 2]}, "n_components": 1, "transformers": []}
INSIDE |= {"transformer_list": [("a", StandardScaler())]}
VARIANTS = [
    *(SGDClassifier(loss=loss) for loss in ("log_loss", "modified_huber", "squared_hinge", "perceptron")),
    *(SGDRegressor(loss=loss) for loss in ("huber", "epsilon_insensitive", "squared_epsilon_insensitive")),
    *(HistGradientBoostingRegressor(loss=loss, max_iter=3) for loss in ("absolute_error", "gamma", "poisson")),
    *(GradientBoostingRegressor(loss=loss, n_estimators=3, alpha=0.5) for loss in ("huber", "quantile")),
    *(KNeighborsClassifier(metric=metric, algorithm="ball_tree") for metric in ("manhattan", "chebyshev", "canberra")),
    *(GaussianProcessRegressor(kernel) for kernel in (Matern() + WhiteKernel(), ExpSineSquared(), DotProduct() ** 2)),
    *(SelectKBest(function, k=1) for function in (chi2, f_regression, mutual_info_classif)),
    *(GridSearchCV(LogisticRegression(), {"C": [1, 2]}, scoring=scoring) for scoring in ("roc_auc", "neg_log_loss")),
    CalibratedClassifierCV(LogisticRegression(), method="isotonic", cv=2),
]


def _learners():
    for name, kind in all_estimators(type_filter=["classifier", "regressor", "transformer"]):
        if name not in OTHER_DATA and not name.startswith("MultiTask"):
            needed = inspect.signature(kind).parameters
            learner = kind(
                **{
                    key: value
                    for key, value in INSIDE.items()
                    if key in needed and (key != "n_components" or name in FEW)
                }
            )
            few = {"n_estimators": 3, "max_iter": 20}
            yield learner.set_params(
                **{key: value for key, value in few.items() if key in learner.get_params(deep=False)}
            )
    yield from VARIANTS


FEW = {"CCA", "PLSCanonical", "PLSSVD", "GaussianRandomProjection", "SparseRandomProjection", "TSNE"}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_every_learner_of_scikit_learn_can_be_loaded_after_its_fit():
    rows, loaded, refused = np.abs(np.random.default_rng(0).normal(size=(40, 3))) + 0.1, [], {}
    for learner in _learners():
        for target in (np.arange(40) % 2, np.arange(40) / 40):
            try:
                data = skops.io.dumps(learner.fit(rows, target))
            except Exception:  # not for such data; the number of the others is asserted
                continue
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                schema = json.loads(archive.read("schema.json"))
            loaded.append(type(learner).__name__)
            try:
                trusted_types(schema, ())
            except UserError as error:
                refused[type(learner).__name__] = str(error)
            break
    assert {} == refused
    assert len(loaded) > 150
