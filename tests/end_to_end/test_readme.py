"""README: what it shows is what a run prints."""

from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


def printed(text: str) -> list[str]:
    """From the table's title to the last line of the summary, without the spaces that fill a line."""
    lines = [line.rstrip() for line in text.splitlines()]
    first = next(place for place, line in enumerate(lines) if line.startswith("errors in percent"))
    last = next(place for place, line in enumerate(lines) if line.startswith("runs "))
    return lines[first : last + 1]


def test_the_table_of_the_readme_is_what_a_run_prints(printed_by_repro):
    shown = README.read_text(encoding="utf-8").split("```\n")
    (table,) = [block for block in shown if block.startswith("errors in percent")]
    assert printed(printed_by_repro) == printed(table)


def test_every_folder_and_page_that_the_readme_names_exists(reproduced):
    named = README.read_text(encoding="utf-8").split("## Map")[1].split("`")[1::2]
    folders = [name for name in named if name.endswith("/") and " " not in name]
    assert len(folders) > 8
    assert [] == [name for name in folders if not (reproduced.path / name).is_dir() and "end_to_end" not in name]
