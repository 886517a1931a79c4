"""params.yaml that is wrong: each mistake is told in one line with its key, its value and what is allowed."""

import copy
import re
from pathlib import Path

import pytest
import yaml

from heldout.estimates.criteria import CRITERIA
from heldout.estimates.methods import DEFAULTS, METHODS
from tasks.params import Settings, load, read_yaml
from tasks.runtime.errors import UserError
from tests.tasks.mistakes import Mistake, assert_names, mistake_of, mistakes
from tests.whole_file import whole

SVC, BAYES = "sklearn.svm.SVC", "sklearn.naive_bayes.GaussianNB"
DID_YOU_MEAN = "did you mean"


def reported(path, *changes) -> list[Mistake]:
    """What is wrong; a value from an override is reported with --set."""
    found = mistakes(path, *changes)
    for mistake in found:
        assert mistake.where == ("--set" if changes else None) or mistake.text.startswith("--set ")
    return found


@pytest.mark.parametrize(
    ("change", "key", "words"),
    [
        ("split.fold=5", "split.fold", [DID_YOU_MEAN, "split.folds"]),
        ("progressive.test_fraction=0.1", "progressive.test_fraction", [DID_YOU_MEAN, "progressive.tested_fraction"]),
        ("folds=5", "folds", [DID_YOU_MEAN, "split.folds"]),
        ("candidates.0.nme=a", "candidates[0].nme", [DID_YOU_MEAN, "candidates.name"]),
        ("seed=-1", "seed", [-1, 0]),
        ("seed=1.5", "seed", [1.5, "integer"]),
        ("seed=true", "seed", [True, "integer"]),
        ("split.stratify=1", "split.stratify", [1, "boolean"]),
        ("split.test_fraction=1", "split.test_fraction", [1, 1]),
        ("split.validation_fraction=0", "split.validation_fraction", [0, 0]),
        ("progressive.tested_fraction=-0.5", "progressive.tested_fraction", [-0.5, 0]),
        ("progressive.block=0", "progressive.block", [0, 1, "'auto'"]),
        ("covalidation.repeats=0", "covalidation.repeats", [0, 1]),
        ("data.shards=0", "data.shards", [0, 1]),
        ("data.sampling=all", "data.sampling", ["'all'", "iid", "active"]),
        ("data.drop=id", "data.drop", ["'id'", "list"]),
        ("data.drop=[1]", "data.drop[0]", [1, "string"]),
        ("data.known_after=id", "data.known_after", ["'id'", "list"]),
        ("data.missing=[-999]", "data.missing[0]", [-999, "string", "quotes", '"-999"']),
        ("data.groups=[id]", "data.groups", ["['id']", "string"]),
        ("split.gap=-1", "split.gap", [-1, 0]),
        ("split.duplicates=drop", "split.duplicates", ["'drop'", "allow", "keep_together"]),
        ("selection.level=1", "selection.level", [1, 1]),
        ("selection.criterion=E_out", "selection.criterion", ["'E_out'", *CRITERIA]),
        (
            "selection.rule=min",
            "selection.rule",
            ["'min'", "minimum", "one_standard_error", "indistinguishable", DID_YOU_MEAN, "minimum"],
        ),
        ("selection.open_test=yes please", "selection.open_test", ["'yes please'", "boolean"]),
        ("selection.nested=true", "selection.nested", [DID_YOU_MEAN]),
        ("selection.reopen_test=1", "selection.reopen_test", [1, "boolean"]),
        ("deliver=folds", "deliver", ["'folds'", "final", "progressive", "vote", DID_YOU_MEAN, "k_fold", "k_fold"]),
        ("intervals=Wilson", "intervals", ["'Wilson'", "dictionary"]),
        ("selection.criterion=kappa", "selection.criterion", ["'kappa'", "E_cv", "AUC", "RMSE"]),
        ("selection.criterion=auc", "selection.criterion", ["E_auc", "further_estimates"]),
        ("loss=mae", "loss", ["'mae'", "absolute"]),
        ("selection.criterion=E_auc", "selection.criterion", ["E_auc", "further_estimates"]),
        ("further_estimates=[E_x]", "further_estimates[0]", ["E_boot"]),
        ("further_estimates=[E_boot, E_cv]", "further_estimates[1]", ["E_boot"]),
        ("candidates.0.family=5", "candidates[0].family", [5, "dictionary"]),
        ("candidates.0.family={parameter: a}", "candidates[0].family.values", ["missing"]),
        ("candidates.0.family={values: [1, 2]}", "candidates[0].family.parameter", ["missing"]),
        (
            "candidates.0.family={parameter: a, values: [1, 2], value: 3}",
            "candidates[0].family.value",
            [DID_YOU_MEAN, "candidates.family.values"],
        ),
        ("candidates.0.family={parameter: var_smoothing, values: [1]}", "candidates[0].family.values", ["[1]", 2]),
        ("execution.executor=ray", "execution.executor", ["'ray'", "local", "dask"]),
        ("execution.executor=dask", "execution.executor", ["dask", "execution.scheduler", "tcp://127.0.0.1:8786"]),
        (
            "execution.scheduler=localhost:8786",
            "execution.scheduler",
            ["'localhost:8786'", "tcp://HOST:PORT", "tls://HOST:PORT"],
        ),
        ("tracking.registered_model=a/b", "tracking.registered_model", ["'a/b'", r"^[\w. ()+,=-]+$"]),
        ("candidates=[]", "candidates", ["[]", 1]),
        ("candidates.0=5", "candidates[0]", [5, "dictionary"]),
        ("candidates.0.params=5", "candidates[0].params", [5, "dictionary"]),
    ],
)
def test_a_mistake_is_reported_with_its_key_its_value_and_what_is_allowed(shipped, change, key, words):
    (mistake,) = reported(shipped, change)
    assert key == mistake.key
    assert_names(mistake, *words)


