"""One version everywhere: in the package, its wheel, the changelog, the image, the citation and the conda recipe."""

import re
import tomllib
from pathlib import Path

import yaml

import heldout
from studies import badges

ROOT = Path(__file__).parents[2]
RECIPE = yaml.safe_load((ROOT / "conda/recipe.yaml").read_text(encoding="utf-8"))
OF_THE_WHEEL = "docs/how-to/own-project.md"  # the page that names it


def test_every_place_has_the_version_of_the_package():
    places = {
        "CHANGELOG.md": re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.M)[1],
        "CITATION.cff": str(yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"]),
        "conda/recipe.yaml": RECIPE["context"]["version"],
        "compose.yaml": re.search(r"image: heldout:(\S+)", (ROOT / "compose.yaml").read_text())[1],
        OF_THE_WHEEL: re.search(r"dist/heldout-(.+?)-py3", (ROOT / OF_THE_WHEEL).read_text())[1],
    }
    assert {heldout.__version__} == {*places.values()}, places


def test_the_badges_of_the_readme_are_those_of_the_project_and_ask_no_other_host():
    said = badges.facts(ROOT / "pyproject.toml")
    assert {"version": heldout.__version__, "Python": "3.11 or later", "licence": "MIT"} == said
    made = (ROOT / badges.PICTURE).read_text(encoding="utf-8")
    assert badges.svg(said) == made
    assert [] == re.findall(r"(?:href|src|url)\b", made)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert readme.startswith(f"# heldout\n\n![{badges.words(said)}]({badges.PICTURE})\n")
    assert [] == re.findall(r"!\[[^]]*\]\(https?:", readme)


def test_a_built_package_takes_it_from_there():
    project = (ROOT / "pyproject.toml").read_text()
    assert 'dynamic = ["readme", "version"]' in project
    assert 'version = {attr = "heldout.__version__"}' in project


def test_the_conda_recipe_asks_for_what_the_statistics_ask_for():
    """Of the wheel, and the names are those of conda-forge too."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    expected = [f"python{project['requires-python']}", *project["dependencies"]]
    assert expected == [one.replace(" ", "") for one in RECIPE["requirements"]["run"]]
    commands = [line.split(" = ") for line in RECIPE["build"]["python"]["entry_points"]]
    assert project["scripts"] == dict(commands)
    assert [project["description"], project["license"]] == [RECIPE["about"][key] for key in ("summary", "license")]


def test_the_citation_and_the_package_name_the_same_project_and_no_address():
    """The repository has no public one; the package's page and the citation get it at the same time."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert [project["name"], project["license"]] == [citation["title"], citation["license"]]
    assert project["authors"] == citation["authors"]
    assert project["keywords"] == citation["keywords"]
    assert project["description"] == citation["abstract"]
    assert ("urls" in project) == any(key in citation for key in ("url", "repository-code"))
