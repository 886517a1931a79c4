"""The tables of docs/method.md are made without the shards of the coverage study; the pictures are not."""

import shutil
from pathlib import Path

import pytest

from studies import coverage_page, method_pictures, method_tables

PAGE = Path(__file__).parents[2] / "docs" / "method.md"


@pytest.fixture
def page(tmp_path, monkeypatch):
    """docs/method.md in an empty folder, with one cell of one table changed by hand."""
    monkeypatch.chdir(tmp_path)
    page = Path("docs/method.md")
    page.parent.mkdir()
    text = PAGE.read_text(encoding="utf-8")
    shutil.copy(PAGE.with_name("reading.md"), page.parent)
    shutil.copy(PAGE.with_name("coverage.csv"), coverage_page.TABLE)
    page.write_text(text.replace("| `minimum` |", "| `smallest` |"), encoding="utf-8")
    return page


def test_the_tables_alone_need_no_shard(page):
    method_pictures.main(["--tables"])
    assert PAGE.read_text(encoding="utf-8") == page.read_text(encoding="utf-8")
    assert not method_pictures.PICTURES.exists()


def test_the_pictures_need_the_shards_and_the_message_says_what_does_not(page, capsys):
    before = page.read_bytes()
    with pytest.raises(SystemExit):
        method_pictures.main([])
    assert "holds no shard of the coverage study; name its folder, or give --tables" in capsys.readouterr().err
    assert before == page.read_bytes()


@pytest.mark.parametrize("name", method_tables.TABLES)
def test_a_page_without_the_marks_of_a_table_is_refused(name):
    text = PAGE.read_text(encoding="utf-8").replace(f"<!-- end of {name} -->", "")
    with pytest.raises(ValueError, match=f"needs the marks <!-- {name}: "):
        method_tables.with_tables(text)
