"""Packages with entry points for heldout, installed into folders of their own, and Python in which they are."""

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
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


def copy_example(folder: Path) -> Path:
    """The example as `install_example` leaves it, without pip, which takes seconds; returns where it is."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    _write_metadata(folder, project["name"], project["version"], project["entry-points"])
    return Path(shutil.copytree(EXAMPLE / MODULE, folder / MODULE)).parent


def install(folder: Path, name: str, entries: Mapping[str, Mapping[str, str]], **modules: str) -> Path:
    """A package as pip would leave it: `modules` are the texts of its files; returns where it is."""
    package = folder / name
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(modules.pop("init", ""))
    for module, text in modules.items():
        (package / f"{module}.py").write_text(text)
    _write_metadata(folder, name, "1.0", entries)
    return folder


def _write_metadata(folder: Path, name: str, version: str, entries: Mapping[str, Mapping[str, str]]) -> None:
    metadata = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    metadata.mkdir()
    lines = [
        line for group, points in entries.items() for line in (f"[{group}]", *(f"{a} = {b}" for a, b in points.items()))
    ]
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (metadata / "entry_points.txt").write_text("\n".join(lines))


_forking: list[subprocess.Popen[str]] = []


def python(code: str, *folders: Path, allowed: str = "") -> subprocess.CompletedProcess[str]:
    """A process in which the packages of `folders` are installed and nothing of ours is imported, after `code`.

    It is a fork of one that has loaded other libraries, which takes longer than what these tests ask for.
    """
    inherited = {name: value for name, value in os.environ.items() if name != VARIABLE}
    path = os.pathsep.join(map(str, (ROOT, *folders)))
    variables = {**inherited, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}  # for the processes that it starts
    variables |= {VARIABLE: allowed} if allowed else {}
    if not _forking:
        command = [sys.executable, "-B", str(Path(__file__).with_name("fork_fresh.py"))]
        bare = {name: value for name, value in inherited.items() if name != "PYTHONPATH"}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        _forking.append(subprocess.Popen(command, env=bare, text=True, **pipes))
        atexit.register(_forking[0].communicate)  # which ends it
    process = _forking[0]
    with tempfile.TemporaryDirectory() as folder:
        output, errors = (Path(folder) / name for name in ("output", "errors"))
        asked = {"code": code, "folders": [str(ROOT), *map(str, folders)], "variables": variables}
        asked |= {"output": str(output), "errors": str(errors)}
        print(json.dumps(asked), file=process.stdin, flush=True)
        ended = int(process.stdout.readline())
        return subprocess.CompletedProcess(code, ended, output.read_text(), errors.read_text())
