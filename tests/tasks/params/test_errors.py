"""params.yaml that is wrong: each mistake is told in one line with its key, its value and what is allowed."""

import copy
import re
from pathlib import Path

import pytest
import yaml

from heldout.intervals import DEFAULTS, METHODS
from heldout.selection.criteria import CRITERIA
from heldout.selection.rules import RULES
from tasks.params import load
from tasks.runtime.errors import UserError

NO_DEFAULT = "is missing; write it: no number has a default in the code"
BAYES, SVR, AS_IN = (
    "sklearn.naive_bayes.GaussianNB",
    "sklearn.svm.SVR",
    "write it as in sklearn.svm.SVC; did you mean sklearn.svm.SVC?",
)
UNKNOWN = "is not known; did you mean"
NO_IMPORT, RANGE = "cannot be imported", "must be a float in the range [0.0, inf)"
LEARNER = "scikit-learn learner: it lacks fit, predict, get_params or set_params"
MISSING = ".__init__() missing 1 required positional argument: 'steps'"
SCHEDULER = "needs execution.scheduler, as in tcp://127.0.0.1:8786"
A_DICTIONARY = "input should be a valid dictionary"
LINES = {None, *range(1, 500)}


def one_of(names) -> str:
    """The names as a message lists them."""
    *most, last = (repr(name) for name in names)
    return f"{', '.join(most)} or {last}"


ONE_BY_ONE = "use the rule minimum, or a criterion among E_val, E_cv, E_2cv, E_prog"


def lines_told(path, *changes) -> list[tuple[int | str | None, str]]:
    """For each line of the error the line of the file that it names, or --set, and the text after it."""
    with pytest.raises(UserError) as caught:
        load(path, changes)
    found = []
    for line in str(caught.value).split("\n"):
        _, number, override, text = re.fullmatch(rf"({path}(?:, line (\d+)|, (--set))?: )?(.*)", line).groups()
        found.append((int(number) if number else override, text))
    return found