@pytest.mark.parametrize(
    "text",
    [
        "params.C: params.C is 0",
        "candidates[0].params.C: params.C is not a parameter",
        "execution.executor: executor is dask",
        "seed is 0: seed must be 1",
        "split.folds is 1; set split.folds to 2",
    ],
)
def test_a_text_that_names_its_key_twice_is_noticed(text):
    with pytest.raises(AssertionError):
        mistake_of(f"params.yaml: {text}")


def test_a_name_that_is_used_twice_is_reported_where_it_comes_again(shipped):
    (mistake,) = mistakes(shipped, "candidates.0.name=forest")
    assert (None, "candidates[6].name") == (mistake.where, mistake.key)
    assert_names(mistake, "'forest'", 2)


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("folds: 10", "folds: 1", "split.folds"),
        ("folds: 10", "folds: 10\n  fold: 10", "split.fold"),
        ("max_iter: 1000", "max_itr: 1000", "candidates[1].params.max_itr"),
        ("loss: null", "loss: null\nintervals:\n  E_val: Clopper-Pearson\n  E_cv: Wilson", "intervals"),
        ("  source: sklearn:digits\n", "", "data.source"),
    ],
)
def test_a_mistake_is_reported_with_its_key(shipped, tmp_path, old, new, key):
    path = tmp_path / "params.yaml"
    text = shipped.read_text()
    assert 1 == text.count(old)
    path.write_text(text.replace(old, new))
    (mistake,) = mistakes(path)
    assert (None, key) == (mistake.where, mistake.key)


@pytest.mark.parametrize(
    ("end", "lines"),
    [("seed: 1\n", [1]), ("more: {a: 1, a: 2}\n", [1]), ("more: [1\n", [1, 2]), ("more: 'x\n", [1, 2])],
)
def test_what_the_parser_refuses_has_its_line_and_column_in_one_line(shipped, tmp_path, end, lines):
    path = tmp_path / "params.yaml"
    text = shipped.read_text()
    path.write_text(text + end)
    (mistake,) = mistakes(path)
    found = [int(number) for number in re.findall(r"line (\d+), column \d+", mistake.text)]
    assert found[-1] - text.count("\n") in lines


@pytest.mark.fault("another version")
def test_the_keys_that_another_version_has_otherwise_are_named_together_and_before_any_stage(shipped, checkout):
    (checkout / "dvc.yaml").write_bytes((shipped.parent / "dvc.yaml").read_bytes())
    written = yaml.safe_load(shipped.read_text())
    written["split"]["test_seed"] = 1
    written["selection"]["criteria"] = written["selection"].pop("criterion")
    Path("params.yaml").write_text(yaml.safe_dump(written))
    assert {"split.test_seed", "selection.criteria"} == {mistake.key for mistake in mistakes("params.yaml")}


