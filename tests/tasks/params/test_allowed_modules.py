"""A params.yaml from a stranger runs no code: what is not allowed is never imported, and nothing stands in for it."""

import sys
from pathlib import Path

import pytest

from tasks.params import allowed_imports, load
from tasks.params.allowed_imports import resolve
from tasks.runtime.errors import UserError
from tests.tasks.mistakes import assert_names, mistakes

pytestmark = pytest.mark.fault("hostile")

EVIL = """
from pathlib import Path

Path(__file__).with_name("ran").touch()

from sklearn.dummy import DummyClassifier


class Learner(DummyClassifier): ...


def factory():
    return Learner()
"""
BAYES = "sklearn.naive_bayes.GaussianNB"
CALIBRATED = "sklearn.calibration.CalibratedClassifierCV"
STACKED = "sklearn.ensemble.StackingClassifier"


@pytest.fixture
def folder(tmp_path, shipped):
    """A folder with a stranger's parameters and modules, which is not the current one."""
    made = tmp_path / "stranger"
    made.mkdir()
    (made / "params.yaml").write_text(shipped.read_text())
    for name in ("evil_module", "sklearn", "json", "xgboost", "absent_extra", "polars", "cupy"):
        (made / f"{name}.py").write_text(EVIL)
    (made / "evil_package").mkdir()
    (made / "evil_package/__init__.py").write_text(EVIL)
    (made / "evil_package/inner.py").write_text(EVIL)
    return made


def candidate(path, **more) -> str:
    extra = "".join(f", {key}: {value}" for key, value in more.items())
    return f"candidates=[{{name: a, estimator: {path}{extra}}}]"


HOSTILE = {
    "own module": candidate("evil_module.Learner"),
    "own package": candidate("evil_package.inner.Learner"),
    "factory": candidate("evil_module.factory"),
    "preprocess": candidate(BAYES, preprocess="evil_module.Learner"),
    "inside": candidate(CALIBRATED, params="{estimator: {estimator: evil_module.Learner}}"),
    "inside a list": candidate(STACKED, params="{estimators: [[a, {estimator: evil_module.Learner}]]}"),
    "inside an inside": candidate(
        CALIBRATED,
        params=f"{{estimator: {{estimator: {CALIBRATED}, params: {{estimator: {{estimator: evil_module.Learner}}}}}}}}",
    ),
    "in a grid": candidate(CALIBRATED, grid="{estimator: [{estimator: evil_module.Learner}]}"),
    "in a step": candidate(CALIBRATED, params="{estimator__x: {estimator: evil_module.Learner}}"),
    "relative": candidate(".evil_module.Learner"),
    "a path": candidate("'sklearn./../evil_module.Learner'"),
    "a prefix": candidate("sklearn_evil.Learner"),
    "the system": candidate("os.system"),
    "a class that is called": candidate("fractions.Fraction", params="{numerator: 1}"),
    "evaluated": candidate("builtins.eval", params="{source: 1}"),
    "re-exported module": candidate("sklearn.utils._testing.os.system"),
    "re-exported function": candidate("sklearn.base.clone"),
    "copied": candidate("sklearn.base.copy.deepcopy"),
    "at the top": candidate("sklearn.os.system"),
    "re-exported class": candidate("sklearn.utils._testing.TemporaryDirectory"),
    "external": candidate("sklearn.externals._packaging.version.Version"),
    "loader": candidate("sklearn.datasets.fetch_openml"),
    "no learner": candidate("sklearn.utils.Bunch"),
}


