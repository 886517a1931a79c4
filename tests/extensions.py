"""Packages with entry points for heldout, installed into folders of their own, and Python in which they are."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from heldout.extensions import VARIABLE

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "docs/examples/heldout_example"
MODULE = "heldout_example"


def install_example(folder: Path) -> Path:
    """The example of the documentation, by pip, without network; returns where it is."""
    source, target = folder / "source", folder / "installed"
    shutil.copytree(EXAMPLE, source)  # a build leaves files in the source
    quiet = ("--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--disable-pip-version-check")
    command = [sys.executable, "-m", "pip", "install", *quiet, "--target", str(target), str(source)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return target


def install(folder: Path, name: str, entries: Mapping[str, Mapping[str, str]], **modules: str) -> Path:
    """A package as pip would leave it: `modules` are the texts of its files; returns where it is."""
    package, metadata = folder / name, folder / f"{name}-1.0.dist-info"
    package.mkdir(parents=True)
    metadata.mkdir()
    (package / "__init__.py").write_text(modules.pop("init", ""))
    for module, text in modules.items():
        (package / f"{module}.py").write_text(text)
    lines = [
        line for group, points in entries.items() for line in (f"[{group}]", *(f"{a} = {b}" for a, b in points.items()))
    ]
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("\n".join(lines))
    return folder


def python(code: str, *folders: Path, allowed: str = "") -> subprocess.CompletedProcess[str]:
    """A fresh interpreter in which the packages of `folders` are installed, after `code`."""
    path = os.pathsep.join(map(str, (ROOT, *folders)))
    inherited = {name: value for name, value in os.environ.items() if name != VARIABLE}
    environment = {**inherited, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    environment |= {VARIABLE: allowed} if allowed else {}
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
