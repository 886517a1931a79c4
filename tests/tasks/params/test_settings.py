"""params.yaml that is right: what is read, what is decided where nothing is written, what may be overridden."""

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone, is_classifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from heldout.family import TunedEstimator
from tasks.params import Settings, load
from tasks.params.by_name import listed
from tasks.runtime.errors import UserError

LAWS = settings(
    max_examples=30,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],  # the folder of a test serves all its examples
)


def test_the_shipped_parameters_load_as_they_are_written(shipped):
    written = yaml.safe_load(shipped.read_text())
    written["candidates"] = listed(written["candidates"])
    read = load(shipped).model_dump(exclude_unset=True)
    assert written == read


def test_the_shipped_candidates_are_distinct_learners_that_can_be_cloned(shipped):
    candidates = load(shipped).candidates
    assert len(candidates) == len({candidate.name for candidate in candidates})
    assert len(candidates) == len({str(candidate.identity()) for candidate in candidates})
    for candidate in candidates:
        learner, copy = candidate.learner(), clone(candidate.learner())
        assert is_classifier(learner)
        assert repr(learner) == repr(copy)
        assert learner is not candidate.learner()  # a new one each time: none can be fitted by accident


def test_a_candidate_is_its_estimator_with_its_params_behind_its_preprocessing(settings_with):
    entry = "{name: a, estimator: sklearn.tree.DecisionTreeClassifier, params: {max_depth: 2}"
    plain = settings_with(f"candidates=[{entry}}}]").candidates[0].learner()
    assert DecisionTreeClassifier is type(plain)
    assert 2 == plain.max_depth
    behind = settings_with(f"candidates=[{entry}, preprocess: sklearn.preprocessing.StandardScaler}}]")
    learner = behind.candidates[0].learner()
    assert Pipeline is type(learner)
    assert [StandardScaler, DecisionTreeClassifier] == [type(step) for _, step in learner.steps]
    assert repr(plain) == repr(learner.steps[-1][1])


def test_a_random_state_that_is_written_is_used_as_written_and_one_left_out_stays_open(settings_with):
    for written, expected in (("{random_state: 7}", 7), ("{}", None)):
        found = settings_with(
            "candidates.3.estimator=sklearn.tree.DecisionTreeClassifier", f"candidates.3.params={written}"
        )
        assert expected == found.candidates[3].learner().random_state


@pytest.mark.parametrize(
    ("sampling", "criterion", "expected"),
    [("iid", "null", "E_cv"), ("active", "null", "E_maxdt"), ("iid", "E_prog", "E_prog"), ("active", "E_val", "E_val")],
)
def test_the_criterion_follows_the_sampling_where_none_is_written(settings_with, sampling, criterion, expected):
    assert expected == settings_with(f"data.sampling={sampling}", f"selection.criterion={criterion}").criterion
    known = settings_with("data.sampling=active", "data.label_probability=p", f"selection.criterion={criterion}")
    assert ("E_cv" if criterion == "null" else criterion) == known.criterion


@pytest.mark.parametrize(("name", "criterion"), [("RMSE", "E_cv"), ("r²", "E_cv"), ("roc_auc", "E_auc")])
def test_a_criterion_has_the_name_of_a_metric_too(settings_with, name, criterion):
    settings = settings_with(f"selection.criterion={name}", "further_estimates=[E_auc]")
    assert criterion == settings.criterion


def test_the_identity_of_a_candidate_holds_all_but_its_name(settings_with):
    base = settings_with().candidates[1]
    assert base.identity() == settings_with("candidates.1.name=other").candidates[1].identity()
    others = ("estimator=sklearn.linear_model.RidgeClassifier", "params.C=2", "preprocess=null", f"family={PATH}")
    for change in others:
        fewer = ["candidates.1.params={}"] if change.startswith("estimator") else []
        assert base.identity() != settings_with(*fewer, f"candidates.1.{change}").candidates[1].identity()


PATH = "{parameter: C, values: [0.1, 1]}"


@pytest.mark.parametrize("preprocess", ["null", "sklearn.preprocessing.StandardScaler"])
def test_a_family_chooses_its_own_value_inside_of_every_fit(settings_with, preprocess):
    found = settings_with(f"candidates.1.preprocess={preprocess}", f"candidates.1.family={PATH}").candidates[1]
    learner = found.learner() if preprocess == "null" else found.learner().steps[-1][1]
    assert TunedEstimator is type(learner)
    assert ("C", [0.1, 1], 1000) == (learner.parameter, learner.values, learner.learner.max_iter)
    assert is_classifier(found.learner())
    assert repr(clone(found.learner())) == repr(found.learner())


def test_the_shipped_file_has_the_keys_without_which_a_run_is_not_understood(shipped):
    written = yaml.safe_load(shipped.read_text())
    keys = [
        key for name, of in written.items() for key in (of if isinstance(of, dict) and name != "candidates" else [0])
    ]
    assert len(keys) <= 25
    assert {"source", "target"} <= {*written["data"]}


@pytest.mark.parametrize("key", ["selection.race", "execution.shortcuts"])
def test_off_is_a_word_though_yaml_reads_it_as_false(settings_with, key):
    section, name = key.split(".")
    assert "off" == getattr(getattr(settings_with(f"{key}=off"), section), name)


