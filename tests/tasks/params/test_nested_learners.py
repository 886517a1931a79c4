"""Learners inside of learners: built from mappings, checked as candidates are, seeded where they were left open."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier, StackingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from heldout.learners import open_random_states, seeded
from tasks.params.build_learner import build, check, inner_paths
from tests.tasks.mistakes import assert_names, mistakes

SVC, LOGISTIC = "sklearn.svm.LinearSVC", "sklearn.linear_model.LogisticRegression"
FOREST, SCALER = "sklearn.ensemble.RandomForestClassifier", "sklearn.preprocessing.StandardScaler"
PIPE = {"estimator": "sklearn.pipeline.Pipeline"}
PIPE["params"] = {"steps": [["scale", {"estimator": SCALER}], ["svc", {"estimator": SVC}]], "svc__C": 3}
CASES = {
    "calibrated": (
        "sklearn.calibration.CalibratedClassifierCV",
        {"estimator": {"estimator": SVC, "params": {"C": 2}}, "cv": 3},
        CalibratedClassifierCV(LinearSVC(C=2), cv=3),
    ),
    "stacked": (
        "sklearn.ensemble.StackingClassifier",
        {
            "estimators": [["forest", {"estimator": FOREST, "params": {"n_estimators": 3}}], ["pipe", PIPE]],
            "final_estimator": {"estimator": LOGISTIC},
        },
        StackingClassifier(
            [
                ("forest", RandomForestClassifier(3)),
                ("pipe", Pipeline([("scale", StandardScaler()), ("svc", LinearSVC(C=3))])),
            ],
            final_estimator=LogisticRegression(),
        ),
    ),
    "pipeline": (
        PIPE["estimator"],
        PIPE["params"],
        Pipeline([("scale", StandardScaler()), ("svc", LinearSVC(C=3))]),
    ),
    "kernel": (
        "sklearn.gaussian_process.GaussianProcessClassifier",
        {"kernel": {"estimator": "sklearn.gaussian_process.kernels.RBF", "params": {"length_scale": 2.0}}},
        GaussianProcessClassifier(RBF(2.0)),
    ),
    "tuple": (
        "sklearn.pipeline.Pipeline",
        {
            "steps": [
                [
                    "words",
                    {"estimator": "sklearn.feature_extraction.text.TfidfVectorizer", "params": {"ngram_range": [1, 2]}},
                ],
                ["svc", {"estimator": SVC}],
            ]
        },
        Pipeline([("words", TfidfVectorizer(ngram_range=(1, 2))), ("svc", LinearSVC())]),
    ),
}
cases = pytest.mark.parametrize(("path", "params", "expected"), CASES.values(), ids=CASES)


@cases
def test_a_learner_inside_of_another_equals_the_one_written_in_python(path, params, expected):
    made = build(path, params, None)
    assert repr(expected) == repr(made) == repr(clone(made))


@cases
def test_its_open_states_come_from_the_seed(path, params, expected):
    made = build(path, params, None)
    assert open_random_states(expected) == open_random_states(made)
    assert [] == open_random_states(seeded(made, 1))


@pytest.mark.parametrize("name", ["calibrated", "stacked", "pipeline"])
def test_it_fits_as_the_plain_loop_does(name):
    path, params, expected = CASES[name]
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
    fitted = [seeded(learner, 5).fit(X, y).predict(X) for learner in (build(path, params, None), expected)]
    assert fitted[0].tolist() == fitted[1].tolist()


def test_the_params_are_left_as_they_were_written():
    path, params, _ = CASES["stacked"]
    before = repr(params)
    build(path, params, None)
    assert before == repr(params)


def test_a_string_is_never_evaluated_and_a_class_weight_is_no_learner():
    made = build("sklearn.svm.SVC", {"kernel": "linear", "class_weight": {0: 1, 1: 5}}, None)
    assert {0: 1, 1: 5} == made.class_weight
    for text in ("print(1)", "__import__('os')", "!!python/object:os.getcwd", SVC):
        with pytest.raises(ValueError, match="must be"):
            check("sklearn.svm.SVC", {"gamma": text}, None)


def test_the_modules_of_all_learners_inside_are_known():
    _, params, _ = CASES["stacked"]
    assert [FOREST, PIPE["estimator"], SCALER, SVC, LOGISTIC] == list(inner_paths(params))


PATH = "sklearn.calibration"
CALIBRATED = "{name: a, estimator: sklearn.calibration.CalibratedClassifierCV, params: {estimator: %s}}"


@pytest.mark.parametrize(
    ("inner", "key", "words"),
    [
        (f"{{estimator: {SVC}, params: {{c: 1}}}}", "params.estimator.params.c", [SVC, "penalty", "loss"]),
        (f"{{estimator: {SVC}, params: {{tool: 1}}}}", "params.estimator.params.tool", [SVC, "did you mean tol?"]),
        (
            f"{{estimator: {SVC}, params: {{C: -1}}}}",
            "params.estimator.params.C",
            [-1, "LinearSVC", "float", "(0.0, inf)"],
        ),
        (f"{{estimator: {SVC}, param: {{}}}}", "params.estimator", ["estimator", "params", "'param'"]),
        (f"{{estimator: {SVC}, params: [1]}}", "params.estimator", ["estimator", "params"]),
        (f"{{estimator: {SVC}, params: {{1: 2}}}}", "params.estimator.params[1]", [SVC]),
        ("{estimator: sklearn.svm.LinearSVX}", "params.estimator.estimator", ["'sklearn.svm.LinearSVX'"]),
        ("{estimator: os.system}", "params.estimator.estimator", ["'os.system'", "os", "execution.allowed_modules"]),
        (
            "{estimator: sklearn.model_selection.KFold}",
            "params.estimator.estimator",
            ["sklearn.model_selection.KFold", "set_params"],
        ),
        (f"{{estimator: {SVC}}}, esimator__C: 3", "params.esimator__C", [f"{PATH}.CalibratedClassifierCV"]),
        (f"{{estimator: {SVC}}}, estimator__c: 3", "params.estimator__c", [f"{PATH}.CalibratedClassifierCV"]),
    ],
)
def test_a_learner_inside_that_cannot_be_built_is_reported(shipped, inner, key, words):
    (mistake,) = mistakes(shipped, f"candidates=[{CALIBRATED % inner}]")
    assert ("--set", f"candidates[0].{key}") == (mistake.where, mistake.key)
    assert_names(mistake, *words)


def test_the_place_of_a_mistake_inside_is_reported(shipped, tmp_path):
    text = shipped.read_text().replace("estimator: sklearn.naive_bayes.GaussianNB\n", CALIBRATED_LINES)
    path = tmp_path / "params.yaml"
    path.write_text(text)
    (mistake,) = mistakes(path)
    assert "candidates[0].params.estimator.params.toll" == mistake.key
    assert_names(mistake, "did you mean tol?")


@pytest.mark.parametrize("steps", ["[[a, 5]]", "[a]", "[[a, {estimatr: sklearn.svm.SVC}]]", "[[a]]", "[{a: 1}]"])
def test_a_step_that_is_no_name_and_learner_is_reported(shipped, steps):
    candidate = f"{{name: a, estimator: sklearn.pipeline.Pipeline, params: {{steps: {steps}}}}}"
    (mistake,) = mistakes(shipped, f"candidates=[{candidate}]")
    assert "candidates[0].params.steps[0]" == mistake.key
    assert_names(mistake, "name", "learner", "[svm, {estimator: sklearn.svm.SVC}]")


CALIBRATED_LINES = f"""estimator: sklearn.calibration.CalibratedClassifierCV
    params:
      estimator:
        estimator: {SVC}
        params:
          C: 1
          toll: 0.1
"""
