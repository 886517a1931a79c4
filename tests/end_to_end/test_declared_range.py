"""The range of versions that pyproject.toml declares, at its lowest and at its latest: `make lowest`, before a release.

Each in a new virtual environment, for each Python that is on this machine (environments.py).
"""

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version as version_here
from pathlib import Path

import pytest

from tests.end_to_end.environments import LATEST, LOWEST, VERSIONS, install, installed, interpreter, new_environment

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]
ROOT = Path(__file__).parents[2]
NUMBERS = Path(__file__).with_name("estimates_here.py")
# the tests' own tools, at the versions of this environment
TOOLS = ("hypothesis", "pip", "prettytable", "pyarrow", "pytest", "pytest-timeout", "pyyaml", "setuptools", "skops")
FRAMES = {LOWEST: "polars==1.40.0", LATEST: "polars"}  # scikit-learn 1.6 knows no later frames
# what scikit-learn 1.6 does otherwise: folds in which names become means are its own, and a target encoder takes none;
# the last digit of a sum over a frame in another order of memory; no table of pyarrow is taken; float32 has
# coefficients of float64; no gaps under constraints; LightGBM 4.6 ends with an AttributeError at a frame of polars;
# narwhals 2.2 looks for pandas once
NOT_ASKED = (
    "tests/heldout/test_native_columns.py::test_the_mean_of_a_name_does_not_hold_the_label_of_its_own_row",
    "tests/heldout/notebook/test_validation_frames.py::test_numbers_are_equal_to_the_last_digit",
    "tests/heldout/test_preprocessing.py::"
    "test_a_frame_of_another_library_becomes_the_same_numbers_and_is_validated_alike[pyarrow]",
    *(
        f"tests/heldout/learners/test_repeatable.py::test_{name}"
        for name in (
            "a_target_encoder_has_the_kind_of_folds_that_it_would_draw",
            "splitters_encoders_and_learners_in_lists_are_open_until_they_are_seeded[learner0-opened0]",
            "splitters_encoders_and_learners_in_lists_are_open_until_they_are_seeded[learner1-opened1]",
            "what_is_written_stays[written0]",
            "what_is_written_stays[written1]",
        )
    ),
    "tests/heldout/learners/test_taken_frames.py::"
    "test_numbers_of_polars_and_what_another_step_made_of_columns_are_taken",
    "tests/heldout/notebook/test_as_html.py::test_without_pandas_the_data_frame_says_what_is_missing",
    "tests/heldout/batched/test_linear.py::test_single_precision_is_left_to_each_hypothesis",
    "tests/heldout/batched/test_trees.py::test_trees_under_constraints_answer_at_gaps_too",
)
OURS = {"heldout", "studies", "tests"}  # studies/intervals needs the science alone
# sums in another order, and other implementations of the same functions: seen are 1e-12, of errors of 3000 and of 0.1
TOLERANCE = 1e-9


def numbers(python: str | Path, **environment: str) -> dict[str, dict[str, list[float]]]:
    """What estimates_here.py prints."""
    ran = subprocess.run(
        [python, NUMBERS], env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert 0 == ran.returncode, ran.stderr
    return json.loads(ran.stdout)


@pytest.fixture(scope="module")
def here():
    """The numbers by the versions of requirements.lock."""
    return numbers(sys.executable, PYTHONPATH=str(ROOT))


@pytest.mark.parametrize("resolution", [LOWEST, LATEST])
@pytest.mark.parametrize("version", VERSIONS)
def test_the_estimates_are_those_of_the_lock(version, resolution, wheel, here, tmp_path):
    python = new_environment(version, tmp_path / "venv", wheel, resolution)
    found = numbers(python)
    print(version, resolution, installed(python))  # pytest -rP shows it
    for task, expected in here.items():
        assert len(expected) > 30
        assert expected.keys() == found[task].keys()
        for what, of in expected.items():
            assert pytest.approx(of, rel=TOLERANCE, abs=TOLERANCE) == found[task][what], (task, what)


@pytest.mark.parametrize("resolution", [LOWEST, LATEST])
def test_the_tests_of_the_science_pass(resolution, wheel, snapshot, tmp_path):
    version = next(version for version in VERSIONS if interpreter(version))
    python = new_environment(version, tmp_path / "venv", wheel, resolution, extras=["notebook", "boosting"])
    install(python, FRAMES[resolution], *(f"{name}=={version_here(name)}" for name in TOOLS))
    ignored = [f"--ignore={path}" for path in needing_more(snapshot / "tests/heldout", python)]
    if resolution == LOWEST:
        ignored += [f"--deselect={test}" for test in NOT_ASKED]
    command = [python, "-m", "pytest", "tests/heldout", "-q", "-p", "no:cacheprovider", *ignored]
    ran = subprocess.run(command, cwd=snapshot, capture_output=True, text=True, check=False)
    assert 0 == ran.returncode, ran.stdout[-20_000:] + ran.stderr
    assert int(re.search(r"(\d+) passed", ran.stdout)[1]) > 4000
    print(installed(python), *ignored, ran.stdout[-2000:], sep="\n")


def needing_more(tests: Path, python: Path) -> Iterator[Path]:
    """The files that import, at their top, what the environment has not: the pipeline."""
    roots = {path: {name.partition(".")[0] for name in imported(path)} - OURS for path in tests.rglob("*.py")}
    every = sorted(set().union(*roots.values()))
    find = "import importlib.util as u, sys; print(*(name for name in sys.argv[1:] if not u.find_spec(name)))"
    command = [python, "-P", "-c", find, *every]  # without the folder of the tests
    missing = {*subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()}
    return (path for path, needed in roots.items() if needed & missing)


def imported(path: Path) -> Iterator[str]:
    """The modules that a file imports at its top."""
    for line in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(line, ast.Import):
            yield from (name.name for name in line.names)
        elif isinstance(line, ast.ImportFrom):
            yield line.module