@pytest.mark.parametrize(("level", "delta"), [(0.95, 0.05), (0.9, 0.1), (0.999, 0.001)])
def test_the_level_of_an_alarm_is_one_less_the_probability_of_a_false_one(settings_with, level, delta):
    assert delta == settings_with(f"operations.alarm_level={level}").operations.false_alarm
    with pytest.raises(UserError, match=r"operations\.alarm_level is "):
        settings_with(f"operations.alarm_level={delta}")


@pytest.mark.parametrize("name", ["Clopper-Pearson", "clopper_pearson", "clopper pearson"])
def test_an_interval_is_named_as_it_is_printed_or_as_its_file_is(settings_with, name):
    assert {"E_val": name} == settings_with(f"intervals.E_val={name}").intervals


leaves = {
    "seed": st.integers(0, 2**40),
    "split.folds": st.one_of(st.integers(2, 99), st.just("loo")),
    "split.stratify": st.one_of(st.none(), st.booleans()),
    "split.validation_fraction": st.floats(0.01, 0.99),
    "data.positive": st.one_of(
        st.none(), st.integers(), st.booleans(), st.floats(-9, 9), st.sampled_from(["won", "1"])
    ),
    "candidates.1.params.C": st.floats(0.01, 100),
    "candidates.6.params.max_features": st.sampled_from([None, "sqrt", 3]),
    "candidates.1.family": st.fixed_dictionaries(
        {"parameter": st.just("C"), "values": st.lists(st.floats(0.01, 100), min_size=2, max_size=4)}
    ),
    "intervals": st.fixed_dictionaries(
        {"E_cv": st.sampled_from(["k-fold Hoeffding", "Bayle within folds", "corrected_t"])}
    ),
    "deliver": st.sampled_from(["final", "k_fold", "progressive", "vote"]),
}


@LAWS
@given(st.data())
def test_an_override_is_read_as_yaml_and_equals_the_value_written_in_the_file(shipped, data):
    key = data.draw(st.sampled_from(sorted(leaves)))
    value = data.draw(leaves[key])
    text = yaml.safe_dump(value, default_flow_style=True).removesuffix("...\n").strip()
    *parents, last = [int(part) if part.isdigit() else part for part in key.split(".")]
    raw = place = yaml.safe_load(shipped.read_text())
    raw["candidates"] = listed(raw["candidates"])
    for part in parents:
        place = place[part] if isinstance(place, list) else place.setdefault(part, {})
    place[last] = value
    Path("written.yaml").write_text(yaml.safe_dump(raw))
    assert load("written.yaml").model_dump() == load(shipped, [f"{key}={text}"]).model_dump()


def test_overrides_may_be_repeated_and_the_last_one_of_a_key_counts(shipped):
    found = load(shipped, ["split.folds=3", "data.source=a=b.csv", "seed=5", "split.folds=loo"])
    assert ("loo", "a=b.csv", 5) == (found.split.folds, found.data.source, found.seed)


def test_an_override_may_name_a_key_that_is_left_out_and_a_whole_section(shipped):
    found = load(shipped, ["candidates.0.params.var_smoothing=0.5", "covalidation={repeats: 2}"])
    assert {"var_smoothing": 0.5} == found.candidates[0].params
    assert 2 == found.covalidation.repeats


def test_the_file_itself_is_left_alone(shipped):
    before = shipped.read_bytes()
    load(shipped, ["seed=1"])
    assert before == shipped.read_bytes()


@pytest.fixture
def own(shipped, tmp_path):
    """Parameters with a candidate from a module next to them."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "own_learners.py").write_text(
        "from sklearn.dummy import DummyClassifier\n\nclass Own(DummyClassifier): ...\n"
    )
    path = folder / "params.yaml"
    path.write_text(shipped.read_text())
    trusted = "execution.allowed_modules=[sklearn, own_learners]"
    return load(path, ["candidates=[{name: own, estimator: own_learners.Own}]", trusted])


def test_a_module_beside_the_parameters_can_be_named(own):
    assert "own_learners" == type(own.candidates[0].learner()).__module__


@pytest.mark.slow
def test_a_worker_that_is_sent_the_settings_finds_that_module_too(own, shipped, tmp_path):
    (tmp_path / "sent").write_bytes(pickle.dumps(own))
    code = "import pickle; s = pickle.load(open('sent', 'rb')); s.use_folder(); print(s.candidates[0].learner())"
    environment = {**os.environ, "PYTHONPATH": str(shipped.parent)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert "Own()" == done.stdout.strip()


def test_settings_are_frozen(shipped):
    found = load(shipped)
    with pytest.raises(ValueError, match="frozen"):
        found.seed = 1
    with pytest.raises(ValueError, match="frozen"):
        found.split.folds = 3
    assert Settings is type(found)


@pytest.mark.fault("environment")
@pytest.mark.parametrize("name", ["it's", 'a"b', "a/b", "a:b", "a@b", "a`b", "a%b", "a\nb", ""])
def test_a_registered_name_that_mlflow_could_misread_is_refused_before_any_fit(settings_with, name):
    with pytest.raises(UserError, match=r"--set: tracking\.registered_model is .*(pattern|at least 1)"):
        settings_with(f"tracking.registered_model={json.dumps(name)}")


def test_no_candidate_has_the_name_of_the_baseline(shipped):
    with pytest.raises(UserError, match=r"candidates\[0\].name is 'baseline', .*; take another name$"):
        load(shipped, ["candidates.0.name=baseline"])