@pytest.mark.fault("hostile")
@pytest.mark.parametrize("place", ["seed", "intervals", "candidates"])
def test_aliases_and_levels_beyond_the_limits_are_reported(shipped, tmp_path, monkeypatch, place):
    path = tmp_path / "params.yaml"
    monkeypatch.setattr(read_yaml, "_MOST_VALUES", 8)
    for text, word in ((f"x: &x [1, 2, 3]\n{place}: [*x, *x]\n", "aliases"), (f"{place}: {'[' * 101}", "levels")):
        path.write_text(text)
        (mistake,) = reported(path)
        assert word in mistake.text


@pytest.mark.fault("hostile")
def test_a_list_inside_of_itself_is_not_counted_for_ever():
    node = yaml.SequenceNode("tag:yaml.org,2002:seq", [])
    node.value.append(node)
    with pytest.raises(RecursionError):
        read_yaml._values(None, node, {})


def test_a_value_that_would_fill_the_screen_is_shortened(shipped):
    (mistake,) = reported(shipped, f"data.shards={[[list(range(20))] * 20] * 20}")
    assert "data.shards" == mistake.key
    assert "[[[0, 1, " in mistake.text
    assert len(mistake.text) < 700


def test_an_interval_that_is_no_name_is_reported(shipped):
    (mistake,) = reported(shipped, "intervals.E_val=5")
    assert "intervals.E_val" == mistake.key
    assert_names(mistake, 5, "string")


def test_an_interval_of_an_estimate_that_has_none_is_reported_with_those_that_have_one(shipped):
    (mistake,) = reported(shipped, "intervals.E_out=Wilson")
    assert "intervals.E_out" == mistake.key
    assert mistake.text.endswith(f" {', '.join(DEFAULTS)}")


def test_a_number_of_folds_below_two_is_reported(shipped):
    (mistake,) = reported(shipped, "split.folds=1")
    assert "split.folds" == mistake.key
    assert_names(mistake, 1, 2, "loo")


SMOOTHING = "params.var_smoothing"
RANGE = ("GaussianNB", "float", "[0.0, inf)")


@pytest.mark.parametrize(
    ("change", "key", "words"),
    [
        ("estimator=SVC", "estimator", ["'SVC'", DID_YOU_MEAN, SVC]),
        ("estimator=sklearn.svm.SVX", "estimator", ["'sklearn.svm.SVX'", "'SVX'", DID_YOU_MEAN, "sklearn.svm.SVR"]),
        ("estimator=sklearn.sv.SVC", "estimator", ["'sklearn.sv.SVC'", "'sklearn.sv'", DID_YOU_MEAN, SVC]),
        ("estimator=math.pi", "estimator", ["'math.pi'", "class"]),
        ("estimator=builtins.dict", "estimator", ["builtins.dict", "fit", "predict", "get_params", "set_params"]),
        ("preprocess=sklearn.dummy.X", "preprocess", ["'sklearn.dummy.X'", "'X'"]),
        ("preprocess=sklearn.svm.SVC", "preprocess", [SVC, "transform"]),
        ("params.var_smoothin=1", "params.var_smoothin", [BAYES, DID_YOU_MEAN, "var_smoothing"]),
        ("params.C=1", "params.C", [BAYES, "priors", "var_smoothing"]),
        (f"{SMOOTHING}=-3", SMOOTHING, [-3, *RANGE]),
        (f"{SMOOTHING}=low", SMOOTHING, ["'low'", *RANGE]),
        ("estimator=sklearn.pipeline.Pipeline", "estimator", ["sklearn.pipeline.Pipeline", "params", "'steps'"]),
    ],
)
def test_a_learner_that_cannot_be_built_is_reported_with_what_comes_nearest(shipped, change, key, words):
    trusted = "execution.allowed_modules=[sklearn, math, builtins]"
    (mistake,) = reported(shipped, f"candidates.0.{change}", trusted)
    assert f"candidates[0].{key}" == mistake.key
    assert_names(mistake, *words)