def told(path, *changes) -> list[str]:
    """The texts of the error; what an override has brought in is told as such."""
    found = lines_told(path, *changes)
    assert {where for where, text in found if not text.startswith("--set ")} <= ({"--set"} if changes else {*LINES})
    return [text for _, text in found]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("split.fold=5", "split.fold is not known; did you mean split.folds?"),
        ("progressive.test_fraction=0.1", f"progressive.test_fraction {UNKNOWN} progressive.tested_fraction?"),
        ("folds=5", "folds is not known; did you mean split.folds?"),
        ("candidates.0.nme=a", "candidates[0].nme is not known; did you mean candidates.name?"),
        ("seed=-1", "seed is -1: input should be greater than or equal to 0"),
        ("seed=1.5", "seed is 1.5: input should be a valid integer"),
        ("seed=true", "seed is True: input should be a valid integer"),
        ("split.stratify=1", "split.stratify is 1: input should be a valid boolean"),
        ("split.test_fraction=1", "split.test_fraction is 1: input should be less than 1"),
        ("split.validation_fraction=0", "split.validation_fraction is 0: input should be greater than 0"),
        ("progressive.tested_fraction=-0.5", "progressive.tested_fraction is -0.5: input should be greater than 0"),
        ("progressive.block=0", "progressive.block is 0: input should be greater than or equal to 1 or 'auto'"),
        ("covalidation.repeats=0", "covalidation.repeats is 0: input should be greater than or equal to 1"),
        ("data.shards=0", "data.shards is 0: input should be greater than or equal to 1"),
        ("data.sampling=all", "data.sampling is 'all': input should be 'iid' or 'active'"),
        ("data.drop=id", "data.drop is 'id': input should be a valid list"),
        ("data.drop=[1]", "data.drop[0] is 1: input should be a valid string"),
        ("data.groups=[id]", "data.groups is ['id']: input should be a valid string"),
        ("split.gap=-1", "split.gap is -1: input should be greater than or equal to 0"),
        ("split.duplicates=drop", "split.duplicates is 'drop': input should be 'allow' or 'keep_together'"),
        ("selection.level=1", "selection.level is 1: input should be less than 1"),
        ("selection.criterion=E_out", f"selection.criterion is 'E_out': input should be {one_of(CRITERIA)}"),
        (
            "selection.rule=min",
            f"selection.rule is 'min': input should be {one_of(RULES)}; did you mean 'minimum'?",
        ),
        ("selection.nested=yes please", "selection.nested is 'yes please': input should be a valid boolean"),
        ("selection.reopen_test=1", "selection.reopen_test is 1: input should be a valid boolean"),
        (
            "deliver=folds",
            "deliver is 'folds': input should be 'final', 'k_fold', 'progressive' or 'vote'; did you mean 'k_fold'?",
        ),
        ("intervals=Wilson", f"intervals is 'Wilson': {A_DICTIONARY}"),
        ("candidates.0.family=5", f"candidates[0].family is 5: {A_DICTIONARY} or instance of TunedParameter"),
        ("candidates.0.family={parameter: a}", f"candidates[0].family.values {NO_DEFAULT}"),
        ("candidates.0.family={values: [1, 2]}", f"candidates[0].family.parameter {NO_DEFAULT}"),
        (
            "candidates.0.family={parameter: a, values: [1, 2], value: 3}",
            "candidates[0].family.value is not known; did you mean candidates.family.values?",
        ),
        (
            "candidates.0.family={parameter: var_smoothing, values: [1]}",
            "candidates[0].family.values is [1]: list should have at least 2 items after validation, not 1",
        ),
        ("execution.executor=ray", "execution.executor is 'ray': input should be 'local' or 'dask'"),
        ("execution.executor=dask", f"execution: executor is dask, which {SCHEDULER}"),
        ("tracking.registered_model=a/b", "tracking.registered_model is 'a/b': string should match pattern '^[^/:]+$'"),
        ("candidates=[]", "candidates is []: list should have at least 1 item after validation, not 0"),
        ("candidates.0=5", f"candidates[0] is 5: {A_DICTIONARY} or instance of Candidate"),
        ("candidates.0.params=5", f"candidates[0].params is 5: {A_DICTIONARY}"),
    ],
)
def test_a_mistake_is_told_with_its_key_its_value_and_what_is_allowed(shipped, change, message):
    assert [message] == told(shipped, change)


def line_of(path, key: str, nth: int = 1) -> int:
    """The line of the nth place where a key is written."""
    lines = path.read_text().splitlines()
    return [number for number, line in enumerate(lines, 1) if line.strip(" -").startswith(f"{key}:")][nth - 1]


def test_a_name_that_is_used_twice_is_told_where_it_comes_again(shipped):
    text = "candidates: the name 'forest' is used 2 times; give each candidate its own"
    assert [(line_of(shipped, "name", 7), text)] == lines_told(shipped, "candidates.0.name=forest")


@pytest.mark.parametrize(
    ("old", "new", "key", "nth"),
    [
        ("folds: 10", "folds: 1", "folds", 1),
        ("folds: 10", "folds: 10\n  fold: 10", "fold", 1),
        ("sampling: iid", "sampling: all", "sampling", 1),
        ("max_iter: 1000", "max_itr: 1000", "max_itr", 1),
        ("C: 0.1", "C: -1", "C", 1),
        ("n_neighbors: 5", "n_neighbors: 0", "n_neighbors", 1),
        ("preprocess: sklearn.preprocessing.StandardScaler", "preprocess: sklearn.svm.SVC", "preprocess", 1),
        ("estimator: sklearn.naive_bayes.GaussianNB", "estimator: sklearn.naive_bayes.X", "estimator", 1),
        ("name: rbf-svm", "name: forest", "name", 7),
        ("executor: local", "executor: dask", "executor", 1),
        ("intervals: null", "intervals:\n  E_val: Clopper-Pearson\n  E_cv: Wilson", "E_cv", 1),
        ("  shards: 4\n", "", "data", 1),
    ],
)
def test_a_mistake_is_told_with_its_line(shipped, tmp_path, old, new, key, nth):
    path = tmp_path / "params.yaml"
    text = shipped.read_text()
    assert 1 == text.count(old)
    path.write_text(text.replace(old, new))
    ((line, _),) = lines_told(path)
    assert line_of(path, key, nth) == line


