"""The rooms of heldout and tasks: no cycle, and docs/architecture.md says what is there."""

from pathlib import Path

import pytest

from studies.architecture import PACKAGES, Graph, page

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
GRAPHS = {package: Graph.read(package) for package in PACKAGES}


@pytest.mark.parametrize("package", PACKAGES)
def test_the_entries_are_rooms_and_modules(package):
    entries = {path.stem for path in (ROOT / package).iterdir() if path.is_dir() or path.suffix == ".py"}
    assert {name for name in entries if not name.startswith("_")} == {*GRAPHS[package].rooms().imports}


@pytest.mark.parametrize("package", PACKAGES)
def test_there_is_no_cycle_of_modules_and_none_of_rooms(package):
    assert GRAPHS[package].floors()
    assert GRAPHS[package].rooms().floors()


def test_a_cycle_is_an_error():
    with pytest.raises(ValueError, match="imports itself"):
        Graph({"a": frozenset("b"), "b": frozenset("a")}).floors()


@pytest.mark.parametrize("package", PACKAGES)
def test_the_page_is_current(package):
    assert page(PAGE, package, GRAPHS[package]) == PAGE


@pytest.mark.parametrize(
    ("package", "room"), [(package, room) for package in PACKAGES for room in sorted(GRAPHS[package].rooms().imports)]
)
def test_every_room_says_what_belongs_there(package, room):
    init = ROOT / package / room / "__init__.py"
    module = init if init.exists() else ROOT / package / f"{room}.py"
    text = module.read_text(encoding="utf-8")
    assert text.startswith('"""')
    assert package != "tasks" or "ay import" in text
    assert (f"**`{room}/`**" if init.exists() else f"`{room}`") in PAGE.split("## The rooms of tasks")[1]
