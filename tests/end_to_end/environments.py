"""New virtual environments of the Pythons that are on this machine, with what an index gives for pyproject.toml."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
LOWEST, LATEST = "lowest-direct", "highest"  # as uv calls them


def interpreter(version: str) -> str:
    """A Python of the version: of those that $PYTHONS names, or on the PATH. Skips the test where there is none."""
    named = [*os.environ.get("PYTHONS", "").split(), shutil.which(f"python{version}"), sys.executable]
    say = "import sys; print('%d.%d' % sys.version_info[:2])"
    for path in filter(None, named):  # a link to a version manager may start nothing
        ran = subprocess.run([path, "-c", say], capture_output=True, text=True, check=False)
        if ran.returncode == 0 and ran.stdout.strip() == version:
            return path
    return pytest.skip(f"not tested: Python {version} is neither on the PATH nor in PYTHONS")


def new_environment(version: str, folder: Path, wheel: Path, resolution: str, extras: Sequence[str] = ()) -> Path:
    """Its Python: the wheel, and its dependencies at the lowest or the latest versions that pyproject.toml allows."""
    python = folder / "bin" / "python"
    subprocess.run(["uv", "venv", "--quiet", "--python", interpreter(version), folder], check=True)
    asked = ["-r", ROOT / "pyproject.toml", *(part for extra in extras for part in ("--extra", extra))]
    install(python, *asked, "--resolution", resolution, "--only-binary", ":all:")
    install(python, "--no-deps", wheel)
    return python


def install(python: Path, *asked: str | Path) -> None:
    """Install what is asked, from the index."""
    subprocess.run(["uv", "pip", "install", "--quiet", "--python", python, *asked], check=True)


def installed(python: Path) -> dict[str, str]:
    """The packages of an environment and their versions."""
    listed = ["uv", "pip", "list", "--quiet", "--format", "freeze", "--python", python]
    lines = subprocess.run(listed, capture_output=True, text=True, check=True).stdout.splitlines()
    return dict(line.split("==") for line in lines if "==" in line)
