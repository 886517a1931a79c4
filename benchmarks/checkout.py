"""A clone of HEAD below a temporary folder, in which the real commands run."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
# not the stores of old runs
_OUTPUTS = (".cache", ".dvc/tmp", "data/settings", "data/prepared", "data/results", "reports", "models")


@contextmanager
def checkout(commit: str = "HEAD", changes: Mapping[str, Any] | None = None) -> Iterator[Path]:
    """A clone at `commit` with `changes` of top-level keys in params.yaml; it is the current folder while it exists."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder) / "heldout"
        _run("git", "clone", "--quiet", str(ROOT), str(here))
        _run("git", "-C", str(here), "checkout", "--quiet", commit)
        if changes:
            params = here / "params.yaml"
            params.write_text(yaml.safe_dump({**yaml.safe_load(params.read_text()), **changes}), encoding="utf-8")
        with chdir(here):
            yield here


def flow(name: str, *arguments: str) -> None:
    """Run `python -m flows NAME ...` in the current folder."""
    _run(sys.executable, "-m", "flows", name, *arguments)


def without_outputs(here: Path) -> None:
    """Remove what runs have left in a checkout but for the stores: no fit is stored then."""
    for name in _OUTPUTS:
        shutil.rmtree(here / name, ignore_errors=True)


def repro(here: Path) -> float:
    """The seconds of a whole `dvc repro` in a checkout without stored fits."""
    without_outputs(here)
    started = time.perf_counter()
    with chdir(here):
        _run(sys.executable, "-m", "dvc", "repro", "--force")
    return time.perf_counter() - started


def script(text: str) -> str:
    """The output of a Python program, run in the current folder."""
    return _run(sys.executable, "-c", text)


def _run(*command: str) -> str:
    paths = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": ""}
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **paths}, check=False)  # noqa: S603
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
    return done.stdout
