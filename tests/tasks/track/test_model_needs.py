"""What a logged model needs to be loaded elsewhere: its packages, and the code that no index has."""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from xgboost import XGBClassifier

import heldout
from heldout.hypotheses import KFoldHypothesis
from tasks.storage import model_file
from tasks.track.registry import _needs

ALWAYS = {"scikit-learn", "numpy", "scipy", "pandas", "skops"}
MINE = "import needed_by_mine\nfrom sklearn.naive_bayes import GaussianNB\n\n\nclass Mine(GaussianNB):\n    pass\n"
LOAD = """
import sys
import skops.io
sys.path.insert(0, sys.argv[2])
model = skops.io.load(sys.argv[1], trusted=skops.io.get_untrusted_types(file=sys.argv[1]))
print(type(model).__name__)
"""


@pytest.fixture
def needs(tmp_path, monkeypatch):
    """A function from a learner to the code and the packages of its saved model."""
    monkeypatch.chdir(tmp_path)

    def of(learner):
        model_file.save(learner.fit(*load_iris(return_X_y=True)), Path("model.skops"))
        return _needs(model_file.untrusted_types(Path("model.skops")))

    return of


def test_a_learner_of_scikit_learn_needs_no_code(needs):
    code, packages = needs(LogisticRegression(max_iter=1000))
    assert [] == code
    assert {name: version(name) for name in ALWAYS} == packages


def test_what_is_made_of_fits_needs_our_package_and_that_of_its_learner(needs):
    code, packages = needs(KFoldHypothesis(XGBClassifier(n_estimators=2)))
    assert [Path(heldout.__file__).parent] == code
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
    ran = subprocess.run(
        [sys.executable, "-c", LOAD, tmp_path / "model.skops", copied],
        capture_output=True,
        text=True,
        check=False,
        cwd=copied,
    )
    assert "Mine" == ran.stdout.strip(), ran.stderr