@pytest.mark.parametrize("rule", ["one_standard_error", "indistinguishable"])
@pytest.mark.parametrize(
    ("written", "criterion"), [("null", "E_maxdt"), ("E_maxdt", "E_maxdt"), ("max(E_cv, E_maxdt)",) * 2]
)
def test_a_rule_that_compares_losses_is_refused_for_a_criterion_that_is_no_mean_of_them(
    shipped, rule, written, criterion
):
    changes = [f"selection.rule={rule}", "data.sampling=active", f"selection.criterion={written}"]
    (mistake,) = reported(shipped, *changes)
    assert "selection.rule" == mistake.key
    assert_names(mistake, rule, criterion, "minimum", "E_val", "E_cv", "E_2cv", "E_prog")
    assert "E_cv" == load(shipped, [*changes, "data.sampling=iid", "selection.criterion=null"]).criterion


def fitting(estimate: str) -> str:
    return ", ".join(method.name for method in METHODS if estimate in method.covers)


@pytest.mark.parametrize(
    ("estimate", "name", "words"),
    [
        ("E_cv", "bayes within", ["known"]),
        ("E_cv", "Clopper-Pearson", ["E_val", "E_test"]),
        ("E_val", "corrected t", ["E_cv"]),
        ("E_cv", "Nested", ["known", "corrected Wilson"]),
        ("E_prog", "", ["known"]),
        ("disagreement", "wilson", ["covers"]),
    ],
)
def test_an_interval_that_cannot_be_is_reported_with_those_that_can(shipped, estimate, name, words):
    (mistake,) = reported(shipped, f"intervals={{{estimate}: {name!r}}}")
    assert "intervals" == mistake.key
    assert_names(mistake, repr(name), estimate, *words)
    assert mistake.text.endswith(f" {fitting(estimate)}")
    for offered in fitting(estimate).split(", "):
        load(shipped, [f"intervals={{{estimate}: {offered}}}"])


SGD = "sklearn.linear_model.SGDClassifier"


@pytest.mark.parametrize(
    ("estimator", "family", "key", "words"),
    [
        (SGD, "parameter: alfa, values: [1, 2]", "parameter", ["'alfa'", "epochs", "alpha"]),
        (SVC, "parameter: epochs, values: [1, 2]", "parameter", ["epochs", "SVC", "partial_fit"]),
        (SGD, "parameter: epochs, values: [4, 2]", "values", ["[4, 2]", "ascending", 1]),
        (SGD, "parameter: epochs, values: [2, 2]", "values", ["[2, 2]", "ascending", 1]),
        (SGD, "parameter: epochs, values: [0, 2]", "values", ["[0, 2]", "ascending", 1]),
        (SGD, "parameter: epochs, values: [1, 2.5]", "values", ["[1, 2.5]", "whole numbers"]),
        (SGD, "parameter: epochs, values: [true, 2]", "values", ["[True, 2]", "whole numbers"]),
        (SGD, "parameter: alpha, values: [0.1, -1]", "values", [-1, "SGDClassifier", "float", "[0.0, inf)"]),
        (SGD, "parameter: alpha, values: [0.1, big]", "values", ["'big'", "SGDClassifier", "float", "[0.0, inf)"]),
    ],
)
@pytest.mark.parametrize("preprocess", ["null", "sklearn.preprocessing.StandardScaler"])
def test_a_family_that_cannot_be_fitted_is_reported_before_any_fit(shipped, estimator, family, key, words, preprocess):
    candidate = f"{{name: path, estimator: {estimator}, preprocess: {preprocess}, family: {{{family}}}}}"
    (mistake,) = reported(shipped, f"candidates.0={candidate}")
    assert f"candidates[0].family.{key}" == mistake.key
    assert_names(mistake, *words)


def keys(node, place=()) -> list[tuple]:
    """The place of every key of the file; inside `params` the learner decides what is known."""
    inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    here = [place] if place and isinstance(place[-1], str) else []
    return here + [key for name, item in inner if place[-1:] != ("params",) for key in keys(item, (*place, name))]


def without(raw, place):
    """A copy of `raw` without the key at `place`, the mapping that held it, and its value."""
    changed = parent = copy.deepcopy(raw)
    for name in place[:-1]:
        parent = parent[name]
    return changed, parent, parent.pop(place[-1])


def dotted(place, numbers=True) -> str:
    return "".join((f"[{part}]" if numbers else "") if isinstance(part, int) else f".{part}" for part in place)[1:]


