"""Learners: built from an import path, and seeded where they were left open."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from heldout.family import TunedEstimator
from heldout.learners import open_random_states, seeded
from heldout.preprocessing import auto
from tasks.params.build_learner import build, check, resolve
from tasks.runtime.errors import Misplaced
from tests.tasks.mistakes import assert_names


def states(learner) -> dict[str, int | None]:
    """Every `random_state` of a learner, nested ones too."""
    return {name: value for name, value in learner.get_params().items() if name.endswith("random_state")}


LEARNERS = {
    "no state": GaussianNB(),
    "open": DecisionTreeClassifier(),
    "written": DecisionTreeClassifier(random_state=3),
    "written 0": DecisionTreeClassifier(random_state=0),
    "open in a pipeline": make_pipeline(StandardScaler(), SVC()),
    "written in a pipeline": make_pipeline(StandardScaler(), SVC(random_state=3)),
    "one of two": BaggingClassifier(ExtraTreeClassifier(random_state=3)),
    "the other of two": BaggingClassifier(ExtraTreeClassifier(), random_state=3),
    "open in a family": TunedEstimator(DecisionTreeClassifier(), "max_depth", [1, 2]),
    "nested twice": make_pipeline(BaggingClassifier(make_pipeline(ExtraTreeClassifier()), random_state=3)),
}


@pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
def test_open_states_get_the_seed_and_written_ones_stay(learner):
    before = states(learner)
    expected = {name: 42 if value is None else value for name, value in before.items()}
    assert expected == states(seeded(clone(learner), 42))


@pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
def test_a_learner_has_an_open_state_exactly_if_the_seed_changes_it(learner):
    changed = states(seeded(clone(learner), 1)) != states(seeded(clone(learner), 2))
    assert changed == bool(open_random_states(learner))
    assert [] == open_random_states(seeded(clone(learner), 1))


@pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
def test_the_learner_that_is_seeded_is_left_as_it_was(learner):
    before = states(learner)
    seeded(learner, 42)
    assert before == states(learner)


def test_the_seed_decides_what_an_open_learner_learns():
    X = np.random.default_rng(0).random((60, 5))
    y = np.arange(60) % 2
    fitted = [seeded(RandomForestClassifier(3), seed).fit(X, y).predict_proba(X).tobytes() for seed in (1, 1, 2)]
    assert fitted[0] == fitted[1] != fitted[2]


def test_an_import_path_resolves_to_the_object_it_names():
    assert SVC is resolve("sklearn.svm.SVC")
    assert SVC is resolve("sklearn.svm._classes.SVC")


@pytest.mark.parametrize(
    ("path", "near"), [("sklearn.svm.SVCC", "sklearn.svm.SVC"), ("sklearn.svm.linearSVC", "sklearn.svm.LinearSVC")]
)
def test_an_unknown_name_is_refused_with_the_nearest(path, near):
    with pytest.raises(ValueError, match=f"; did you mean {near}[?]$") as caught:
        resolve(path)
    assert_names(str(caught.value), repr(path))


def test_a_learner_without_preprocessing_is_itself_and_with_it_a_pipeline():
    params = {"kernel": "linear", "C": 3}
    assert repr(SVC(**params)) == repr(build("sklearn.svm.SVC", params, None))
    expected = make_pipeline(StandardScaler(), SVC(**params))
    assert repr(expected) == repr(build("sklearn.svm.SVC", params, "sklearn.preprocessing.StandardScaler"))


@pytest.mark.parametrize("preprocess", [None, "sklearn.preprocessing.StandardScaler"])
@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"kernels": "rbf"}, ["sklearn.svm.SVC", "did you mean kernel?"]),
        ({"C": 0}, [0, "SVC", "float", "(0.0, inf]"]),
        ({"kernel": "line"}, ["'line'", "SVC", "'linear'"]),
    ],
)
def test_a_bad_parameter_is_refused_before_any_fit_behind_preprocessing_too(params, words, preprocess):
    check("sklearn.svm.SVC", {"C": 1, "kernel": "rbf"}, preprocess)
    with pytest.raises(Misplaced) as caught:
        check("sklearn.svm.SVC", params, preprocess)
    assert ("params", *params) == caught.value.place
    assert_names(str(caught.value), *words)


@pytest.mark.parametrize("preprocess", [None, "auto", "sklearn.preprocessing.StandardScaler"])
def test_auto_takes_a_candidate_for_its_learner(settings_with, preprocess):
    written = f"{{name: a, estimator: sklearn.naive_bayes.GaussianNB, preprocess: {preprocess or 'null'}}}"
    (candidate,) = settings_with(f"candidates=[{written}]").candidates
    learner = GaussianNB() if preprocess in (None, "auto") else make_pipeline(StandardScaler(), GaussianNB())
    assert repr(auto(learner)) == repr(auto(candidate)) == repr(auto(candidate.learner()))


PATH = {"parameter": "alpha", "values": [1.0, 0.1]}
EPOCHS = {"parameter": "epochs", "values": [1, 2]}


@pytest.mark.parametrize("family", [PATH, EPOCHS], ids=["path", "epochs"])
def test_a_family_stands_behind_its_preprocessing_with_the_learner_inside(family):
    learner = TunedEstimator(SGDClassifier(eta0=0.5), family["parameter"], family["values"])
    params = {"eta0": 0.5}
    assert repr(learner) == repr(build("sklearn.linear_model.SGDClassifier", params, None, family))
    expected = make_pipeline(StandardScaler(), learner)
    built = build("sklearn.linear_model.SGDClassifier", params, "sklearn.preprocessing.StandardScaler", family)
    assert repr(expected) == repr(built)


@pytest.mark.parametrize("preprocess", [None, "sklearn.preprocessing.StandardScaler"])
@pytest.mark.parametrize(
    ("family", "key", "words"),
    [
        ({"parameter": "D", "values": [1, 2]}, "parameter", ["'D'", "epochs", "SVC", "C"]),
        (EPOCHS, "parameter", ["epochs", "SVC", "partial_fit"]),
        ({"parameter": "C", "values": [1]}, "values", ["[1]", 2]),
        ({"parameter": "C", "values": [1, 0]}, "values", [0, "SVC", "float", "(0.0, inf]"]),
    ],
)
def test_a_bad_path_is_refused_before_any_fit_behind_preprocessing_too(family, key, words, preprocess):
    with pytest.raises(Misplaced) as caught:
        check("sklearn.svm.SVC", {}, preprocess, family)
    assert ("family", key) == caught.value.place
    assert_names(str(caught.value), *words)
