"""One version everywhere: in the package, its wheel, the changelog, the image and the citation."""

import re
from pathlib import Path

import yaml

import heldout

ROOT = Path(__file__).parents[2]
WHEELS = ("README.md", "docs/how-to/own-project.md")  # pages that name the wheel


def test_every_place_has_the_version_of_the_package():
    places = {
        "CHANGELOG.md": re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.M)[1],
        "CITATION.cff": str(yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"]),
        "compose.yaml": re.search(r"image: heldout:(\S+)", (ROOT / "compose.yaml").read_text())[1],
        **{name: re.search(r"dist/heldout-(.+?)-py3", (ROOT / name).read_text())[1] for name in WHEELS},
    }
    assert {heldout.__version__} == {*places.values()}, places


def test_a_built_package_takes_it_from_there():
    project = (ROOT / "pyproject.toml").read_text()
    assert 'dynamic = ["version"]' in project
    assert 'version = {attr = "heldout.__version__"}' in project
