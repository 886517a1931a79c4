"""What a logged model needs to be loaded elsewhere: its packages, and the code that no index has."""

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from xgboost import XGBClassifier

import heldout
from heldout.family import TunedEstimator
from heldout.hypotheses import KFoldHypothesis, ProgressiveHypothesis
from heldout.online import OnePass
from heldout.preprocessing import auto
from tasks.storage import model_file
from tasks.track.registry import _needs
from tasks.track.stored_code import packed

ALWAYS = {"scikit-learn", "numpy", "scipy", "pandas", "skops"}
MINE = "import needed_by_mine\nfrom sklearn.naive_bayes import GaussianNB\n\n\nclass Mine(GaussianNB):\n    pass\n"
LOAD = """
import sys
import skops.io
sys.path.insert(0, sys.argv[2])  # as MLflow does
model = skops.io.load(sys.argv[1], trusted=skops.io.get_untrusted_types(file=sys.argv[1]))
print(type(model).__name__)
"""
ANSWER = """
from sklearn.datasets import load_iris
print(model.predict(load_iris(as_frame=True).data).tolist())
"""
IMPORT_ALL = """
import importlib, pkgutil, sys
sys.path.insert(0, sys.argv[1])
import heldout
for one in pkgutil.walk_packages(heldout.__path__, "heldout."):
    try:
        importlib.import_module(one.name)
    except ModuleNotFoundError:
        print(one.name)
"""
OURS = (
    KFoldHypothesis(make_pipeline(auto(GaussianNB()), GaussianNB())),
    ProgressiveHypothesis(OnePass(GaussianNB())),
    TunedEstimator(GaussianNB(), "var_smoothing", [1e-9, 0.1]),
)


@pytest.fixture
def needs(tmp_path, monkeypatch):
    """A function from a learner to the code and the packages of its saved model."""
    monkeypatch.chdir(tmp_path)

    def of(learner):
        model_file.save(learner.fit(*load_iris(return_X_y=True, as_frame=True)), Path("model.skops"))
        return _needs(model_file.untrusted_types(Path("model.skops")), tmp_path)

    return of


def test_a_learner_of_scikit_learn_needs_no_code(needs):
    code, packages = needs(LogisticRegression(max_iter=1000))
    assert [] == code
    assert {name: version(name) for name in ALWAYS} == packages


def test_what_is_made_of_fits_needs_our_package_and_that_of_its_learner(needs):
    code, packages = needs(KFoldHypothesis(XGBClassifier(n_estimators=2)))
    assert ["heldout"] == [path.name for path in code]
    assert version("xgboost-cpu") == packages["xgboost-cpu"]
    assert {*packages} == {*ALWAYS, "xgboost-cpu"}


def test_a_class_of_the_users_needs_its_module_and_those_that_it_imports(needs, tmp_path, monkeypatch):
    (tmp_path / "needs_more.py").write_text(MINE)
    (tmp_path / "needed_by_mine.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    from needs_more import Mine

    code, packages = needs(Mine())
    assert [tmp_path / "needed_by_mine.py", tmp_path / "needs_more.py"] == code
    assert ALWAYS == {*packages}
    copied = tmp_path / "elsewhere"
    copied.mkdir()
    for file in code:
        (copied / file.name).write_text(file.read_text())
    ran = _ran(LOAD, tmp_path / "model.skops", copied)
    assert "Mine" == ran.stdout.strip(), ran.stderr


def _ran(script, *arguments):
    """A script where heldout is not installed: in a folder of its own, without the finder of an editable install."""
    hide = "import sys\nsys.meta_path[:] = [one for one in sys.meta_path if 'editable' not in str(one).lower()]\n"
    return subprocess.run(
        [sys.executable, "-c", hide + script, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=arguments[-1],
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
    )


@pytest.mark.parametrize("learner", OURS, ids=lambda one: type(one).__name__)
def test_a_model_of_ours_answers_where_heldout_is_not_installed(needs, tmp_path, learner):
    needs(learner)
    ran = _ran(LOAD + ANSWER, tmp_path / "model.skops", tmp_path)
    kind, answers = ran.stdout.splitlines() or (ran.stderr, "")
    assert (type(learner).__name__, str(learner.predict(load_iris(as_frame=True).data).tolist())) == (kind, answers)


def test_all_that_is_taken_along_can_be_imported_but_what_compares_with_a_constant(tmp_path):
    ran = _ran(IMPORT_ALL, packed(tmp_path).parent)
    with_a_constant = ("beats_baseline", "comparison", "differences", "doubts", "margin", "paired_losses")
    assert ([f"heldout.selection.{name}" for name in with_a_constant], "") == (ran.stdout.split(), ran.stderr)


def test_what_is_taken_along_is_a_tenth_and_gives_way_to_what_is_installed(tmp_path):
    first, second = (packed(tmp_path / name) for name in ("first", "second") if (tmp_path / name).mkdir() is None)
    assert [file.read_bytes() for file in first.iterdir()] == [file.read_bytes() for file in second.iterdir()]
    assert 300_000 > sum(file.stat().st_size for file in first.iterdir())
    installed = Path(heldout.__file__)
    script = f"import sys\nsys.path[:0] = {[str(first.parent), str(second.parent), str(installed.parents[1])]!r}\n"
    ran = _ran(script + "import heldout\nprint(heldout.__file__, heldout.Validation.__name__, len(sys.path))", tmp_path)
    assert [str(installed), "Validation"] == ran.stdout.split()[:2], ran.stderr
