"""docs/how-to/notebook.md: its first lines run, and so does each call of its tables."""

import re
from pathlib import Path

import pytest

import heldout

PAGE = Path(heldout.__file__).parents[1] / "docs/how-to/notebook.md"


def shown() -> tuple[str, list[str]]:
    """The first lines of Python, and the calls of the tables in their order."""
    page = PAGE.read_text(encoding="utf-8")
    return page.split("```python\n")[1].partition("```")[0], re.findall(
        r"^\| `((?:v|heldout)\b.*?)` \|", page, re.MULTILINE
    )


@pytest.mark.slow
def test_each_call_of_the_tables_gives_something(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    block, calls = shown()
    names: dict[str, object] = {}
    exec(compile(block, PAGE.name, "exec"), names)
    assert len(calls) > 20
    assert ["v.too_good()"] == [call for call in calls if eval(call, names) is None]
    assert (tmp_path / "report.html").is_file()
