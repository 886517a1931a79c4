"""docs/how-to/predictions-of-other-tools.md has the readers' own conventions."""

import pkgutil
from pathlib import Path

from heldout.predictions import readers
from studies.readers_page import PAGE, page

ROOT = Path(__file__).parents[2]


def test_the_page_is_current():
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    assert page(text) == text


def test_every_file_of_the_readers_is_in_the_list_under_its_name():
    files = {module.name for module in pkgutil.iter_modules(readers.__path__)}
    assert {one.name for one in readers.READERS} == files