def test_a_key_that_is_missing_at_the_top_is_told_with_the_first_line(shipped, tmp_path):
    path = tmp_path / "params.yaml"
    path.write_text(shipped.read_text().replace("seed: 0\n", ""))
    assert [(line_of(path, "data"), f"seed {NO_DEFAULT}")] == lines_told(path)


def test_a_key_that_is_written_twice_is_told_with_both_lines(shipped, tmp_path):
    path = tmp_path / "params.yaml"
    path.write_text(shipped.read_text().replace("  block: 10\n", "  block: 10\n  block: 20\n") + "seed: 1\n")
    block, last = line_of(path, "block"), len(path.read_text().splitlines())
    assert [
        (last, f"'seed' is written twice, first in line {line_of(path, 'seed')}; remove one of them"),
        (block + 1, f"'block' is written twice, first in line {block}; remove one of them"),
    ] == sorted(lines_told(path), reverse=True)


def test_the_line_of_what_an_anchor_brings_is_that_of_the_anchor(shipped, tmp_path):
    path = tmp_path / "params.yaml"
    text = shipped.read_text().replace("split:\n", "split: &split\n").replace("folds: 10", "folds: 1")
    path.write_text(text.replace("progressive:\n", "progressive:\n  <<: *split\n"))
    told_at = {text.split()[0]: line for line, text in lines_told(path)}
    assert told_at["split.folds"] == told_at["progressive.folds"] == line_of(path, "folds")


@pytest.mark.parametrize("place", ["seed", "intervals", "candidates"])
def test_an_alias_that_stands_for_too_much_or_for_itself_is_told(shipped, tmp_path, place):
    path = tmp_path / "params.yaml"
    bomb = "x0: &x0 [1, 1]\n" + "".join(f"x{n}: &x{n} [*x{n - 1}, *x{n - 1}]\n" for n in range(1, 40))
    for text in (bomb, f"{place}: &a [*a]\n", f"{place}: {'[' * 5000}"):
        path.write_text(text)
        assert 1 == len(told(path))


def test_a_value_that_would_fill_the_screen_is_shortened(shipped):
    (line,) = told(shipped, f"data.shards={[[list(range(20))] * 20] * 20}")
    assert line.startswith("data.shards is [[[0, 1, ")
    assert len(line) < 700


def test_an_interval_that_is_no_name_is_told(shipped):
    assert ["intervals.E_val is 5: input should be a valid string"] == told(shipped, "intervals.E_val=5")


def test_an_interval_of_an_estimate_that_has_none_is_told_with_those_that_have_one(shipped):
    (line,) = told(shipped, "intervals.E_out=Wilson")
    assert line.startswith("intervals names")
    assert line.endswith("'E_out'; intervals can be chosen for " + ", ".join(DEFAULTS))


def test_a_number_of_folds_below_two_is_told(shipped):
    (line,) = told(shipped, "split.folds=1")
    assert line.startswith("split.folds is 1: input should be greater than or equal to 2")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("estimator=SVC", f"'SVC' is not an import path; {AS_IN}"),
        ("estimator=sklearn.svm.SVX", f"'sklearn.svm.SVX' {NO_IMPORT}: sklearn.svm has no 'SVX'; did you mean {SVR}?"),
        ("estimator=sklearn.sv.SVC", f"'sklearn.sv.SVC' {NO_IMPORT} (No module named 'sklearn.sv'); {AS_IN}"),
        ("estimator=math.pi", "estimator 'math.pi' is no class"),
        ("estimator=builtins.dict", f"builtins.dict is no {LEARNER}"),
        ("preprocess=sklearn.dummy.X", f"'sklearn.dummy.X' {NO_IMPORT}: sklearn.dummy has no 'X'"),
        ("params.var_smoothin=1", f"params.var_smoothin is not a parameter of {BAYES}; did you mean var_smoothing?"),
        ("params.C=1", f"params.C is not a parameter of {BAYES}; it takes priors, var_smoothing"),
        ("params.var_smoothing=-3", f"The 'var_smoothing' parameter of GaussianNB {RANGE}. Got -3 instead."),
        ("params.var_smoothing=low", f"The 'var_smoothing' parameter of GaussianNB {RANGE}. Got 'low' instead."),
        ("estimator=sklearn.pipeline.Pipeline", f"sklearn.pipeline.Pipeline refuses its params: Pipeline{MISSING}"),
    ],
)
def test_a_learner_that_cannot_be_built_is_told_with_what_comes_nearest(shipped, change, message):
    trusted = "execution.allowed_modules=[sklearn, math, builtins]"
    assert [f"candidates[0]: {message}"] == told(shipped, f"candidates.0.{change}", trusted)