@pytest.mark.parametrize("change", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_file_is_refused_and_runs_nothing(folder, change):
    before = {*sys.modules}
    (mistake,) = mistakes(folder / "params.yaml", change)
    assert mistake.key.startswith("candidates[0].")
    assert not (folder / "ran").exists()
    assert not Path("ran").exists()
    assert str(folder) not in sys.path
    assert [] == [name for name in {*sys.modules} - before if name.startswith("evil")]


def test_a_class_that_an_allowed_module_has_from_elsewhere_is_refused_by_its_home(folder):
    (folder / "own_wrapper.py").write_text("from subprocess import Popen as Learner\n")
    trusted = "execution.allowed_modules=[own_wrapper]"
    (mistake,) = mistakes(folder / "params.yaml", candidate("own_wrapper.Learner"), trusted)
    assert "candidates[0].estimator" == mistake.key
    assert_names(mistake, "'own_wrapper.Learner'", "subprocess.Popen", "subprocess", "execution.allowed_modules")


def test_a_class_that_is_no_learner_is_never_called(folder):
    called = "from pathlib import Path\n\nclass Called:\n    def __init__(self, name):\n        Path(name).touch()\n"
    (folder / "own_called.py").write_text(called)
    change = candidate("own_called.Called", params="{name: ran}")
    (mistake,) = mistakes(folder / "params.yaml", change, "execution.allowed_modules=[own_called]")
    assert "candidates[0].estimator" == mistake.key
    assert_names(mistake, "own_called.Called", "fit")
    assert not Path("ran").exists()


def test_a_file_beside_the_parameters_never_stands_in_for_an_installed_module(folder):
    (folder / "own_plain.py").write_text("import json\nimport sklearn\n" + EVIL.replace('"ran"', '"own_ran"'))
    trusted = "execution.allowed_modules=[own_plain, sklearn]"
    load(folder / "params.yaml", [candidate("own_plain.Learner"), trusted])
    assert (folder / "own_ran").exists()
    assert not (folder / "ran").exists()
    assert str(folder) == sys.path[-1]


def test_a_default_that_is_not_installed_is_not_looked_for_beside_the_parameters(folder, monkeypatch):
    monkeypatch.setattr(allowed_imports, "DEFAULT", (*allowed_imports.DEFAULT, "absent_extra"))
    allowed = "execution.allowed_modules=[sklearn, absent_extra]"
    (mistake,) = mistakes(folder / "params.yaml", candidate("absent_extra.Learner"), allowed)
    assert_names(mistake, "'absent_extra.Learner'", "No module", "pip install '.[boosting]'")
    assert not (folder / "ran").exists()


def test_nothing_of_the_folder_is_imported_where_no_own_module_is_named(folder):
    load(folder / "params.yaml")
    assert str(folder) not in sys.path


def test_what_is_allowed_can_be_narrowed_and_heldout_runs_anyway(folder):
    params = folder / "params.yaml"
    (mistake,) = mistakes(params, candidate(BAYES), "execution.allowed_modules=[sklearn.svm]")
    assert_names(mistake, repr(BAYES), "sklearn.naive_bayes", "execution.allowed_modules", "sklearn.svm")
    assert load(params, [candidate("sklearn.svm.SVC"), "execution.allowed_modules=[sklearn.svm]"])
    voting = candidate("heldout.KFoldHypothesis", params="{learner: {estimator: sklearn.svm.SVC}, folds: 3}")
    assert "KFoldHypothesis" == type(load(params, [voting]).candidates[0].learner()).__name__


@pytest.mark.parametrize("names", ["5", "[1]", "['a b']", "null", "['../evil']", "{a: 1}"])
def test_an_allow_list_that_is_none_is_reported_and_allows_nothing(folder, names):
    with pytest.raises(UserError, match=r", --set: execution\.allowed_modules"):
        load(folder / "params.yaml", [candidate("evil_module.Learner"), f"execution.allowed_modules={names}"])
    assert not (folder / "ran").exists()


def test_where_no_list_is_written_the_defaults_hold(folder):
    path = folder / "params.yaml"
    path.write_text("".join(line for line in path.read_text().splitlines(True) if "allowed_modules:" not in line))
    assert ["sklearn", "lightgbm", "xgboost"] == load(path).execution.allowed_modules
    with pytest.raises(UserError):
        load(path, [candidate("evil_module.Learner")])


@pytest.mark.parametrize(
    ("path", "near"),
    [
        ("SVC", "sklearn.svm.SVC"),
        ("sklearn.RandomForestClasifier", "sklearn.ensemble.RandomForestClassifier"),
        ("sklearn.calibrate.CalibratedClassifierCV", "sklearn.calibration.CalibratedClassifierCV"),
        ("skl.naive_bayes.GaussianNB", "sklearn.naive_bayes.GaussianNB"),
    ],
)
def test_a_path_that_leads_nowhere_is_reported_with_the_nearest_learner(path, near):
    with pytest.raises(ValueError, match=f"; did you mean {near}[?]$"):
        resolve(path)


@pytest.mark.fault("learner")
@pytest.mark.parametrize("where", ["at its import", "in its constructor"])
def test_a_module_that_would_end_the_command_is_refused(where, settings_with, checkout):
    exits = {"at its import": ("raise SystemExit(0)", "pass"), "in its constructor": ("", "raise SystemExit(0)")}
    first, inside = exits[where]
    Path("leaver.py").write_text(
        f"{first}\nfrom sklearn.naive_bayes import GaussianNB\n\n"
        f"class Leaver(GaussianNB):\n    def __init__(self):\n        {inside}\n"
    )
    allowed_imports.use_folder(str(checkout), ["leaver"])
    with pytest.raises(UserError) as caught:
        settings_with("candidates=[{name: a, estimator: leaver.Leaver}]", "execution.allowed_modules=[leaver]")
    assert_names(str(caught.value), "candidates[0].estimator", "leaver.Leaver")
