"""The science without the pipeline: the wheel in environments with numpy, scipy and scikit-learn alone."""

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from tasks.init.project_files import FILES
from tests.end_to_end.environments import LATEST, VERSIONS, installed, new_environment
from tests.heldout.notebook.test_notebook_page import shown

ROOT = Path(__file__).parents[2]
BEFORE = """
import sys
import heldout
assert not {"sklearn", "pandas", "prefect", "mlflow", "scipy.stats"} & set(sys.modules)
"""
AFTER = """
assert "<table>" in v._repr_html_()
print(repr(v))
print(v.winner in str(v))
print(v.prediction_sets(X_new).sets.shape)
for door in (v.plot, v.to_frame, lambda: heldout.audit(X, y)):
    try:
        door()
    except ImportError as error:
        print(error)
"""


def section() -> str:
    """The lines of Python that the page for notebooks shows, without those that need an extra."""
    block, calls = shown()
    assert "heldout.validate(" in block
    extra = (".prediction_sets(", ".plot(", ".to_frame(", ".audit(")
    lines = [*block.splitlines(), *calls]
    return "".join(f"{line}\n" for line in lines if not any(name in line for name in extra))


def test_each_version_of_python_that_is_tested_is_promised():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    promised = [name.rpartition(" ")[2] for name in project["classifiers"] if "Python :: 3." in name]
    assert [*VERSIONS] == promised
    assert f">={VERSIONS[0]}" == project["requires-python"]


@pytest.mark.slow
def test_the_wheel_is_pure_and_typed_and_takes_no_general_name(wheel):
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as file:
        names = file.namelist()
        (metadata,) = [file.read(name).decode() for name in names if name.endswith(".dist-info/METADATA")]
    assert "heldout/py.typed" in names
    assert {"heldout", "heldout_pipeline"} == {name.partition("/")[0] for name in names if ".dist-info" not in name}
    ours = {path for folder in ("heldout", "flows", "tasks") for path in (ROOT / folder).rglob("*.py")}
    ours = {path.relative_to(ROOT).as_posix() for path in ours}
    ours |= {name for name in FILES if name.endswith(".py")}
    assert ours == {name.removeprefix("heldout_pipeline/") for name in names if name.endswith(".py")}
    assert "Requires-Python: >=3.11\n" in metadata


@pytest.mark.long
@pytest.mark.parametrize("version", VERSIONS)
def test_the_lines_for_a_notebook_run_where_the_core_alone_is_installed(version, wheel, tmp_path):
    python = new_environment(version, tmp_path / "venv", wheel, LATEST)
    assert not {"pandas", "prefect", "mlflow", "matplotlib", "mapie", "tqdm"} & {*installed(python)}
    code = f"{BEFORE}{section()}{AFTER}"
    ran = subprocess.run([python, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert 0 == ran.returncode, ran.stderr
    short, printed, sets, plot, frame, audit = ran.stdout.splitlines()
    assert "True" == printed
    assert "(269, 2)" == sets
    assert short.startswith("<Validation: 2 candidates, 300 rows; lda: E_cv ")
    assert "plot() needs matplotlib, which is not installed: pip install matplotlib" == plot
    assert "to_frame() needs pandas, which is not installed: pip install pandas" == frame
    assert "audit() needs pandas, which is not installed: pip install pandas" == audit


def test_the_interpreter_of_this_environment_is_one_of_them():
    assert f"{sys.version_info.major}.{sys.version_info.minor}" in VERSIONS