@pytest.mark.parametrize("rule", ["one_standard_error", "indistinguishable"])
@pytest.mark.parametrize(
    ("written", "criterion"), [("null", "E_maxdt"), ("E_maxdt", "E_maxdt"), ("max(E_cv, E_maxdt)",) * 2]
)
def test_a_rule_that_compares_losses_is_refused_for_a_criterion_that_is_no_mean_of_them(
    shipped, rule, written, criterion
):
    changes = [f"selection.rule={rule}", "data.sampling=active", f"selection.criterion={written}"]
    expected = f"selection.rule is {rule}, but {criterion} is no mean of paired losses; {ONE_BY_ONE}"
    assert [expected] == told(shipped, *changes)
    assert "E_cv" == load(shipped, [*changes, "data.sampling=iid", "selection.criterion=null"]).criterion


def fitting(estimate: str) -> str:
    return ", ".join(method.name for method in METHODS if estimate in method.covers)


@pytest.mark.parametrize(
    ("estimate", "name", "reason"),
    [
        ("E_cv", "bayes within", "'bayes within' is not known"),
        ("E_cv", "Clopper-Pearson", "'Clopper-Pearson' covers E_val and E_test alone"),
        ("E_val", "nested", "'nested' covers E_cv alone"),
        ("E_prog", "", "'' is not known"),
        ("disagreement", "wilson", "'wilson' covers "),
    ],
)
def test_an_interval_that_cannot_be_is_told_with_those_that_can(shipped, estimate, name, reason):
    (line,) = told(shipped, f"intervals={{{estimate}: {name!r}}}")
    assert line.startswith("intervals: ")
    assert f": {reason}" in line
    assert line.endswith(f"; for {estimate} use {fitting(estimate)}")
    for offered in fitting(estimate).split(", "):
        load(shipped, [f"intervals={{{estimate}: {offered}}}"])


SGD = "sklearn.linear_model.SGDClassifier"


@pytest.mark.parametrize(
    ("estimator", "family", "message"),
    [
        (SGD, "parameter: alfa, values: [1, 2]", "parameter is 'alfa'; it must be epochs, or one of SGDClassifier's "),
        ("sklearn.svm.SVC", "parameter: epochs, values: [1, 2]", "parameter is epochs, but SVC has no partial_fit"),
        (SGD, "parameter: epochs, values: [4, 2]", "values is [4, 2]; epochs must be ascending whole numbers from 1"),
        (SGD, "parameter: epochs, values: [2, 2]", "values is [2, 2]; epochs must be ascending whole numbers from 1"),
        (SGD, "parameter: epochs, values: [0, 2]", "values is [0, 2]; epochs must be ascending whole numbers from 1"),
        (SGD, "parameter: epochs, values: [1, 2.5]", "values is [1, 2.5]; epochs must be ascending whole numbers "),
        (SGD, "parameter: epochs, values: [true, 2]", "values is [True, 2]; epochs must be ascending whole numbers "),
        (SGD, "parameter: alpha, values: [0.1, -1]", "The 'alpha' parameter of SGDClassifier must be a float in the "),
        (SGD, "parameter: alpha, values: [0.1, big]", "The 'alpha' parameter of SGDClassifier must be a float in the "),
    ],
)
@pytest.mark.parametrize("preprocess", ["null", "sklearn.preprocessing.StandardScaler"])
def test_a_family_that_cannot_be_fitted_is_told_before_any_fit(shipped, estimator, family, message, preprocess):
    candidate = f"{{name: path, estimator: {estimator}, preprocess: {preprocess}, family: {{{family}}}}}"
    (line,) = told(shipped, f"candidates.0={candidate}")
    assert line.startswith(f"candidates[0]: {message}")


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