@pytest.mark.slow
def test_every_key_that_is_misspelt_is_reported_with_the_right_one(tmp_path):
    path = tmp_path / "params.yaml"
    raw = whole()
    for place in keys(raw):
        for wrong in (place[-1] + place[-1][-1], place[-1][1:], place[-1].replace("_", "")):
            changed, parent, value = without(raw, place)
            if wrong == place[-1] or wrong in parent:
                continue
            parent[wrong] = value
            path.write_text(yaml.safe_dump(changed))
            (mistake,) = [one for one in reported(path) if one.key == dotted((*place[:-1], wrong))]
            assert mistake.text.endswith(f"{DID_YOU_MEAN} {dotted(place, numbers=False)}?")


REQUIRED = {"data", "data.source", "candidates", "candidates.name", "candidates.estimator"}


def test_what_only_a_user_can_know_is_required_and_nothing_else(tmp_path):
    path = tmp_path / "params.yaml"
    raw = whole()
    for place in keys(raw):
        changed, _, _ = without(raw, place)
        path.write_text(yaml.safe_dump(changed))
        if dotted(place, numbers=False) in REQUIRED:
            (mistake,) = reported(path)
            assert dotted(place) == mistake.key
            assert_names(mistake, "missing")
        else:
            load(path)


SHORTEST = "data: {source: sklearn:iris}\ncandidates: [{name: bayes, estimator: sklearn.naive_bayes.GaussianNB}]\n"


def test_sections_may_be_left_out_or_empty(tmp_path):
    path = tmp_path / "params.yaml"
    path.write_text(SHORTEST)
    every_default = load(path)
    sections = [name for name, field in Settings.model_fields.items() if field.default_factory is dict]
    assert len(sections) > 5
    path.write_text(SHORTEST + "".join(f"{name}:\n" for name in sections))
    assert every_default == load(path)


def test_an_address_that_the_environment_names_is_checked_where_the_section_is_left_out(tmp_path, monkeypatch):
    path = tmp_path / "params.yaml"
    path.write_text(SHORTEST)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "file:/elsewhere")
    (mistake,) = reported(path)
    assert "tracking.uri" == mistake.key
    assert_names(mistake, "MLFLOW_TRACKING_URI", "file:/elsewhere")


@pytest.mark.parametrize(("count", "lines"), [(1, 1), (10, 10), (11, 11), (25, 11)])
def test_at_most_ten_mistakes_are_reported_and_the_others_counted(shipped, tmp_path, count, lines):
    path = tmp_path / "params.yaml"
    path.write_text(shipped.read_text() + "".join(f"extra{number}: 1\n" for number in range(count)))
    found = reported(path)
    assert lines == len(found)
    for mistake in found[10:]:
        assert_names(mistake, count - 10)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: [1", ["YAML", "flow sequence"]),
        ("a:\n\t- b", ["YAML", "next token"]),
        ("- a", ["mapping", "seed", "data", "split"]),
        ("", ["mapping", "seed", "data", "split"]),
    ],
)
def test_a_file_that_is_no_mapping_is_reported_in_one_line(tmp_path, text, words):
    path = tmp_path / "params.yaml"
    path.write_text(text)
    (mistake,) = reported(path)
    assert_names(mistake, *words)


def test_a_file_that_cannot_be_read_is_reported_with_its_path(tmp_path):
    Path("latin.yaml").write_bytes(b"seed: \xff")
    for path in (Path("nowhere.yaml"), tmp_path, Path("latin.yaml")):
        with pytest.raises(UserError, match=rf"^{path}: ") as caught:
            load(path)
        assert_names(str(caught.value), "read", "--params")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("seed", ["a.b=c"]),
        ("=5", ["a.b=c"]),
        ("seed={", ["'{'", "YAML"]),
        ("seed.x=1", ["nothing at seed"]),
        ("data.source.x.y=1", ["nothing at data.source.x"]),
        ("candidates.99.name=a", ["nothing at candidates.99"]),
        ("candidates.first.name=a", ["nothing at candidates.first"]),
    ],
)
def test_an_override_that_sets_nothing_is_reported_as_it_was_written(shipped, change, words):
    (mistake,) = reported(shipped, change)
    assert mistake.text.startswith(f"--set {change}: ")
    assert_names(mistake, *words)
