"""The rooms of tasks: few floors, no cycle, and docs/architecture.md says what is there."""

from pathlib import Path

import pytest

from studies.architecture import Graph, page, room_of

ROOT = Path(__file__).parents[2]
MOST_ENTRIES, MOST_FLOORS = 10, 11


@pytest.fixture(scope="module")
def graph():
    return Graph.read()


def test_the_entries_of_tasks_are_few(graph):
    entries = [path.name for path in (ROOT / "tasks").iterdir() if not path.name.startswith(("_", "."))]
    assert {*entries} == {*graph.rooms().imports}
    assert len(entries) <= MOST_ENTRIES


def test_there_is_no_cycle_and_there_are_few_floors(graph):
    assert max(graph.floors().values()) <= MOST_FLOORS
    assert max(graph.rooms().floors().values()) <= MOST_FLOORS


def test_a_cycle_is_an_error():
    with pytest.raises(ValueError, match="imports itself"):
        Graph({"a": frozenset("b"), "b": frozenset("a")}).floors()


def test_the_page_is_current(graph):
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    assert page(text, graph) == text


@pytest.mark.parametrize("room", sorted({room_of(name) for name in Graph.read().imports} - {""}))
def test_every_room_says_what_belongs_there_and_what_it_imports(room):
    text = (ROOT / f"tasks/{room}/__init__.py").read_text(encoding="utf-8")
    assert text.startswith('"""')
    assert "ay import" in text
    assert f"**`{room}/`**" in (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
