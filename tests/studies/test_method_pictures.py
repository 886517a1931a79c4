"""The tables of the method's pages are made without the pictures, which are made from docs/coverage.csv."""

import shutil
from pathlib import Path

import pytest

from studies import coverage_page, method_pictures, method_tables

ROOT = Path(__file__).parents[2]


@pytest.fixture
def docs(tmp_path, monkeypatch):
    """The pages in an empty folder, with one cell of one table changed by hand."""
    monkeypatch.chdir(tmp_path)
    Path("docs").mkdir()
    for page in (*method_tables.PAGES, coverage_page.TABLE):
        shutil.copy(ROOT / page, page)
    page = Path("docs/choosing.md")
    page.write_text(page.read_text(encoding="utf-8").replace("| `minimum` |", "| `smallest` |"), encoding="utf-8")


@pytest.mark.usefixtures("docs")
def test_the_tables_are_made_alone():
    method_pictures.main(["--tables"])
    assert [] == [page for page in method_tables.PAGES if page.read_bytes() != (ROOT / page).read_bytes()]
    assert not method_pictures.PICTURES.exists()


@pytest.mark.usefixtures("docs")
def test_the_pictures_are_those_of_the_table():
    method_pictures.main([])
    assert {f"{name}.png" for name in method_pictures.LINES} == {
        path.name for path in method_pictures.PICTURES.iterdir()
    }


@pytest.mark.parametrize("page", method_tables.PAGES, ids=lambda page: page.name)
def test_a_page_without_the_marks_of_a_table_is_refused(page):
    tables = method_tables.PAGES[page]
    for name in tables:
        text = (ROOT / page).read_text(encoding="utf-8").replace(f"<!-- end of {name} -->", "")
        with pytest.raises(ValueError, match=f"needs the marks <!-- {name}: "):
            method_tables.with_tables(text, tables)
