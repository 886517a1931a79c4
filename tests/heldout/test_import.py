"""Importing the science is cheap: no pipeline, no data frames, no learners."""

import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import heldout

HEAVY = ("prefect", "mlflow", "dvc", "pandas", "pyarrow", "sklearn", "scipy.stats")
MODULES = ["heldout", *(module.name for module in pkgutil.walk_packages(heldout.__path__, "heldout."))]


def loaded_by(code: str) -> set[str]:
    """The names of all modules that a fresh interpreter has loaded after `code`."""
    root = str(Path(heldout.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": root, "PYTHONDONTWRITEBYTECODE": "1"}
    run = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(run.stdout.split())


def test_the_walk_finds_the_modules_of_the_package():
    assert {"heldout.partition", "heldout.intervals.wilson"} <= set(MODULES)


@pytest.mark.parametrize("modules", [["heldout"], MODULES], ids=["package", "every_module"])
def test_importing_heldout_loads_nothing_heavy(modules: list[str]):
    loaded = loaded_by(f"import {', '.join(modules)}")
    assert set(modules) <= loaded
    assert set() == loaded.intersection(HEAVY)


def test_the_probe_sees_a_heavy_module_when_one_is_loaded():
    assert "scipy.stats" in loaded_by("import heldout, scipy.stats")
