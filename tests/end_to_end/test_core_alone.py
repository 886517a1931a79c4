"""The science without the pipeline: an environment with numpy, scipy and scikit-learn alone."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
THREE_LINES = """
import sys
import heldout
assert not {"sklearn", "pandas", "prefect", "mlflow", "scipy.stats"} & set(sys.modules)
from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.tree import DecisionTreeClassifier
X, y = load_breast_cancer(return_X_y=True)
v = heldout.validate(
    {"lda": LinearDiscriminantAnalysis(), "tree": DecisionTreeClassifier()}, X[:300], y[:300], unlabeled=X[300:], seed=0
)
print(v)
print(v.select(criterion="E_cv", rule="one_standard_error").selected)
for door in (v.plot, lambda: v.prediction_sets(X[300:])):
    try:
        door()
    except ImportError as error:
        print(error)
"""


@pytest.mark.long
def test_the_three_lines_run_where_the_core_alone_is_installed(tmp_path):
    source, python = tmp_path / "source", tmp_path / "venv" / "bin" / "python"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    shutil.copytree(ROOT / "heldout", source / "heldout", ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", str(source)], check=True)
    installed = subprocess.run([python, "-m", "pip", "list"], capture_output=True, text=True, check=True).stdout
    assert not any(name in installed for name in ("pandas", "prefect", "mlflow", "matplotlib", "mapie"))
    ran = subprocess.run([python, "-c", THREE_LINES], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert 0 == ran.returncode, ran.stderr
    lines = ran.stdout.splitlines()
    assert "errors in percent, intervals at 95 %; * least E_cv" == lines[0]
    assert ["lda", "plot() needs matplotlib, which is not installed: pip install matplotlib"] == lines[-3:-1]
    assert "prediction sets need MAPIE, which is not installed: pip install mapie" == lines[-1]