def test_every_key_that_is_misspelt_is_told_with_the_right_one(shipped, tmp_path):
    path = tmp_path / "params.yaml"
    raw = yaml.safe_load(shipped.read_text())
    for place in keys(raw):
        for wrong in (place[-1] + place[-1][-1], place[-1][1:], place[-1].replace("_", "")):
            changed, parent, value = without(raw, place)
            if wrong == place[-1] or wrong in parent:
                continue
            parent[wrong] = value
            path.write_text(yaml.safe_dump(changed))
            expected = f"{dotted((*place[:-1], wrong))} is not known; did you mean {dotted(place, numbers=False)}?"
            assert expected in told(path)


OPTIONAL = {"data.target", "data.positive", "data.drop", "data.labeled_rows", "data.unlabeled", "selection.criterion"}
OPTIONAL |= {"data.columns", "data.missing", "data.on_bad_shard"}
OPTIONAL |= {"execution.scheduler", "candidates.params", "candidates.preprocess", "candidates.family"}
OPTIONAL |= {"data.groups", "data.time", "data.weight", "split.gap", "split.duplicates", "split.repeats"}
# no number, or none but the study's
OPTIONAL |= {"loss", "intervals", "deliver", "selection.nested", "selection.reopen_test"}
OPTIONAL |= {"execution.allowed_modules", "execution.shortcuts", "candidates.grid", "candidates.update"}


def test_every_key_without_which_a_run_has_no_number_is_required(shipped, tmp_path):
    path = tmp_path / "params.yaml"
    raw = yaml.safe_load(shipped.read_text())
    for place in keys(raw):
        changed, _, _ = without(raw, place)
        path.write_text(yaml.safe_dump(changed))
        if dotted(place, numbers=False) in OPTIONAL:
            load(path)
        else:
            assert [f"{dotted(place)} {NO_DEFAULT}"] == told(path)


@pytest.mark.parametrize(("count", "lines"), [(1, 1), (10, 10), (11, 11), (25, 11)])
def test_at_most_ten_mistakes_are_told_and_the_others_counted(shipped, tmp_path, count, lines):
    path = tmp_path / "params.yaml"
    path.write_text(shipped.read_text() + "".join(f"extra{number}: 1\n" for number in range(count)))
    found = told(path)
    assert lines == len(found)
    assert ([f"… and {count - 10} more"] if count > 10 else []) == found[10:]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [1", "is not valid YAML: while parsing a flow sequence "),
        ("a:\n\t- b", "is not valid YAML: while scanning for the next token "),
        ("- a", "must be a mapping with the keys seed, data, split, "),
        ("", "must be a mapping with the keys seed, data, split, "),
    ],
)
def test_a_file_that_is_no_mapping_is_told_in_one_line(tmp_path, text, message):
    path = tmp_path / "params.yaml"
    path.write_text(text)
    (line,) = told(path)
    assert line.startswith(message)


def test_a_file_that_cannot_be_read_is_told_with_its_path(tmp_path):
    Path("latin.yaml").write_bytes(b"seed: \xff")
    for path in (Path("nowhere.yaml"), tmp_path, Path("latin.yaml")):
        with pytest.raises(UserError, match=rf"^{path}: cannot be read \(.*\); name a parameter file with --params$"):
            load(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("seed", "must have the form a.b=c, as in --set split.folds=5"),
        ("=5", "must have the form a.b=c, as in --set split.folds=5"),
        ("seed={", "'{' is not valid YAML"),
        ("seed.x=1", "there is nothing at seed to set a key of"),
        ("data.source.x.y=1", "there is nothing at data.source.x to set a key of"),
        ("candidates.99.name=a", "there is nothing at candidates.99 to set a key of"),
        ("candidates.first.name=a", "there is nothing at candidates.first to set a key of"),
    ],
)
def test_an_override_that_sets_nothing_is_told_as_it_was_written(shipped, change, message):
    assert [f"--set {change}: {message}"] == told(shipped, change)
